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
from recortex.storage.dialect import storable
from recortex.storage.tables import EXCHANGES, MEMORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.storage.records.full_copy import FullCopyRecords
    from recortex.storage.tables import Key, Row, Table

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
