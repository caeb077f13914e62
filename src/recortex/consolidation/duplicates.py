"""Consolidation: finds pairs of duplicates, and merges two memories after a backup."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recortex.codec import content_from_json, content_to_json
from recortex.domain.kinds import KINDS
from recortex.domain.memory import BOTH_HOLD, Memory
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Domain, Origin, Status, Trust
from recortex.engines.copies import OverlappingPairs, ScoredPair, overlapping, scored_pair
from recortex.engines.ingestion import MAX_LABELS, normalise_again
from recortex.engines.similarity import (
    CONSOLIDATE,
    NEARLY_SAME,
    SAME_MATTER,
    contradiction,
    jaccard,
    joined,
    joined_files,
    joined_functions,
    same_event,
)
from recortex.text.words import bag_of_words, reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.kinds import Content
    from recortex.domain.memory import Relation
    from recortex.ports.store import Store


# -- pairs of memories that may say the same, best first, each with the reason


class CandidatePair(NamedTuple):
    """Two memories by id, with the similarity of their words and vectors; None where below the threshold."""

    a: str
    b: str
    words: float | None
    meaning: float | None

    @property
    def score(self) -> float:
        """The higher of the two similarities."""
        return max(self.words or 0.0, self.meaning or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two memories that may say the same; `better` is the one whose words a merge keeps.

    Attributes:
        words: their Jaccard overlap, 0 to 1.
        meaning: the cosine of their vectors; None if below the threshold or not compared.
        why: the reason in words.
        contradiction: why they may say opposite things instead; else empty.
    """

    better: Memory
    other: Memory
    words: float
    meaning: float | None = None
    why: str = ""
    contradiction: str = ""

    @property
    def score(self) -> float:
        """The higher of the two similarities."""
        return max(self.words, self.meaning or 0.0)


def mergeable_kind(memory: Memory) -> bool:
    """Whether a memory may be part of a pair. Only indexing replaces indexed code and its descriptions."""
    return memory.kind != "code" and not (
        memory.kind == "code_description" and memory.origin is Origin.CODE_INDEX
    )


def comparable(a: Memory, b: Memory) -> bool:
    """Whether two memories can be duplicates: both active, of one store, and not two separate events."""
    events = KINDS[a.kind].event, KINDS[b.kind].event
    return (
        a.id != b.id
        and a.scope is b.scope
        and a.status is b.status is Status.ACTIVE
        # Two events that sound the same, such as two failed deployments, happened twice: merging them would
        # lose one.
        and mergeable_kind(a)
        and mergeable_kind(b)
        and (not any(events) or (a.kind == b.kind and same_event(a, b)))
    )


def recorded_pairs(relations: Iterable[Relation]) -> list[ScoredPair]:
    """The pairs that ingestion recorded as candidates for consolidation, with their relation's strength."""
    return [
        scored_pair(relation.source_id, relation.target_id, relation.strength)
        for relation in relations
        if relation.inferred and relation.evidence[:1] and relation.evidence[0].startswith(SAME_MATTER)
    ]


def settled_pairs(relations: Iterable[Relation]) -> set[frozenset[str]]:
    """The pairs of which a person said that both hold."""
    return {frozenset((one.source_id, one.target_id)) for one in relations if BOTH_HOLD in one.evidence}


def ranked(
    memories: Mapping[str, Memory],
    by_words: Sequence[ScoredPair],
    by_meaning: Sequence[ScoredPair],
    recorded: Sequence[ScoredPair],
) -> list[CandidatePair]:
    """The pairs that may be merged, most alike first.

    Args:
        memories: active ones by id; pairs with any other memory are left out.
        by_words: pairs with a Jaccard similarity above 0.5.
        by_meaning: pairs of nearly the same meaning.
        recorded: pairs that ingestion recorded.
    """
    # A complete search by words overwrites what the recorded pairs gave.
    words = {(one.a, one.b): one.score for one in (*_by_words(memories, recorded), *by_words)}
    # Ingestion relates pairs at a lower limit, for review; a merge asks for the same likeness as the
    # search.
    meaning = {(one.a, one.b): one.score for one in (*recorded, *by_meaning) if one.score >= NEARLY_SAME}
    found = [
        CandidatePair(a, b, words.get((a, b)), meaning.get((a, b)))
        for a, b in dict.fromkeys((*words, *meaning))
        if a in memories and b in memories and comparable(memories[a], memories[b])
    ]
    return sorted(found, key=lambda one: (-one.score, one.a, one.b))


def _by_words(memories: Mapping[str, Memory], recorded: Iterable[ScoredPair]) -> Iterator[ScoredPair]:
    """The recorded pairs with their overlap of words: a search that was cut short may have missed them."""
    for one in recorded:
        if one.a in memories and one.b in memories:
            score = jaccard(bag_of_words(memories[one.a].text), bag_of_words(memories[one.b].text))
            if score > CONSOLIDATE:
                yield one._replace(score=score)


