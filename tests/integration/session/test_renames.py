"""What was said with a name that was given up: it waits for review, and is in no brief."""

from datetime import timedelta

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs.capture import after_import
from recortex.domain.vocabulary import Status
from recortex.engines.supersession.reading import NOTE
from repositories import git

TOLD = {"origin": "user", "kind": "decision"}


@pytest.fixture
def history(tmp_path, clock, without_vectors):
    del without_vectors
    (tmp_path / "work").mkdir()
    (tmp_path / "sessions").mkdir()

    def say(session, day, *messages):
        path, at = tmp_path / "sessions" / f"{session}.jsonl", f"2026-03-{day:02}T10:{{:02}}:00Z"
        claude_session(path, tmp_path / "work", *messages, session=session, at=at)

    with Cortex.open(tmp_path / "work", clock=clock) as cortex:
        yield cortex, say, tmp_path / "sessions"


def commit(root, **files):
    """Commit files of some content; None deletes one."""
    git(root, "init", "-q")
    for name, text in files.items():
        path = root / f"{name}.py"
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a")


def status(cortex, memory):
    return cortex.get(memory.id).status


def test_a_name_that_sessions_gave_up_leaves_the_brief_and_waits_for_review(history):
    cortex, say, sessions = history
    commit(sessions.parent / "work", reader='BRANCH = "notes/v1"\n')
    commit(sessions.parent / "work", reader='BRANCH = "notes/v2"\n')
    old = cortex.remember("Drafts are kept on the branch notes/v1", valid_from="2026-02-01T00:00:00Z", **TOLD)
    both = cortex.remember("notes/v1 came before notes/v2", valid_from="2026-02-01T00:00:00Z", **TOLD)
    say("s1", 2, "Please rename the branch notes/v1 to notes/v2, the reader needs it.")
    cortex.import_("any", str(sessions))
    assert status(cortex, old) is Status.ACTIVE
    say("s2", 3, "Why are there no drafts on notes/v2?", "Is notes/v2 pushed by the server?")
    cortex.import_("any", str(sessions))
    assert cortex.get(old.id).metadata[NOTE] == ["notes/v1", "notes/v2"]
    assert (status(cortex, old), status(cortex, both)) == (Status.PROPOSED, Status.ACTIVE)
    assert old.id not in {one.id for one in cortex.surface().memories}
    assert old.id in {one.id for one in cortex.review().memories}
    assert "`notes/v1` is `notes/v2` since 2026-03-02" in str(cortex.history(old.id))
    assert (
        "A note waits for the person. It names `notes/v1`, which is `notes/v2` now." in cortex.surface().text
    )
    assert [one.why for one in cortex.review().flagged] == [
        ("It names `notes/v1`, which is `notes/v2` now.",)
    ]
    cortex.review("approve", [old.id])
    cortex.import_("any", str(sessions))
    after_import(cortex._app)
    assert status(cortex, old) is Status.ACTIVE
    assert "waits for the person" not in cortex.surface().text


@pytest.mark.parametrize(
    "code",
    [
        [],
        [{"reader": 'BRANCH = "notes/v1"\n'}],
        [{"reader": 'BRANCH = "notes/v2"\n'}],
        [{"reader": 'A = "notes/v1"\n'}, {"reader": 'A = "notes/v1"\nB = "notes/v2"\n'}],
        [{"old": 'A = "notes/v1"\n'}, {"old": None}, {"reader": 'B = "notes/v2"\n'}],
    ],
    ids=["no code", "old alone", "new alone", "both", "not one change"],
)
def test_a_change_of_a_name_that_the_code_does_not_show_changes_nothing(history, code):
    cortex, say, sessions = history
    for files in code:
        commit(sessions.parent / "work", **files)
    old = cortex.remember("Drafts are kept on the branch notes/v1", valid_from="2026-02-01T00:00:00Z", **TOLD)
    say("s1", 2, "Please rename the branch notes/v1 to notes/v2, the reader needs it.")
    say("s2", 3, "Why are there no drafts on notes/v2?", "Is notes/v2 pushed by the server?")
    cortex.import_("any", str(sessions))
    assert status(cortex, old) is Status.ACTIVE
    assert NOTE not in cortex.get(old.id).metadata


def test_a_record_of_the_repository_is_left_as_it_is(history):
    cortex, say, sessions = history
    root = sessions.parent / "work"
    (root / "docs" / "adr").mkdir(parents=True)
    record = "# 1. Drafts\n\nDate: 2026-01-05\n\n## Status\n\nAccepted\n\n## Decision\n\nWe keep drafts on"
    (root / "docs" / "adr" / "0001-drafts.md").write_text(
        f"{record} the branch notes/v1.\n", encoding="utf-8"
    )
    commit(root, reader='BRANCH = "notes/v1"\n')
    commit(root, reader='BRANCH = "notes/v2"\n')
    cortex.import_("adr")
    (kept,) = cortex.list().memories
    assert "notes/v1" in kept.text
    say("s1", 2, "Please rename the branch notes/v1 to notes/v2, the reader needs it.")
    say("s2", 3, "Why are there no drafts on notes/v2?", "Is notes/v2 pushed by the server?")
    cortex.import_("any", str(sessions))
    assert status(cortex, kept) is Status.ACTIVE


