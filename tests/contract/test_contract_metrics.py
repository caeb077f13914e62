"""Counts and questions of a store, on every engine."""

from datetime import timedelta

from example_memories import AT, id_of, insert, memory
from recortex.domain.maintenance import Degradation
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType, Status
from recortex.metrics.records import DAY, Asked, Histogram, Key, MetricRecords, Shares

TODAY = int(AT.timestamp()) // DAY
WEEK = timedelta(days=7)


def asked(minutes, digest="d1", results=1):
    return Asked(
        at=AT + timedelta(minutes=minutes), digest=digest, operation="recall", intent="fix_bug",
        recipe="hybrid", length=20, milliseconds=12, results=results, tokens=30,
    )  # fmt: skip


def test_counts_add_up_over_days_from_a_day_on(store):
    records = store.records(MetricRecords)
    for day in (TODAY - 8, TODAY - 2, TODAY):
        with store.transaction():
            records.add({Key(day, "operation", "recall", 4): (2, 9.5)}, [])
    with store.transaction():
        records.add({Key(TODAY, "operation", "recall", 4): (1, 4.0)}, [])
        records.add({Key(TODAY, "operation", "recall", 6): (1, 8.0)}, [])
    assert records.totals(AT - WEEK) == {("operation", "recall"): Histogram({4: 5, 6: 1}, 31.0)}
    with store.transaction():
        records.forget(AT - timedelta(days=1))
    assert records.totals(AT - 30 * WEEK) == {("operation", "recall"): Histogram({4: 3, 6: 1}, 21.5)}


def test_the_last_questions_come_first_and_old_ones_go(store):
    records = store.records(MetricRecords)
    with store.transaction():
        records.add({}, [asked(1), asked(2, "d2", 0), asked(1)])
    assert records.questions(AT, 10) == [asked(2, "d2", 0), asked(1)]
    assert records.questions(AT, 1) == [asked(2, "d2", 0)]
    with store.transaction():
        records.forget(AT + timedelta(minutes=2))
    assert records.questions(AT, 10) == [asked(2, "d2", 0)]


def test_the_active_memories_are_counted_as_they_stand(store):
    records = store.records(MetricRecords)
    assert records.shares(AT) == Shares(0, 0, 0, 0)
    insert(
        store,
        memory(1, "old", recorded_at=AT - 2 * WEEK, kind="decision", confidence=0.5),
        memory(2, "new", kind="decision", confidence=0.7),
        memory(3, "other", kind="tribal"),
        memory(4, "waits", status=Status.PROPOSED),
        memory(5, "gone", status=Status.SUPERSEDED),
    )
    at = {"created_at": AT, "type": RelationType.CONTRADICTS}
    store.relations.put_all([Relation(id_of(1), id_of(2), **at), Relation(id_of(5), id_of(3), **at)])
    assert records.shares(AT - WEEK) == Shares(3, 0, 2, 2)
    kinds = records.kinds()
    assert {kind: number for kind, (number, _) in kinds.items()} == {"decision": 2, "tribal": 1}
    assert round(kinds["decision"][1], 3) == 0.6
    assert records.waiting() == 1
    assert records.since_wrong([id_of(1), id_of(4), id_of(5)]) == 2


def test_failures_are_counted_by_part_and_time(store):
    for minutes in (0, 1, 2, 90):
        store.ledger.degrade(Degradation("embedder", "away", "words"), AT + timedelta(minutes=minutes))
    store.ledger.degrade(Degradation("other", "away", "words"), AT)
    assert store.ledger.degraded_since(AT - timedelta(minutes=1)) == {"embedder": 4, "other": 1}
    assert store.ledger.degraded_since(AT + timedelta(minutes=1)) == {"embedder": 2}
    store.maintenance.forget_degradations(AT + timedelta(minutes=60))
    assert store.ledger.degraded_since(AT - timedelta(minutes=1)) == {"embedder": 1}


def test_what_failed_again_after_it_worked_fails_since_then(store):
    event = Degradation("embedder", "away", "words")
    store.ledger.degrade(event, AT)
    store.ledger.degrade(event, AT + timedelta(hours=1))
    assert store.ledger.degradations()[0].first_at == AT
    store.ledger.works_again("embedder")
    store.ledger.degrade(event, AT + WEEK)
    (one,) = store.ledger.degradations()
    assert (one.first_at, one.times) == (AT + WEEK, 3)
