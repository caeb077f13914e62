"""Which memories are told beside what was said in sessions: those that answer come before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.regression import Regression

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.search import Hit

SURE = 0.1
"""A memory that answers with a lower probability is left out where an exchange answers."""
LIKELY = 0.11
"""An exchange with this probability, or a higher one, probably answers."""
MOST_UNSURE = 1
"""Memories that may answer, beside exchanges of which none is likely: with all of them no more is found, and
the right exchange stands further back (bench/session_questions.py: MRR 61.3 with one, 60.4 with eight)."""
_ANSWERS = Regression(-7.9, {"keyword": 4.1, "semantic": 7.2})
"""A logistic regression over extracted memories that were right and wrong answers. With it, 79 % of the facts
asked for as people ask are in the first five answers, 80 % among exchanges alone; with every memory first
they are 15 % (bench/exchanges.py)."""


def answers(hit: Hit) -> bool:
    """Whether a memory answers: one that a rule worded by its signals, another one unless it is weak.

    Where there were no vectors to compare, the words count for them too.
    """
    if not hit.memory.source.rule:
        return not hit.weak
    keyword = hit.signals.get("keyword", 0.0)
    found = {"keyword": keyword, "semantic": hit.signals.get("semantic", keyword)}
    return _ANSWERS.probability(found) >= SURE


def told_beside(hits: Sequence[Hit], said: Sequence[ExchangeHit]) -> Iterator[Hit]:
    """The memories that are told beside exchanges: those that answer, and where no exchange is likely others.

    Of others that a rule worded only a few are told, and as weak ones.

    Args:
        hits: best first.
        said: what was said in sessions and may answer; none: every memory is told as it is.
    """
    alone, left = not likely(said), MOST_UNSURE
    for hit in hits:
        if not said or answers(hit) or (alone and not hit.memory.source.rule):
            yield hit
        elif alone and left:
            left -= 1
            yield replace(hit, weak=True)


def likely(said: Sequence[ExchangeHit]) -> bool:
    """Whether an exchange probably answers."""
    return any(one.score >= LIKELY for one in said)
