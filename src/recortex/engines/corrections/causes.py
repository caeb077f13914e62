"""How a correction is related to what was known: what it was learned from, what led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType
from recortex.engines.words import LETTERS, STOP_WORDS, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory

MOST = 3
"""Memories of the same matter that are related: as many as ingestion relates by likeness."""
_WORDING = frozenset(("use", "write", "instead", "not", "no", "never", "always"))
_WHAT_HAPPENED = frozenset(("incident", "code_smell"))


def causes(
    new: Memory, known: Sequence[tuple[Relation, Memory]], replaced: Memory | None, now: datetime
) -> Iterator[Relation]:
    """The causal relations of a new correction.

    What it replaces had led to the mistake. What happened once, or is known to be bad, caused the correction;
    from anything else of the matter it was learned.

    Args:
        new: the correction.
        known: memories of the same matter, with the inferred relation to each.
        replaced: the memory that it supersedes.
        now: when the relations are made.
    """
    if replaced is not None:
        yield _inferred(
            new.id, replaced.id, RelationType.TRIGGERED_BY, 1.0, "what it corrects was known", now
        )
    words = _matter(new)
    near = [one for one in known if words & _matter(one[1])]
    for relation, other in sorted(near, key=lambda one: -one[0].strength)[:MOST]:
        if KINDS[other.kind].event or other.kind in _WHAT_HAPPENED:
            yield _inferred(
                other.id, new.id, RelationType.CAUSED, relation.strength, "what had happened", now
            )
        else:
            yield _inferred(
                new.id, other.id, RelationType.LEARNED_FROM, relation.strength, "of the same matter", now
            )


def _matter(memory: Memory) -> frozenset[str]:
    """The words that tell what a memory is about, without those of how a principle is worded."""
    return frozenset(tokens(memory.text, LETTERS)) - STOP_WORDS - _WORDING


def _inferred(
    source: str, target: str, type_: RelationType, strength: float, why: str, now: datetime
) -> Relation:
    return Relation(source, target, type_, now, round(strength, 3), (why,), inferred=True)
