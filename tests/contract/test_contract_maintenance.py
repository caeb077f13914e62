"""What keeps a store in order, and what is counted in it, on every engine."""

# ruff: noqa: S311  seeded random is wanted

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from example_memories import AT, MODEL, attach, bury, changed, code, id_of, insert, memory
from recortex.domain.maintenance import Checkpoint, Degradation, Generation, Given, MemoryStatistics, Standing
from recortex.domain.memory import AuditEntry, FileLink, PatternLink, Relation, Source, Version
from recortex.domain.session import Receipt, Session
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Scope, Status, Trust
from recortex.engines.maintenance import summaries
from recortex.storage.records import memories

# -- The contract of `ports.store.MaintenanceRecords`, on every engine.
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
            memory=replace(memory(1), version=number), version=number, recorded_from=AT + number * DAY,
            recorded_to=AT + (number + 1) * DAY, changed_by=Actor.USER,
        )
        for number in range(1, 6)
    ]  # fmt: skip
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


# -- The contract of `ports.store.StatisticsReader`, on every engine.
NOW, ONE_DAY = to_micros(AT), timedelta(days=1)


def ids(found):
    return [one.id for one in found]


def centralities(store, keys):
    """The in-degree of each memory as a part of the greatest, counted from all relations."""
    key_of = {id_of(n): key for n, key in enumerate(keys)}
    active = [one for one in store.relations.all() if one.status is RelationStatus.ACTIVE]
    degrees = Counter(key_of[one.target_id] for one in active)
    degrees.update(key_of[one.source_id] for one in active if one.bidirectional)
    return {key: degree / max(degrees.values()) for key, degree in degrees.items()}


def test_of_a_large_store_what_may_come_first_is_presented(store, monkeypatch):
    monkeypatch.setattr(memories, "MOST_RANKED", 8)
    monkeypatch.setattr(memories, "MOST_TOLD", 3)
    monkeypatch.setattr(memories, "MOST_LATEST", 1)
    learned = Source(session="s", rule="agent_finding")
    derived = {"trust": Trust.DERIVED, "source": learned}
    few = [memory(n, f"few {n}") for n in range(8)]
    insert(store, *few)
    named = {"about": (), "ids": (), "sessions": ()}
    assert store.statistics.foremost(NOW, **named) == store.statistics.presentable(NOW)
    old = {"recorded_at": AT - 9 * ONE_DAY, **derived}
    insert(
        store,
        memory(8, "learned long ago", **old),
        memory(9, "about a file", **old),
        memory(10, "useful", **old),
        memory(11, "of the branch", **old | {"source": Source(session="t", rule="agent_finding")}),
        memory(12, "written", **old | {"origin": Origin.REPOSITORY}),
        memory(13, "critical", priority=10, recorded_at=AT - 99 * ONE_DAY),
        memory(14, "other kind", kind="decision", recorded_at=AT - 99 * ONE_DAY),
        memory(15, "latest", recorded_at=AT + ONE_DAY, **derived),
        memory(16, "ended", valid_until=AT, recorded_at=AT - ONE_DAY),
    )
    (about,) = (one.key for one in store.statistics.presentable(NOW) if one.id == id_of(9))
    named = {"about": [about], "ids": [id_of(10)], "sessions": ["t"]}
    first, *others = ids(store.statistics.foremost(NOW, **named))
    assert first in ids(few)
    assert others == [id_of(n) for n in range(9, 16)]


def test_the_statistics_of_a_memory(store):
    one = memory(
        1, confidence=0.5, priority=3, validated_at=AT, last_accessed_at=AT, access_count=4,
        patterns=(PatternLink("a"), PatternLink("b")), source=Source(branch="main", rule="person_rule"),
        files=(FileLink("src/a.py"),),
    )  # fmt: skip
    (key,) = insert(store, one)
    assert store.statistics.presentable(NOW) == [
        MemoryStatistics(
            key=key, id=one.id, kind="tribal", status="active", confidence=0.5, priority=3, pinned=0,
            recorded_at=NOW, updated_at=NOW, validated_at=NOW, last_accessed_at=NOW, access_count=4,
            patterns=2, content_hash=bytes.fromhex(one.content_hash), branch="main", valid_from=NOW,
            origin=one.origin, trust=one.trust, rule="person_rule",
        )
    ]  # fmt: skip
    assert store.statistics.paths() == ["src/a.py"]
    assert store.statistics.about(["src/a.py", "src/b.py"]) == [key]
    assert store.statistics.about([]) == []


