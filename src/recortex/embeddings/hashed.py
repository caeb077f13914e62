"""Hashed TF-IDF: vectors without a model, the fallback on machines that cannot run it.

Each word is a feature, reduced to its stem, and so is each part of an identifier. A feature adds to one of
384 places, with a sign, both taken from its BLAKE2 hash, so that vectors are the same in every process. A
store's word counts would change with each memory, and its vectors with them; the inverse document frequency
is therefore a fixed estimate: common English words count nothing, and longer words, which are rarer (Zipf's
law of abbreviation), count more.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.ports.embedding import Purpose, Vectors

_WORDS = """
a about after all also am an and any are as at be because been before being but by can could did do does
doing for from had has have having he her here him his how i if in into is it its just me more most my
no nor not of off on once only or other our out over own same she should so some such than that the
their them then there these they this those through to too under until up us very was we were what when
where which while who whom why will with would you your
"""
_ENDINGS = "ations ation ingly edly ments ment ness ings ing ies ers ed er es ly s"
NAME = "hashed-tfidf"
DIMENSIONS = 384
MAXIMUM_CHARACTERS = 16_384
LONGEST_WORD = 64

# English function words, which count nothing.
COMMON = frozenset(_WORDS.split())
_SUFFIXES = tuple(_ENDINGS.split())
_WORD = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_SHORTEST_STEM = 3


class HashedEmbedder:
    """Embeds without any model or file."""

    name = NAME
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), 384); the same for any purpose."""
        del purpose
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for place, weight in _weights(text):
                vectors[row, place] += weight
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[lengths[:, 0] == 0, 0] = 1.0  # a text without words still has a direction
        lengths[lengths == 0] = 1.0
        vectors /= lengths
        return vectors


def features(text: str) -> Iterator[str]:
    """Yield the stems of a text's words and of the parts of its identifiers; ideographs in pairs."""
    for word in _WORD.findall(text[:MAXIMUM_CHARACTERS]):
        if _IDEOGRAPHS.match(word):
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
            continue
        yield stem(word.lower())
        parts = _PART.findall(word[:LONGEST_WORD]) if word.isascii() else []
        if len(parts) > 1:
            yield from (stem(part.lower()) for part in parts)


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Cut one common English ending off a lower-case word, and a doubled consonant or final e left by it."""
    word = word[:LONGEST_WORD].removesuffix("'s")
    if word in COMMON:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)]
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiou":
        return word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


@lru_cache(maxsize=8_192)
def _place(feature: str) -> tuple[int, float]:
    """Return a feature's place and its signed rarity."""
    number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest())
    rarity = 0.0 if feature in COMMON else math.log2(2 + len(feature))
    return (number >> 1) % DIMENSIONS, rarity if number & 1 else -rarity


def _weights(text: str) -> Iterator[tuple[int, float]]:
    for feature, count in Counter(features(text)).items():
        place, rarity = _place(feature)
        yield place, rarity * (1 + math.log(count))
