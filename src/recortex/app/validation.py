"""Validates memories of a store, heals what can be, and keeps the result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.citations import SECONDS, cite, cited_by
from recortex.app.citations import heal as heal_symbols
from recortex.codebase.git import branch_and_commit
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Citation, mean_intact
from recortex.domain.reports import Check
from recortex.domain.search import MemoryQuery
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType, Status
from recortex.engines.decay import HUB, remaining_of_all
from recortex.engines.validation import Healed, Opposed, Pattern, Remedy, Subject, heal, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.domain.memory import FileLink, Memory, Reach
    from recortex.domain.relation import Relation
    from recortex.domain.reports import Verdict


# -- what is needed to validate memories, for many at once: their code, relations, patterns, confidence


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
    ids = [memory.id for memory in batch]
    citations = cited_by([services], batch, reach)
    relations = services.store.relations.find_touching(ids)
    opposed, supporters = _relations(services, ids, relations)
    known = _Known(
        confidence=left(services, ids, now, citations),
        citations=citations,
        commits=_commits(services, batch, citations),
        opposed=opposed,
        supporters=supporters,
        patterns=_patterns(services, batch, now),
    )
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
        # The memory's own evidence supports it too, but for the first time that it was said.
        supporters=known.supporters.get(memory.id, 0) + memory.evidence - 1,
        patterns={} if memory.kind in EXPLAINING else explained,
    )


def left(
    services: StoreServices,
    ids: Sequence[str],
    now: datetime,
    citations: Mapping[str, Sequence[Citation]] | None = None,
) -> dict[str, float]:
    """What decay has left of the confidence of memories, by id; by their code as it is, if that is given."""
    statistics = services.store.statistics.find_by_ids(ids) if ids else []
    if citations is not None:
        at = to_micros(now)
        statistics = [
            one._replace(standing=mean_intact(citations[one.id]), checked_at=at) for one in statistics
        ]
    hubs = services.store.search.centralities([one.key for one in statistics])
    return remaining_of_all(statistics, to_micros(now), hubs)


def hubs_of(services: StoreServices, ids: Sequence[str]) -> dict[str, float]:
    """The centrality of those memories of which it is above a half, by id."""
    statistics = services.store.statistics.find_by_ids(ids) if ids else []
    hubs = services.store.search.centralities([one.key for one in statistics])
    return {one.id: hubs.get(one.key, 0.0) for one in statistics}


def _relations(
    services: StoreServices, ids: Sequence[str], relations: Sequence[Relation]
) -> tuple[dict[str, list[Opposed]], Counter[str]]:
    """What contradicts each memory, and how many support it: active memories alone count."""
    against = [one for one in relations if one.type is RelationType.CONTRADICTS]
    # What supports a contradicting memory decides which of the two weighs more.
    others = {end for one in against for end in (one.source_id, one.target_id)} - set(ids)
    known = [*relations, *(services.store.relations.find_touching(list(others)) if others else ())]
    ends = {end for one in known for end in (one.source_id, one.target_id)}
    active = {
        one.id for one in services.store.statistics.find_by_ids(list(ends)) if one.status == Status.ACTIVE
    }
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
            # What was replaced or rejected speaks against nothing.
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
    from recortex.codebase.line_history import moves

    # What happened before it was last found to hold is known.
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
    # Several memories may explain a pattern: the surest stands for it.
    now = max(confidence.get(one.id, 0.0) for one in active)
    return Pattern(there=True, confidence=now, base=max(one.confidence for one in active))


# -- validates memories of a store, heals what can be, and keeps the result


CHUNK, CHANGED = 200, 15
"""Memories whose results are kept in one transaction, and that are changed in one: each takes less than a
tenth of a second (bench/validation.py)."""
TOGETHER = 5_000
"""Memories that are validated together: what they cite is looked for in one pass over the files."""
Mend = Literal["safe", "all"]
"""What is healed: safe: code in another file is followed, and what is severe is flagged; all: confidence is
lowered and what is stale archived too."""


class Validated(NamedTuple):
    """A memory with what was found of it, and what was done."""

    subject: Subject
    verdict: Verdict
    healed: Healed


def validate(
    services: StoreServices,
    memories: Sequence[Memory],
    now: datetime,
    *,
    mend: Mend | None = None,
    reach: Reach = "tree",
) -> Iterator[list[Validated]]:
    """Validate memories and keep the results, chunk by chunk, each in a short transaction.

    Args:
        services: of the store that they are in.
        memories: as stored.
        now: the time to validate for.
        mend: what may be healed; None: nothing.
        reach: how far code is followed that is not where it was.
    """
    # Together, so that the files of a project are searched once.
    for first in range(0, len(memories), TOGETHER):
        batch = memories[first : first + TOGETHER]
        found = [
            Validated(subject, verdict(subject), Healed(subject.memory))
            for subject in subjects(services, batch, now, reach)
        ]
        for place in range(0, len(found), CHUNK):
            yield _chunk(services, found[place : place + CHUNK], now, mend)


def _chunk(
    services: StoreServices, found: Sequence[Validated], now: datetime, mend: Mend | None
) -> list[Validated]:
    cured = [*found] if mend is None else _healed(services, found, bold=mend == "all")
    places = [place for place, one in enumerate(cured) if one.healed.done]
    # What changes is written before the results, which say how the memories are afterwards.
    for first in range(0, len(places), CHANGED):
        with services.store.transaction():
            for place in places[first : first + CHANGED]:
                cured[place] = _written(services, cured[place], now)
    if mend is not None:
        heal_symbols(services, [one.healed.memory for one in cured])
    with services.store.transaction():
        _keep(services, cured, now)
    return cured


def _keep(services: StoreServices, found: Sequence[Validated], now: datetime) -> None:
    """Keep the results; one that differs from the last enters the audit log, but for what time alone did."""
    from recortex.engines.supersession.service import record

    store = services.store
    before = store.memories.verdicts([one.verdict.id for one in found])
    store.memories.check([_check(one) for one in found], now)
    for one in found:
        # Only a result that differs is an event: the audit log would otherwise grow with each run.
        if _lasting(one.verdict.short) != _lasting(before.get(one.verdict.id, "")):
            details = {"found": one.verdict.short, "score": one.verdict.score}
            record(store, one.verdict.id, "validate", Actor.VALIDATION, now, details)


def _lasting(verdict_: str) -> list[str]:
    """What was found, without what follows from the calendar: that is no event."""
    return [one for one in verdict_.split() if not one.startswith("temporal:")]


def _check(one: Validated) -> Check:
    """What is kept of a result: of the state after healing, whose moved places are cited where they are."""
    memory, verdict_ = one.healed.memory, one.verdict
    return Check(verdict_.id, memory.updated_at, verdict_.cited, verdict_.short)


def _healed(services: StoreServices, found: Sequence[Validated], *, bold: bool) -> list[Validated]:
    """The same with the memories as they are to be."""
    # Places that are elsewhere are cited there; unless it is bold, only those in another file: lines that
    # only shifted in theirs are found again each time, and citing them anew would fill the history. What
    # changed on the way keeps its hash and signature, so that it still counts as changed.
    moved = {
        one.link: one
        for each in found
        for one in each.subject.citations
        if not one.symbol and (one.path != one.link.path or (bold and one.state == "moved"))
    }
    commit = _commit(services) if moved else ""
    places = {
        link: cite(services.root, one.path, one.first, one.last, commit)
        if one.state == "moved" and link.content_hash
        else replace(link, path=one.path, line_start=one.first, line_end=one.last)
        for link, one in moved.items()
        if one.state != "gone"
    }
    # Only for what has issues, as centralities cost a walk through the graph.
    hubs = hubs_of(services, [one.verdict.id for one in found if one.verdict.issues])
    remedies = (Remedy(places, bold, hub=hubs.get(one.verdict.id, 0.0) > HUB) for one in found)
    return [
        one._replace(healed=heal(one.subject, one.verdict, remedy))
        for one, remedy in zip(found, remedies, strict=True)
    ]


def _written(services: StoreServices, one: Validated, now: datetime) -> Validated:
    """The same with the memory as it is kept; one that was changed meanwhile is left alone."""
    old = one.subject.memory
    current = services.store.memories.get([old.id])
    # Another process changed it since it was read: the next run validates it again.
    if not current or current[0].updated_at != old.updated_at:
        return one._replace(healed=Healed(old))
    operation = "archive" if one.healed.memory.status is Status.ARCHIVED else "heal"
    kept = services.ingestion.change(
        old,
        one.healed.memory,
        now=now,
        actor=Actor.VALIDATION,
        operation=operation,
        reason="; ".join(one.healed.done),
    )
    return one._replace(healed=Healed(kept, one.healed.done))


def cited_anew(services: StoreServices, memory: Memory) -> tuple[FileLink, ...]:
    """What a memory cites, as the code is now; what is gone is left out.

    A person who says that the memory holds has read the code as it is; its symbols are kept as they are, too.
    """
    heal_symbols(services, [memory], renew=True)
    commit = _commit(services)
    return tuple(
        cite(services.root, one.path, one.first, one.last, commit)
        if one.state in {"moved", "changed"} and one.link.content_hash
        else replace(one.link, path=one.path)
        for one in cited_by([services], [memory], "tree")[memory.id]
        if one.state != "gone" and not one.symbol
    )


def _commit(services: StoreServices) -> str:
    return branch_and_commit(services.root)[1]