def test_what_is_said_later_with_an_old_name_or_after_it_came_back_stays(history, clock):
    cortex, _, sessions = history
    commit(sessions.parent / "work", a='A = "trace.example.com"\n')
    commit(sessions.parent / "work", a='A = "spans.example.com"\n')
    commit(sessions.parent / "work", a='A = "trace.example.com"\n')
    first = cortex.remember("Traces go to trace.example.com", **TOLD)
    clock.pass_(days=1)
    cortex.remember("trace.example.com was replaced by spans.example.com", **TOLD)
    clock.pass_(days=1)
    cortex.remember("spans.example.com was replaced by trace.example.com", **TOLD)
    clock.pass_(days=1)
    later = cortex.remember("Dashboards are on trace.example.com", **TOLD)
    after_import(cortex._app)
    assert status(cortex, later) is Status.ACTIVE
    assert NOTE not in cortex.get(first.id).metadata


def test_a_file_that_git_renamed_takes_along_what_names_it(history, tmp_path, clock):
    cortex, _, _ = history
    work = tmp_path / "work"
    found = {"files": ["lib/store.py"], "kind": "tribal", "valid_from": clock.now - timedelta(days=900)}
    memory = cortex.remember("The lock in lib/store.py is taken before the cache", **found)
    (work / "lib").mkdir()
    (work / "lib" / "store.py").write_text("lock = 1\n" * 20, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        git(work, *command)
    after_import(cortex._app)
    assert status(cortex, memory) is Status.ACTIVE
    git(work, "mv", "lib/store.py", "shelf.py")
    git(work, "commit", "-q", "-m", "b")
    after_import(cortex._app)
    assert status(cortex, memory) is Status.PROPOSED


USES = "def weigh():\n    return {0}(1)\n\n\ndef sell():\n    return {0}(2)\n"
SCALE = "class Scale:\n    {0} = 0\n\n\ndef weigh(scale):\n    return 5 - scale.{0}\n"
DECLARED = "def {0}(amount):\n    return amount\n"


@pytest.mark.parametrize(
    ("said", "before", "after", "names"),
    [
        (
            "Every sack goes through weighGrain() once",
            {"a": DECLARED.format("weighGrain"), "b": USES.format("weighGrain")},
            {"a": DECLARED.format("measureGrain"), "b": USES.format("measureGrain")},
            ["weighGrain", "measureGrain"],
        ),
        (
            "`Scale.tare` is set before the first sack",
            {"a": SCALE.format("tare")},
            {"a": SCALE.format("empty_weight")},
            ["tare", "empty_weight"],
        ),
        (
            "mill --same-sack keeps sorts apart",
            {"a": 'option("--same-sack")\n', "b": 'run("mill", "--same-sack")\n'},
            {"a": 'option("--one-sack")\n', "b": 'run("mill", "--one-sack")\n'},
            ["same-sack", "one-sack"],
        ),
        (
            "The scale is read in weighing.py, nowhere else",
            {"weighing": "scale = 1\n" * 20},
            {"weighing": None, "reading": "scale = 1\n" * 20},
            ["weighing.py", "reading.py"],
        ),
    ],
    ids=["function", "field", "option", "file"],
)
def test_a_name_that_a_commit_exchanged_needs_nobody_who_tells_it(history, said, before, after, names):
    cortex, _, sessions = history
    commit(sessions.parent / "work", **before)
    memory = cortex.remember(said, valid_from="2026-02-01T00:00:00Z", **TOLD)
    after_import(cortex._app)
    assert status(cortex, memory) is Status.ACTIVE
    commit(sessions.parent / "work", **after)
    after_import(cortex._app)
    assert cortex.get(memory.id).metadata[NOTE] == names
    assert status(cortex, memory) is Status.PROPOSED
    cortex.review("approve", [memory.id])
    after_import(cortex._app)
    assert status(cortex, memory) is Status.ACTIVE


@pytest.mark.parametrize(
    "after",
    [
        {"a": None, "b": "def weigh():\n    return 1\n"},
        {"a": DECLARED.format("weighWheat") + DECLARED.format("weighRye"),
         "b": USES.format("weighWheat").replace("weighWheat(2)", "weighRye(2)")},
        {"a": DECLARED.format("measureGrain") + "\n\nweighGrain = measureGrain\n",
         "b": USES.format("measureGrain")},
        {"a": None, "b": USES.format("weigh_all")},
        {"a": None, "c": DECLARED.format("weighGrain")},
    ],
    ids=["deleted", "split", "old name left", "another one used instead", "moved"],
)  # fmt: skip
def test_a_name_that_is_deleted_split_left_or_moved_was_not_renamed(history, after):
    cortex, _, sessions = history
    known = {
        "a": DECLARED.format("weighGrain"),
        "b": USES.format("weighGrain"),
        "d": DECLARED.format("weigh_all"),
    }
    commit(sessions.parent / "work", **known)
    memory = cortex.remember(
        "Every sack goes through weighGrain() once", valid_from="2026-02-01T00:00:00Z", **TOLD
    )
    commit(sessions.parent / "work", **after)
    after_import(cortex._app)
    assert status(cortex, memory) is Status.ACTIVE
    assert NOTE not in cortex.get(memory.id).metadata


def test_what_is_written_after_a_run_is_held_against_commits_before_it(history, clock):
    cortex, _, sessions = history
    commit(sessions.parent / "work", a=DECLARED.format("weighGrain"), b=USES.format("weighGrain"))
    commit(sessions.parent / "work", a=DECLARED.format("weighCrop"), b=USES.format("weighCrop"))
    cortex.remember("Sacks are sewn by hand", valid_from="2026-02-01T00:00:00Z", **TOLD)
    after_import(cortex._app)
    clock.pass_(days=1)
    memory = cortex.remember(
        "Every sack goes through weighGrain() once", valid_from="2026-02-01T00:00:00Z", **TOLD
    )
    after_import(cortex._app)
    assert cortex.get(memory.id).metadata[NOTE] == ["weighGrain", "weighCrop"]
