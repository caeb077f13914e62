"""Every table of a store, declared once.

Row checksums, row codecs, statements that write whole rows, copies between engines, purge, recovery and
the parity tests read these declarations. The migrations (`storage/*/migrations`) create the tables; a test
holds both equal.

To add a table: declare it here, write a migration for each engine, its queries (`storage/sql`) and its
records (`storage/records`). To add a field of a memory: add it to `domain/memory.py` and to `MEMORIES`,
and write the migrations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Type = Literal["INTEGER", "REAL", "TEXT", "BLOB"]
Holds = Literal["", "text", "json"]


class Column(NamedTuple):
    """A column, as SQLite names its type.

    Attributes:
        null: whether it may be null.
        holds: what it may hold of what people and agents said, as plain text or inside JSON: a purge
            searches it.
        sealed: whether a sealed row's checksum covers it; not so for what changes without the row being
            rewritten.
        fixed: whether updating a row leaves it alone.
        generated: whether the engine gives the value, as it does for keys that are numbers.
        added: whether the table was sealed before it had this column. The checksum leaves it out while it
            is null, empty or 0, so that rows of the earlier schema stay valid.
    """

    name: str
    type: Type
    null: bool = False
    holds: Holds = ""
    sealed: bool = True
    fixed: bool = False
    generated: bool = False
    added: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """A table. It is equal to itself alone, so that looking up what was derived from it costs nothing.

    Attributes:
        columns: in the order of the schema.
        key: the primary key. `place` is a number that SQLite keeps as the rowid.
        owners: the columns with keys of memories that a row belongs to; deleting one of these deletes the
            row.
        link: the field of `Memory` whose entries are the rows; empty where the table is none of links.
        sealed: whether rows carry a checksum in the column `seal`.
        copied: whether a copy of the store takes it along. Left out is what is derived, and what is about
            the place itself.
        refilled: whether recovery fills its gaps from a backup, row by row, whatever memories are there.
        witness: an index whose entries tell recovery which rows there were.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    owners: tuple[str, ...] = ()
    link: str = ""
    sealed: bool = False
    copied: bool = True
    refilled: bool = False
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


def _key(name: str = "key") -> Column:
    return Column(name, "INTEGER", sealed=False, fixed=True, generated=True)


def _number(name: str, *, null: bool = False, sealed: bool = True, fixed: bool = False) -> Column:
    return Column(name, "INTEGER", null, sealed=sealed, fixed=fixed)


def _real(name: str) -> Column:
    return Column(name, "REAL")


def _text(name: str, holds: Holds = "", *, null: bool = False, fixed: bool = False) -> Column:
    return Column(name, "TEXT", null, holds, fixed=fixed)


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(map(_text, names))


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(map(_number, names))


def _blob(name: str, *, null: bool = False) -> Column:
    return Column(name, "BLOB", null)


_SEAL = Column("seal", "BLOB", null=True, sealed=False)
_EMBEDDING = Column("embedding_key", "INTEGER", null=True, sealed=False)

