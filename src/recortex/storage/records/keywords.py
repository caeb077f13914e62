"""The keyword index of a table: what is declared of it, and what every engine's does."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from recortex.domain.search import BM25_WEIGHTS_DOUBLED, CHUNK_WEIGHTS_DOUBLED, EXCHANGE_WEIGHTS_DOUBLED
from recortex.lean import NamedTuple
from recortex.storage.database import Records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.storage.database import Bindings, Database, Row
    from recortex.storage.records.rows import Clause

MOST_FOUND = 300
"""So many exchanges are scored in a search by their rarest words; the latest where these are still too
many."""
MOST_READ = 3_000
"""Words that so many exchanges hold together count in the score, the rarest first: FTS5 reads all of them to
know how rare a word is."""


class Indexed(NamedTuple):
    """A table whose rows are found by words.

    Attributes:
        table: its name.
        alias: of a row in conditions.
        function: of PostgreSQL, which scores its rows.
        flag: an argument of that function alone: whether the text alone counts.
        weights: twice the weight that BM25 gives a word, by the column that holds it.
        counted: rows with a word are counted up to this number, and estimated above by the latest, in SQLite:
            counting 10,000 takes half a millisecond (bench/scale.py).
    """

    table: str
    alias: str
    function: str
    flag: str
    weights: Mapping[str, int]
    counted: int

    def fill(self, sql: Mapping[str, str]) -> dict[str, str]:
        """The queries of the topic `keywords` for this table."""
        weights = ", ".join(str(weight / 2) for weight in self.weights.values())
        known = {"table": self.table, "alias": self.alias, "function": self.function}
        known |= {"flag": self.flag, "weights": weights}
        filled = dict(sql)
        for name, value in known.items():
            filled = {query: text.replace(f"{{{name}}}", value) for query, text in filled.items()}
        return filled


INDEXED = {
    one.table: one
    for one in (
        Indexed("memories", "m", "matching", "false,", BM25_WEIGHTS_DOUBLED, 10_000),
        Indexed("exchanges", "x", "matching_exchanges", "", EXCHANGE_WEIGHTS_DOUBLED, 100),
        Indexed("chunks", "x", "matching_chunks", "", CHUNK_WEIGHTS_DOUBLED, 10_000),
    )
}


class Keywords(Records):
    """The keyword index of one table.

    Attributes:
        changes: how often this process changed or deleted a row.

    Args:
        indexed: the table.
    """

    topic = "keywords"
    changes = 0

    def __init__(self, database: Database, indexed: Indexed) -> None:
        super().__init__(database)
        self._sql = indexed.fill(self._sql)
        self._indexed = indexed

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """All rows of a statement that reads or writes the index, directly or through a trigger."""
        return self._database.rows(sql, bindings)

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Write new rows by a statement that returns the key of one; returns theirs, in the same order."""
        return [int(self.rows(sql, row)[0][0]) for row in rows]

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """More columns of a row that is written, for an engine that keeps words itself."""
        return {}

    def forget(self, key: int) -> None:  # noqa: ARG002
        """Before a row is changed or deleted, for what holds or counts words itself."""
        self.changes += 1

    def size(self) -> int:
        """About how many rows are indexed."""
        return self._number("size")

    @abstractmethod
    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one about how many."""

    @abstractmethod
    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the keys whose rows contain it."""

    @abstractmethod
    def match(
        self,
        words: Sequence[str],
        limit: int,
        clause: Clause,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of rows with any of the words, or all, with their BM25 score, best first; then the oldest."""

    @abstractmethod
    def match_rarest(self, words: Mapping[str, int], limit: int, clause: Clause) -> list[tuple[int, float]]:
        """The same for words with their frequencies.

        The rarest words find, and more only where these find too few; as many score as can be read in time.
        """


def rarest(counts: Sequence[int]) -> tuple[int, int]:
    """How many of the first words find rows, and how many are read at all.

    Args:
        counts: how many rows hold each word, in ascending order.
    """
    sums = list(accumulate(counts))
    return max(bisect(sums, MOST_FOUND), 1), bisect(sums, MOST_READ)


class WordSearch(Records):
    """Finds rows of one table by words.

    Args:
        keywords: its index.
    """

    def __init__(self, database: Database, keywords: Keywords) -> None:
        super().__init__(database)
        self._keywords = keywords

    def searchable(self) -> int:
        """About how many rows are indexed."""
        return self._keywords.size()

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one about how many."""
        return self._keywords.frequencies(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the rows that contain it."""
        return self._keywords.holding(words, keys)
