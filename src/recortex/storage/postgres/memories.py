"""Memories in PostgreSQL, and the words by which these, exchanges and chunks are found: how many hold each.

BM25 needs those counts, and PostgreSQL does not keep them. What a transaction adds is held here until it is
committed, and is then written at once: a thousand memories touch each common word's row once, not a thousand
times.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.search import SearchText
from recortex.storage.database import Records
from recortex.storage.postgres.words import words_of
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.words import Words

_TOTALS = ""
"""Stands for the totals among the words' counts; no word is empty."""


_TABLES = {
    "memories": ("words", "word_totals"),
    "exchanges": ("exchange_words", "exchange_totals"),
    "chunks": ("chunk_words", "chunk_totals"),
}
"""What is counted, and in which tables: how many hold each word, and the totals."""


MOST_BEGINNING = 64
"""Words that one with any ending may stand for."""


class Totals(NamedTuple):
    """Of all memories, exchanges or chunks of a workspace."""

    rows: int
    length: int


class WordCounts(Records):
    """The counts of a workspace, this thread's uncommitted ones included.

    Args:
        database: the workspace.
        rows: what is counted: `memories`, `exchanges` or `chunks`.
    """

    topic = "words"

    def __init__(self, database: PgDatabase, rows: str = "memories") -> None:
        super().__init__(database)
        for place, name in zip(("words", "totals", "rows"), (*_TABLES[rows], rows), strict=True):
            self._sql = {query: sql.replace(f"/*{place}*/", name) for query, sql in self._sql.items()}
        self._name = f"word counts of {rows}"
        self._pg = database
        self._local = threading.local()

    def add(self, words: Iterable[str], length: int, *, sign: int = 1) -> None:
        """Count the words of a row that is added (1) or removed (-1); inside a transaction."""
        pending = self._pending()
        for word in words:
            pending[word] += sign
        self._local.rows += sign
        self._local.length += sign * length
        self._pg.at_commit(self._name, self._write)

    def count(self, words: Words) -> dict[str, Any]:
        """Count a row that comes; returns its columns `words` and `length`."""
        self.add(words.said, words.length)
        return {"words": words.vector(self._pg.workspace), "length": words.length}

    def take_out(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Take rows out of the counts, by their lengths and lexemes; inside a transaction."""
        for length, lexemes in rows:
            self.add([lexeme.partition(":")[2] for lexeme in lexemes], length, sign=-1)

    def of(self, words: Sequence[str]) -> dict[str, int]:
        """How many rows hold each of these words."""
        kept = dict(self._rows("frequencies", json(list(words))))
        pending = self._pending()
        return {word: kept.get(word, 0) + pending[word] for word in words}

    def beginning(self, start: str) -> dict[str, int]:
        """The words that begin so, those of most rows first, with the number of rows that hold each."""
        kept = self._rows("beginning", start, start + "\U0010ffff", MOST_BEGINNING)
        pending = self._pending()
        new = {word for word, count in pending.items() if count > 0 and word.startswith(start)}
        found = {word: count + pending[word] for word, count in kept}
        return {word: pending[word] for word in new} | found

    def among(self, words: Sequence[str]) -> tuple[Totals, dict[str, int]]:
        """Numbers of rows, of their words, and of rows with each of the words, at one moment."""
        rows = self._rows("among", json(list(words)))
        kept = {word: (holding, length) for word, holding, length in rows}
        pending = self._pending()
        total, length = kept.get(_TOTALS, (0, 0))
        counts = {word: kept.get(word, (0, 0))[0] + pending[word] for word in words}
        return Totals(total + self._local.rows, length + self._local.length), counts

    def _pending(self) -> Counter[str]:
        """The counts that this thread's transaction added; those of one that was rolled back are dropped."""
        marks = self._pg.transaction_mark()
        if getattr(self._local, "mark", self) is not marks:
            self._local.mark, self._local.words = marks, Counter()
            self._local.rows = self._local.length = 0
        words: Counter[str] = self._local.words
        return words

    def _write(self) -> None:
        changed = {word: count for word, count in self._pending().items() if count}
        if changed:
            self._rows("count_words", list(changed), list(changed.values()))
        fewer = [word for word, count in changed.items() if count < 0]
        if fewer:  # a word that no memory holds any more would reveal what a deleted one said
            self._rows("forget_words", fewer)
        self._rows("count_totals", self._local.rows, self._local.length)


class PgMemories(MemoryRecords):
    """Create, read, change and delete memories; every change leaves the former state behind."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._pg = database
        self._counts = counts

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each; the count of the last moment may be lost when the server crashes."""
        with self._pg.transaction(durable=False):
            super().touch(ids, at)

    def row(self, memory: Memory, search: SearchText, **more: Any) -> dict[str, Any]:
        """The columns of a memory, with its words; the words are counted."""
        row = super().row(memory, search, **more)
        return row | self.found_by(row)

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a memory, by its columns; they are counted."""
        return self._counts.count(words_of(row["text"], SearchText(row["terms"], row["context"])))

    def forget_words(self, key: int) -> None:
        """Take a memory's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._rows("words_of", key))
