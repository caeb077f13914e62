"""A clock that was wrong for a session puts nothing away; what it put away before comes back."""

import json
from datetime import UTC, datetime

import pytest

import ready_recortex
from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION
from recortex.domain.vocabulary import Scope, Status

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
