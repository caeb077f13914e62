"""Cited code is followed in a real working tree, with git and without it."""

import subprocess

import pytest

from recortex.app.citations import citations_of, cite
from recortex.domain.memory import FileLink

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
