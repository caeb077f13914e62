"""Pairs of memories that may say the same, best first, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Origin, Status
from recortex.engines.consolidation.copies import OverlappingPairs, ScoredPair, scored_pair
from recortex.engines.ingestion.merging import same_event
from recortex.engines.similarity.contradiction import contradiction
from recortex.engines.similarity.jaccard import CONSOLIDATE, NEARLY_SAME, SAME_MATTER, jaccard
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.relation import Relation


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
    keys = list(codes)[:MOST_VECTORS]
    pairs: list[ScoredPair] = []
    rows = _unit({key: codes[key] for key in keys})
    for start in range(0, len(keys), BLOCK):
        room = MOST_PAIRS - len(pairs)
        # Pairs of the block's rows with all rows from the block on, each once; at most `most`.
        most = room + 1
        import numpy as np

        block = rows[start : start + BLOCK]
        cosines = block @ rows[start:].T
        # Within the block, each pair would occur twice, and each row with itself.
        cosines[:, : len(block)] = np.triu(cosines[:, : len(block)], k=1)
        first, second = (found[:most] for found in np.nonzero(cosines >= NEARLY_SAME))
        found = [
            (start + int(a), start + int(b), float(cosines[a, b])) for a, b in zip(first, second, strict=True)
        ]
        pairs += [scored_pair(keys[a], keys[b], min(1.0, cosine)) for a, b, cosine in found[:room]]
        if len(found) > room:
            return OverlappingPairs(tuple(pairs), complete=False)
    return OverlappingPairs(tuple(pairs), complete=len(keys) == len(codes))


def _unit(codes: Mapping[str, bytes]) -> Any:
    """Rows of unit length; a vector of another length than the first one's is all zeros."""
    import numpy as np

    size = len(next(iter(codes.values()), b""))
    fitting = [raw if len(raw) == size else bytes(size) for raw in codes.values()]
    rows = np.frombuffer(b"".join(fitting), dtype=np.int8).astype(np.float32).reshape(len(fitting), size)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


# -- when it is time to look for duplicates


CONSOLIDATION_EXTRACTION_THRESHOLD = 10
CONSOLIDATION_ACTIVE_THRESHOLD = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What was learned since somebody last looked for duplicates.

    Attributes:
        since: when that was; None if never.
        extractions: sessions that were learned from since then.
        memories: active memories recorded since then.
        notice: «consolidation is due» with the reason and the command; empty while it is not.
    """

    since: datetime | None
    extractions: int
    memories: int
    notice: str = ""


def due(since: datetime | None, *, extractions: int, memories: int) -> Due:
    """Whether one of two thresholds is reached: 10 extractions, or 80 active memories."""
    if extractions >= CONSOLIDATION_EXTRACTION_THRESHOLD:
        reason = f"{extractions} sessions were learned from"
    elif memories >= CONSOLIDATION_ACTIVE_THRESHOLD:
        reason = f"{memories} memories were added"
    else:
        return Due(since=since, extractions=extractions, memories=memories)
    notice = (
        f"Consolidation is due: {reason} since the last one. `recortex consolidate` shows what may be said "
        f"twice."
    )
    return Due(since=since, extractions=extractions, memories=memories, notice=notice)
