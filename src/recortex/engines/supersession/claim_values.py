"""Classifies the value of a claim: the name of one thing, a quality, a number, a path."""

from __future__ import annotations

import re

from recortex.engines.supersession.claims import is_number
from recortex.engines.supersession.lexicon import FAMILY_OF
from recortex.engines.words import word_set


def is_name(value: tuple[str, ...]) -> bool:
    """Whether a value is the name of one thing (a product, a path, a number), not a description.

    A bare singular in lower case is a name ("use bcrypt for"); a plural or a noun with an article is not.
    """
    if not value or value[0].lower() in _VAGUE or any(word.lower() in _JOINS for word in value):
        return False
    last = value[-1]
    if any(is_number(word) or not word.isalpha() or word[0].isupper() for word in value):
        return True
    return len(value) <= 2 and not last.endswith(("s", "ing", "ly"))  # noqa: PLR2004


_VAGUE = word_set(
    "a an every each all any some only when if no more less many few another other such very too both "
    "either what whatever how"
)
_JOINS = word_set("that which who whose if unless without")


_QUALITY = re.compile(
    r".+(?:ed|able|ible|ful|less|ous|ive|[aeo]nt|-only|-free)$|^(?:empty|full|slow|fast|small|large|big|new|"
    r"old|public|private|safe|stale|down|up|ready|read-only)$"
)


def is_quality(value: tuple[str, ...]) -> bool:
    """Whether a value says how something is, not which one it is."""
    return len(value) == 1 and _QUALITY.match(value[0]) is not None and value[0].lower() not in FAMILY_OF


def shape(value: tuple[str, ...]) -> str:
    """The form of a value: `number` with its unit, `path`, `dotted` (a host or version) or `word`."""
    first = value[0]
    if is_number(first):
        return "number " + " ".join(word.lower().rstrip("s") for word in value[1:])
    if "/" in first:
        return "path"
    return "dotted" if "." in first.strip(".") else "word"
