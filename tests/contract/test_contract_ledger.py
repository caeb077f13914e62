"""The contract of `ports.store.Ledger`, on every engine."""

from dataclasses import replace
from datetime import timedelta

from example_memories import AT, bury, id_of, insert, memory
from recortex.domain.maintenance import Checkpoint, Degradation
from recortex.domain.memory import AuditEntry
from recortex.domain.vocabulary import Actor

DAY = timedelta(days=1)


def entry(number, operation, **details):
    return AuditEntry(
        memory_id=id_of(number), operation=operation, actor=Actor.USER, at=AT, details=dict(details)
    )


def record(store, *entries):
    with store.transaction():
        store.ledger.record(entries)


def test_the_audit_log_is_read_in_order(store):
    insert(store, memory(1, "one"), memory(2, "other"))
    kept = [entry(1, "create"), entry(2, "create"), entry(1, "update", fields=["tags", "日本"])]
    record(store, *kept)
    assert store.ledger.entries(id_of(1)) == [kept[0], kept[2]]
    assert store.ledger.recent(2) == [kept[2], kept[1]]
    assert store.ledger.entries("nobody") == []


def test_an_entry_of_nobody_is_left_out(store):
    record(store, entry(1, "create"))
    assert store.ledger.recent(9) == []


def test_a_purged_memory_is_remembered_by_its_id(store):
    insert(store, memory(1, "one"))
    record(store, entry(1, "purge"))
    assert store.ledger.buried(id_of(1)) is None
    bury(store, id_of(1), AT + DAY)
    assert store.ledger.buried(id_of(1)) == (AT + DAY, "purge")
    assert store.ledger.buried("nobody") is None
    assert store.ledger.entries(id_of(1)) == store.ledger.recent(1) == [entry(1, "purge")]


def test_it_is_known_why_a_memory_is_gone(store):
    insert(store, memory(1, "one"))
    with store.transaction():
        store.ledger.bury(store.memories.delete(id_of(1)), id_of(1), AT, reason="expiry")
    assert store.ledger.buried(id_of(1)).reason == "expiry"


def test_a_fall_back_is_recorded_once_and_counted(store):
    failed = Degradation("embedding model", "no file", "hashed")
    store.ledger.degrade(failed, AT)
    store.ledger.degrade(Degradation("tokens", "no table", "estimate"), AT + DAY)
    store.ledger.degrade(replace(failed, recovered=True), AT + 2 * DAY)
    latest, other = store.ledger.degradations()
    assert (latest.degradation, latest.times) == (replace(failed, recovered=True), 2)
    assert (latest.first_at, latest.last_at) == (AT, AT + 2 * DAY)
    assert (other.degradation.component, other.times) == ("tokens", 1)


def test_a_checkpoint_is_kept_and_moved(store):
    place = Checkpoint(path="/t/ä.jsonl", session_id="s", client="c", position=10, turns=2, extracted_at=AT)
    assert store.ledger.checkpoint(place.path) is None
    for kept in (place, replace(place, position=2**40, turns=3, extracted_at=AT + DAY)):
        store.ledger.save_checkpoint(kept)
        assert store.ledger.checkpoint(place.path) == kept
