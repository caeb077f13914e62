"""Recognises statements that say the same in other words.

Word overlap alone is not enough: "restart the checkout with `make checkout`" and "restart the mailer with
`make mailer`" share six of seven words and are two facts, while "From now on always deploy with `make ship`"
and "We always deploy with `make ship`" are one.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from recortex.engines.words import INFLECTIONS, PADDING, TERM, stem, tokens

WHOLE = 0.8
"""How much of a known statement the new one must repeat, and how much of that in the same order."""
LONGEST = 2_000
"""Characters of a statement that are compared; what is longer says the same only word for word."""

_NEGATIONS = dict.fromkeys(("don't", "doesn't", "won't", "isn't", "aren't", "never"), "not") | {
    "can't": "cannot"
}


@lru_cache(2_048)
def meaning(text: str) -> tuple[str, ...]:
    """The words of a statement that carry its meaning, in order, in one form."""
    found = (word.strip(".:-/+#").replace("’", "'") for word in tokens(text, TERM))
    plain = (_NEGATIONS.get(word, word) for word in found)
    return tuple(stem(word, INFLECTIONS) for word in plain if word and word not in PADDING)


def is_near_duplicate(new: str, known: str) -> bool:
    """Whether a new statement only repeats a known one: no more, hardly less, in the same order."""
    if max(len(new), len(known)) > LONGEST:
        return new == known
    said, before = meaning(new), meaning(known)
    if not said or not set(said) <= set(before) or len(set(said)) < WHOLE * len(set(before)):
        return False
    matcher = SequenceMatcher(None, before, said, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= WHOLE * len(said)
