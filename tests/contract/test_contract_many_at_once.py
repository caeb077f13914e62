"""Many drafts kept at once leave the same as one after another, on every engine."""

from itertools import count

import pytest

from example_memories import AT, id_of
from recortex.domain.memory import Source
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.ingestion.service import Ingestion
from recortex.engines.privacy import Draft

KNOWN = (
    "The parcel queue retries a failed delivery three times before it gives up",
    "Invoices are numbered by year and tenant, because auditors ask for it",
)
NEW = (
    Draft(kind="insight", text="The parcel queue retries a failed delivery five times before it gives up"),
    Draft(kind="insight", text="Cursors expire after an hour"),
    Draft(kind="insight", text='"Cursors expire after an hour!"', source=Source(session="s1")),
    Draft(kind="decision", text="Sessions live in Redis", supersedes=id_of(2)),
    Draft(kind="decision", text="Sessions live in Postgres", supersedes=id_of(6)),
    Draft(kind="insight", text="The test account is admin with password=hunter2hunter2"),
    Draft(kind="insight", text=KNOWN[0] + ".", source=Source(session="s2")),
)


def left(store, *chunks):
    """What is in a store after drafts were kept, chunk by chunk."""
    numbers = count(1)
    ingestion = Ingestion(store, store.search, count=len, new_id=lambda: id_of(next(numbers)))
    known = [Draft(kind="insight", text=text) for text in KNOWN]
    outcomes = [
        (one.outcome, one.memory.text, one.redacted)
        for chunk in (known, *chunks)
        for one in ingestion.keep(chunk, now=AT, actor=Actor.USER)
    ]
    memories = sorted(store.memories.find(MemoryQuery(statuses=tuple(Status))), key=lambda one: one.id)
    ids = [one.id for one in memories]
    logged = [(one.memory_id, one.operation, one.details) for one in store.ledger.recent(100)]
    relations = sorted(store.relations.find_touching(ids), key=repr)
    return outcomes, memories, [store.memories.history(id_) for id_ in ids], logged, relations


@pytest.mark.usefixtures("server")
def test_many_at_once_leave_the_same_as_one_by_one(layout, empty):
    with empty(layout) as store:
        at_once = left(store, NEW)
    with empty(layout) as store:
        one_by_one = left(store, *([draft] for draft in NEW))
    assert at_once == one_by_one
    outcomes, memories, _, logged, relations = at_once
    assert [outcome for outcome, *_ in outcomes].count("merged") == 2
    assert {one.status for one in memories} == {Status.ACTIVE, Status.SUPERSEDED}
    assert "supersede" in {operation for _, operation, _ in logged}
    assert relations
