"""Words: what counts as one, which are ignored, and what is cut off before words are compared.

All comparisons of texts by words use this module. It has several patterns, lists of endings and lists of
words since each use was measured with its own, which is named beside it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.engines.scripts import spaced, units, without_cjk

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


def word_set(text: str) -> frozenset[str]:
    """The words of a written list."""
    return frozenset(text.split())


def sections(module: str) -> dict[str, str]:
    """The lists in the text file beside a module (given its `__file__`), by their names in brackets."""
    parts = Path(module).with_suffix(".txt").read_text(encoding="utf-8").split("\n[")[1:]
    named = (part.partition("]") for part in parts)
    return {name: listed for name, _, listed in named}


# -- words that say nothing

_LISTS = {name: word_set(listed) for name, listed in sections(__file__).items()}
STOP_WORDS = _LISTS["STOP_WORDS"]
"""English function words, which are ignored in questions and in keyword search."""
PADDING = (STOP_WORDS - _LISTS["MEANINGFUL_STOP_WORDS"]) | _LISTS["EXTRA_PADDING"]
"""Words that a statement may have or lack and still say the same (near-duplicates)."""
FAILURE_WORDS = _LISTS["FAILURE_WORDS"]
"""Words of any report of a failure (bench/extraction.py)."""
FILLERS = _LISTS["FILLERS"]
"""Left out when the subjects of two statements are compared (bench/reversals.py)."""
PREPOSITIONS = _LISTS["PREPOSITIONS"]
CLAIM_WORDS = FILLERS | PREPOSITIONS | _LISTS["CLAIM_EXTRA"]
"""Words of claims about any subject (bench/reversals.py)."""


# -- what counts as a word

WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)?")
"""Letters and digits, with one apostrophe: questions, and the keyword index."""
LETTERS = lazy(r"[^\W_]+")
"""Letters and digits only."""
LONGER = lazy(r"\w{2,}")
"""With underscores, two characters at least."""
TYPED = lazy(r"[^\W_][\w'’-]*")
"""As a person typed it: with apostrophes and hyphens."""
TERM = lazy(r"[\w@][\w./@:+#-]*(?:['’]t)?")
"""With the characters inside names and commands: `src/a.py`, `npm@9`, `don't`."""
QUOTABLE = lazy(r"[^\W_][\w./@:#-]{0,120}|_\w{1,120}")
"""As `TERM`, of limited length, since transcripts may contain anything."""
PRODUCT = lazy(r"[a-z][\w.+-]*[a-z0-9]")
"""What may be a product's name in lower case: `c++17`, `node.js`."""
IDENTIFIER = lazy(r"[A-Za-z_]\w*")

_POSSESSIVE = lazy(r"['’]s$")
_PUNCTUATION = lazy(r"[^\w\s]")
_ASCII_PUNCTUATION = {
    code: None for code in range(128) if not (chr(code).isalnum() or chr(code).isspace() or chr(code) == "_")
}
"""The same of ASCII alone, for a `str.translate` that takes a third of the time."""
_SMALL = r"[^\W\d_A-Z]"
_PART = lazy(rf"[A-Z]+(?=[A-Z]{_SMALL})|[A-Z]?{_SMALL}+|[A-Z]+|\d+")


def tokens(text: str, pattern: re.Pattern[str] = WORD, *, lower: bool = True) -> list[str]:
    """The words of a text in order, by one of the patterns above; in lower case unless `lower` is False."""
    return pattern.findall(text.lower() if lower else text)


def words(text: str) -> list[str]:
    """The words in order, in lower case, without possessive endings."""
    return [_POSSESSIVE.sub("", word) for word in tokens(text)]


def content_words(text: str) -> list[str]:
    """The different words that are not function words, in order; of CJK text its pairs."""
    return list(dict.fromkeys(word for word in units(words(text)) if word not in STOP_WORDS))


def bag_of_words(text: str) -> frozenset[str]:
    """The words between spaces, in lower case and without punctuation, for Jaccard similarity.

    Of Chinese, Japanese and Korean the pairs of characters.
    """
    if text.isascii():
        return frozenset(text.lower().translate(_ASCII_PUNCTUATION).split())
    return frozenset(units(_PUNCTUATION.sub("", spaced(text.lower())).split()))


# -- what is cut off before words are compared

INFLECTIONS = lazy(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
"""Forms of one word (near-duplicates)."""
SUFFIXES = lazy(r"(?:ations?|ings?|ions?|ers?|ed|es|ly|s|e)$")
"""Also the endings of other words with the same root (prompts)."""
_SHORTEST = 3


@lru_cache(4_096)
def stem(word: str, endings: re.Pattern[str]) -> str:
    """A word without its ending, roughly, since both sides are cut alike; short words stay whole."""
    cut = endings.sub("", word)
    return cut if len(cut) >= _SHORTEST else word


def singular(word: str) -> str:
    """A noun in lower case without the ending of its plural, by its spelling alone."""
    if len(word) > _SHORTEST and word.isalpha():
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word[-1] == "s" and word[-2] not in "sui":
            return word[:-1]
    return word


# -- names in code


def identifier_parts(identifier: str) -> list[str]:
    """The parts of a name in lower case: `getUserName`, `get_user_name` and `get.user.name` alike."""
    return [part.lower() for part in _PART.findall(identifier)]


def compound_parts(text: str) -> Iterator[str]:
    """For each identifier of more than one part, its parts, as often as it occurs."""
    for identifier in IDENTIFIER.findall(without_cjk(text)):
        parts = identifier_parts(identifier)
        if len(parts) > 1:
            yield from parts


def path_words(path: str) -> list[str]:
    """The names on a path and the words that they are made of."""
    names = IDENTIFIER.findall(path)
    return [*(name.lower() for name in names), *identifier_parts(path)]


def topic_stems(text: str, most: int = 2_000) -> frozenset[str]:
    """The stems of the words of a text that are not function words; of its first characters alone."""
    return frozenset(stem(word, SUFFIXES) for word in content_words(text[:most]))
