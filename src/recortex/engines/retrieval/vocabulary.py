"""What the words of a question are worth in a store: how rare each is, and whether it is there at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from recortex.engines.indexing.words import STOP_WORDS

COMMON_SHARE = 0.25
"""A word in more of the store than that is left out of the text that is embedded (bench/retrieval.py: LoCoMo R@10 of
vectors alone rises from 49 to 63, since the speakers' names drown the rest)."""
LEAST_COMMON = 25
"""…but only where that is more than so many memories: in a small store nothing is common."""
SMALL = 50
"""In a store of fewer memories, words are worth what they would be in one of so many: of five memories, a word in two is
not common. BM25 says nothing there (FTS5 gives a word that half of the rows hold no weight)."""
LOOKED_UP, LOOKED_UP_SHARE = 3_000, 0.1
"""Rows that one keyword search may touch, or the share of a larger store; the most common words go first. It saves a
quarter of a keyword search in 10,000 memories (bench/latency.py) and costs 0.2 points of R@10 on CoSQA."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a question with the number of memories that hold each.

    Attributes:
        size: memories in the store, at least 1.
        stand_ins: names that the store holds instead of a word of the question, with their numbers of memories; such
            a word counts as known.
    """

    size: int
    frequency: Mapping[str, int]
    stand_ins: Mapping[str, int] = field(default_factory=dict)

    def rarity(self, word: str) -> float:
        """The inverse document frequency of BM25, always positive; highest for a word that no memory holds."""
        size = max(self.size, SMALL)
        count = min(self.frequency.get(word, self.stand_ins.get(word, 0)), size)
        return log(1.0 + (size - count + 0.5) / (count + 0.5))

    @property
    def small(self) -> bool:
        """Whether the store is too small for BM25."""
        return self.size < SMALL

    def mass(self) -> float:
        """The rarities of all words together."""
        return sum(self.rarity(word) for word in self.frequency)

    def unknown(self) -> float:
        """The share of the mass that no memory holds: 0 to 1."""
        missing = sum(self.rarity(word) for word, count in self.frequency.items() if not count)
        return missing / max(self.mass(), 1e-9)

    def common(self) -> frozenset[str]:
        """Words in so many memories that they tell nothing apart."""
        least = max(COMMON_SHARE * self.size, LEAST_COMMON)
        return frozenset(
            word for word, count in self.frequency.items() if count > least and word not in STOP_WORDS
        )

    def searched(self) -> Sequence[str]:
        """The words worth looking up, rarest first, within what a search may touch; at least one where any is known."""
        counts = {**self.stand_ins, **self.frequency} if self.stand_ins else self.frequency
        known = sorted((count, word) for word, count in counts.items() if count)
        kept: list[str] = []
        touched, most = 0, max(LOOKED_UP, LOOKED_UP_SHARE * self.size)
        for count, word in known:
            touched += count
            telling = 2 * count <= self.size or self.small
            if kept and (touched > most or not telling):
                break
            kept.append(word)
        return kept
