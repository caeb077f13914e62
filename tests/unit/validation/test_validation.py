"""Cited code: how it is followed, and what speaks against a memory."""

import subprocess
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import store_folder
from recortex import Cortex
from recortex.app.citations import citations_of, cite
from recortex.app.jobs.running import run_due
from recortex.app.wiring import application
from recortex.cli.reviewing import items
from recortex.domain.memory import MOST_CHANGED, FileLink, Relation
from recortex.domain.reports import FLAG
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType, Scope, Status
from recortex.engines.citations import MOST, Lines, judged, parsed, sign, signed
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.settings import read

# -- Validation: what speaks against a memory, what is healed by itself, and what a person decides.
CODE = "".join(
    f"def step_{n}(value):\n    total = value + {n}\n    return total * {n}\n\n" for n in range(12)
)
SAID = "Steps add their number before they multiply"


@pytest.fixture
def source(cortex):
    place = cortex._app.root / "steps.py"
    place.write_text(CODE)
    return place


@pytest.fixture
def memory(cortex, source):  # noqa: ARG001  the file must be there
    return cortex.remember(SAID, kind="tribal", files=["steps.py:9-11"])


def issues(cortex, memory, **options):
    done = cortex.validate([memory.id], **options)
    return [(one.dimension, one.severity, one.what) for each in done.findings for one in each.issues]


def services(cortex):
    return cortex._app.services(Scope.PROJECT)


def relate(cortex, one, other, kind, status=RelationStatus.ACTIVE):
    with services(cortex).store.transaction():
        services(cortex).store.relations.put(
            Relation(one.id, other.id, kind, cortex._app.clock(), status=status, bidirectional=False)
        )


# -- the four dimensions
def test_a_file_that_was_deleted_makes_its_citation_invalid(cortex, memory, source):
    source.unlink()
    assert issues(cortex, memory) == [("citation", "severe", "steps.py:9-11: the file is gone")]
    assert cortex.validate().flagged == 1


def test_content_that_changed_is_told_with_what_differs(cortex, memory, source):
    source.write_text(CODE.replace("value + 2", "value - 2"))
    assert issues(cortex, memory) == [("citation", "moderate", "steps.py:9-11: 1 of 3 lines differ")]


def test_what_has_expired_is_told(cortex, clock):
    memory = cortex.remember(SAID, valid_until=clock.now + timedelta(days=2))
    clock.pass_(days=3)
    assert ("temporal", "moderate", f"it was true until {clock.now - timedelta(days=1):%Y-%m-%d}") in issues(
        cortex, memory
    )


@pytest.mark.parametrize(
    ("supporters", "status", "severity"),
    [
        (0, RelationStatus.SUGGESTED, "moderate"),
        (0, RelationStatus.ACTIVE, "severe"),
        (2, RelationStatus.ACTIVE, "severe"),
        (3, RelationStatus.ACTIVE, "minor"),
    ],
)
def test_three_that_agree_resist_a_single_contradiction(cortex, supporters, status, severity):
    memory = cortex.remember("The queue is drained before a deploy", kind="tribal")
    against = cortex.remember("Deploys leave what is in the queue alone", kind="tribal")
    for number in range(supporters):
        other = cortex.remember(f"Runbook {number} drains the queue as its first step", kind="tribal")
        relate(cortex, other, memory, RelationType.SUPPORTS)
    relate(cortex, against, memory, RelationType.CONTRADICTS, status)
    assert [(one, two) for one, two, _ in issues(cortex, memory)] == [("contradiction", severity)]
    assert [two for _, two, _ in issues(cortex, against)] == [
        "severe" if status is RelationStatus.ACTIVE or supporters == 3 else "moderate"
    ]
    cortex.forget(against.id)
    assert issues(cortex, memory) == []


def test_a_pattern_that_was_removed_is_told(cortex):
    why = cortex.remember("Repositories hide SQL", kind="pattern_rationale", patterns=["repository"])
    memory = cortex.remember("Orders are read through a repository", kind="tribal", patterns=["repository"])
    assert issues(cortex, memory) == []
    cortex.forget(why.id)
    assert issues(cortex, memory) == [("pattern", "moderate", "the pattern repository was removed")]
    unknown = cortex.remember("Retries use a backoff of two", kind="tribal", patterns=["backoff"])
    assert issues(cortex, unknown) == []


