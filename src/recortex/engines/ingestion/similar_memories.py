"""Known memories that resemble a new one: how alike they are, and whether the new one replaces them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.similarity.jaccard import SUGGESTED, Verdict, classify, jaccard
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.similarity.vector_verdict import BY_WORDS, SAME_MATTER
from recortex.engines.supersession.authority import states_what_holds
from recortex.engines.supersession.detection import (
    NOTHING,
    Outcome,
    SupersessionVerdict,
    find_supersession,
    is_near,
)
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.memory import Memory

LINKED = 3
"""A new memory is linked to at most so many known ones: the most alike."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A known memory that resembles a new one.

    Attributes:
        judged: what the new one is to it.
        overtaken: what it is to the new one, where that was said some time before it was recorded.
        again: the new one says nothing that it does not say.
    """

    id: str
    score: float
    judged: SupersessionVerdict = NOTHING
    overtaken: SupersessionVerdict = NOTHING
    again: bool = False

    @property
    def at_odds(self) -> bool:
        """Whether the two cannot both hold, as far as words tell."""
        return not self.judged.outcome is self.overtaken.outcome is Outcome.NOTHING


def resemblances(memory: Memory, known: Iterable[tuple[str, str]]) -> list[Resemblance]:
    """The known texts most like a memory, best first, and those that it is at odds with.

    Args:
        memory: the new one.
        known: ids and texts of living memories that may be alike.
    """
    if KINDS[memory.kind].event:
        return []
    words = bag_of_words(memory.text)
    found = [_likeness(memory, words, id_, text) for id_, text in known]
    found.sort(key=lambda likeness: -likeness.score)
    return found[:LINKED] + [likeness for likeness in found[LINKED:] if likeness.at_odds]


def _likeness(memory: Memory, words: frozenset[str], id_: str, other: str) -> Resemblance:
    theirs = bag_of_words(other)
    score = jaccard(words, theirs)
    again = score >= SUGGESTED and is_near_duplicate(memory.text, other)
    if again or not states_what_holds(memory.kind):
        return Resemblance(id_, score, again=again)
    judged = find_supersession(memory.text, other) if is_near(words, theirs) else NOTHING
    late = memory.valid_from < memory.recorded_at and is_near(theirs, words)
    return Resemblance(id_, score, judged, find_supersession(other, memory.text) if late else NOTHING)


def link_between(memory: Memory, likeness: Resemblance) -> Relation | None:
    """The relation that word overlap gives to a pair; None where they have too little in common."""
    verdict = classify(likeness.score)
    if verdict is Verdict.IGNORE:
        return None
    certain = verdict in {Verdict.RELATE, Verdict.SIMILAR}
    return Relation(
        memory.id,
        likeness.id,
        RelationType.RELATED,
        memory.recorded_at,
        strength=round(likeness.score, 3),
        evidence=(SAME_MATTER if verdict is Verdict.CONSOLIDATE else BY_WORDS,),
        inferred=True,
        status=RelationStatus.ACTIVE if certain else RelationStatus.SUGGESTED,
        bidirectional=True,
    )


def contradiction(memory: Memory, likeness: Resemblance) -> Relation:
    """The suggestion that two memories cannot both hold; a person decides."""
    return Relation(
        memory.id,
        likeness.id,
        RelationType.CONTRADICTS,
        memory.recorded_at,
        strength=DOUBTED,
        evidence=(likeness.judged.evidence or likeness.overtaken.evidence,),
        inferred=True,
        status=RelationStatus.SUGGESTED,
        bidirectional=True,
    )


DOUBTED = 0.5
"""Strength of a suggested contradiction: as likely as not, until a person has looked."""
