"""Puts the best answers in the order of a cross-encoder, where a person has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.retrieval.floor import Rated
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.ports.reranking import Reranker

RERANKED = 20
"""Answers that are read: a small cross-encoder needs some 10 ms for each."""


def reranked(
    query: str, told: Sequence[Rated], memories: Mapping[int, Memory], reranker: Reranker
) -> tuple[list[Rated], tuple[str, ...]]:
    """The answers in the order of the cross-encoder, and what could not be used.

    Scores, and what is weak, keep their places: the floor is calibrated for the scorer, which stands in where
    the model cannot be run.

    Args:
        query: the question.
        told: the answers, best first.
        memories: by key; answers without one are left out.
        reranker: reads the question with each.
    """
    known = [one for one in told if one.scored.facts.key in memories]
    first, rest = known[:RERANKED], known[RERANKED:]
    if len(first) <= 1:
        return known, ()
    try:
        read = reranker.scores(query, [memories[one.scored.facts.key].text for one in first])
    except EmbeddingError as error:
        return known, (f"the cross-encoder cannot be used: {error.message} The scorer stands in.",)
    order = sorted(range(len(first)), key=lambda place: -read[place])
    moved = [Rated(first[new].scored, at.score, at.weak) for new, at in zip(order, first, strict=True)]
    return [*moved, *rest], ()
