"""Finds, for each of many new memories, the known ones that are most alike by their words.

Asking the keyword index for each word anew takes most of the time that many memories take to be written: a
common verb is in a tenth of all. So where a word stands is read once and held, for as long as nobody changes
what is held; rows that came since are cut into words here, as the index does it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from functools import cache
from itertools import chain, pairwise
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

from recortex.storage.database import json
from recortex.storage.records.search import LOOKALIKES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recortex.storage.database import Rows

    Array = Any
    """Of NumPy, which is loaded where many are written and by nothing before."""

COLUMNS = {"text": 4, "terms": 5, "context": 7}
"""The columns of the index with the lengths of their names, by which a query tells them apart."""
_COLUMN_BITS, _PLACE_BITS = 3, 18
"""Where a word stands is one number: the row's key, the column, and how many words stand before it. A memory
has fewer than 2^17."""
_KEY_AT = _COLUMN_BITS + _PLACE_BITS
_NUMBER_AT = 42
"""Likewise the number of a new memory and the key of a known one: no store has so many."""
_K1, _B = 1.2, 0.75
"""The constants of FTS5's `bm25`."""
_COMMON = 500
"""Of a word that more rows hold, only the best are looked at, and those that other words found."""
_PHRASES = 128
"""For fewer new memories, names of several words are looked up in the index, one by one (0.2 ms each among
100,000), and not by where each word stands (4 ms for one that a fifth of all hold)."""
MOST_HELD = 6_000_000
"""Places of words that are held from one call to the next: 48 MB."""
_SLICE = 50_000
"""Rows whose lengths are read at a time."""


class _Found(NamedTuple):
    """The rows that hold words: each word's one after another, by their keys.

    Attributes:
        keys: of the rows.
        scores: what a word of it counts, likewise.
        bounds: where each word's rows begin, and the last one's end.
    """

    keys: Array
    scores: Array
    bounds: list[int]

    def of(self, word: int) -> slice:
        """Where the rows of a word are."""
        return slice(self.bounds[word], self.bounds[word + 1])

    def count(self, word: int) -> int:
        """How many rows hold a word."""
        return self.bounds[word + 1] - self.bounds[word]


