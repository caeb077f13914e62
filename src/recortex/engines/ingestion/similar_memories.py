"""Finds known memories that are similar to a new one: how similar, and whether one replaces the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.similarity.jaccard import BY_WORDS, SAME_MATTER, SUGGESTED, Verdict, classify, jaccard
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.detection import (
    NOTHING,
    Outcome,
    SupersessionVerdict,
    find_supersession,
    is_near,
)
from recortex.engines.supersession.service import is_replaceable
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.memory import Memory

LINKED = 3
"""A new memory is related to at most this many known ones: the most similar."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A known memory that is similar to a new one.

    Attributes:
        score: the Jaccard similarity, 0 to 1.
        verdict: whether the new one replaces or contradicts it.
        reverse: whether it replaces or contradicts the new one, where that was said before it was recorded,
            as in an old session.
        repeated: whether the new one only repeats it.
    """

    id: str
    score: float
    verdict: SupersessionVerdict = NOTHING
    reverse: SupersessionVerdict = NOTHING
    repeated: bool = False

    @property
    def conflicts(self) -> bool:
        """Whether the two cannot both hold, by their wording."""
        return not self.verdict.outcome is self.reverse.outcome is Outcome.NOTHING


def resemblances(memory: Memory, known: Iterable[tuple[str, str]]) -> list[Resemblance]:
    """The known memories most similar to a new one, best first, and all that conflict with it.

    Args:
        memory: the new one.
        known: ids and texts of active or proposed memories that may be similar.
    """
    words = bag_of_words(memory.text)
    found = [_resemblance(memory, words, id_, text) for id_, text in known]
    found.sort(key=lambda one: -one.score)
    return found[:LINKED] + [one for one in found[LINKED:] if one.conflicts]


def _resemblance(memory: Memory, words: frozenset[str], id_: str, other: str) -> Resemblance:
    theirs = bag_of_words(other)
    score = jaccard(words, theirs)
    repeated = score >= SUGGESTED and is_near_duplicate(memory.text, other)
    if repeated or not is_replaceable(memory.kind):
        return Resemblance(id_, score, repeated=repeated)
    verdict = find_supersession(memory.text, other) if is_near(words, theirs) else NOTHING
    late = memory.valid_from < memory.recorded_at and is_near(theirs, words)
    return Resemblance(id_, score, verdict, find_supersession(other, memory.text) if late else NOTHING)


def links(memory: Memory, found: Sequence[Resemblance]) -> Iterator[Relation]:
    """The relations of a new memory to similar ones: by word overlap, and suggested contradictions."""

    def link(
        to: str, type_: RelationType, strength: float, evidence: str, status: RelationStatus
    ) -> Relation:
        return Relation(
            memory.id, to, type_, memory.recorded_at,
            strength=strength, evidence=(evidence,), inferred=True, status=status, bidirectional=True,
        )  # fmt: skip

    for one in found[:LINKED]:
        if (band := classify(one.score)) is not Verdict.IGNORE:
            certain = band in {Verdict.RELATE, Verdict.SIMILAR}
            status = RelationStatus.ACTIVE if certain else RelationStatus.SUGGESTED
            evidence = SAME_MATTER if band is Verdict.CONSOLIDATE else BY_WORDS
            yield link(one.id, RelationType.RELATED, round(one.score, 3), evidence, status)
    for one in found:
        if one.conflicts:
            verdict = one.reverse if one.verdict.outcome is Outcome.NOTHING else one.verdict
            chance = round(verdict.chance, 3)
            yield link(one.id, RelationType.CONTRADICTS, chance, verdict.evidence, RelationStatus.SUGGESTED)
