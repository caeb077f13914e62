"""What the records need from a database, whichever engine it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from recortex.storage.queries import queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from recortex.storage.queries import Engine

    Bindings = Sequence[Any] | Mapping[str, Any]


def folded(text: str) -> str:
    """A text by which the same words in another case are found: "STRASSE" is "straße", "É" is "é".

    In statements for SQLite it is a function of that name; its own `lower` knows ASCII alone.
    """
    return text.casefold()


class Rows(Protocol):
    """Something that runs statements."""

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""


class Database(Rows, Protocol):
    """Statements and transactions.

    SQL is written as SQLite takes it; `storage/dialect` makes another engine's of it.

    `?`, `?1` and `:name` stand for values. Lists go in as JSON and are read with `IN (SELECT value FROM
    json_each(?))`.

    Attributes:
        vectors: whether likeness can be computed here.
    """

    engine: ClassVar[Engine]
    vectors: bool

    def queries(self, topic: str) -> dict[str, str]:
        """The named queries of a topic, as this engine wants them."""
        return queries(topic, self.engine)

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(sql, bindings)
        return found[0][0] if found else None

    def run_many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """The statement once for each row."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that happens inside is kept as a whole or not at all; a nested one joins the outer one."""


class Records:
    """Runs the named queries of one topic.

    Attributes:
        topic: the file in `storage/sql` that has them.
    """

    topic: ClassVar[str]

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries(self.topic)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._database.rows(self._sql[query], values)

    def _named(self, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """All rows, for a query whose values have names."""
        return self._database.rows(self._sql[query], values)

    def _column(self, query: str, *values: Any) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self._rows(query, *values)]

    def _number(self, query: str, *values: Any) -> int:
        """The first column of the first row."""
        return int(self._database.value(self._sql[query], values))

    def _each(self, query: str, rows: Sequence[Bindings]) -> None:
        """The query once for each row of values."""
        self._database.run_many(self._sql[query], rows)
