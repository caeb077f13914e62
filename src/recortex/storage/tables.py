"""Every table of a store, declared once: in `tables.txt` here, or in that of its capability.

Row checksums, row codecs, statements that write whole rows, copies between engines, purge, recovery and
the parity tests read these declarations. The migrations (`storage/*/migrations`) create the tables; a test
holds both equal.

To add a table: declare it there, write a migration for each engine, its queries (`sql/`) and its records.
To add a field of a memory: add it to `domain/memory.py` and to the table `memories`, and write the
migrations.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recortex.lean import NamedTuple, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = tuple[Any, ...]
    Key = tuple[Any, ...]


class Column(NamedTuple):
    """A column, with SQLite's type: INTEGER, REAL, TEXT or BLOB. `tables.txt` explains the rest."""

    name: str
    type: str
    null: bool = False
    holds: Literal["", "text", "json"] = ""
    sealed: bool = True
    fixed: bool = False
    generated: bool = False
    added: bool = False


class Table(Value, frozen=True, eq=False, dict=True):
    """A table; `tables.txt` explains what is said of it.

    Tables are compared by identity, so that what is derived from one is looked up quickly.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    owners: tuple[str, ...] = ()
    link: str = ""
    sealed: bool = False
    copied: bool = True
    refilled: bool = False
    index: str = ""
    witness: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def key_of(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """The key of a row that has all columns."""
        return tuple(row[place] for place in self._key_places)

    @cached_property
    def _key_places(self) -> tuple[int, ...]:
        return tuple(map(self.names.index, self.key))

    @cached_property
    def numbered(self) -> bool:
        """Whether rows have no key but a number of their own."""
        return self.key == ("place",)

    @cached_property
    def sealed_columns(self) -> tuple[Column, ...]:
        """The columns that a row's checksum covers."""
        return tuple(column for column in self.columns if column.sealed and column.name != "seal")

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The columns that inserting a row gives."""
        return tuple(column.name for column in self.columns if not column.generated)

    @cached_property
    def updated(self) -> tuple[str, ...]:
        """The columns that writing a row again changes."""
        return tuple(
            column.name for column in self.columns if not column.fixed and column.name not in self.key
        )

    @cached_property
    def searched(self) -> tuple[Column, ...]:
        """The columns that may hold what was said."""
        return tuple(column for column in self.columns if column.holds)


_SAYS: dict[str, dict[str, Any]] = {
    "null": {"null": True},
    "said": {"holds": "text"},
    "json": {"holds": "json"},
    "unsealed": {"sealed": False},
    "fixed": {"fixed": True},
    "generated": {"generated": True, "fixed": True, "sealed": False},
    "added": {"added": True},
}
"""The words of a column in `tables.txt`."""


def _column(written: str) -> Column:
    name, type_, *words = written.split()
    said: dict[str, Any] = {}
    for word in words:
        said |= _SAYS[word]
    return Column(name, type_.upper(), **said)


def _table(written: str) -> Table:
    lines = [line for line in written.splitlines() if not line.startswith("#")]
    columns = " ".join(line for line in lines if line.startswith(" "))
    name, *words = " ".join(line for line in lines if not line.startswith(" ")).split()
    said = dict(word.partition("=")[::2] for word in words)
    return Table(
        name,
        tuple(map(_column, columns.split(","))),
        key=tuple(said["key"].split(",")),
        owners=tuple(said["owners"].split(",")) if "owners" in said else (),
        link=said.get("link", ""),
        sealed="sealed" in said,
        copied="uncopied" not in said,
        refilled="refilled" in said,
        index=said.get("index", ""),
        witness=said.get("witness", ""),
    )


_FILES = sorted(
    Path(__file__).parent.parent.glob("*/tables.txt"), key=lambda one: (one.parent.name != "storage", one)
)
"""That of the spine first, then those of capabilities."""
TABLES = tuple(
    _table(written)
    for file in _FILES
    for written in file.read_text(encoding="utf-8").strip().split("\n\n")[1:]
)
"""Those that others refer to come first."""
BY_NAME = {table.name: table for table in TABLES}
MEMORIES, VERSIONS, RELATIONS = BY_NAME["memories"], BY_NAME["versions"], BY_NAME["relations"]
SESSIONS, RECEIPTS, SIGNALS = BY_NAME["sessions"], BY_NAME["receipts"], BY_NAME["signals"]
MODEL_CALLS, EXCHANGES = BY_NAME["model_calls"], BY_NAME["exchanges"]
DOCUMENTS, CHUNKS = BY_NAME["documents"], BY_NAME["chunks"]


def copied() -> tuple[Table, ...]:
    """The tables that a copy of the store takes along."""
    return tuple(table for table in TABLES if table.copied)


def owned() -> tuple[Table, ...]:
    """The tables whose rows belong to one memory each."""
    return tuple(table for table in TABLES if len(table.owners) == 1)


def links() -> dict[str, Table]:
    """The tables of a memory's links, by the field of `Memory` that they hold."""
    return {table.link: table for table in TABLES if table.link}


def keyword_indexes() -> tuple[str, ...]:
    """SQLite's keyword indexes: tables of FTS5."""
    return tuple(table.index for table in TABLES if table.index)


def sealed() -> tuple[Table, ...]:
    """The tables whose rows carry a checksum."""
    return tuple(table for table in TABLES if table.sealed)
