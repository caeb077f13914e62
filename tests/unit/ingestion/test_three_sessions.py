"""A decision, its reversal in a later session, a question in a third: only the current one is told."""

import pytest

from claude_sessions import claude_session
from recortex.domain.vocabulary import RelationType, Scope, Status

DECIDED = "we decided to use PostgreSQL for the job queue because Redis lost jobs"
REVERSED = "we changed our mind: use Redis for the job queue instead of PostgreSQL"


@pytest.fixture
def session(project, tmp_path):
    """Writes a session in Claude Code's format, turn by turn; gives its file."""

    def write(name, day, *said):
        path = tmp_path / f"{name}.jsonl"
        written = len(path.read_text().splitlines()) if path.exists() else 0
        at = f"2026-03-{day:02}T10:{{:02}}:00.000Z"
        return str(claude_session(path, project, *said, session=name, at=at, first=written))

    return write


def test_decision_reversal_question(reading, clock, session, settle):
    cortex = reading
    first = cortex.extract(session("one", 1, ("user", DECIDED), ("assistant", "Understood.")))
    (old,) = [cortex.get(one.id) for one in first.found]
    assert (old.kind, old.status) == ("decision", Status.ACTIVE)
    clock.pass_(days=3)
    second = cortex.extract(
        session(
            "two",
            4,
            ("user", "How are the jobs stored?"),
            ("assistant", "Let me look."),
            ("user", REVERSED),
            ("assistant", "Fine."),
        )
    )
    settle(cortex)
    (new,) = [cortex.get(one.id) for one in second.found if one.status == "active"]
    clock.pass_(days=3)
    hits = cortex.recall("which database do we use for the job queue?").hits
    assert [hit.memory.id for hit in hits] == [new.id]
    ended = cortex.get(old.id)
    assert (ended.status, ended.superseded_by, new.supersedes) == (Status.SUPERSEDED, new.id, old.id)
    assert ended.valid_until == new.valid_from
    history = cortex.history(old.id)
    assert [one.memory.status for one in history.versions] == [Status.SUPERSEDED, Status.ACTIVE]
    relations = cortex._app.all_services()[0].store.relations.find_touching([old.id])
    assert RelationType.SUPERSEDES in {one.type for one in relations}


def test_what_the_next_turn_takes_back_waits_for_a_person(cortex, clock, session):
    path = session("one", 1, ("user", "We decided to use Redis for the cache"), ("assistant", "Fine."))
    (found,) = cortex.extract(path, final=False).found
    assert found.status == "active"
    clock.pass_(hours=1)
    session("one", 1, ("user", "Actually, scratch that."), ("assistant", "Okay."))
    cortex.extract(path)
    assert cortex.get(found.id).status is Status.PROPOSED
    assert [one.memory.status for one in cortex.history(found.id).versions] == [
        Status.PROPOSED,
        Status.ACTIVE,
    ]


def test_what_is_about_the_person_goes_everywhere(cortex, session):
    found = cortex.extract(
        session("one", 1, ("user", "I prefer tabs. We use uv, not pip."), ("assistant", "Noted."))
    ).found
    kept = {cortex.get(one.id).text: cortex.get(one.id).scope for one in found}
    assert kept == {"I prefer tabs.": Scope.GLOBAL, "We use uv, not pip.": Scope.PROJECT}
    assert len(cortex._app.all_services()) == 2
