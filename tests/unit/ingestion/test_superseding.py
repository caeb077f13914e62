"""What replaces what: a reversal ends the old memory, a guess does not, and the history has all of it."""

from datetime import timedelta

import pytest

from recortex.domain.vocabulary import Origin, RelationStatus, RelationType, Status
from recortex.engines.supersession import may_replace

OLD, NEW = "Use PostgreSQL for the job queue.", "Use Redis for the job queue instead of PostgreSQL."
OTHER = "Use Redis for the job queue."


def relations(cortex, id_):
    found = cortex._app.all_services()[0].store.relations.find_touching([id_])
    return {(one.type, one.source_id, one.target_id, one.status) for one in found}


@pytest.mark.parametrize("text", [NEW, "We no longer use PostgreSQL for the job queue."])
def test_what_the_person_says_replaces_what_was_said_before(reading, clock, text):
    cortex = reading
    old = cortex.remember(OLD, kind="decision")
    clock.pass_(days=1)
    new = cortex.remember(text, kind="decision")
    ended = cortex.get(old.id)
    assert (ended.status, ended.superseded_by, ended.valid_until) == (Status.SUPERSEDED, new.id, clock.now)
    assert (new.supersedes, new.status) == (old.id, Status.ACTIVE)
    assert (RelationType.SUPERSEDES, new.id, old.id, RelationStatus.ACTIVE) in relations(cortex, old.id)
    assert [
        hit.memory.id for hit in cortex.recall("what do we use for the job queue?", floor=False).hits
    ] == [new.id]
    history = cortex.history(old.id)
    assert [one.memory.status for one in history.versions] == [Status.SUPERSEDED, Status.ACTIVE]


def test_pinned_memories_wait_for_a_person(reading, clock):
    cortex = reading
    old = cortex.remember(OLD, pinned=True)
    clock.pass_(days=1)
    new = cortex.remember(NEW)
    assert cortex.get(old.id).status is Status.ACTIVE
    assert (RelationType.CONTRADICTS, new.id, old.id, RelationStatus.SUGGESTED) in relations(cortex, old.id)


@pytest.mark.parametrize(
    ("known", "new", "status"),
    [
        (Origin.USER, Origin.AGENT, Status.SUPERSEDED),
        (Origin.USER, Origin.EXTRACTION, Status.ACTIVE),
        (Origin.AGENT, Origin.EXTRACTION, Status.ACTIVE),
        (Origin.EXTRACTION, Origin.EXTRACTION, Status.SUPERSEDED),
        (Origin.USER, Origin.WEB, Status.ACTIVE),
    ],
)
def test_who_may_replace_whom(reading, clock, known, new, status):
    cortex = reading
    old = cortex.remember(OLD, origin=known)
    clock.pass_(days=1)
    added = cortex.remember(NEW, origin=new)
    assert cortex.get(old.id).status is status
    if status is Status.ACTIVE and new is not Origin.WEB:
        assert RelationType.CONTRADICTS in {kind for kind, *_ in relations(cortex, added.id)}


@pytest.mark.parametrize(
    ("known", "new", "may"),
    [
        (Origin.USER, Origin.AGENT, False),
        (Origin.AGENT, Origin.AGENT, True),
        (Origin.EXTRACTION, Origin.EXTRACTION, False),
        (Origin.EXTRACTION, Origin.USER, True),
        (Origin.USER, Origin.USER, True),
        (Origin.USER, Origin.WEB, False),
    ],
)
def test_who_may_replace_whom_without_a_word_of_a_change(cortex, clock, known, new, may):
    old = cortex.get(cortex.remember(OLD, origin=known).id)
    clock.pass_(days=1)
    later = cortex.get(cortex.remember(OTHER, origin=new).id)
    assert may_replace(later, old, explicit=False) is may


def test_an_old_session_read_late_does_not_undo_what_was_decided_since(reading, clock, settle):
    cortex = reading
    current = cortex.remember(NEW)
    clock.pass_(days=1)
    late = cortex.remember(OLD, valid_from=clock.now - timedelta(days=30))
    settle(cortex)
    assert cortex.get(current.id).status is Status.ACTIVE
    late = cortex.get(late.id)
    assert (late.status, late.superseded_by) == (Status.SUPERSEDED, current.id)


def test_incidents_stay_true(reading, clock, settle):
    cortex = reading
    old = cortex.remember("The build is run with make.", kind="incident")
    clock.pass_(days=1)
    cortex.remember("The build is no longer run with make.", kind="incident")
    settle(cortex)
    assert cortex.get(old.id).status is Status.ACTIVE


def test_other_matters_are_left_alone(reading, clock, settle):
    cortex = reading
    old = cortex.remember(OLD)
    clock.pass_(days=1)
    for text in (
        "Use Redis for the page cache instead of Memcached.",
        "We also use Redis for the job queue of the mailer.",
        "Should we use Redis for the job queue instead of PostgreSQL?",
        "Use PostgreSQL 17 for the job queue.",
    ):
        cortex.remember(text)
    settle(cortex)
    assert cortex.get(old.id).status is Status.ACTIVE
