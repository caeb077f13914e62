"""Decides by vectors whether two memories are related, if their Jaccard similarity does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.similarity.jaccard import SIMILAR

if TYPE_CHECKING:
    from recortex.domain.relation import Relation

BY_WORDS, BY_MEANING, SAME_MATTER = "word overlap", "cosine", "consolidation candidate"
RELATED = 0.45
"""Of unrelated statements, 95 in 100 pairs have a lower cosine (bench/likeness.py)."""
NEARLY_SAME = 0.8
"""Pairs with a higher cosine say the same in other words (bench/likeness.py, judged by reading them)."""


def is_uncertain(relation: Relation) -> bool:
    """Whether a relation was inferred by words alone, and not by many of them."""
    return (
        relation.inferred
        and relation.type is RelationType.RELATED
        and relation.strength <= SIMILAR
        and relation.evidence[:1] in ((BY_WORDS,), (SAME_MATTER,))
    )


def vector_verdict(relation: Relation, cosine: float) -> Relation | None:
    """The relation with the cosine as its strength; None where the two memories are unrelated."""
    if cosine < RELATED:
        return None
    evidence = SAME_MATTER if cosine >= NEARLY_SAME else BY_MEANING
    return replace(
        relation,
        strength=round(min(1.0, cosine), 3),
        evidence=(f"{evidence} {cosine:.2f}",),
        status=RelationStatus.ACTIVE,
    )
