"""How many memories hold each word, and how long they are together.

What BM25 needs and PostgreSQL does not keep.

What a transaction adds stays here until it is committed, and is then written at once: a thousand memories
touch each common word's row once, not a thousand times.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.storage.records.rows import json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.storage.postgres.pool import PgDatabase


_TOTALS = ""
"""Stands for the totals among the words' counts; no word is empty."""


class Totals(NamedTuple):
    """Of all memories of a workspace."""

    memories: int
    length: int


class WordCounts:
    """The counts of a workspace, this thread's uncommitted ones included."""

    def __init__(self, database: PgDatabase) -> None:
        self._database = database
        self._sql = database.queries("search")
        self._local = threading.local()

    def add(self, words: Iterable[str], length: int, *, sign: int = 1) -> None:
        """Count a memory that comes (1) or goes (-1); inside a transaction."""
        pending = self._pending()
        for word in words:
            pending[word] += sign
        self._local.memories += sign
        self._local.length += sign * length
        self._database.at_commit("word counts", self._write)

    def of(self, words: Sequence[str]) -> dict[str, int]:
        """How many memories hold each of these words."""
        kept = dict(self._database.rows(self._sql["frequencies"], (json(list(words)),)))
        pending = self._pending()
        return {word: kept.get(word, 0) + pending[word] for word in words}

    def among(self, words: Sequence[str]) -> tuple[Totals, dict[str, int]]:
        """Numbers of memories, of their words, and of memories with each of the words, at one moment."""
        rows = self._database.rows(self._sql["among"], (json(list(words)),))
        kept = {word: (memories, length) for word, memories, length in rows}
        pending = self._pending()
        memories, length = kept.get(_TOTALS, (0, 0))
        counts = {word: kept.get(word, (0, 0))[0] + pending[word] for word in words}
        return Totals(memories + self._local.memories, length + self._local.length), counts

    def _pending(self) -> Counter[str]:
        """What this thread's transaction added; that of one that was rolled back is forgotten."""
        marks = self._database.transaction_mark()
        if getattr(self._local, "mark", self) is not marks:
            self._local.mark, self._local.words = marks, Counter()
            self._local.memories = self._local.length = 0
        words: Counter[str] = self._local.words
        return words

    def _write(self) -> None:
        changed = {word: count for word, count in self._pending().items() if count}
        if changed:
            self._database.rows(self._sql["count_words"], (list(changed), list(changed.values())))
        fewer = [word for word, count in changed.items() if count < 0]
        if fewer:  # a word that no memory holds any more would tell what was in one that is gone
            self._database.rows(self._sql["forget_words"], (fewer,))
        self._database.rows(self._sql["count_totals"], (self._local.memories, self._local.length))
