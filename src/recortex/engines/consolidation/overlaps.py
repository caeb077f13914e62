"""All pairs of texts that share more than half of their words, without comparing each with each."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.similarity.jaccard import CONSOLIDATE, jaccard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_COMPARED = 400_000
"""Pairs that are looked at; in 10,000 statements 60,000 share a telling word (bench/consolidation.py)."""


class Alike(NamedTuple):
    """Two texts by their keys, `a` before `b`, and how alike they are: 0 to 1."""

    a: str
    b: str
    score: float


def pair(one: str, other: str, score: float) -> Alike:
    """The two in the order of their keys."""
    return Alike(min(one, other), max(one, other), score)


class Found(NamedTuple):
    """The pairs, and whether all there are were looked for."""

    pairs: tuple[Alike, ...]
    complete: bool


def overlapping(texts: Mapping[str, frozenset[str]], *, most: int = MOST_COMPARED) -> Found:
    """Every pair whose Jaccard overlap is above 0.5 (D, «consolidate»), in no particular order.

    A join with prefix filtering (Xiao et al., «Efficient Similarity Joins for Near-Duplicate Detection», 2008): two
    sets so alike must share one of their rarest words, so only those words are indexed.

    Args:
        texts: words of each text by its key.
        most: at most so many pairs are compared; then the answer is not complete.
    """
    frequency = Counter(word for words in texts.values() for word in words)
    ordered = {key: sorted(words, key=lambda word: (frequency[word], word)) for key, words in texts.items()}
    index: defaultdict[str, list[str]] = defaultdict(list)
    pairs: list[Alike] = []
    left = most
    for key in sorted(texts, key=lambda key: (len(texts[key]), key)):
        candidates = _sharing(ordered, index, key)
        if len(candidates) > left:
            return Found(tuple(pairs), complete=False)
        left -= len(candidates)
        pairs += _alike(texts, key, candidates)
        for word in ordered[key][: _indexed(len(ordered[key]))]:
            index[word].append(key)
    return Found(tuple(pairs), complete=True)


def _sharing(
    ordered: Mapping[str, Sequence[str]], index: Mapping[str, Sequence[str]], key: str
) -> dict[str, None]:
    """Shorter or equally long texts that share a rare word and are long enough to share half of all words."""
    words = ordered[key]
    least = CONSOLIDATE * len(words)
    rare = words[: len(words) - ceil(least) + 1]
    return {
        other: None for word in rare if word in index for other in index[word] if len(ordered[other]) >= least
    }


def _indexed(size: int) -> int:
    """How many of the rarest words a text is found by: |x| - ceil(2t / (1 + t) |x|) + 1."""
    return size - ceil(2 * CONSOLIDATE / (1 + CONSOLIDATE) * size) + 1


def _alike(texts: Mapping[str, frozenset[str]], key: str, candidates: Mapping[str, None]) -> Iterator[Alike]:
    for other in candidates:
        score = jaccard(texts[key], texts[other])
        if score > CONSOLIDATE:
            yield pair(key, other, score)
