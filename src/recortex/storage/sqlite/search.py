"""Finding memories in SQLite: words through FTS5, likeness through sqlite-vec."""

from __future__ import annotations

import re
from bisect import bisect
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Degradation
from recortex.domain.search import ANY_ENDING, MOST_SCORED, Facts, begins
from recortex.domain.text import lazy
from recortex.errors import CorruptStoreError
from recortex.lean import lazy_module
from recortex.storage.database import json
from recortex.storage.records.keywords import MOST_FOUND, Keywords, rarest
from recortex.storage.records.rows import EVERYTHING
from recortex.storage.records.search import LOOKALIKES, SearchRecords
from recortex.storage.records.vectors import quantised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Bindings, Row, Rows
    from recortex.storage.records.keywords import Indexed
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.rows import Clause
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite import maintenance
    from recortex.storage.sqlite.lookalikes import HeldWords
    from recortex.storage.sqlite.pool import Pool
    from recortex.storage.sqlite.vector_index import VectorIndex, VectorsInMemory
else:
    maintenance = lazy_module("recortex.storage.sqlite.maintenance")

MANY_NEW = 32
"""From so many new memories on, known ones are found for all at once: NumPy takes longer to be loaded than
fewer searches take."""
MANY_ROWS = 20_000
"""In a store of more memories, those like a new one are found by its rarest words: BM25 of a common word
reads all rows that hold it, a quarter of a second among a million."""
MOST_ALIKE = 10_000
"""Rows that are scored there: as many take 10 ms."""
AT_ONCE = 50
"""Rows that one statement inserts: FTS5 writes what it holds with each statement that has a trigger, a part
of the index of its own, so that one by one takes 40 µs more a row; more values take longer to be bound."""
MOST_KEPT = 10_000
"""Words whose counts are kept: about a megabyte."""


_VALUES, _NAME = lazy(r"(?<=VALUES )(\(.*?\))", re.DOTALL), lazy(r":(\w+)")


@lru_cache
def _for_rows(sql: str, count: int) -> tuple[str, Callable[[Mapping[str, Any]], tuple[Any, ...]]]:
    """A statement that inserts a row as one that inserts so many, and what gives the values of each."""
    begin, values, end = _VALUES.split(sql)
    names = _NAME.findall(values)
    marks = f"({', '.join('?' * len(names))})"
    return f"{begin}{', '.join([marks] * count)}{end}", itemgetter(*names)


