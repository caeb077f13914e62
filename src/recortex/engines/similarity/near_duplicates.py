"""Whether two statements say the same in other words: what one adds to the other must be nothing that carries meaning.

Overlap alone does not tell: "restart the checkout with `make checkout`" and "restart the mailer with `make mailer`" share
six of seven words and are two facts, while "From now on always deploy with `make ship`" and "We always deploy with
`make ship`" are one.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from recortex.engines.indexing.words import STOP_WORDS

WHOLE = 0.8
"""How much of a known statement the new one must repeat, and how much of that in the same order."""
LONGEST = 2_000
"""Characters of a statement that are compared; what is longer says the same only word for word."""

_TOKEN = re.compile(r"[\w@][\w./@:+#-]*(?:['’]t)?")
_MEANING = frozenset(
    (
        "no", "nor", "not", "only", "before", "after", "above", "below", "against", "between", "during", "until", "without",
        "under", "over", "up", "down", "off", "out", "more", "most", "if", "while",
    )
)  # fmt: skip
_FILLING = frozenset(
    ("now", "please", "also", "just", "really", "simply", "currently", "already", "still", "remember", "note", "ok", "well",
     "future", "let's", "lets")
)  # fmt: skip
_DROPPED = (STOP_WORDS - _MEANING) | _FILLING
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_NEGATIONS = {
    "don't": "not",
    "doesn't": "not",
    "can't": "cannot",
    "won't": "not",
    "isn't": "not",
    "aren't": "not",
    "never": "not",
}


@lru_cache(2_048)
def telling(text: str) -> tuple[str, ...]:
    """The words of a statement that carry its meaning, in order, in one form."""
    found = (word.strip(".:-/+#").replace("’", "'") for word in _TOKEN.findall(text.lower()))
    plain = (_NEGATIONS.get(word, word) for word in found)
    return tuple(_ENDING.sub("", word) for word in plain if word and word not in _DROPPED)


def is_near_duplicate(new: str, known: str) -> bool:
    """Whether a new statement only repeats a known one: it adds nothing, leaves hardly anything out, in the same order."""
    if max(len(new), len(known)) > LONGEST:
        return new == known
    said, before = telling(new), telling(known)
    if not said or not set(said) <= set(before) or len(set(said)) < WHOLE * len(set(before)):
        return False
    matcher = SequenceMatcher(None, before, said, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= WHOLE * len(said)
