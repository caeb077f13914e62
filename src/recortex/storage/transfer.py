"""Copies a whole store into another one, of either engine.

Tables are walked in the order of their keys. A piece whose rows have the same checksum on both sides is
done; any other one is written anew in one transaction. So a copy that was stopped goes on where it
stopped, a source that changed meanwhile is caught up with, and what is reported equal was read on both
sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blake3 import blake3

from recortex.codec import dumps
from recortex.errors import InvalidInputError, StorageError
from recortex.lean import Value, replace
from recortex.storage.database import EXCHANGES, MEMORIES, Records, copied_from, json, storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.storage.database import Database, Key, Row, Table
    from recortex.storage.records.vectors import VectorRecords


PIECE = 1_000
"""Rows compared and written at a time."""
ROUNDS = 5
"""Walks at most. A source in use may change behind one; the next copies what changed."""


class TableCopied(Value, frozen=True):
    """A table that is the same in both stores now.

    Attributes:
        rows: in it.
        written: rows that had to be written; 0 where both sides were equal before.
        checksum: BLAKE3 over all of its rows, read from both stores.
    """

    table: str
    rows: int
    written: int
    checksum: str


def copy(
    tables: Sequence[Table],
    source: FullCopyRecords,
    target: FullCopyRecords,
    progress: Callable[[str, int, int], None],
) -> list[TableCopied]:
    """Make the target's tables equal to the source's.

    Args:
        tables: in an order in which rows that others refer to come first.
        source: is only read.
        target: is written where it differs.
        progress: told of each table that is done.

    Raises:
        StorageError: the source was written to all the time: no two walks found it equal to the target.
    """
    written: dict[str, int] = {}
    for _ in range(ROUNDS):
        done = []
        for place, table in enumerate(tables):
            done.append(_bring(table, source, target))
            progress("copying", place + 1, len(tables))
        for one in done:
            written[one.table] = written.get(one.table, 0) + one.written
        if not any(one.written for one in done):
            return [replace(one, written=written[one.table]) for one in done]
    raise StorageError(
        "The store that is copied is written to all the time.",
        hint="Stop what writes to it, then start the copy again: it goes on where it is.",
    )


def count_tables(tables: Sequence[Table], source: FullCopyRecords) -> Iterator[TableCopied]:
    """The tables of a store with their rows and checksums, nothing written."""
    return (_bring(table, source) for table in tables)


def _bring(table: Table, source: FullCopyRecords, target: FullCopyRecords | None = None) -> TableCopied:
    """One walk over a table, which writes the pieces that differ; without a target it is only counted."""
    total, written, sums = 0, 0, blake3()
    for after, until, rows in _pieces(table, source):
        if target and _added(blake3(), rows) != _added(blake3(), target.between(table, after, until)):
            target.put(table, after, until, rows)
            written += len(rows) or 1  # an empty piece differs where rows of the target had to go
        total += len(rows)
        _added(sums, rows)
    return TableCopied(table.name, total, written, sums.hexdigest())


def _pieces(table: Table, source: FullCopyRecords) -> Iterator[tuple[Key | None, Key | None, Sequence[Row]]]:
    """Pieces that cover every possible key, the last one without an end."""
    after: Key | None = None
    while True:
        rows = source.page(table, after, PIECE)
        if len(rows) < PIECE:
            yield after, None, rows
            return
        until = table.key_of(rows[-1])
        yield after, until, rows
        after = until


def _added(sums: blake3, rows: Sequence[Row]) -> bytes:
    """The BLAKE3 after rows were added, in their order."""
    for row in rows:
        sums.update(dumps(_plain(row)))
    return sums.digest()


def _plain(row: Row) -> list[Any]:
    """Values as they are compared.

    PostgreSQL has no NUL, and a copy would never be found equal to a text with one.
    """
    return [value.hex() if isinstance(value, bytes) else storable(value) for value in row]


def claim_target(target: FullCopyRecords, source: str, *, now: int) -> None:
    """Note in an empty target that a copy of the source is begun in it, so that nothing is overwritten.

    A target in which a copy of the same source was begun is taken as it is.

    Raises:
        InvalidInputError: it holds something else.
    """
    if target.mark() == source:
        return
    held = target.page(MEMORIES, None, 1) or target.page(EXCHANGES, None, 1)
    if held:
        raise InvalidInputError(
            "The store that is to be written is not empty, and no copy of this source was begun in it.",
            hint="Copy into a new file or a new workspace.",
        )
    target.begin(source, now=now)


# -- every table of a store as rows that both engines give alike: what a whole copy is made of


_VECTOR = ("embeddings", "vector")


class FullCopyRecords(Records):
    """Reads and writes whole tables.

    Args:
        vectors: turns vectors into codes and back.
    """

    topic = "transfer"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors

    def page(self, table: Table, after: Key | None, limit: int) -> list[Row]:
        """At most so many rows after a key, in its order; both engines give the same values."""
        return self._read(table, after, None, limit)

    def between(self, table: Table, after: Key | None, until: Key | None) -> list[Row]:
        """The rows after a key and up to another one; None: without that end."""
        return self._read(table, after, until)

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one.

        Rows that stay are updated, not deleted, since others refer to them.
        """
        among = " AND ".join(f"{self.column(table, name)} = ?" for name in table.key)
        kept = set(map(table.key_of, rows))
        with self._database.transaction():
            # The rows of the target that the source does not have any more.
            gone = [
                key for row in self.between(table, after, until) if (key := table.key_of(row)) not in kept
            ]
            self._database.run_many(f"DELETE FROM {table.name} WHERE /*own*/ {among}", gone)
            self._database.run_many(self.insertion(table), [self.written(table, row) for row in rows])
            # Signs follow from the codes: they are no part of a copy, and each engine packs them its own way.
            if table.name == "embeddings":
                signs = [(key, model, self._vectors.signs(code)) for key, _, model, code in rows]
                self._database.run_many(self._database.queries("vectors")["insert_signs"], signs)

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        columns = [self.column(table, name) for name in self.columns(table)]
        key = [self.column(table, name) for name in table.key]
        changes = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in key)
        act = f"DO UPDATE SET {changes}" if changes else "DO NOTHING"
        marks = ", ".join(self.place_for(table, name) for name in self.columns(table))
        return (
            f"INSERT INTO {table.name} (/*own column*/ {', '.join(columns)}) VALUES (/*own value*/ {marks})"
            f" ON CONFLICT (/*own column*/ {', '.join(key)}) {act}"
        )

    def mark(self) -> str | None:
        """The store that a copy into this one was begun from and not finished; None where none was."""
        return copied_from(self._database)

    def begin(self, source: str, *, now: int) -> None:
        """Remember that a copy was begun."""
        self._rows("begin", now, json({"source": source}))

    def finish(self) -> None:
        """The copy is complete: from now on this is a store like any other."""
        self._rows("finish")

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; an engine may add some that it derives."""
        return table.names

    def column(self, table: Table, name: str) -> str:  # noqa: ARG002  an engine may call one otherwise
        """What a column is called here."""
        return name

    def place_for(self, table: Table, name: str) -> str:  # noqa: ARG002
        """How a value is written into a column."""
        return "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        return self._replaced(table, row, self._vectors.column)

    def _read(
        self, table: Table, after: Key | None, until: Key | None, limit: int | None = None
    ) -> list[Row]:
        columns = ", ".join(
            self._vectors.COLUMN if (table.name, name) == _VECTOR else f"e.{self.column(table, name)}"
            for name in table.names
        )
        key = ", ".join(f"e.{self.column(table, name)}" for name in table.key)
        condition, values = "", list[Any]()
        for sign, bound in ((">", after), ("<=", until)):
            if bound is not None:
                condition += f" AND ({key}) {sign} ({', '.join('?' * len(bound))})"
                values += bound
        tail = "" if limit is None else f"LIMIT {limit}"
        rows = self._database.rows(
            f"SELECT {columns} FROM {table.name} e WHERE /*own e*/ 1 = 1{condition} ORDER BY {key} {tail}",
            values,
        )
        return [self._replaced(table, row, self._vectors.code) for row in rows]

    def _replaced(self, table: Table, row: Row, change: Callable[[Any], Any]) -> Row:
        """A row with its vector, if it has one, in another form."""
        if table.name != "embeddings":
            return row
        place = table.names.index("vector")
        return (*row[:place], change(row[place]), *row[place + 1 :])
