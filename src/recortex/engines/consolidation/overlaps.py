"""All pairs of texts that share more than half of their words, without comparing each with each."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from functools import reduce
from math import ceil
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.similarity.jaccard import CONSOLIDATE, jaccard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SIGNATURE_BITS = 256
MOST_COMPARED = 2_000_000
"""The most pairs that are compared: among 10,000 statements at most 1.8 million share a rare word, which
takes 0.6 s (bench/consolidation.py)."""


class ScoredPair(NamedTuple):
    """Two texts by their keys, `a` before `b`, and their similarity: 0 to 1."""

    a: str
    b: str
    score: float


def scored_pair(one: str, other: str, score: float) -> ScoredPair:
    """A pair with its keys in order."""
    return ScoredPair(min(one, other), max(one, other), score)


class OverlappingPairs(NamedTuple):
    """The pairs, and whether the search was complete."""

    pairs: tuple[ScoredPair, ...]
    complete: bool


def overlapping(texts: Mapping[str, frozenset[str]], *, most: int = MOST_COMPARED) -> OverlappingPairs:
    """Every pair whose Jaccard overlap is above 0.5, in no particular order.

    A join with prefix filtering (Xiao et al., «Efficient Similarity Joins for Near-Duplicate Detection»,
    2008): two such sets must share one of their rarest words, so only those words are indexed. Most pairs
    that
    share one are ruled out by their signatures: 256 bits, one set for each word.

    Args:
        texts: words of each text by its key.
        most: how many pairs are compared; beyond that the search is incomplete.
    """
    frequency = Counter(word for words in texts.values() for word in words)
    bits = {word: 1 << (zlib.crc32(word.encode()) % SIGNATURE_BITS) for word in frequency}
    index: defaultdict[str, list[_Text]] = defaultdict(list)
    pairs: list[ScoredPair] = []
    left = most
    for key in sorted(texts, key=lambda key: (len(texts[key]), key)):
        words = sorted(texts[key], key=lambda word: (frequency[word], word))
        text = _Text(key, texts[key], len(words), reduce(or_, (bits[word] for word in words), 0))
        candidates = _sharing(index, words)
        left -= len(candidates)
        if left < 0:
            return OverlappingPairs(tuple(pairs), complete=False)
        pairs += _overlapping(text, candidates)
        for word in words[: _indexed(len(words))]:
            index[word].append(text)
    return OverlappingPairs(tuple(pairs), complete=True)


class _Text(NamedTuple):
    key: str
    words: frozenset[str]
    size: int
    signature: int


def _sharing(index: Mapping[str, Sequence[_Text]], words: Sequence[str]) -> dict[str, _Text]:
    """Shorter or equally long texts that share one of the rarer half of the words."""
    rare = words[: len(words) - ceil(CONSOLIDATE * len(words)) + 1]
    return {other.key: other for word in rare if word in index for other in index[word]}


def _indexed(size: int) -> int:
    """How many of the rarest words are indexed: |x| - ceil(2t / (1 + t) |x|) + 1, with the threshold t."""
    return size - ceil(2 * CONSOLIDATE / (1 + CONSOLIDATE) * size) + 1


def _overlapping(text: _Text, candidates: Mapping[str, _Text]) -> Iterator[ScoredPair]:
    """The candidates with enough overlap. Each differing word changes at most one bit of a signature."""
    most_other = (1 - CONSOLIDATE) / (1 + CONSOLIDATE)
    for other in candidates.values():
        if (text.signature ^ other.signature).bit_count() > most_other * (text.size + other.size):
            continue
        score = jaccard(text.words, other.words)
        if score > CONSOLIDATE:
            yield scored_pair(text.key, other.key, score)
