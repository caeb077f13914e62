"""Recognises statements that use the same words and may say opposite things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.languages import language_of, negations, opposites
from recortex.engines.words import bag_of_words, has_cjk

if TYPE_CHECKING:
    from collections.abc import Iterable

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
_HELPING = frozenset({"do", "dont", "does", "doesnt", "not", "cannot", "cant", "we", "any", "more", "now"})
"""What a negation brings along."""
_FIGURE = re.compile(r"\d{1,20}(?:[.:,]\d{1,20}){0,6}")


def contradiction(a: str, b: str) -> str:
    """Why the two may contradict each other, in a clause; empty where nothing shows it.

    Checks for opposite words, a negation in only one of them, and figures that differ. It is a warning for a
    person, not a judgement: «Use A, not B» beside «Use A» is reported too.
    """
    return _opposed(a, b) or _negated_in_one(a, b) or _other_figures(a, b)


def is_denied(a: str, b: str) -> bool:
    """Whether two statements are the same but for a negation or one word and its opposite."""
    if not (_opposed(a, b) or _negated_in_one(a, b)):
        return False
    pairs = opposites(language_of(a)) or _OPPOSITES
    turning = {word for pair in pairs for word in pair} | negations(a) | negations(b) | _HELPING
    return bag_of_words(a) - turning == bag_of_words(b) - turning


def _opposed(a: str, b: str) -> str:
    pairs = opposites(language_of(a)) or _OPPOSITES
    in_a, in_b = (_compared_words(text, pairs) for text in (a, b))
    only_a, only_b = in_a - in_b, in_b - in_a
    for one, other in pairs:
        if one in only_a and other in only_b:
            return f"one says «{one}», the other «{other}»"
        if other in only_a and one in only_b:
            return f"one says «{other}», the other «{one}»"
    return ""


def _compared_words(text: str, pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The words of a text; where there are no spaces, those of the pairs that are in it."""
    if not has_cjk(text):
        return bag_of_words(text)
    # The longer one says the opposite of what it ends with: `非同期` is not `同期`.
    found = sorted((word for pair in pairs for word in pair if word in text), key=len)
    return frozenset(word for at, word in enumerate(found) if not any(word in one for one in found[at + 1 :]))


def _negated_in_one(a: str, b: str) -> str:
    in_a, in_b = negations(a), negations(b)
    if bool(in_a) == bool(in_b):
        return ""
    return f"only one of them says «{min(in_a or in_b)}»"


def _other_figures(a: str, b: str) -> str:
    first, second = set(_FIGURE.findall(a)), set(_FIGURE.findall(b))
    only_a, only_b = sorted(first - second), sorted(second - first)
    return f"one says {only_a[0]}, the other {only_b[0]}" if only_a and only_b else ""