class HeldWords:
    """Where words stand in the memories of a store.

    Args:
        index: runs what reads the keyword index.
        sql: the queries of the topic `search`.
        changes: counts how often this process changed or deleted a memory.
        quoted: makes a full-text expression of a word.
    """

    def __init__(
        self, index: Rows, sql: dict[str, str], changes: Callable[[], int], quoted: Callable[[str], str]
    ) -> None:
        self._index, self._sql, self._changes, self._quoted = index, sql, changes, quoted
        self._lock = threading.Lock()
        self._forget((0, 0))

    def most_alike(self, asked: Sequence[Sequence[str]]) -> list[list[int]]:
        """The keys of at most `LOOKALIKES` memories with some of the words, the most alike first.

        Of equals the oldest first. The scores are those of the query `lookalikes`, to the digit: BM25 of
        several words is the sum of each word's, added up in their order.

        Args:
            asked: the words of each new memory.
        """
        with self._lock:
            self._catch_up()
            words = list(dict.fromkeys(chain.from_iterable(asked)))
            found = self._rows_with(words, phrases=len(asked) >= _PHRASES)
            if sum(map(len, self._held.values())) > MOST_HELD:
                self._forget(self._as_of)
        number = {word: place for place, word in enumerate(words)}
        return _best_of([[number[word] for word in one] for one in asked], found)

    # -- what is held

    def _forget(self, as_of: tuple[int, int]) -> None:
        self._as_of = as_of  # changes that others, and that this process made
        self._held: dict[str, Array] = {}
        self._added: dict[str, list[int]] = defaultdict(list)  # later places of words that are held
        self._lengths: Array = None
        self._rows = self._words = self._last = 0

    def _catch_up(self) -> None:
        """Read what came since; forget all where anything else was changed."""
        as_of = int(self._index.rows("PRAGMA data_version")[0][0]), self._changes()
        if as_of != self._as_of or self._lengths is None:
            self._begin(as_of)
            return
        new = self._index.rows(self._sql["after"], (self._last, _SLICE))
        lengths = np.zeros(new[-1][0] - self._last if new else 0)
        for key, *texts in new:
            for column, text in zip(COLUMNS.values(), texts, strict=True):
                words = words_of(text)
                lengths[key - self._last - 1] += len(words)
                first = (key << _COLUMN_BITS | column) << _PLACE_BITS
                for place, word in enumerate(words):
                    if word in self._held:
                        self._added[word].append(first | place)
        self._lengths = np.concatenate([self._lengths, lengths])
        expected = self._rows + len(new), self._words + int(lengths.sum())
        self._rows, self._words = self._totals()
        if expected != (self._rows, self._words):
            self._begin(as_of)
        elif new:
            self._last = new[-1][0]

    def _begin(self, as_of: tuple[int, int]) -> None:
        self._forget(as_of)
        self._rows, self._words = self._totals()
        parts = [np.zeros(1)]
        while rows := self._index.rows(self._sql["lengths"], (self._last, _SLICE)):
            part = np.zeros(rows[-1][0] - self._last)
            keys = np.fromiter((row[0] for row in rows), np.int64, len(rows))
            part[keys - self._last - 1] = _sums(b"".join(row[1] for row in rows), len(rows))
            parts.append(part)
            self._last = rows[-1][0]
        self._lengths = np.concatenate(parts)

    def _totals(self) -> tuple[int, int]:
        """How many rows and words there are."""
        (block,) = self._index.rows(self._sql["totals"])[0]
        rows, *words = _integers(block).tolist() or [0]  # nothing was written yet
        return rows, sum(words)

    # -- looking up

    def _rows_with(self, words: Sequence[str], *, phrases: bool) -> _Found:
        cut = [words_of(word) for word in words]
        apart = {place for place, one in enumerate(cut) if len(one) > 1 and not phrases}
        self._read({word for place, one in enumerate(cut) if place not in apart for word in one})
        places = [self._places([] if at in apart else one) for at, one in enumerate(cut)]
        of_word = np.repeat(np.arange(len(words)), list(map(len, places)))
        joined = np.concatenate([np.zeros(0, np.int64), *places]).astype(np.int64, copy=False)
        keys = joined >> _KEY_AT
        begins = np.flatnonzero((np.diff(keys, prepend=-1) != 0) | (np.diff(of_word, prepend=-1) != 0))
        in_text = (joined >> _PLACE_BITS & (1 << _COLUMN_BITS) - 1) == COLUMNS["text"]
        times = np.add.reduceat(in_text.astype(np.float64), begins) if len(begins) else np.zeros(0)
        keys, of_word = keys[begins], of_word[begins]
        rarity = np.array([self._rarity(count) for count in np.bincount(of_word, minlength=len(words))])
        mean = self._words / max(self._rows, 1)
        length = self._lengths[keys]
        scores = rarity[of_word] * ((times * (_K1 + 1.0)) / (times + _K1 * (1 - _B + _B * length / mean)))
        if apart:
            of_word, keys, scores = self._looked_up(sorted(apart), words, (of_word, keys, scores))
        return _Found(keys, scores, np.searchsorted(of_word, np.arange(len(words) + 1)).tolist())

    def _read(self, words: set[str]) -> None:
        """Hold where these stand."""
        for word in words & self._added.keys():
            self._held[word] = np.concatenate([self._held[word], np.array(self._added.pop(word), np.int64)])
        new = sorted(words - self._held.keys())
        for word, (places,) in zip(new, self._index.rows(self._sql["places"], (json(new),)), strict=True):
            found = np.fromstring(places or "", np.int64, sep=",")
            self._held[word] = found[: found.searchsorted(self._last + 1 << _KEY_AT)]  # no row twice

    def _places(self, words: Sequence[str]) -> Array:
        """Where words stand one after another: where the first one does."""
        if len(words) == 1:
            return self._held[words[0]]
        if not words:
            return ()
        rarest = min(range(len(words)), key=lambda place: len(self._held[words[place]]))
        first = self._held[words[rarest]] - rarest
        for place, word in enumerate(words):
            if place != rarest:
                held = self._held[word]
                at = held.searchsorted(first + place)
                at[at == len(held)] = 0
                first = first[held[at] == first + place] if len(held) else first[:0]
        return first

    def _rarity(self, count: int) -> float:
        weight = log((self._rows - count + 0.5) / (count + 0.5)) if count else 0.0
        return weight if weight > 0.0 else 1e-6

    def _looked_up(self, places: list[int], words: Sequence[str], found: tuple[Array, ...]) -> list[Array]:
        """What was found of other words, with what the index itself tells of these."""
        asked = json([self._quoted(words[place]) for place in places])
        rows = [
            (places[number], key, score)
            for number, key, score in self._index.rows(self._sql["alike"], (asked,))
        ]
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        joined = [
            np.concatenate([one, np.array(more, one.dtype)]) for one, more in zip(found, columns, strict=True)
        ]
        order = np.lexsort((joined[1], joined[0]))
        return [one[order] for one in joined]