def as_duplicate(memories: Mapping[str, Memory], found: CandidatePair) -> Duplicate:
    """A pair with the reasons for and against it."""
    better, other = better_of(memories[found.a], memories[found.b])
    words = (
        jaccard(bag_of_words(better.text), bag_of_words(other.text)) if found.words is None else found.words
    )
    return Duplicate(
        better=better, other=other, words=round(words, 3),
        meaning=None if found.meaning is None else round(found.meaning, 3), why=_why(words, found.meaning),
        contradiction=contradiction(better.text, other.text),
    )  # fmt: skip


def better_of(a: Memory, b: Memory) -> tuple[Memory, Memory]:
    """Both, the one to keep first, by: trust, pin, confidence, evidence, priority, tokens, date."""
    better, other = sorted((a, b), key=_preference, reverse=True)
    return better, other


def _preference(memory: Memory) -> tuple[object, ...]:
    trusted = ("untrusted", "derived", "trusted").index(memory.trust.value)
    # Rounded, so that an invisible difference in confidence leaves the decision to the next criterion.
    return (
        trusted, memory.pinned, round(memory.confidence, 2), memory.evidence, memory.priority, memory.tokens,
        memory.recorded_at, memory.id,
    )  # fmt: skip


def _why(words: float, meaning: float | None) -> str:
    shared = f"{words:.0%} of the words are the same"
    return shared if meaning is None else f"{shared}; similarity of meaning {meaning:.2f}"


# -- all pairs of vectors that point nearly the same way


MOST_VECTORS = 12_000
"""The most vectors that are compared with each other: 10,000 take 0.3 s on idle cores
(bench/consolidation.py)."""
MOST_PAIRS = 20_000
"""Far more than anybody reads; it bounds the memory that a store full of equal texts would take."""
BLOCK = 512
"""Rows of one matrix product: 512 by 12,000 cosines are 25 MB."""


def similar_vectors(codes: Mapping[str, bytes]) -> OverlappingPairs:
    """Every pair of vectors with a cosine of at least `NEARLY_SAME`.

    Args:
        codes: int8 vectors of one embedder by key; beyond `MOST_VECTORS` the first ones are compared.
    """
    # The caller asks for the last changed first, so that what is left out beyond the limit is the oldest.
    keys = list(codes)[:MOST_VECTORS]
    pairs: list[ScoredPair] = []
    rows = _unit({key: codes[key] for key in keys})
    for start in range(0, len(keys), BLOCK):
        room = MOST_PAIRS - len(pairs)
        # One more than there is room for, to tell a full result from one that was cut short.
        found = _above(rows, start, room + 1)
        pairs += [scored_pair(keys[a], keys[b], min(1.0, cosine)) for a, b, cosine in found[:room]]
        if len(found) > room:
            return OverlappingPairs(tuple(pairs), complete=False)
    return OverlappingPairs(tuple(pairs), complete=len(keys) == len(codes))


def _unit(codes: Mapping[str, bytes]) -> Any:
    """Rows of unit length; a vector of another length than the first one's is all zeros."""
    size = len(next(iter(codes.values()), b""))
    fitting = [raw if len(raw) == size else bytes(size) for raw in codes.values()]
    rows = np.frombuffer(b"".join(fitting), dtype=np.int8).astype(np.float32).reshape(len(fitting), size)
    # A vector of zeros has no direction: divided by this it stays zeros, and is like nothing.
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _above(rows: Any, start: int, most: int) -> list[tuple[int, int, float]]:
    """Pairs of the block's rows with all rows from the block on, each once; at most `most`.

    A function of its own, so that the cosines of one block are gone before the next one's are made.
    """
    block = rows[start : start + BLOCK]
    cosines = block @ rows[start:].T
    # Within the block, each pair would occur twice, and each row with itself.
    cosines[:, : len(block)] = np.triu(cosines[:, : len(block)], k=1)
    # Cut before Python makes a tuple of each: a store full of equal texts has millions of pairs.
    first, second = (found[:most] for found in np.nonzero(cosines >= NEARLY_SAME))
    return [
        (start + int(a), start + int(b), float(cosines[a, b])) for a, b in zip(first, second, strict=True)
    ]


# -- composes the memory that stands for two duplicates


_TRUSTS = (Trust.UNTRUSTED, Trust.DERIVED, Trust.TRUSTED)