class KeywordIndex:
    """Runs what reads or writes the index, directly or through a trigger."""

    def __init__(self, pool: Pool, on_degradation: Callable[[Degradation], None] = lambda _: None) -> None:
        self._pool = pool
        self._on_degradation = on_degradation

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement.

        Raises:
            CorruptStoreError: more than the index is damaged.
        """
        try:
            return self._pool.rows(sql, bindings)
        except CorruptStoreError as error:
            # The index holds nothing that the memories do not: making it anew loses nothing, so a reader
            # repairs it and asks again. If the rows themselves are damaged, the second try raises.
            maintenance.rebuild_index(self._pool)
            event = Degradation("keyword index", error.message, "rebuilt from the memories", recovered=True)
            self._on_degradation(event)
            return self._pool.rows(sql, bindings)


class WordCounts:
    """Counts the rows of one keyword index.

    A count holds while FTS5's record of its segments, which counts what was ever written, and its totals
    of rows and words are the same: every change by whatever process changes one of the two.

    Args:
        pool: tells whether this thread is in a transaction, whose words may yet be gone.
        index: runs what reads the keyword index.
        sql: the query of a topic that counts.
        name: of the index.
        counted: rows with a word are counted up to this number, and estimated above by the latest.
        size: gives about how many rows there are.
    """

    def __init__(
        self, pool: Pool, index: Rows, sql: str, name: str, counted: int, size: Callable[[], int]
    ) -> None:
        self._pool, self._index, self._sql = pool, index, sql
        self._state = f"SELECT block FROM {name}_data WHERE id IN (1, 10)"  # totals, and the segments
        self._counted, self._size = counted, size
        self._kept: tuple[object, dict[str, int]] = (None, {})

    def count_rows(self, words: Sequence[str]) -> list[int]:
        """How many rows hold each word; above what is counted, as if all were like the latest."""
        # A transaction sees its own words, and may be rolled back: a count from within it must not be kept.
        if self._pool.in_transaction:
            return self._count(words)
        state = self._index.rows(self._state)
        before, kept = self._kept
        # A write by any process makes all counts doubtful: which words it touched, FTS5 does not tell.
        if before != state or len(kept) > MOST_KEPT:
            kept = {}
            self._kept = state, kept
        if missing := [word for word in words if word not in kept]:
            kept.update(zip(missing, self._count(missing), strict=True))
        return [kept[word] for word in words]

    def _count(self, words: Sequence[str]) -> list[int]:
        found = self._index.rows(self._sql, (json([literally(word) for word in words]), self._counted))
        return [self._estimated(*map(int, row[0].split())) for row in found]

    def _estimated(self, count: int, oldest: int) -> int:
        if count < self._counted:
            return count
        # FTS5 is read from the newest row on, so the oldest row that was counted says over which part of the
        # store the limit was reached; the share is taken to hold in the rest. BM25 takes only its logarithm.
        size = self._size()
        return max(self._counted, self._counted * size // max(size - oldest + 1, self._counted))


def literally(word: str) -> str:
    """A word as a full-text expression, taken literally but for `ANY_ENDING`."""
    if begins(word):
        return f'"{word.removesuffix(ANY_ENDING)}" *'
    # NUL ends a statement's text for FTS5, and a quote inside quotes is written twice.
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


class SqliteKeywords(Keywords):
    """The keyword index of one table, by FTS5.

    Args:
        index: runs what reads or writes the index.
    """

    def __init__(self, pool: Pool, index: Rows, indexed: Indexed) -> None:
        super().__init__(pool, indexed)
        self._index = index
        name = f"{indexed.table}_fts"
        self._counts = WordCounts(pool, index, self._sql["frequencies"], name, indexed.counted, self.size)

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """All rows of a statement that reads or writes the index, directly or through a trigger."""
        return self._index.rows(sql, bindings)

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Write new rows by a statement that returns the key of one; returns theirs, in the same order."""
        keys: list[int] = []
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            together, values_of = _for_rows(sql, len(some))
            values = list(chain.from_iterable(map(values_of, some)))
            keys += sorted(key for (key,) in self.rows(together, values))  # the order is not promised
        return keys

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one, estimated by the latest."""
        return self._counts.count_rows(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the keys whose rows contain it."""
        sql, among = self._sql["holding"], json(list(keys))
        return {word: frozenset(row[0] for row in self.rows(sql, (literally(word), among))) for word in words}

    def match(
        self,
        words: Sequence[str],
        limit: int,
        clause: Clause,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of rows with any of the words, or all, best first; of equals the oldest first."""
        if not words:
            return []
        wanted = " AND ".join(map(literally, words)) if all_required else any_of(words)
        found = self._matching(wanted, limit, clause, MOST_SCORED)
        if score_only:  # in one expression, the words would stand twice and count twice
            found += self._matching(f"({wanted}) AND ({any_of(score_only)})", limit, clause, MOST_SCORED)
        return _best_of(found, limit)

    def match_rarest(self, words: Mapping[str, int], limit: int, clause: Clause) -> list[tuple[int, float]]:
        """The same; the rarest words find, and as many score as can be read in time."""
        known = sorted((word for word, count in words.items() if count), key=words.__getitem__)
        if not known:
            return []
        finding, read = rarest([words[word] for word in known])
        wanted, also = any_of(known[:finding]), any_of(known[finding:read])
        found = self._matching(wanted, limit, clause, MOST_FOUND)
        # A row's score is summed over the words of its expression: rows found by the rare words are asked a
        # second time together with the others, so that these count without being searched for on their own.
        if also:
            found += self._matching(f"({wanted}) AND ({also})", limit, clause, MOST_FOUND)
        if len(dict(found)) < limit and finding < len(known):
            found += self._matching(any_of(known[: max(read, finding + 1)]), limit, clause, MOST_FOUND)
        return _best_of(found, limit)

    def _matching(self, expression: str, limit: int, clause: Clause, most: int) -> list[tuple[int, float]]:
        condition, values = clause
        sql, (table, alias, *_) = self._sql["match"], self._indexed
        if clause != EVERYTHING:
            passing = f"{alias}.key = {table}_fts.rowid AND {condition}"
            sql = sql.replace(
                "MATCH ?", f"MATCH ? AND EXISTS (SELECT 1 FROM {table} {alias} WHERE {passing})"
            )
        return [(key, score) for key, score in self.rows(sql, (expression, *values, most, limit))]


class SqliteSearch(SearchRecords):
    """The `SearchStore` of a SQLite database.

    Args:
        held: the vectors that this process has in memory.
    """

    def __init__(
        self,
        pool: Pool,
        keywords: Keywords,
        memories: MemoryRecords,
        vectors: VectorRecords,
        vector_index: VectorIndex,
        held: VectorsInMemory,
    ) -> None:
        super().__init__(pool, keywords, memories, vectors, vector_index)
        self._held = held
        self._pool = pool
        self._near = pool.queries("vectors")

    def _by_signs(self, model_key: int, vector: bytes, limit: int, only: MemoryQuery | None) -> list[int]:
        coarse = self._coarse(limit)
        keys = self._held.nearest(model_key, vector, coarse or limit) if only is None else None
        if keys is None:
            return super()._by_signs(model_key, vector, limit, only)
        if coarse:
            rows = self._database.rows(self._near["nearest_of"], (json(keys), quantised(vector), limit))
        else:
            rows = self._database.rows(self._near["having"], (json(keys),))
        return [row[0] for row in rows]

    def _facts_with_vectors(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Facts]:
        # A row has the fields as they are; `_make` would take half as long again for hundreds of them.
        return [tuple.__new__(Facts, row) for row in self._vector_rows(keys, only, model_key)]

    @cached_property
    def _words(self) -> HeldWords:
        from recortex.storage.sqlite.lookalikes import HeldWords  # hooks never write so many

        return HeldWords(self._keywords, self._sql, lambda: self._keywords.changes, literally)

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        if not words:
            return []
        # In a small store all words may find. In a large one only as many rare words as read few rows
        # together; the common ones then only fill up what is missing, by the latest rows.
        rare, common = list(words), list[str]()
        if self._keywords.size() > MANY_ROWS:
            counts = dict(zip(words, self._keywords.frequencies(words), strict=True))
            known = sorted(filter(counts.get, words), key=counts.__getitem__)
            few = bisect(list(accumulate(counts[word] for word in known)), MOST_ALIKE)
            rare, common = known[:few], known[few:]
        found: dict[str, str] = {}
        if rare:
            sql = self._sql["lookalikes"]
            found |= dict(self._keywords.rows(sql, (any_of(rare), LOOKALIKES, terms)))
        while common and len(found) < LOOKALIKES:  # the latest, with ever fewer of the common words together
            both = " AND ".join(map(literally, common))
            found |= dict(self._keywords.rows(self._sql["latest_with"], (both, LOOKALIKES)))
            common.pop()
        return list(found.items())[:LOOKALIKES]

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for each of many new memories: words that they share are looked up once."""
        if len(asked) < MANY_NEW or self._pool.in_transaction:  # which is not held
            return [self.candidates(words) for words in asked]
        found = self._words.most_alike(asked)
        rows = self._rows("living", json(sorted({key for keys in found for key in keys})))
        living = {key: (id_, text) for key, id_, text in rows}
        return [[living[key] for key in keys if key in living] for keys in found]


def _best_of(found: Sequence[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    """Each key with its best score, best first; of equals the oldest first."""
    best = dict(sorted(found, key=lambda entry: entry[1]))
    return sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]


def any_of(words: Sequence[str]) -> str:
    """A full-text expression: any of the words, each taken literally but for `ANY_ENDING`."""
    return " OR ".join(map(literally, words))