# -- what follows
# -- healing
def test_healing_cites_what_moved_where_it_is_and_can_be_undone(cortex, memory, source):
    source.write_text("import os\n" * 5 + CODE)
    (source.parent / "lib").mkdir()
    source.rename(source.parent / "lib" / "steps.py")
    done = cortex.validate(heal=True)
    assert (done.healed, done.findings[0].done) == (1, ("steps.py:9-11 is now lib/steps.py:14-16",))
    (link,) = cortex.get(memory.id).files
    assert link == cite(source.parent, "lib/steps.py", 14, 16)
    assert cortex.history(memory.id).versions[0].changed_by is Actor.VALIDATION
    assert cortex.validate(heal=True).healed == 0
    assert cortex.undo(memory.id).files == memory.files


def test_a_file_that_git_renamed_updates_its_citation(source, monkeypatch):
    git = ["git", "-C", str(source.parent), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    (source.parent / ".git").rmdir()
    for words in (["init", "-q"], ["add", "steps.py"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(source.parent) as cortex:
        named = cortex.remember(SAID, kind="tribal", files=["steps.py"])
        with_only_a_path = services(cortex)
        with with_only_a_path.store.transaction():
            with_only_a_path.ingestion.change(
                named, replace(named, files=(FileLink("steps.py"),)), now=named.recorded_at,
                actor=Actor.USER, operation="update",
            )  # fmt: skip
        for words in (["mv", "steps.py", "pace.py"], ["commit", "-q", "-m", "second"]):
            subprocess.run([*git, *words], check=True)
        assert cortex.validate(heal=True).healed == 1
        assert [link.path for link in cortex.get(named.id).files] == ["pace.py"]


def test_what_changed_on_the_way_to_another_file_is_cited_there_and_still_counts_as_changed(
    cortex, memory, source
):
    cortex.remember("The first step adds nothing", kind="tribal", files=["steps.py:1-3"])
    source.write_text(CODE.replace("value + 2", "value - 2"))
    source.rename(source.parent / "pace.py")
    assert cortex.validate(heal=True).healed == 2
    assert [(link.path, link.line_start) for link in cortex.get(memory.id).files] == [("pace.py", 9)]
    assert cortex.get(memory.id).cited == ("pace.py:9-11: 1 of 3 lines differ",)


def test_what_is_severe_is_flagged_once_shown_in_review_and_decided_by_a_person(cortex, memory, source):
    source.unlink()
    assert cortex.validate(heal=True).findings[0].done[0].startswith("flagged for review")
    assert cortex.validate(heal=True).healed == 0
    (flagged,) = cortex.review().flagged
    assert flagged.why == ("citation: steps.py:9-11: the file is gone",)
    assert cortex.get(memory.id).status is Status.ACTIVE
    (approved,) = cortex.review("approve", [memory.id]).memories
    assert (approved.tags, approved.files, approved.metadata) == ((), (), {})
    assert approved.validated_at is not None
    assert cortex.review().flagged == ()
    assert cortex.validate().valid == 1
    assert cortex.undo(memory.id).tags == (FLAG,)


def test_what_was_flagged_is_asked_about_and_a_confirmation_is_an_approval(cortex, memory, source):
    source.unlink()
    cortex.validate(heal=True)
    (item,) = items(cortex.review())
    assert (item.memory.id, item.waits) == (memory.id, False)
    assert "the file is gone" in item.question
    confirmed = cortex.feedback(memory.id, "confirm").memory
    assert (confirmed.tags, confirmed.files) == ((), ())
    assert items(cortex.review()) == []
    assert cortex.validate().valid == 1


def test_what_is_not_severe_any_more_is_no_longer_flagged(cortex, memory, source):
    source.unlink()
    cortex.validate(heal=True)
    source.write_text(CODE)
    cortex.validate(heal=True)
    assert cortex.get(memory.id).tags == ()
    assert cortex.review().flagged == ()


def test_approval_raises_confidence_and_takes_the_code_as_it_is(cortex, source):
    memory = cortex.remember(SAID, kind="tribal", files=["steps.py:9-11"])
    cortex.edit(memory.id, confidence=0.5)
    with pytest.raises(InvalidInputError, match="does not wait"):
        cortex.review("approve", [memory.id])
    source.write_text("# above\n" + CODE.replace("value + 2", "value - 2"))
    cortex.validate()
    (approved,) = cortex.review("approve", [memory.id]).memories
    assert approved.confidence == pytest.approx(0.6)
    assert approved.files == (cite(source.parent, "steps.py", 10, 12),)
    assert cortex.validate().valid == 1


def test_confidence_is_lowered_once_for_what_decay_does_not_know(cortex):
    why = cortex.remember("Repositories hide SQL", kind="pattern_rationale", patterns=["repository"])
    memory = cortex.remember("Orders are read through a repository", kind="tribal", patterns=["repository"])
    cortex.forget(why.id)
    assert cortex.validate([memory.id], heal=True).findings[0].done == ("confidence 1.00 -> 0.70",)
    assert cortex.validate([memory.id], heal=True).healed == 0
    assert cortex.undo(memory.id).confidence == 1.0


def test_what_is_stale_and_hardly_believed_is_archived_with_the_reason(cortex, memory, source, clock):
    cortex.edit(memory.id, confidence=0.28)
    source.unlink()
    clock.pass_(days=1)
    done = cortex.validate(heal=True).findings[0].done
    assert done[-1] == "archived: confidence 0.14, below 0.2"
    assert cortex.get(memory.id).status is Status.ARCHIVED
    assert cortex.history(memory.id).versions[0].reason.endswith(done[-1])
    assert cortex.undo(memory.id).status is Status.ACTIVE


def test_an_agent_heals_what_is_safe_and_approves_nothing(cortex, memory, source, clock):
    cortex.edit(memory.id, confidence=0.28)
    source.unlink()
    with Cortex.open(cortex._app.root, clock=clock, actor=Actor.AGENT) as agent:
        (finding,) = agent.validate(heal=True).findings
        assert [one.split(":")[0] for one in finding.done] == ["flagged for review"]
        with pytest.raises(PersonNeededError):
            agent.review("approve", [memory.id])


def test_scopes_choose_what_is_validated(cortex, clock):
    old = cortex.remember("Releases are cut on Tuesdays", kind="tribal")
    clock.pass_(days=100)
    doubted = cortex.remember("The cache may be cold after a deploy", kind="tribal")
    cortex.edit(doubted.id, confidence=0.5)
    cortex.remember("The parser reads one token ahead", kind="tribal")
    assert [cortex.validate(scope=scope).total for scope in ("all", "recent", "stale")] == [3, 2, 2]
    assert {one.id for one in cortex.validate(scope="stale").findings} == {old.id}


def test_what_stands_in_the_audit_log_is_what_changed(cortex, memory, source):
    def entries():
        return [one.details for one in cortex.history(memory.id).audit if one.operation == "validate"]

    cortex.validate()
    assert entries() == []
    source.unlink()
    cortex.validate()
    cortex.validate()
    assert entries() == [{"found": "citation:severe", "score": 0.75}]
    source.write_text(CODE)
    cortex.validate()
    assert [one["found"] for one in entries()] == ["citation:severe", ""]


# -- the job
@pytest.mark.usefixtures("memory")
def test_the_job_follows_files_flags_and_leaves_the_rest(cortex, source, clock, project):
    shifted = cortex.remember("The fifth step multiplies by five", kind="tribal", files=["steps.py:21-23"])
    (source.parent / "other.py").write_text("timeout = 30\nretries = 5\nbackoff = 2\n")
    gone = cortex.remember("The timeout is thirty seconds", kind="tribal", files=["other.py:1-3"])
    source.write_text("# above\n" + CODE)
    (source.parent / "other.py").unlink()
    cortex.close()
    app = application(project, url=None, clock=clock, actor=Actor.SYSTEM, progress=None)
    done = {one.name: one for one in run_due(app.services(Scope.PROJECT), clock, read(project))}
    app.close()
    assert done["validation"].counts == {"memories": 3, "stale": 2, "flagged": 1, "healed": 1}
    assert cortex.get(shifted.id).files == shifted.files  # found again each time: no version for each edit
    assert cortex.get(gone.id).tags == (FLAG,)
    assert store_folder(project).is_dir()


def test_what_three_others_support_is_surer_once_and_only_as_long_as_they_do(cortex):
    one = cortex.remember("Invoices are numbered per tenant.", kind="semantic", confidence=0.6)
    others = [
        cortex.remember(f"Tenant {number} has an invoice {number}.", kind="core") for number in range(3)
    ]
    for other in others:
        relate(cortex, other, one, RelationType.SUPPORTS)
    cortex.validate(heal=True)
    cortex.validate(heal=True)
    assert cortex.get(one.id).confidence == pytest.approx(0.8)
    assert "three others support it" in cortex.history(one.id).versions[0].reason
    cortex.unlink(others[0].id, one.id, relation="supports")
    cortex.validate(heal=True)
    assert cortex.get(one.id).confidence == pytest.approx(0.6)


# -- Files and lines that a memory cites, in the working tree and as they move.


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
