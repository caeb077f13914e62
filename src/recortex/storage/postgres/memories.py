"""Memories in PostgreSQL: with each, the words that it is found by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.storage.postgres.words import words_of
from recortex.storage.records.memories import MemoryRecords

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.search import SearchText
    from recortex.storage.postgres.counts import WordCounts
    from recortex.storage.postgres.pool import PgDatabase


class PgMemories(MemoryRecords):
    """Create, read, change and delete memories; every change leaves the former state behind."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._pg = database
        self._workspace = database.workspace
        self._counts = counts

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each; the count of the last moment may be lost when the server crashes."""
        with self._pg.transaction(durable=False):
            super().touch(ids, at)

    def row(self, memory: Memory, search: SearchText, **more: Any) -> dict[str, Any]:
        """The columns of a memory, with its words; the words are counted."""
        words = words_of(memory.text, search)
        self._counts.add(words.said, words.length)
        return {
            **super().row(memory, search, **more),
            "words": words.vector(self._workspace),
            "length": words.length,
        }

    def forget_words(self, key: int) -> None:
        """Take a memory's words out of the counts, before it is changed or deleted."""
        start = len(f"{self._workspace}:")
        for length, lexemes in self._database.rows(self._sql["words_of"], (key,)):
            self._counts.add([lexeme[start:] for lexeme in lexemes], length, sign=-1)