@cache
def _cutter() -> Any:
    arguments = ["unicode61", "remove_diacritics", "2"]  # as in the schema
    return apsw.Connection(":memory:").fts5_tokenizer("porter", arguments)


def words_of(text: str) -> list[str]:
    """The words of a text as the keyword index has them."""
    data, why = text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_DOCUMENT
    found: list[str] = _cutter()(data, why, None, include_offsets=False, include_colocated=False)
    return found


def _integers(data: bytes) -> Array:
    """The numbers of a record of FTS5's: seven bits a byte, the highest first, each but the last marked."""
    parts = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(parts < 0x80)  # noqa: PLR2004  the mark
    sizes = np.diff(ends, prepend=-1)
    found = np.zeros(len(ends), np.int64)
    for place in range(int(sizes.max(initial=0))):
        longer = sizes > place
        found[longer] += (parts[ends[longer] - place] & 0x7F).astype(np.int64) << 7 * place
    return found


def _sums(data: bytes, count: int) -> Array:
    """The sum of the numbers of each of as many records as there are rows."""
    return _integers(data).reshape(count, len(COLUMNS)).sum(axis=1)


# -- the most alike of those that were found


def _best_of(asked: Sequence[Sequence[int]], found: _Found) -> list[list[int]]:
    """The best rows for each list of words.

    Of the rows with a common word alone, only the best can be among them.
    """
    common = {word: _first(found, word) for word in set(chain(*asked)) if found.count(word) > _COMMON}
    rare = [_with_rare(asked, place, found, common) for place in range(max(map(len, asked), default=0))]
    marks = np.zeros(1 + int(found.keys.max(initial=0)), np.uint8)
    parts = [np.zeros(0, np.int64), *(pairs for pairs, _ in rare)]
    for number, words in enumerate(asked):
        often = [word for word in words if word in common]
        parts += [number << _NUMBER_AT | common[word] for word in often]
        if len(often) > 1:
            parts.append(
                number << _NUMBER_AT | _in_several([found.keys[found.of(one)] for one in often], marks)
            )
    pairs = np.sort(np.concatenate(parts))
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    sums, keys = np.zeros(len(pairs)), pairs & (1 << _NUMBER_AT) - 1
    bounds = pairs.searchsorted(np.arange(len(asked) + 1) << _NUMBER_AT).tolist()
    for place, (known, rows) in enumerate(rare):  # in the order of the words, in which the scores are added
        sums[pairs.searchsorted(known)] += found.scores[rows]
        for number, words in enumerate(asked):
            if place < len(words) and words[place] in common:
                mine, its = slice(bounds[number], bounds[number + 1]), found.of(words[place])
                held, wanted = found.keys[its], keys[mine]
                at = np.minimum(held.searchsorted(wanted), len(held) - 1)
                sums[mine] += np.where(held[at] == wanted, found.scores[its][at], 0.0)
    order = np.lexsort((-sums, pairs >> _NUMBER_AT))  # it is stable: of equals the oldest come first
    return [keys[order[start:end][:LOOKALIKES]].tolist() for start, end in pairwise(bounds)]


def _first(found: _Found, word: int) -> Array:
    """The best rows of one word, of equals the oldest."""
    keys, scores = found.keys[found.of(word)], found.scores[found.of(word)]
    last = np.partition(scores, -LOOKALIKES)[-LOOKALIKES]
    better = keys[scores > last]
    return np.concatenate([better, keys[scores == last][: LOOKALIKES - len(better)]])


def _with_rare(
    asked: Sequence[Sequence[int]], place: int, found: _Found, common: Collection[int]
) -> tuple[Array, Array]:
    """The rows with the word at a place of each list, and where these rows are; unless it is common."""
    told = [
        (number, words[place])
        for number, words in enumerate(asked)
        if place < len(words) and words[place] not in common
    ]
    counts = np.array([found.count(word) for _, word in told], np.int64)
    before = np.cumsum(counts) - counts
    starts = np.array([found.bounds[word] for _, word in told], np.int64)
    rows = np.arange(counts.sum()) + np.repeat(starts - before, counts)
    numbers = np.repeat(np.array([number for number, _ in told], np.int64), counts)
    return numbers << _NUMBER_AT | found.keys[rows], rows


def _in_several(rows: Sequence[Array], marks: Array) -> Array:
    """The keys that are in more than one of these lists; `marks`: a zero for each key, before and after."""
    for keys in rows:
        marks[keys] += 1
    several = [keys[marks[keys] > 1] for keys in rows]
    for keys in rows:
        marks[keys] = 0
    return np.concatenate(several)
