"""What is needed to validate memories, for many at once: their code, relations, patterns, confidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.citations import SECONDS, cited_by
from recortex.domain.citation import Citation, standing_of
from recortex.domain.kinds import KINDS
from recortex.domain.query import MemoryQuery
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.decay.present import remaining_of_all
from recortex.engines.validation.subject import Opposed, Pattern, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.citation import Reach
    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

EXPLAINING = ("pattern_rationale",)
"""The kinds of memories that explain a pattern."""


@dataclass(frozen=True)
class _Known:
    """What the stores know of a batch of memories."""

    confidence: Mapping[str, float]
    citations: Mapping[str, Sequence[Citation]]
    commits: Mapping[str, Mapping[str, int]]
    opposed: Mapping[str, Sequence[Opposed]]
    supporters: Mapping[str, int]
    patterns: Mapping[str, Pattern]


def subjects(
    services: StoreServices, batch: Sequence[Memory], now: datetime, reach: Reach
) -> Iterator[Subject]:
    """Each memory of a store with what its validation needs; `reach`: how far its code is followed."""
    known = _known(services, batch, now, reach)
    for memory in batch:
        yield _subject(memory, known, now)


def _subject(memory: Memory, known: _Known, now: datetime) -> Subject:
    explained = {one.id: known.patterns[one.id] for one in memory.patterns if one.id in known.patterns}
    return Subject(
        memory=memory,
        now=now,
        confidence=known.confidence.get(memory.id, memory.confidence),
        citations=known.citations.get(memory.id, ()),
        commits=known.commits.get(memory.id, {}),
        opposed=known.opposed.get(memory.id, ()),
        supporters=known.supporters.get(memory.id, 0) + memory.evidence - 1,
        patterns={} if memory.kind in EXPLAINING else explained,
    )


def _known(services: StoreServices, batch: Sequence[Memory], now: datetime, reach: Reach) -> _Known:
    ids = [memory.id for memory in batch]
    citations = cited_by([services], batch, reach)
    relations = services.store.relations.of(ids)
    opposed, supporters = _relations(services, ids, relations)
    return _Known(
        confidence=left(services, ids, now, citations),
        citations=citations,
        commits=_commits(services, batch, citations),
        opposed=opposed,
        supporters=supporters,
        patterns=_patterns(services, batch, now),
    )


def left(
    services: StoreServices,
    ids: Sequence[str],
    now: datetime,
    citations: Mapping[str, Sequence[Citation]] | None = None,
) -> dict[str, float]:
    """What decay has left of the confidence of memories, by id; by their code as it is, if that is given."""
    statistics = services.store.statistics.of(ids) if ids else []
    if citations is not None:
        at = to_micros(now)
        statistics = [
            one._replace(standing=standing_of(citations[one.id]), checked_at=at) for one in statistics
        ]
    hubs = services.store.search.hubs([one.key for one in statistics])
    return remaining_of_all(statistics, to_micros(now), hubs)


def hubs_of(services: StoreServices, ids: Sequence[str]) -> dict[str, float]:
    """The centrality of those memories of which it is above a half, by id."""
    statistics = services.store.statistics.of(ids) if ids else []
    hubs = services.store.search.hubs([one.key for one in statistics])
    return {one.id: hubs.get(one.key, 0.0) for one in statistics}


def _relations(
    services: StoreServices, ids: Sequence[str], relations: Sequence[Relation]
) -> tuple[dict[str, list[Opposed]], Counter[str]]:
    """What contradicts each memory, and how many support it: active memories alone count."""
    against = [one for one in relations if one.type is RelationType.CONTRADICTS]
    others = {end for one in against for end in (one.source_id, one.target_id)} - set(ids)
    known = [*relations, *(services.store.relations.of(list(others)) if others else ())]
    ends = {end for one in known for end in (one.source_id, one.target_id)}
    active = {one.id for one in services.store.statistics.of(list(ends)) if one.status == Status.ACTIVE}
    supporting = {
        (one.source_id, one.target_id)
        for one in known
        if one.type is RelationType.SUPPORTS and one.source_id in active
    }
    supporters = Counter(target for _, target in supporting)
    opposed: defaultdict[str, dict[str, Opposed]] = defaultdict(dict)
    for one in against:
        certain = one.status is RelationStatus.ACTIVE
        for here, there in ((one.source_id, one.target_id), (one.target_id, one.source_id)):
            if there in active:
                opposed[here][there] = Opposed(there, certain, supporters[there])
    return {id_: list(found.values()) for id_, found in opposed.items()}, supporters


def _commits(
    services: StoreServices, batch: Sequence[Memory], citations: Mapping[str, Sequence[Citation]]
) -> dict[str, dict[str, int]]:
    """By memory, how many commits changed each file that cannot be compared since it was last validated."""
    named = {
        memory.id: {one.path for one in citations[memory.id] if one.state == "none"}
        for memory in batch
        if memory.files
    }
    paths = {path for each in named.values() for path in each}
    if not paths:
        return {}
    from recortex.codebase.moves import moves

    since = {memory.id: memory.validated_at or memory.recorded_at for memory in batch}
    with moves(services.root, seconds=SECONDS["tree"]) as known:
        at = known.commits(paths, min(since[id_] for id_, each in named.items() if each))
    counts = {
        id_: {path: sum(when > since[id_].timestamp() for when in at.get(path, ())) for path in each}
        for id_, each in named.items()
    }
    return {id_: {path: n for path, n in each.items() if n} for id_, each in counts.items()}


def _patterns(services: StoreServices, batch: Sequence[Memory], now: datetime) -> dict[str, Pattern]:
    """The patterns that the memories are linked to and that some memory explains."""
    ids = tuple(dict.fromkeys(one.id for memory in batch for one in memory.patterns))
    if not ids:
        return {}
    query = MemoryQuery(kinds=tuple(kind for kind in KINDS if kind in EXPLAINING), statuses=(), patterns=ids)
    explaining = services.store.memories.find(query)
    confidence = left(services, [one.id for one in explaining], now)
    found: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in explaining:
        for one in memory.patterns:
            found[one.id].append(memory)
    return {id_: _pattern(each, confidence) for id_, each in found.items() if id_ in ids}


def _pattern(explaining: Iterable[Memory], confidence: Mapping[str, float]) -> Pattern:
    active = [one for one in explaining if one.status is Status.ACTIVE]
    if not active:
        return Pattern(there=False)
    now = max(confidence.get(one.id, 0.0) for one in active)
    return Pattern(there=True, confidence=now, base=max(one.confidence for one in active))
