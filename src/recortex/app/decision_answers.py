"""What a project's decision records answer: found by the parts of their files, told as their memories.

A record is long, and the vector of its memory stands for its gist alone. Its file is kept as a document too:
of 85 questions whose answer is known, the parts put the right record first for 76, the memories for 71
(bench/why_records.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import Kind
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Origin, Scope, Status
from recortex.engines.reasons.weighing import Bearing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices
    from recortex.domain.document import ChunkHit
    from recortex.domain.memory import Memory

LOOKED_AT = 30
"""Parts of documents that are looked at."""
LEAST = 0.1
"""The probability from which a record answers; below it, records are only near. Of the questions of the bench
with an answer 82 % have the right record first so, and 59 % of those without one are given none."""
AMONG_RECORDS = 8
"""How many more parts of documents are asked for than told, since those of records are left out."""
NEAR, MOST_NEAR = 0.005, 3
"""The least probability of a record that is told as near, and how many of them are told."""
_KINDS = (Kind("decision"), Kind("decision_context"))
_ANY = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED)
_TOLD = frozenset((Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED))


class RecordAnswers(NamedTuple):
    """The records that answer, and those that are only near, each the likeliest first.

    Attributes:
        paths: of all files that are records of memories.
    """

    answers: tuple[Bearing, ...]
    near: tuple[Bearing, ...]
    paths: frozenset[str] = frozenset()


def of_records(app: Application, question: str) -> RecordAnswers:
    """The memories of decision records that answer a question."""
    found: list[Bearing] = []
    for services in app.all_services():
        if services.scope is not Scope.GLOBAL:
            found += _of_store(services, app, question)
    found.sort(key=lambda one: -one.relevance)
    answers = [one for one in found if one.relevance >= LEAST]
    near = [one for one in found if NEAR <= one.relevance < LEAST][:MOST_NEAR]
    return RecordAnswers(tuple(answers), tuple(near), frozenset(one.memory.source.path for one in found))


def _of_store(services: StoreServices, app: Application, question: str) -> list[Bearing]:
    if not services.store.documents.count()[0]:
        return []
    meaning = services.retrieval.meaning(question)
    hits = services.chunk_retrieval.recall(
        question, limit=LOOKED_AT, now=app.clock(), meaning=meaning, floor=False
    )
    best: dict[str, ChunkHit] = {}
    for hit in hits:
        best.setdefault(hit.path, hit)
    records = filter(_may_be_told, _records(services, list(best)))
    return [Bearing(one, best[one.source.path].score, "its record answers the question") for one in records]


def _may_be_told(memory: Memory) -> bool:
    """Not what waits for review, nor what a person put away; a record that says it ended is archived, too."""
    ended = memory.status is Status.ARCHIVED and memory.valid_until is not None
    return memory.status in _TOLD or ended


def _records(services: StoreServices, paths: Sequence[str]) -> list[Memory]:
    """The memories that were made of some files."""
    if not paths:
        return []
    query = MemoryQuery(files=tuple(paths), kinds=_KINDS, statuses=_ANY)
    known = set(paths)
    return [one for one in services.store.memories.find(query) if one.source.path in known]


def paths_of_records(services: StoreServices) -> frozenset[str]:
    """The files of all decision records that are known."""
    query = MemoryQuery(kinds=_KINDS, origins=(Origin.REPOSITORY,), statuses=_ANY)
    return frozenset(one.source.path for one in services.store.memories.find(query))


def without_records(
    services: StoreServices, ask: Callable[..., list[ChunkHit]], limit: int
) -> list[ChunkHit]:
    """The parts of documents that answer and are no decision records, at most so many.

    What a record says is told by its memory, which knows whether it still holds. Only where records are
    among the first answers, more are asked for.

    Args:
        services: of the store.
        ask: takes the keyword `limit`; gives at most so many parts, the best first.
        limit: of parts.
    """
    hits = ask(limit=limit)
    records = _paths(services, hits)
    if records:
        hits = ask(limit=limit + AMONG_RECORDS)
        records = _paths(services, hits)
    return [one for one in hits if one.path not in records][:limit]


def _paths(services: StoreServices, hits: Sequence[ChunkHit]) -> set[str]:
    """Which files of some parts are decision records."""
    return {one.source.path for one in _records(services, sorted({one.path for one in hits}))}
