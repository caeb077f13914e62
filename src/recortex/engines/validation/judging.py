"""The verdict on a memory: the issues of all four dimensions, a score, and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.citation import standing_of
from recortex.domain.validation import DIMENSIONS, SEVERITIES, Verdict
from recortex.engines.validation import citation, contradiction, pattern, temporal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.validation import Dimension, Issue, Severity, State
    from recortex.engines.validation.subject import Subject

SCORES: dict[Severity, float] = {"minor": 0.9, "moderate": 0.7, "severe": 0.3}
"""What an issue leaves of its dimension."""
_STATES: dict[Severity, State] = {"minor": "stale", "moderate": "stale", "severe": "flagged"}


def verdict(subject: Subject) -> Verdict:
    """What the four dimensions say of a memory."""
    found = [
        *citation.issues(subject),
        *temporal.issues(subject),
        *contradiction.issues(subject),
        *pattern.issues(subject),
    ]
    found.sort(key=lambda one: -SEVERITIES.index(one.severity))
    scores = {name: _score(name, found) for name in DIMENSIONS}
    scores["citation"] = min(scores["citation"], citation.score(subject)) if found else 1.0
    return Verdict(
        id=subject.memory.id,
        score=round(sum(scores.values()) / len(scores), 4),
        state=_STATES[found[0].severity] if found else "valid",
        issues=tuple(found),
        cited=standing_of(subject.citations),
    )


def _score(name: Dimension, found: Sequence[Issue]) -> float:
    """What the gravest issue leaves of a dimension."""
    return min((SCORES[one.severity] for one in found if one.dimension == name), default=1.0)
