"""Recognises statements that use the same words and may say opposite things."""

from __future__ import annotations

import re

from recortex.engines.words import bag_of_words

_NEGATIONS = bag_of_words(
    "not never no none nobody nothing without cannot can't don't doesn't didn't isn't aren't wasn't won't "
    "shouldn't "
    "mustn't avoid stop forbid forbidden unless nicht nie kein keine"
)
_OPPOSITES: list[tuple[str, str]] = re.findall(
    r"(\w+)/(\w+)",
    "always/never always/sometimes must/may required/optional enable/disable enabled/disabled "
    "enables/disables on/off "
    "true/false yes/no allow/forbid allowed/forbidden allow/deny accept/reject include/exclude with/without "
    "use/avoid "
    "before/after sync/async synchronous/asynchronous public/private increase/decrease more/less "
    "minimum/maximum "
    "min/max first/last start/stop keep/remove add/remove safe/unsafe old/new fast/slow works/fails "
    "passes/fails "
    "correct/wrong supported/unsupported ascending/descending lower/upper",
)
_FIGURE = re.compile(r"\d{1,20}(?:[.:,]\d{1,20}){0,6}")


def contradiction(a: str, b: str) -> str:
    """Why the two may contradict each other, in a clause; empty where nothing shows it.

    Checks for opposite words, a negation in only one of them, and figures that differ. It is a warning for a
    person, not a judgement: «Use A, not B» beside «Use A» is reported too.
    """
    first, second = bag_of_words(a), bag_of_words(b)
    return _opposed(first, second) or _negated_in_one(first, second) or _other_figures(a, b)


def _opposed(a: frozenset[str], b: frozenset[str]) -> str:
    only_a, only_b = a - b, b - a
    for one, other in _OPPOSITES:
        if one in only_a and other in only_b:
            return f"one says «{one}», the other «{other}»"
        if other in only_a and one in only_b:
            return f"one says «{other}», the other «{one}»"
    return ""


def _negated_in_one(a: frozenset[str], b: frozenset[str]) -> str:
    in_a, in_b = a & _NEGATIONS, b & _NEGATIONS
    if bool(in_a) == bool(in_b):
        return ""
    return f"only one of them says «{min(in_a or in_b)}»"


def _other_figures(a: str, b: str) -> str:
    first, second = set(_FIGURE.findall(a)), set(_FIGURE.findall(b))
    only_a, only_b = sorted(first - second), sorted(second - first)
    return f"one says {only_a[0]}, the other {only_b[0]}" if only_a and only_b else ""
