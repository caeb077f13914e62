"""Sessions over time: clocks, renames, use, figures."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

import ready_recortex
from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs.capture import after_import
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION
from recortex.domain.session import Session
from recortex.domain.vocabulary import Actor, Scope, Status
from recortex.engines.supersession.reading import NOTE
from repositories import git

# -- A clock that was wrong for a session puts nothing away; what it put away before comes back.
NOW, FAR = "2026-11-01T10:00:00Z", "2099-01-01T10:00:00Z"
PASSING = "The importer of parcels is half done, the reader of addresses is next"


def transcript(project, session, at, text):
    return claude_session(project.parent / f"{session}.jsonl", project, text, session=session, at=at)


def recortex(*words, **more):
    done = ready_recortex.run(*words, patient=True, **more)
    assert done.returncode == 0, done.stderr
    return done


def session_ends(project, session, at):
    """End a session as a client does, and wait for what is learned from it."""
    told = transcript(project, session, at, "Please look at the parcels once more.")
    given = {
        "session_id": session,
        "transcript_path": str(told),
        "cwd": str(project),
        "hook_event_name": "SessionEnd",
    }
    recortex("hook", "session-end", stdin=json.dumps(given).encode(), cwd=project)
    recortex("hook", "capture", "--project", str(project), cwd=project)


def statuses(project):
    with Cortex.open(project) as cortex:
        query = cortex.list(statuses=["active", "archived", "pruned", "proposed"])
        return {memory.text: memory.status for memory in query.memories}


@pytest.mark.full
@pytest.mark.usefixtures("without_vectors")
def test_one_session_in_another_century_archives_nothing(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", NOW)
    with Cortex.open(project) as cortex:
        cortex.remember("We decided to key parcels by address", kind="decision")
        cortex.remember(PASSING, kind="progress")
    for session, at in enumerate((NOW, FAR, FAR, "2026-11-02T10:00:00Z")):
        monkeypatch.setenv("RECORTEX_NOW", at)
        session_ends(project, f"s{session}", at)
        assert set(statuses(project).values()) == {Status.ACTIVE}


@pytest.mark.usefixtures("without_vectors")
def test_what_a_wrong_clock_put_away_comes_back_when_it_is_right_again(project, new_clock):
    clock = new_clock()
    with Cortex.open(project, clock=clock) as cortex:
        kept = cortex.remember(PASSING, kind="progress")
        gone = cortex.remember("Two of five translations were sent to the printer", kind="progress")
        cortex.forget(gone.id)
        services = cortex._app.services(Scope.PROJECT)
        run(services, clock, services.settings, AFTER_SESSION)
        right = clock.now
        clock.now = datetime(2099, 1, 1, tzinfo=UTC)
        assert cortex.lifecycle(trust_clock=True).archived == 1
        clock.now = right
        run(services, clock, services.settings, AFTER_SESSION)
        assert cortex.get(kept.id).status is Status.ACTIVE
        assert cortex.get(gone.id).status is Status.ARCHIVED


@pytest.mark.usefixtures("without_vectors")
def test_a_long_absence_is_believed_after_a_week_of_work(project, new_clock):
    clock = new_clock()
    with Cortex.open(project, clock=clock) as cortex:
        kept = cortex.remember(PASSING, kind="progress")
        services = cortex._app.services(Scope.PROJECT)
        for days in (0, 300, 2, 2):
            clock.pass_(days=days)
            run(services, clock, services.settings, AFTER_SESSION)
            assert cortex.get(kept.id).status is Status.ACTIVE
        clock.pass_(days=4)
        run(services, clock, services.settings, AFTER_SESSION)
        assert cortex.get(kept.id).status is Status.ARCHIVED


@pytest.mark.usefixtures("without_vectors")
def test_what_is_asked_for_by_hand_does_not_age_by_a_clock_that_leapt(project, new_clock):
    clock = new_clock()
    with Cortex.open(project, clock=clock) as cortex:
        passing = cortex.remember(PASSING, kind="progress")
        cortex.gc(all=True)
        clock.pass_(days=27_000)
        done = cortex.lifecycle()
        assert done.changes == ()
        (warning,) = done.warnings
        assert "--trust-clock" in warning
        (store,) = cortex.gc(all=True).stores
        skipped = [one for one in store.chores if "the clock leapt" in one.note]
        assert (
            {"expiry", "audit", "exchanges"} >= {one.name for one in skipped} & {"expiry", "audit"} != set()
        )
        assert cortex.get(passing.id).status is Status.ACTIVE
        assert cortex.lifecycle(trust_clock=True).archived == 1
        (store,) = cortex.gc(all=True).stores
        assert not any("the clock leapt" in one.note for one in store.chores)


@pytest.mark.usefixtures("without_vectors")
def test_the_person_is_told_in_one_line_that_the_clock_leapt(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", NOW)
    with Cortex.open(project) as cortex:
        cortex.remember(PASSING, kind="progress")
        cortex.gc(all=True)
    monkeypatch.setenv("RECORTEX_NOW", FAR)
    for verb, stream in ((["gc", "--all", "--yes"], "stdout"), (["lifecycle"], "stderr")):
        lines = " ".join(getattr(recortex(*verb, cwd=project), stream).decode().split())
        assert lines.count("the clock leapt") == 1
        assert "--trust-clock" in lines


@pytest.mark.usefixtures("without_vectors")
def test_what_the_person_said_is_never_put_away_for_want_of_use(project, new_clock):
    clock = new_clock()
    with Cortex.open(project, clock=clock) as cortex:
        rule = cortex.learn("Never push to main, always open a pull request.").memory
        decided = cortex.remember("We decided to key parcels by address", kind="decision")
        passing = cortex.remember(PASSING, kind="progress")
        guessed = cortex.remember("Addresses are perhaps keyed by house", kind="decision", origin="agent")
        clock.pass_(days=4_000)
        cortex.lifecycle(trust_clock=True)
        assert [cortex.get(one.id).status for one in (rule, decided)] == [Status.ACTIVE] * 2
        assert [cortex.get(one.id).status for one in (passing, guessed)] == [Status.ARCHIVED] * 2


# -- What was said with a name that was given up: it waits for review, and is in no brief.
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
            "`Scale.tare` is set before the first sack", {"a": SCALE.format("tare")},
            {"a": SCALE.format("empty_weight")}, ["tare", "empty_weight"],
        ),
        (
            "mill --same-sack keeps sorts apart",
            {"a": 'option("--same-sack")\n', "b": 'run("mill", "--same-sack")\n'},
            {"a": 'option("--one-sack")\n', "b": 'run("mill", "--one-sack")\n'},
            ["same-sack", "one-sack"],
        ),
        (
            "The scale is read in weighing.py, nowhere else", {"weighing": "scale = 1\n" * 20},
            {"weighing": None, "reading": "scale = 1\n" * 20}, ["weighing.py", "reading.py"],
        ),
    ],
    ids=["function", "field", "option", "file"],
)  # fmt: skip
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


# -- Sessions that ask: nothing is given twice, what was given is counted, and processes do not disturb it.
TASKS = ("fix the crash of the login page", "deploy the login service", "add a test of the login page")


@pytest.fixture
def store(tmp_path, clock, monkeypatch):
    """What is known of a login page, and an opened store for an agent."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db", clock=clock, actor=Actor.AGENT) as agent:
        for what in ("locks an account", "is cached for an hour", "is tested with Playwright"):
            agent.remember(f"The login page {what}", kind="tribal")
        yield agent


