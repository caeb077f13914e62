"""Finds known memories with words in common with each of many new ones: each word is looked up once.

The scores are those of the query `lookalikes`, to the digit: BM25 of several words is the sum of each word's,
added up in their order.
"""

from __future__ import annotations

from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.storage.records.search import LOOKALIKES
from recortex.storage.records.values import json
from recortex.storage.sqlite.word_counts import literally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Rows


def lookalikes(index: Rows, sql: str, asked: Sequence[Sequence[str]]) -> list[list[int]]:
    """The keys of the memories that are most alike, those first; of equals the oldest first.

    Args:
        index: runs what reads the keyword index.
        sql: gives, for each word of a list, its place there and the key and the BM25 of each memory with it.
        asked: the words of each new memory.
    """
    words = list(dict.fromkeys(chain.from_iterable(asked)))
    rows = index.rows(sql, (json(list(map(literally, words))),))
    rows.sort(key=itemgetter(0))  # they mostly are
    places, keys, scores = (
        np.fromiter(map(itemgetter(column), rows), of, len(rows)) for column, of in enumerate(_COLUMNS)
    )
    bounds = np.searchsorted(places, np.arange(len(words) + 1)).tolist()
    of_word = {word: slice(*pair) for word, pair in zip(words, pairwise(bounds), strict=True)}
    sums = np.zeros(1 + int(keys.max(initial=0)))
    return [_most_alike(keys, scores, [of_word[word] for word in one], sums) for one in asked]


_COLUMNS = ("int64", "int64", "float64")


def _most_alike(keys: Any, scores: Any, words: Sequence[slice], sums: Any) -> list[int]:
    """The best keys among those that have some of a few words.

    Args:
        keys: of all words, one word after another.
        scores: likewise.
        words: where each word's are.
        sums: a zero for each key, before and after.
    """
    found = np.concatenate([keys[:0], *(keys[word] for word in words)])
    np.add.at(sums, found, np.concatenate([scores[:0], *(scores[word] for word in words)]))
    values = sums[found]
    sums[found] = 0.0
    most = LOOKALIKES * len(words)  # so often may the best ones be there: once for each of their words
    if len(values) > most:
        best = values >= np.partition(values, -most)[-most]
        found, values = found[best], values[best]
    told: dict[int, float] = dict(zip(found.tolist(), values.tolist(), strict=True))
    return sorted(told, key=lambda key: (-told[key], key))[:LOOKALIKES]
