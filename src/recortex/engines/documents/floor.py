"""Decides whether the documents can answer a question.

A chunk is long and has a vocabulary of its own: some of its words are in any question, and something is like
it. So more has to speak for an answer than among memories (engines/retrieval/floor.py). Measured with
bench/documents.py --questions: see docs/documents.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.retrieval.floor import evidence
from recortex.engines.similarity.standardisation import logistic

if TYPE_CHECKING:
    from recortex.engines.retrieval.floor import Support

_BY_BOTH, _BY_WORDS, _BY_MEANING = 4.6, 4.1, 3.9
"""How much more, in log-odds."""


def answerable(support: Support) -> float:
    """The probability that a document answers: 0 to 1."""
    if support.coverage is None:
        return logistic(evidence(support) - _BY_MEANING)
    return logistic(evidence(support) - (_BY_WORDS if support.likeness is None else _BY_BOTH))
