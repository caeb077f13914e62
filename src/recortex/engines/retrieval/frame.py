"""The recipe `frame` (E, Retriever): four signals from 0 to 1, added up as they are measured."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.retrieval.comparing import LEAST_SPREAD
from recortex.engines.retrieval.scorer import Scored, recency
from recortex.engines.retrieval.weights import Common, Compared, Form, Spoken

if TYPE_CHECKING:
    from recortex.engines.retrieval.comparing import Evidence


class Signals(NamedTuple):
    """What is measured of a candidate, and the weight of each.

    Attributes:
        semantic: cosine with the question; what has no vector yet counts with its words instead.
        keyword: how much of the question it holds, by the rarity of the words.
        recency: it was written, recorded or used recently.
        frequency: it was given often, beside the candidate that was given most.
    """

    semantic: float = 0.6
    keyword: float = 0.2
    recency: float = 0.1
    frequency: float = 0.1


WEIGHTS = Signals()
_WEIGHTED = Form(Compared(keyword=WEIGHTS.keyword, semantic=WEIGHTS.semantic))
_NO_OTHERS = Common(*(0.0,) * len(Common._fields))


def frame_score(evidence: Evidence) -> list[Scored]:
    """The candidates, best first; of equals the newer, then the one written later.

    Totals are the sums, which are from 0 to 1, in units of `LEAST_SPREAD`: so they compare with those of the
    other recipes, which are standard deviations.
    """
    most = log1p(max((one.access_count for one in evidence.facts), default=0)) or 1.0
    scored = []
    for one in evidence.facts:
        keyword = min(evidence.keyword.get(one.key, 0.0), 1.0)
        semantic = max(evidence.semantic.get(one.key, keyword), 0.0)
        signals = Signals(semantic, keyword, recency(one, evidence.now), log1p(one.access_count) / most)
        total = sum(weight * value for weight, value in zip(WEIGHTS, signals, strict=True)) / LEAST_SPREAD
        compared = Compared(keyword=keyword, semantic=semantic, nearby=semantic)
        parts = Compared(keyword=keyword / LEAST_SPREAD, semantic=semantic / LEAST_SPREAD)
        named = signals._asdict()
        scored.append(Scored(one, total, _WEIGHTED, compared, Spoken(), _NO_OTHERS, parts, named))
    return sorted(scored, key=lambda one: (-one.total, -one.facts.recorded_at, -one.facts.key))