def records(cortex):
    return cortex._app.all_services(Scope.PROJECT)[0].store.sessions


def begin(cortex, id_, **more):
    now = cortex._app.clock()
    records(cortex).put(Session(id=id_, started_at=now, seen_at=now, **more))


def test_what_a_session_was_given_is_counted_and_not_given_again(store):
    begin(store, "s1")
    first = store.context("fix the crash of the login page", session="s1")
    told = [entry for entry in first.entries if entry.kind != "exchange"]
    assert len(told) == 3
    again = store.context("fix the crash of the login page", session="s1")
    assert again.entries == ()
    figures = store.sessions(figures=True).figures
    assert figures.tokens_given == sum(entry.tokens for entry in told)
    assert figures.tokens_saved == figures.tokens_given
    assert figures.ways["asked"].times == 3
    assert [one.summary for one in figures.most_given] != [""] * 3
    begin(store, "s2")
    assert len(store.context("fix the crash of the login page", session="s2").entries) == 3


_WORKER = """
import sys
from recortex import Cortex
from recortex.domain.vocabulary import Actor
with Cortex.open(url=sys.argv[1], actor=Actor.AGENT) as agent:
    for task in sys.argv[3:]:
        agent.context(task, session=sys.argv[2])
"""


@pytest.mark.full
def test_processes_of_several_sessions_do_not_disturb_each_other(store, tmp_path):
    names = [f"s{number}" for number in range(4)]
    for name in names:
        begin(store, name)
    url = f"sqlite:///{tmp_path}/c.db"
    workers = [subprocess.Popen([sys.executable, "-c", _WORKER, url, name, *TASKS]) for name in names]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    figures = store.sessions(figures=True).figures
    assert {one.intent: one.times for one in figures.intents} == {"fix_bug": 4, "deploy": 4, "add_test": 4}
    for name in names:
        given = [one.memory for one in records(store).receipts(name)]
        assert len(given) == len(set(given)) == 3
    assert figures.tokens_given == sum(one.tokens for name in names for one in records(store).receipts(name))
