"""Memories in PostgreSQL, and the words by which these, exchanges and chunks are found: how many hold each.

BM25 needs those counts, and PostgreSQL does not keep them. What a transaction adds is held here until it is
committed, and is then written at once: a thousand memories touch each common word's row once, not a thousand
times.
"""

from __future__ import annotations

import threading
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from recortex.domain.search import BM25_WEIGHTS_DOUBLED, SearchText
from recortex.storage.database import Records
from recortex.storage.records.full_copy import FullCopyRecords
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors
    from recortex.storage.tables import Key, Row, Table


# -- splits texts into words as FTS5 does, so that both engines find the same memories with the same scores


SAID, MOST_SAID, MOST_WEIGHT = 256, 63, 255
"""A lexeme has one position, of 14 bits: its count in the text times 256, plus twice its weighted count. Both
are capped: BM25 gives hardly more for more occurrences."""
_LONGEST = 255
"""Characters of a lexeme: a tsvector takes 2,046 bytes. Of longer ones the rest stands as its digest."""
_DIGEST_BYTES = 16
_local = threading.local()
_APOSTROPHES = (b"'", "’".encode())


class Words(NamedTuple):
    """What a memory is found by.

    Attributes:
        said: each word, with its count in the text and twice its weighted count.
        length: words in all columns, as often as they occur.
    """

    said: Mapping[str, tuple[int, int]]
    length: int

    def vector(self, workspace: int) -> str:
        """A tsvector as text; every lexeme begins with the workspace."""
        return " ".join(
            f"'{quoted(lexeme(workspace, word))}':{SAID * min(count, MOST_SAID) + min(weight, MOST_WEIGHT)}"
            for word, (count, weight) in self.said.items()
        )


def words_of(text: str, search: SearchText) -> Words:
    """The words of a memory."""
    return counted(zip((text, search.terms, search.context), BM25_WEIGHTS_DOUBLED.values(), strict=True))


def words_of_columns(row: Mapping[str, Any], weights: Mapping[str, int]) -> Words:
    """The words of an exchange or a chunk, by its columns; `weights`: twice that of each."""
    return counted((row[name], weight) for name, weight in weights.items())


def counted(parts: Iterable[tuple[str, int]]) -> Words:
    """The words of texts, each with twice BM25's weight; the first text is what counts as said."""
    counts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    length = 0
    for place, (said, doubled) in enumerate(parts):
        for word, added in _tokens(said):
            counts[word] += place == 0
            weights[word] += doubled
            length += added
    return Words({word: (counts[word], weight) for word, weight in weights.items()}, length)


def asked(word: str) -> str | None:
    """A word of a question as it is in the index; None where it has no letter or digit.

    One with an apostrophe is a phrase to FTS5: it is indexed as a whole beside its parts, where an
    apostrophe alone stands between them.
    """
    parts = _split(word.replace("\0", "").encode("utf-8", "replace"))
    return _short("'".join(parts)) if parts else None


def lexeme(workspace: int, word: str) -> str:
    """A word in the index."""
    return f"{workspace}:{word}"


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Each token with what it adds to the length; joined ones, which FTS5 does not count, add nothing."""
    said = text.encode("utf-8", "replace")
    if "'" not in text and "’" not in text:
        yield from ((_short(token), 1) for token in _split(said))
        return
    end, last = 0, ""
    for start, after, token in _split(said, offsets=True):
        yield _short(token), 1
        if last and said[end:start] in _APOSTROPHES:
            yield _short(f"{last}'{token}"), 0
        end, last = after, token


def _short(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    rest = blake2b(word.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return word[: _LONGEST - len(rest)] + rest


def quoted(text: str) -> str:
    """A text as it stands between quotes in a tsvector or tsquery."""
    return text.replace("\\", "\\\\").replace("'", "''")


def _split(text: bytes, *, offsets: bool = False) -> Any:
    """The tokens of a text by SQLite's tokenizer as FTS5 uses it; with offsets (first byte, end, token)."""
    if not hasattr(_local, "tokenizer"):  # one for each thread: a connection of SQLite serves one at a time
        import apsw

        _local.flags = apsw.FTS5_TOKENIZE_DOCUMENT
        words = ["unicode61", "remove_diacritics", "2"]
        _local.tokenizer = apsw.Connection(":memory:").fts5_tokenizer("porter", words)
    return _local.tokenizer(text, _local.flags, None, include_offsets=offsets, include_colocated=False)


# -- memories in PostgreSQL, and the words by which these, exchanges and chunks are found: how many hold each


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


# -- every table of a workspace as rows; with some go the words that they are found by


_FOUND_BY = ("words", "length")


class FoundByWords(Protocol):
    """Records whose rows hold the words that they are found by."""

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a row, by its columns; they are counted."""

    def forget_words(self, key: int) -> None:
        """Take a row's words out of the counts."""


class PgFullCopy(FullCopyRecords):
    """Reads and writes whole tables."""

    def __init__(
        self,
        database: PgDatabase,
        vectors: PgVectors,
        found: Mapping[str, FoundByWords],
    ) -> None:
        """Take what counts the words of a table's rows.

        Args:
            database: the workspace.
            vectors: turns vectors into codes and back.
            found: by the names of the tables whose rows are found by words.
        """
        super().__init__(database, vectors)
        self._found = found

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            if records := self._found.get(table.name):
                for key, *_ in self.between(table, after, until):
                    records.forget_words(key)
            super().put(table, after, until, rows)

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; also the words that a row is found by."""
        return (*table.names, *_FOUND_BY) if table.name in self._found else table.names

    def place_for(self, table: Table, name: str) -> str:
        """How a value is written into a column."""
        if table.name in self._found and name == "words":
            return "CAST(? AS tsvector)"
        return "CAST(? AS halfvec)" if (table.name, name) == ("embeddings", "vector") else "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        records = self._found.get(table.name)
        if records is None:
            return super().written(table, row)
        found_by = records.found_by(dict(zip(table.names, row, strict=True)))
        return (*row, *(found_by[name] for name in _FOUND_BY))