def test_what_fades_and_what_rests(store):
    late = AT + ONE_DAY
    insert(
        store,
        memory(1, "fades"),
        memory(2, "pinned", pinned=True),
        memory(3, "recalled", last_accessed_at=late),
        memory(4, "new", recorded_at=late, updated_at=late),
        memory(5, "rests", status=Status.ARCHIVED),
        memory(6, "stirs", status=Status.ARCHIVED, last_accessed_at=late),
        memory(7, "kept", status=Status.ARCHIVED, pinned=True),
    )
    proposed = {"status": Status.PROPOSED}
    insert(store, memory(8, "waits", **proposed), memory(9, "kept too", pinned=True, **proposed))
    insert(store, memory(10, "asked for", last_accessed_at=late, **proposed))
    assert ids(store.statistics.unconfirmed(NOW)) == [id_of(8)]
    assert ids(store.statistics.fading(NOW)) == [id_of(1)]
    assert ids(store.statistics.resting(NOW)) == [id_of(5)]
    assert ids(store.statistics.fading(to_micros(late))) == [id_of(1), id_of(3), id_of(4)]


def test_what_may_be_presented(store):
    insert(
        store, memory(1, "true"), memory(2, "not yet", valid_from=AT + ONE_DAY),
        memory(3, "no more", valid_until=AT), memory(4, "whose", trust=Trust.UNTRUSTED),
        memory(5, "old", status=Status.SUPERSEDED), memory(6, "for now", valid_until=AT + ONE_DAY),
        memory(7, "derived", trust=Trust.DERIVED),
    )  # fmt: skip
    assert ids(store.statistics.presentable(NOW)) == [id_of(1), id_of(6), id_of(7)]


def test_the_generation_changes_with_what_is_kept_and_not_with_accesses(store):
    assert store.statistics.generation() == Generation(0, 0, 0)
    insert(store, memory(1, "one"), memory(2, "other"))
    with store.transaction():
        store.ledger.record([AuditEntry(memory_id=id_of(1), operation="create", actor=Actor.USER, at=AT)])
    assert store.statistics.generation() == Generation(1, 2, 0)
    store.memories.touch([id_of(1)], AT)
    assert store.statistics.generation() == Generation(1, 2, 0)
    bury(store, id_of(2))
    assert store.statistics.generation() == Generation(1, 1, 1)


def test_what_tells_how_important_a_memory_is(store):
    one, other, old, pinned = (memory(n, f"statement {n}") for n in range(1, 5))
    linked = replace(one, files=(FileLink("src/a.py"),), validated_at=AT)
    first, second, *_ = insert(
        store, linked, other, replace(old, status=Status.SUPERSEDED), replace(pinned, pinned=True)
    )
    with store.transaction():
        store.relations.put(Relation(id_of(1), id_of(3), RelationType.SUPERSEDES, AT))
        open_ = RelationStatus.SUGGESTED
        store.relations.put(Relation(id_of(2), id_of(1), RelationType.CONTRADICTS, AT, status=open_))
        store.ledger.record(
            [AuditEntry(memory_id=id_of(2), operation="reclassify", actor=Actor.RECLASSIFICATION, at=AT)]
        )
    assert store.statistics.find_active() == [
        Standing(first, id_of(1), one.priority, NOW, links=2, won=1, contested=1, confirmed=1),
        Standing(second, id_of(2), other.priority, NOW, contested=1, moved_at=NOW),
    ]


def test_what_sessions_got_within_a_time_with_the_places_among_it(store):
    def receipt(number, session, score, *, at=AT, channel="prompt"):
        return Receipt(
            session=session, context=0, memory=id_of(number), scope=Scope.PROJECT, channel=channel, at=at,
            score=score,
        )  # fmt: skip

    given = [
        receipt(1, "s", 0.9), receipt(2, "s", 0.5), receipt(3, "s", 0.1, channel="file"),
        receipt(2, "t", 0.2), receipt(1, "t", 0.9, at=AT + ONE_DAY),
    ]  # fmt: skip
    store.sessions.give(given)
    day = to_micros(AT + ONE_DAY)
    assert store.statistics.given(NOW, day) == {
        id_of(1): Given(1, 1),
        id_of(2): Given(2, 3),
        id_of(3): Given(1, 1),
    }
    assert store.statistics.given(day, day + 1) == {id_of(1): Given(1, 1)}


def test_centralities_stay_known_as_relations_and_memories_come_and_go(store):
    keys = insert(store, *(memory(n, f"{n}") for n in range(8)))
    source = random.Random(8)

    def agree():
        whole, some = centralities(store, keys), source.sample(keys, 3)
        assert store.search.centralities(keys) == whole
        assert store.search.centralities(some) == {key: whole[key] for key in some if key in whole}

    for _ in range(60):
        one, other = (id_of(n) for n in source.sample(range(8), 2))
        status = source.choice((RelationStatus.ACTIVE, RelationStatus.ACTIVE, RelationStatus.SUGGESTED))
        both = source.random() < 0.3
        with store.transaction():
            if source.random() < 0.3:
                store.relations.remove(one, other)
            else:
                made = Relation(one, other, RelationType.RELATED, AT, bidirectional=both, status=status)
                store.relations.put_all([made])
        agree()
    for n in (3, 5, 0):
        with store.transaction():
            store.memories.delete(id_of(n))
        agree()
