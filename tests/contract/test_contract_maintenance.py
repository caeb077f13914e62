"""The contract of `ports.store.MaintenanceRecords`, on every engine."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from example_memories import AT, MODEL, attach, bury, changed, code, id_of, insert, memory
from recortex.domain.maintenance import Checkpoint, Degradation
from recortex.domain.memory import AuditEntry, Relation, Version
from recortex.domain.session import Session
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType, Status
from recortex.engines.maintenance import summaries

DAY = timedelta(days=1)
LATER = AT + 100 * DAY
ALL = 2**31


def pruned(number, **more):
    return memory(number, f"statement {number}", **({"status": Status.PRUNED} | more))


def expired(store, before=LATER):
    return store.maintenance.expired(before, ALL)


def relate(store, source, target, type_, status=RelationStatus.ACTIVE):
    with store.transaction():
        store.relations.put(Relation(id_of(source), id_of(target), type_, AT, status=status))


def test_a_chore_is_noted_with_what_came_of_it(store):
    assert store.maintenance.all() == {}
    store.maintenance.note("audit", AT, {"entries": 3})
    store.maintenance.note("audit", AT + DAY, {"entries": 1})
    store.maintenance.note("growth", AT, {})
    assert store.maintenance.all() == {"audit": (AT + DAY, {"entries": 1}), "growth": (AT, {})}


def test_sizes_are_kept_latest_first(store):
    for day, size in ((0, 10), (1, 20), (2, 30), (1, 25)):
        store.maintenance.sample(AT + day * DAY, memories=size // 5, size=size)
    assert [(one.memories, one.bytes) for one in store.maintenance.samples(2)] == [(6, 30), (5, 25)]


# -- what was long put away


def test_only_what_was_pruned_and_left_alone_is_expired(store):
    insert(
        store, pruned(1), pruned(2, updated_at=LATER + DAY), pruned(3, pinned=True),
        memory(4, "archived", status=Status.ARCHIVED), memory(5, "active"), pruned(6, updated_at=LATER),
    )  # fmt: skip
    insert(store, pruned(7))
    store.memories.touch([id_of(7)], LATER + DAY)
    assert expired(store) == [id_of(1), id_of(6)]
    assert store.maintenance.expired(LATER, 1) == [id_of(1)]
    assert store.maintenance.count_expired(LATER) == (2, 0)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("type_", list(RelationType))
def test_what_a_living_memory_stands_on_stays(store, type_, turned):
    insert(store, pruned(1), memory(2, "living"))
    relate(store, *((1, 2) if turned else (2, 1)), type_)
    free = {"supersedes", "contradicts", "related", "owns", "affects", "blocks", "references", "assigned_to"}
    assert expired(store) == ([id_of(1)] if type_ in free else [])
    assert store.maintenance.count_expired(LATER) == ((1, 0) if type_ in free else (0, 1))


def test_what_a_dead_memory_or_a_mere_suggestion_stands_on_goes(store):
    insert(store, pruned(1), pruned(2), pruned(3), memory(4, "living"))
    relate(store, 1, 2, RelationType.DERIVED_FROM)
    relate(store, 4, 3, RelationType.DERIVED_FROM, status=RelationStatus.SUGGESTED)
    assert expired(store) == [id_of(1), id_of(2), id_of(3)]


# -- the audit log


def entries(store, number, days, operation="update"):
    with store.transaction():
        for day in days:
            actor = (Actor.USER, Actor.DECAY)[day % 2]
            at = AT + day * DAY
            store.ledger.record(
                [AuditEntry(memory_id=id_of(number), operation=operation, actor=actor, at=at)]
            )


def test_old_entries_become_summaries_that_add_up_to_them(store):
    insert(store, memory(1), memory(2, "other"))
    entries(store, 1, range(40))
    entries(store, 2, range(35, 60), "link")
    old = store.maintenance.old_audit(AT + 50 * DAY, ALL)
    assert len(old) == store.maintenance.count_old_audit(AT + 50 * DAY) == 40 + 15
    for chunk in (old[:20], old[20:]):
        with store.transaction():
            store.maintenance.rotate(chunk, summaries(chunk))
    kept = store.maintenance.summaries()
    assert Counter({one[:3]: one.entries for one in kept}) == Counter(
        {one[:3]: one.entries for one in summaries(old)}
    )
    assert {one.month for one in kept} == {"2026-03", "2026-04"}
    assert min(one.first_at for one in kept) == to_micros(AT)
    assert max(one.last_at for one in kept) == to_micros(AT + 49 * DAY)
    assert [one.at for one in store.ledger.recent(ALL)] == [AT + day * DAY for day in range(59, 49, -1)]


def test_the_last_entry_stays_so_that_the_next_is_numbered_after_it(store):
    insert(store, memory(1))
    entries(store, 1, range(3))
    assert [one.at for one in store.maintenance.old_audit(LATER, ALL)] == [to_micros(AT), to_micros(AT + DAY)]
    assert store.maintenance.count_old_audit(LATER, more=True) == 3
    assert [one.at for one in store.maintenance.old_audit(LATER, 1)] == [to_micros(AT)]
    before = store.statistics.generation()
    old = store.maintenance.old_audit(LATER, ALL)
    with store.transaction():
        store.maintenance.rotate(old, summaries(old))
    assert store.statistics.generation() == before


# -- versions and vectors


def test_former_states_beyond_the_newest_are_named(store):
    insert(store, memory(1))
    states = [
        Version(
            memory=replace(memory(1), version=number),
            version=number,
            recorded_from=AT + number * DAY,
            recorded_to=AT + (number + 1) * DAY,
            changed_by=Actor.USER,
        )
        for number in range(1, 6)
    ]
    with store.transaction():
        store.memories.insert_versions(id_of(1), states)
    surplus = store.maintenance.surplus_versions(3, ALL)
    assert [version for _, version in surplus] == [1, 2]
    assert store.maintenance.surplus_versions(3, ALL, without=[id_of(1)]) == []
    with store.transaction():
        store.maintenance.drop_versions(surplus)
    assert [one.version for one in store.memories.history(id_of(1))[1:]] == [5, 4, 3]


def test_vectors_that_nothing_has_are_named_the_newest_aside(store):
    kept, former, dropped, newest = (memory(n, f"statement {n}") for n in range(1, 5))
    insert(store, kept, former, dropped, newest)
    keys = [attach(store, one, code(1, place)) for place, one in enumerate((kept, former, dropped, newest))]
    changed(store, former.id, text="changed", content_hash="00" * 32)
    with store.transaction():
        store.vectors.attach([(former.id, keys[0], bytes(32))])
    bury(store, dropped.id)
    bury(store, newest.id)
    assert store.maintenance.unused_vectors(ALL) == [keys[2]]
    assert store.maintenance.unused_vectors(ALL, keep=0) == keys[1:3]
    assert store.maintenance.unused_vectors(ALL, without=[kept.id, former.id]) == keys[:3]
    with store.transaction():
        store.maintenance.drop_vectors([keys[2]])
    assert store.maintenance.unused_vectors(ALL) == []
    assert store.vectors.agrees()
    assert set(store.vectors.codes_of([kept.id], MODEL)) == {kept.id}


# -- notes


def test_old_fall_backs_and_transcripts_are_forgotten(store):
    store.ledger.degrade(Degradation("model", "gone", "words"), AT)
    store.ledger.degrade(Degradation("index", "gone", "words"), LATER)
    assert store.maintenance.old_degradations(LATER) == 1
    store.maintenance.forget_degradations(LATER)
    assert [one.degradation.component for one in store.ledger.degradations()] == ["index"]
    for path, at in (("/a", AT), ("/b", AT), ("/c", LATER)):
        store.ledger.save_checkpoint(
            Checkpoint(path=path, session_id="s", client="c", position=1, turns=1, extracted_at=at)
        )
    assert store.maintenance.old_checkpoints(LATER) == ["/a", "/b"]
    store.maintenance.forget_checkpoints(["/a"])
    assert store.ledger.checkpoint("/a") is None
    assert store.maintenance.old_checkpoints(LATER + DAY) == ["/b", "/c"]


def test_old_sessions_are_counted(store):
    for number, at in enumerate((AT, AT + DAY, LATER)):
        store.sessions.put(Session(id=f"s{number}", client="c", cwd="/", started_at=at, seen_at=at))
    assert store.maintenance.old_sessions(LATER) == 2


def test_content_changes_with_whatever_is_written(store):
    seen = {store.maintenance.content()}
    insert(store, memory(1), memory(2, "other"))
    seen.add(store.maintenance.content())
    changed(store, id_of(1), tags=("a",))
    seen.add(store.maintenance.content())
    relate(store, 1, 2, RelationType.RELATED)
    seen.add(store.maintenance.content())
    entries(store, 1, [0])
    seen.add(store.maintenance.content())
    attach(store, memory(2, "other"), code(1))
    seen.add(store.maintenance.content())
    bury(store, id_of(2))
    seen.add(store.maintenance.content())
    assert len(seen) == 7
    assert store.maintenance.content()._replace(schema=0) == (0, 1, 1, 0, 1, 1, 1, 0, 0)
    assert store.maintenance.archived() == 0


def test_what_a_store_takes_is_told(store):
    insert(store, *(memory(number, f"statement {number}") for number in range(50)))
    attach(store, memory(1, "statement 1"), code(1))
    space = store.compaction.space()
    assert space.total >= space.vectors >= 0
    assert space.keyword_index >= 0
    assert 0 <= store.compaction.waste() <= max(space.total, 1)
    assert isinstance(store.compaction.tidy(lambda: 1.0), dict)
    assert len(store.memories.counts()["tribal"]) == 1
