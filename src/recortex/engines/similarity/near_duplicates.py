"""Recognises statements that say the same in nearly the same words.

Word overlap alone is not enough: "restart the checkout with `make checkout`" and "restart the mailer with
`make mailer`" share six of seven words and are two facts, while "From now on always deploy with `make ship`"
and "We always deploy with `make ship`" are one.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from recortex.engines.languages import ENGLISH, language_of, negations, padding, without_padding
from recortex.engines.words import INFLECTIONS, TERM, characters, composed, spaced, stem, tokens

WHOLE = 0.8
"""The share of a known statement's words that the new one must repeat, and of those that must be in order."""
LONGEST = 2_000
"""Characters of a statement; longer ones are only compared for equality."""

_PLAIN = re.compile(r"[\w'’-]*")

_NEGATIONS = dict.fromkeys(("don't", "doesn't", "won't", "isn't", "aren't", "never"), "not") | {
    "can't": "cannot"
}


@lru_cache(2_048)
def meaning(text: str) -> tuple[str, ...]:
    """The words of a statement that carry its meaning, in order, without inflections; of CJK characters."""
    told = characters(tokens(without_padding(composed(text)), TERM))
    nothing = padding(text)
    return tuple(root for word, root in map(_plain, told) if word and word not in nothing)


@lru_cache(8_192)
def _plain(word: str) -> tuple[str, str]:
    """A word without marks at its ends, and without its inflection."""
    bare = word.strip(".:-/+#").replace("’", "'")
    plain = _NEGATIONS.get(bare, bare)
    return plain, stem(plain, INFLECTIONS)


def is_near_duplicate(new: str, known: str) -> bool:
    """Whether a new statement only repeats a known one: it adds no word, omits few, and keeps the order."""
    if max(len(new), len(known)) > LONGEST:
        return new == known
    words, known_words = meaning(new), meaning(known)
    if not words or not set(words) <= set(known_words) or len(set(words)) < WHOLE * len(set(known_words)):
        return False
    if language_of(new) != ENGLISH and bool(negations(new)) != bool(negations(known)):
        return False
    matcher = SequenceMatcher(None, known_words, words, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= WHOLE * len(words)


def same_marks(one: str, other: str) -> bool:
    """Whether two statements agree in all words with marks: paths, options, versions, quoted words.

    Those tell apart what the words alone do not: `go test ./...` and `go test ./`.
    """
    return marked(one) == marked(other)


def marked(text: str) -> frozenset[str]:
    """The words of a statement that have marks: paths, options, versions, quoted words."""
    words = (re.sub(r"[.,;:!]$", "", word).strip("`") for word in spaced(text).split())
    return frozenset(word for word in words if not _PLAIN.fullmatch(word))
