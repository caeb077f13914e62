"""Files and lines that a memory cites, in the working tree and as they move."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.app.citations import citations_of, cite
from recortex.domain.memory import MOST_CHANGED, FileLink
from recortex.engines.citations import MOST, Lines, judged, parsed, sign, signed

# -- Cited lines are found again in a file that changed, by their signature alone.
FILE = b"".join(b"def step_%d(value):\n    return value + %d\n\n" % (n, n) for n in range(40))
FIRST, LAST = 31, 36  # two functions, six lines of which two are blank


def cited(data=FILE, first=FIRST, last=LAST):
    hashed, signature = signed(Lines(data), first, last)
    return FileLink("a.py", first, last, hashed, "", signature)


def now(data, link=None, path=""):
    found = judged(link or cited(), Lines(data), path)
    return found and (found.state, found.first, found.last, found.what)


def edited(*changes):
    data = FILE
    for old, new in changes:
        assert old in data
        data = data.replace(old, new, 1)
    return data


def test_lines_that_stand_are_fresh_and_lines_that_stand_lower_have_moved():
    assert now(FILE) == ("fresh", FIRST, LAST, "")
    assert now(b"import os\n" * 7 + FILE) == ("moved", FIRST + 7, LAST + 6, "")


def test_what_differs_is_told_in_a_line():
    one = edited((b"value + 10\n", b"value - 10\n"))
    assert now(one) == ("changed", 31, 35, "1 of 4 lines differ")
    more = edited((b"    return value + 10\n", b"    value *= 2\n    return value + 10\n"))
    assert now(more) == ("changed", 31, 36, "1 line was added")
    single = cited(first=32, last=32)
    assert now(edited((b"value + 10\n", b"value + 99\n")), single) == (
        "changed", 32, 32, "the line differs",
    )  # fmt: skip


def test_lines_that_were_deleted_are_not_taken_for_others_like_them():
    lines = FILE.splitlines(keepends=True)
    assert now(b"".join(lines[:30] + lines[36:])) is None
    assert now(b"nothing\nlike\nit\n") is None
    assert now(b"") is None


def test_a_long_range_and_a_whole_file_are_told_by_a_sample():
    long = cited(first=1, last=120)
    assert len(parsed(long.signature).lines) == MOST
    data = b"# above\n" + FILE.replace(b"value +", b"other +")
    assert judged(long, Lines(data)).what.startswith("about ")
    whole = cited(first=None, last=None)
    assert judged(whole, Lines(FILE + b"# below\n")).what == "1 line was added"
    assert judged(whole, Lines(FILE + b"# below\n")).standing == MOST_CHANGED


def test_a_citation_of_an_older_version_has_no_signature_and_is_followed_by_its_hash():
    bare = FileLink("a.py", FIRST, LAST, cited().content_hash)
    assert now(b"import os\n" * 3 + FILE, bare) == ("moved", FIRST + 3, LAST + 3, "")
    changed = judged(bare, Lines(edited((b"value + 10\n", b"value - 10\n"))))
    assert (changed.state, changed.standing) == ("changed", 0.5)
    assert judged(FileLink("a.py"), Lines(FILE)).state == "none"


@pytest.mark.parametrize(
    "text", ["", "12", "x.AAAA", "2.", "2.!!!!", "0.AAAAAAAA", "99999999999999999999.AAAA", "2." + "A" * 999]
)
def test_what_is_no_signature_is_none(text):
    assert parsed(text) is None
    assert judged(FileLink("a.py", 1, 2, "f" * 64, "", text), Lines(FILE)).state == "changed"


files = st.lists(st.binary(max_size=12), max_size=60).map(b"\n".join)
ranges = st.tuples(st.integers(1, 70), st.integers(0, 40))


@given(files, ranges)
def test_a_signature_is_small_and_read_back(data, where):
    lines = Lines(data)
    text = sign(lines, where[0], where[0] + where[1])
    low, high = lines.within(where[0], where[0] + where[1])
    assert (parsed(text) is None) == (low == high)
    assert len(text) <= 110


@given(files, ranges, files)
def test_whatever_a_file_becomes_an_answer_lies_in_it(data, where, other):
    found = judged(cited(data, where[0], where[0] + where[1]), Lines(other))
    if found is not None and found.state in {"moved", "changed"} and found.link.signature:
        assert 1 <= found.first <= found.last <= len(Lines(other).raw)
        assert 0.0 <= found.standing <= 1.0


# -- Cited code is followed in a real working tree, with git and without it.
CODE = "".join(
    f"def step_{n}(value):\n    total = value + {n}\n    return total * {n}\n\n" for n in range(12)
)
PLACE = ("lib/steps.py", 9, 11)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "steps.py").write_text(CODE)
    (root / "lib" / "other.py").write_text("nothing = 1\n" * 9)
    return root


@pytest.fixture
def git(tree):
    def run(*words):
        command = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@example.com", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    run("init", "-q")
    run("add", ".")
    run("commit", "-q", "-m", "first")
    return run


def told(tree, link, reach="renames"):
    (found,) = citations_of(tree, [link], reach)
    return found.state, found.path, found.first, found.last


def edit(tree, path, old="value + 5", new="value - 5"):
    place = tree / path
    assert old in place.read_text()
    place.write_text(place.read_text().replace(old, new))


def commit(git):
    git("add", "-A")
    git("commit", "-q", "-m", "more")


@pytest.mark.usefixtures("git")
def test_what_is_not_followed_out_of_its_file_runs_nothing(tree, monkeypatch):
    link = cite(tree, *PLACE)
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setattr(subprocess, "Popen", None)
    (tree / "lib" / "steps.py").write_text("import os\n" + CODE)
    assert told(tree, link, "file") == ("moved", "lib/steps.py", 10, 12)
    (tree / "lib" / "steps.py").unlink()
    assert told(tree, link, "file") == ("gone", *PLACE)


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("edited", [True, False])
def test_a_rename_without_a_commit_is_followed(tree, git, staged, edited):
    link = cite(tree, *PLACE)
    if staged:
        git("mv", "lib/steps.py", "pace.py")
    else:
        (tree / "lib" / "steps.py").rename(tree / "pace.py")
    if edited:
        edit(tree, "pace.py")
        (tree / "pace.py").write_text("import os\n" + (tree / "pace.py").read_text())
    reach = "renames" if staged else "tree"
    assert told(tree, link, reach) == ("moved", "pace.py", *((10, 12) if edited else (9, 11)))


def test_what_moved_with_its_file_tells_where_the_file_went(tree):
    plain, touched = cite(tree, *PLACE), cite(tree, "lib/steps.py", 21, 23)
    (tree / "lib" / "steps.py").rename(tree / "lib" / "pace.py")
    edit(tree, "lib/pace.py", "def step_5(value):\n    total = value + 5", "def five(value):\n    total = 1")
    found = citations_of(tree, [touched, plain], "tree")
    assert [(one.state, one.path) for one in found] == [("changed", "lib/pace.py"), ("moved", "lib/pace.py")]


@pytest.mark.parametrize("edited", [True, False])
def test_a_folder_that_was_moved_is_told_from_copies_of_its_code_by_the_path(tree, edited):
    for name in ("copy", "example"):
        (tree / name).mkdir()
        (tree / name / "pace.py").write_text(CODE)
    link = cite(tree, "lib/steps.py", 9, 19)
    (tree / "old").mkdir()
    (tree / "lib").rename(tree / "old" / "lib")
    if edited:
        edit(tree, "old/lib/steps.py", "return total * 2", "return total")
    state = "changed" if edited else "moved"
    assert told(tree, link, "tree") == (state, "old/lib/steps.py", 9, 19)


def test_files_outside_the_project_and_too_large_ones_are_not_compared(tree, tmp_path):
    (tmp_path / "outside.py").write_text(CODE)
    (tree / "link.py").symlink_to(tmp_path / "outside.py")
    hashed = cite(tree, *PLACE).content_hash
    links = [
        FileLink(path, 9, 11, hashed) for path in ("../outside.py", "link.py", str(tmp_path / "x"), "~/x")
    ]
    assert {one.state for one in citations_of(tree, links, "tree")} == {"none"}
    with (tree / "lib" / "steps.py").open("ab") as file:
        file.truncate(5_000_000)
    assert told(tree, FileLink("lib/steps.py", 9, 11, hashed)) == ("none", *PLACE)


@pytest.mark.usefixtures("git")
def test_hostile_names_are_only_names(tree):
    names = ["--output=x", ":(exclude)*", "a\tb", "*", "-h", "", "a\0b", "x" * 300, "x" * 5_000]
    found = citations_of(tree, [FileLink(name, 1, 2, "f" * 64, "", "2.AAAA") for name in names], "tree")
    assert {one.state for one in found} <= {"gone", "none"}
    assert sorted(path.name for path in tree.iterdir()) == [".git", "lib"]