MEMORIES = Table(
    "memories",
    (
        _key(),
        _text("id", fixed=True),
        *_texts("kind", "status", "scope"),
        _text("text", "text"),
        _text("summary", "text", null=True),
        _text("content", "json", null=True),
        _real("confidence"),
        *_numbers("priority", "pinned"),
        _text("tags", "json"),
        _text("domain"),
        _text("session", "text"),
        _number("turn", null=True),
        _text("speaker", "text"),
        _text("source", "json", null=True),
        *_texts("origin", "trust"),
        _number("evidence"),
        _number("recorded_at", fixed=True),
        *_numbers("updated_at", "valid_from"),
        _number("valid_until", null=True),
        _number("validated_at", null=True),
        _number("last_accessed_at", null=True, sealed=False, fixed=True),
        _number("access_count", sealed=False, fixed=True),
        _text("supersedes", null=True),
        _text("superseded_by", null=True),
        _text("metadata", "json", null=True),
        _blob("content_hash"),
        *_numbers("tokens", "version"),
        _text("changed_by"),
        _text("reason", "text"),
        _text("terms"),
        _text("context", "text"),
        _number("traits"),
        _EMBEDDING,
        _SEAL,
    ),
    key=("key",),
    sealed=True,
)
FILES = Table(
    "memory_files",
    (
        _key("place"),
        _number("memory_key"),
        _text("path", "text"),
        _number("line_start", null=True),
        _number("line_end", null=True),
        *_texts("content_hash", "commit_id"),
    ),
    key=("place",),
    owners=("memory_key",),
    link="files",
    witness="memory_files_memory",
)
FUNCTIONS = Table(
    "memory_functions",
    (
        _key("place"),
        _number("memory_key"),
        _text("name", "text"),
        _text("file", "text"),
        _text("signature", "text"),
    ),
    key=("place",),
    owners=("memory_key",),
    link="functions",
    witness="memory_functions_memory",
)
PATTERNS = Table(
    "memory_patterns",
    (_number("memory_key"), _text("pattern_id", "text"), _text("name", "text")),
    key=("memory_key", "pattern_id"),
    owners=("memory_key",),
    link="patterns",
    witness="memory_patterns_pattern",
)
CONSTRAINTS = Table(
    "memory_constraints",
    (_number("memory_key"), _text("constraint_id", "text"), _text("name", "text")),
    key=("memory_key", "constraint_id"),
    owners=("memory_key",),
    link="constraints",
    witness="memory_constraints_constraint",
)
VERSIONS = Table(
    "versions",
    (
        *_numbers("memory_key", "version", "recorded_from", "recorded_to"),
        _text("state", "json"),
        _text("changed_by"),
        _text("reason", "text"),
        _EMBEDDING,
        _SEAL,
    ),
    key=("memory_key", "version"),
    owners=("memory_key",),
    sealed=True,
)
RELATIONS = Table(
    "relations",
    (
        *_numbers("source_key", "target_key"),
        _text("type"),
        _real("strength"),
        _text("evidence"),
        *_numbers("inferred", "bidirectional"),
        _text("status"),
        _number("created_at", fixed=True),
        _SEAL,
    ),
    key=("source_key", "target_key", "type"),
    owners=("source_key", "target_key"),
    sealed=True,
    witness="relations_target",
)
"""Its evidence is not declared as searched: a purge takes the text out of it and keeps the relation."""
SESSIONS = Table(
    "sessions",
    (
        *_texts("id", "client", "cwd", "branch", "transcript"),
        _number("process"),
        _text("parent"),
        _number("started_at", fixed=True),
        _number("seen_at"),
        _number("ended_at", null=True),
        _text("end_reason"),
        _number("context"),
        _number("captured_at", null=True, fixed=True),
        _number("captured_size", fixed=True),
        _text("told", fixed=True),
    ),
    key=("id",),
    refilled=True,
)
TABLES = (
    Table("embedding_models", (_key(), _text("name"), _number("dimensions")), key=("key",)),
    Table("embeddings", (_key(), _blob("hash"), _number("model"), _blob("vector")), key=("key",)),
    MEMORIES,
    FILES,
    FUNCTIONS,
    PATTERNS,
    CONSTRAINTS,
    VERSIONS,
    RELATIONS,
    Table(
        "evidence",
        (_number("memory_key"), _blob("place")),
        key=("memory_key", "place"),
        owners=("memory_key",),
    ),
    Table(
        "audit",
        (
            _key("seq"),
            _number("memory_key"),
            *_texts("operation", "actor"),
            _number("at"),
            _text("details", null=True),
        ),
        key=("seq",),
        refilled=True,
    ),
    Table(
        "audit_summaries",
        (*_texts("month", "operation", "actor"), *_numbers("entries", "first_at", "last_at")),
        key=("month", "operation", "actor"),
        refilled=True,
    ),
    Table(
        "tombstones",
        (_number("memory_key"), _text("id"), _number("purged_at"), _text("reason")),
        key=("memory_key",),
    ),
    Table(
        "checkpoints",
        (*_texts("path", "session_id", "client"), *_numbers("position", "turns", "extracted_at")),
        key=("path",),
        refilled=True,
    ),
    Table(
        "degradations",
        (*_texts("component", "failure", "fallback"), *_numbers("recovered", "first_at", "last_at", "times")),
        key=("component", "failure", "fallback"),
    ),
    SESSIONS,
    Table(
        "receipts",
        (
            _text("session"),
            _number("context"),
            *_texts("memory", "scope", "channel", "subject"),
            _number("at"),
            _real("score"),
            _number("tokens"),
            _number("used_at", null=True),
            _text("used_as"),
        ),
        key=("session", "context", "memory"),
        refilled=True,
    ),
    Table(
        "signals",
        (_key("seq"), _text("session"), _number("at"), *_texts("name", "subject", "digest")),
        key=("seq",),
        refilled=True,
    ),
    Table(
        "model_calls",
        (
            _key("seq"),
            _number("at"),
            *_texts("provider", "model", "purpose", "session"),
            *_numbers("input_tokens", "output_tokens", "micro_usd", "milliseconds"),
            _text("outcome"),
        ),
        key=("seq",),
        refilled=True,
    ),
    Table(
        "reembeddings",
        (
            _text("model"),
            _number("started_at"),
            _number("finished_at", null=True),
            *_numbers("done", "milliseconds"),
        ),
        key=("model",),
    ),
    Table("embedding_signs", (_key(), _number("model"), _blob("signs")), key=("key",), copied=False),
    Table(
        "chores",
        (_text("name"), _number("done_at"), _text("outcome")),
        key=("name",),
        copied=False,
        refilled=True,
    ),
    Table("growth", (_key("at"), _number("memories"), _number("bytes")), key=("at",), copied=False),
)
"""In an order in which what others refer to comes first."""


def copied() -> tuple[Table, ...]:
    """The tables that a copy of the store takes along."""
    return tuple(table for table in TABLES if table.copied)


def owned() -> tuple[Table, ...]:
    """The tables whose rows belong to one memory each."""
    return tuple(table for table in TABLES if len(table.owners) == 1)


def links() -> dict[str, Table]:
    """The tables of a memory's links, by the field of `Memory` that they hold."""
    return {table.link: table for table in TABLES if table.link}


def sealed() -> tuple[Table, ...]:
    """The tables whose rows carry a checksum."""
    return tuple(table for table in TABLES if table.sealed)
