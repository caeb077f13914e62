"""What the records need from a database, whichever engine it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    Bindings = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """Something that runs statements."""

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""


class Database(Rows, Protocol):
    """Statements and transactions.

    SQL is written as SQLite takes it; `storage/dialect` makes another engine's of it.

    `?`, `?1` and `:name` stand for values. Lists go in as JSON and are read with `IN (SELECT value FROM
    json_each(?))`.
    """

    @property
    def vectors(self) -> bool:
        """Whether likeness can be computed here."""

    def queries(self, topic: str) -> Mapping[str, str]:
        """The named queries of a topic, as this engine wants them."""

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""

    def run_many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """The statement once for each row."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that happens inside is kept as a whole or not at all; a nested one joins the outer one."""
