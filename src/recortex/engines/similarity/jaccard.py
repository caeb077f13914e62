"""Jaccard similarity of two texts by their words, and what is done at which similarity."""

from __future__ import annotations

from enum import StrEnum

DIFFERENT, SUGGESTED, CONSOLIDATE, SIMILAR = 0.1, 0.4, 0.5, 0.6


class Verdict(StrEnum):
    """What is to be done with a pair of memories."""

    IGNORE = "ignore"
    RELATE = "relate"
    SUGGEST = "suggest"
    CONSOLIDATE = "consolidate"
    SIMILAR = "similar"


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words by all words, 0 to 1; 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def classify(score: float) -> Verdict:
    """By bands: below 0.1 ignore, to 0.4 relate, to 0.5 suggest, to 0.6 consolidate, above: similar."""
    for limit, verdict in (
        (DIFFERENT, Verdict.IGNORE),
        (SUGGESTED, Verdict.RELATE),
        (CONSOLIDATE, Verdict.SUGGEST),
    ):
        if score < limit:
            return verdict
    return Verdict.CONSOLIDATE if score <= SIMILAR else Verdict.SIMILAR