def merge(
    better: Memory,
    other: Memory,
    *,
    id_: str,
    text: str,
    person: bool,
    now: datetime,
    count: Callable[[str], int],
) -> Memory:
    """The merged memory: confidence 1.0, the higher priority, combined tags, files, links, evidence.

    Args:
        better: gives the words, the kind and what cannot be combined.
        other: the other one.
        id_: the new memory's.
        text: replaces the better one's words; empty keeps them.
        person: whether a person decided, who is trusted; otherwise the lower trust of both is kept.
        now: when it is recorded.
        count: counts the tokens of a text.

    Raises:
        InvalidInputError: the text does not fit.
    """
    content = _content(better, text)
    both = replace(
        better,
        id=id_,
        content=content,
        # A written summary of the better one's old words may say what the new words do not.
        summary="" if content != better.content else better.summary,
        recorded_at=now,
        updated_at=now,
        version=1,
        status=Status.ACTIVE,
        # Two memories that say the same confirm each other; of larger groups `phases.abstract` sets it.
        confidence=1.0,
        priority=max(better.priority, other.priority),
        pinned=better.pinned or other.pinned,
        origin=Origin.CONSOLIDATION,
        # The lower trust of both: otherwise text of an untrusted file would become trusted by being merged
        # into what a person said.
        trust=Trust.TRUSTED if person else min(better.trust, other.trust, key=_TRUSTS.index),
        domain=other.domain if better.domain is Domain.GENERAL else better.domain,
        evidence=better.evidence + other.evidence,
        supersedes=better.id,
        superseded_by=None,
        **_joined_labels(better, other),
        **_joined_times(better, other),
    )
    return normalise_again(both, count=count).memory


def _content(memory: Memory, text: str) -> Content:
    if not text.strip():
        return memory.content
    fields = {**content_to_json(memory.content), KINDS[memory.kind].main: text.strip()}
    return content_from_json(memory.kind, fields)


def _joined_labels(better: Memory, other: Memory) -> dict[str, Any]:
    return {
        "tags": joined(better.tags, other.tags)[:MAX_LABELS],
        # The other one's come first and the list is turned round, so that the better one's links are what
        # the limit keeps.
        "files": joined_files(other.files, better.files)[::-1][:MAX_LABELS],
        "functions": joined_functions(other.functions, better.functions)[::-1][:MAX_LABELS],
        "patterns": joined(better.patterns, other.patterns)[:MAX_LABELS],
        "constraints": joined(better.constraints, other.constraints)[:MAX_LABELS],
        "metadata": _joined_metadata(better.metadata, other.metadata),
    }


def _joined_metadata(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """The fields of both: lists are joined, such as the commands; of other values the first one's is kept."""
    both = {**b, **a}
    for name in a.keys() & b.keys():
        if isinstance(a[name], list) and isinstance(b[name], list):
            both[name] = [*a[name], *(item for item in b[name] if item not in a[name])]
    return both


def _joined_times(a: Memory, b: Memory) -> dict[str, Any]:
    """Valid as long as either was, with the use of both."""
    # One that has no end still holds, and so does what stands for both.
    ends = [a.valid_until, b.valid_until]
    return {
        "valid_from": min(a.valid_from, b.valid_from),
        "valid_until": None if None in ends else max(end for end in ends if end),
        "validated_at": max((at for at in (a.validated_at, b.validated_at) if at), default=None),
        "last_accessed_at": max((at for at in (a.last_accessed_at, b.last_accessed_at) if at), default=None),
        "access_count": a.access_count + b.access_count,
    }


# -- consolidation: finds pairs of duplicates, and merges two memories after a backup


class Duplicates(NamedTuple):
    """The pairs of one store, most alike first, their number, and whether the search was complete."""

    pairs: tuple[Duplicate, ...]
    total: int
    complete: bool


class Consolidation:
    """Finds duplicates in one store, and composes what would stand for both.

    Args:
        store: where the memories are.
        count: counts the tokens of a text.
        new_id: makes the ids of merged memories.
    """

    def __init__(
        self,
        store: Store,
        *,
        count: Callable[[str], int],
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._store = store
        self._count = count
        self._new_id = new_id

    def duplicates(self, model: str, limit: int) -> Duplicates:
        """Every pair of active memories above the thresholds, and those that ingestion related as candidates.

        Args:
            model: the embedder whose vectors are compared; empty where there are none.
            limit: how many pairs to describe.
        """
        found = self._store.memories.find(MemoryQuery(order="updated"))
        # Every active memory is needed: a pair may be of the oldest and the newest.
        memories = {memory.id: memory for memory in found if mergeable_kind(memory)}
        words = overlapping({id_: bag_of_words(memory.text) for id_, memory in memories.items()})
        codes = self._store.vectors.codes_of(list(memories), model) if model else {}
        # A vector of a text in a language that the model does not read says nothing of its meaning: such
        # texts are compared by words alone.
        told = [id_ for id_, memory in memories.items() if id_ in codes and reads(model, memory.text)]
        meaning = similar_vectors({id_: codes[id_] for id_ in told})
        relations = list(self._store.relations.all())
        settled = settled_pairs(relations)
        found_pairs = ranked(memories, words.pairs, meaning.pairs, recorded_pairs(relations))
        pairs = [one for one in found_pairs if frozenset((one.a, one.b)) not in settled]
        best = tuple(as_duplicate(memories, one) for one in pairs[:limit])
        return Duplicates(best, len(pairs), words.complete and meaning.complete)

    def merged(self, a: Memory, b: Memory, *, text: str, person: bool, now: datetime) -> Memory:
        """The memory that would stand for both; nothing is written.

        Raises:
            InvalidInputError: the text does not fit.
        """
        better, other = better_of(a, b)
        return merge(better, other, id_=self._new_id(), text=text, person=person, now=now, count=self._count)
