"""The contract of `ports.store.StatisticsReader`, on every engine."""

# ruff: noqa: S311  seeded random is wanted

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

from example_memories import AT, bury, id_of, insert, memory
from recortex.domain.maintenance import Generation, Given, MemoryStatistics, Standing
from recortex.domain.memory import AuditEntry, FileLink, PatternLink, Relation, Source
from recortex.domain.session import Receipt
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Scope, Status, Trust
from recortex.storage.records import ledger

NOW, DAY = to_micros(AT), timedelta(days=1)


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
    monkeypatch.setattr(ledger, "MOST_RANKED", 8)
    monkeypatch.setattr(ledger, "MOST_TOLD", 3)
    monkeypatch.setattr(ledger, "MOST_LATEST", 1)
    learned = Source(session="s", rule="agent_finding")
    derived = {"trust": Trust.DERIVED, "source": learned}
    few = [memory(n, f"few {n}") for n in range(8)]
    insert(store, *few)
    named = {"about": (), "ids": (), "sessions": ()}
    assert store.statistics.foremost(NOW, **named) == store.statistics.presentable(NOW)
    old = {"recorded_at": AT - 9 * DAY, **derived}
    insert(
        store,
        memory(8, "learned long ago", **old),
        memory(9, "about a file", **old),
        memory(10, "useful", **old),
        memory(11, "of the branch", **old | {"source": Source(session="t", rule="agent_finding")}),
        memory(12, "written", **old | {"origin": Origin.REPOSITORY}),
        memory(13, "critical", priority=10, recorded_at=AT - 99 * DAY),
        memory(14, "other kind", kind="decision", recorded_at=AT - 99 * DAY),
        memory(15, "latest", recorded_at=AT + DAY, **derived),
        memory(16, "ended", valid_until=AT, recorded_at=AT - DAY),
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
    late = AT + DAY
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
        store, memory(1, "true"), memory(2, "not yet", valid_from=AT + DAY),
        memory(3, "no more", valid_until=AT), memory(4, "whose", trust=Trust.UNTRUSTED),
        memory(5, "old", status=Status.SUPERSEDED), memory(6, "for now", valid_until=AT + DAY),
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
        receipt(2, "t", 0.2), receipt(1, "t", 0.9, at=AT + DAY),
    ]  # fmt: skip
    store.sessions.give(given)
    day = to_micros(AT + DAY)
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
