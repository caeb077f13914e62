"""Ten categories of corrections by rules, and the kind of memory that each one makes.

The categories and the kinds of five of them are from the specification; the kinds of the others
are those that say such a thing best. The table of signs (`patterns/categories.txt`) was written and weighed
on the open half of bench/corrections.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.correction import Category
from recortex.domain.vocabulary import Importance
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from recortex.domain.correction import Difference

PATTERNS = Patterns(__file__)
SIGNS = PATTERNS.forms("sign_")
TAG = "correction"
"""A tag of every memory that a correction made, beside its category."""
SECOND = 1 / 3
"""What a second sign of one category adds, as a share of its weight."""
USUAL = 0.05
"""What speaks for the usual category: a little, so that any sign counts more."""
_READ = 4_000
_OF_DIFFERENCE = {"renamed": Category.NAMING_CONVENTION, "layout": Category.STYLE_PREFERENCE}


class Made(NamedTuple):
    """What is made of a correction of one category."""

    kind: str
    importance: Importance = Importance.NORMAL


MADE: Mapping[Category, Made] = {
    Category.PATTERN_VIOLATION: Made("pattern_rationale"),
    Category.TRIBAL_MISS: Made("tribal"),
    Category.CONSTRAINT_VIOLATION: Made("constraint_override", Importance.HIGH),
    Category.STYLE_PREFERENCE: Made("preference"),
    Category.NAMING_CONVENTION: Made("preference"),
    Category.ARCHITECTURE_MISMATCH: Made("architecture"),
    Category.SECURITY_ISSUE: Made("tribal", Importance.CRITICAL),
    Category.PERFORMANCE_ISSUE: Made("code_smell"),
    Category.API_MISUSE: Made("tribal"),
    Category.OTHER: Made("feedback"),
}


def categorised(
    text: str, *, difference: Difference | None = None, usual: Category = Category.OTHER
) -> Category:
    """The category of a correction.

    Args:
        text: the person's words; of two texts, what was added and changed.
        difference: between original and corrected text, if they are known.
        usual: what it is where no sign speaks for another one.
    """
    weights = _weighed(text[:_READ])
    weights[usual] = weights.get(usual, 0.0) + USUAL
    for name, category in _OF_DIFFERENCE.items():
        if difference is not None and getattr(difference, name):
            weights[category] = weights.get(category, 0.0) + 1.0
    return max(weights, key=lambda one: (weights[one], one is usual))


def said_in(difference: Difference) -> str:
    """The words of a difference that tell its category: what was added, changed or taken out."""
    return "\n".join(_lines(difference))


def _lines(difference: Difference) -> Iterable[str]:
    yield from difference.additions
    yield from (one.after for one in difference.modifications)
    if not difference.additions:
        yield from difference.removals


def _weighed(text: str) -> dict[Category, float]:
    found: dict[Category, list[float]] = {}
    for sign in SIGNS:
        if sign.pattern.search(text):
            found.setdefault(Category(sign.kind), []).append(sign.confidence)
    return {
        category: max(weights) + SECOND * sum(sorted(weights)[:-1]) for category, weights in found.items()
    }
