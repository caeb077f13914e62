"""The confidence of what a correction taught, from five factors.

The factors are those that the store computes with anyway, so the figure is the one that `get` shows: what the
words deserve; more evidence, which removes half of the remaining doubt; use and age, as in decay; and a
person's answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recortex.domain.correction import Factors
from recortex.engines.decay.confidence import VALIDATED, usage_factor
from recortex.engines.ingestion.merging import reinforced

if TYPE_CHECKING:
    from recortex.domain.correction import Answer

REJECTED = 0.5
"""The share of its confidence that a rejected memory keeps, should it be restored."""
MOST_EVIDENCE = 16
"""Further places that are counted: after these nothing is left to add."""


def calibrated(
    base: float,
    *,
    evidence: int = 1,
    accesses: int = 0,
    age_days: float = 0.0,
    half_life_days: float | None = None,
    validated: bool = False,
    answer: Answer | None = None,
) -> Factors:
    """The confidence, from 0 to 1, with each factor.

    Args:
        base: what the words deserve, 0 to 1.
        evidence: places where it was learned, at least 1.
        accesses: how often it was recalled.
        age_days: since it was last recalled, or recorded.
        half_life_days: of its kind; None where it never fades.
        validated: a person approved of it, so that it fades more slowly.
        answer: what a person says of it now.
    """
    known = base
    for _ in range(min(evidence - 1, MOST_EVIDENCE)):
        known = reinforced(known, base)
    usage, slower = usage_factor(accesses), VALIDATED if validated else 1.0
    temporal = 1.0 if half_life_days is None else math.exp2(-max(0.0, age_days) / (half_life_days * slower))
    present = known * min(1.0, usage * temporal)
    final = present if answer is None else answered(present, answer)
    return Factors(
        base=base,
        evidence=known,
        usage=usage,
        temporal=temporal,
        validation=final / present if present else 1.0,
        confidence=final,
    )


def answered(confidence: float, answer: Answer) -> float:
    """The confidence after a person's answer.

    To confirm or to word it better removes half of the doubt, as full evidence does; to reject halves it.
    """
    return confidence * REJECTED if answer == "reject" else reinforced(confidence, 1.0)
