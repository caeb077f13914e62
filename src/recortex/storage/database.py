"""The tables of a store, and what the records need from a database, whichever engine it is.

Every table is declared once: in `tables.txt` here, or in that of its capability. Row checksums, row codecs,
statements that write whole rows, copies between engines, purge, recovery and the parity tests read these
declarations. The migrations (`storage/*/migrations`) create the tables; a test holds both equal.

To add a table: declare it there, write a migration for each engine, its queries (`sql/`) and its records.
To add a field of a memory: add it to `domain/memory.py` and to the table `memories`, and write the
migrations.
"""

from __future__ import annotations

import operator
import os
import re
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from recortex.domain import vocabulary
from recortex.domain.text import from_micros, lazy, to_micros
from recortex.errors import CorruptStoreError, InvalidInputError
from recortex.lean import NamedTuple, Value, msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    Row = tuple[Any, ...]
    Key = tuple[Any, ...]
    Bindings = Sequence[Any] | Mapping[str, Any]


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


def copied_tables() -> tuple[Table, ...]:
    """The tables that a copy of the store takes along."""
    return tuple(table for table in TABLES if table.copied)


def owned_tables() -> tuple[Table, ...]:
    """The tables whose rows belong to one memory each."""
    return tuple(table for table in TABLES if len(table.owners) == 1)


def link_tables() -> dict[str, Table]:
    """The tables of a memory's links, by the field of `Memory` that they hold."""
    return {table.link: table for table in TABLES if table.link}


def keyword_indexes() -> tuple[str, ...]:
    """SQLite's keyword indexes: tables of FTS5."""
    return tuple(table.index for table in TABLES if table.index)


def sealed_tables() -> tuple[Table, ...]:
    """The tables whose rows carry a checksum."""
    return tuple(table for table in TABLES if table.sealed)


# -- named SQL


_PACKAGE = Path(__file__).parent.parent
# Found by their place: a capability adds SQL without being imported here.
SQL_FOLDERS = tuple(_PACKAGE.glob("*/sql"))
"""That of the spine, and those of capabilities."""
_LIST = lazy(r"\{(\w+): (\w+)\}")
_NAME = lazy(r"^-- name: (\w+)$", re.MULTILINE)

Engine = Literal["sqlite", "postgres"]


@cache
def queries(topic: str, engine: Engine) -> dict[str, str]:
    """The queries of a topic by name."""
    found: dict[str, str] = {}
    for folder in SQL_FOLDERS:
        for place in (folder, folder / engine):  # an engine's own text takes the place of the shared one
            if f"{topic}.sql" in _files(place):
                found |= _read(place / f"{topic}.sql")
    return found


@cache
def _files(folder: Path) -> frozenset[str]:
    """The names in a folder, of which most have no file for a topic; none where it is not there."""
    return frozenset(os.listdir(folder) if os.path.isdir(folder) else ())  # noqa: PTH112, PTH208  a hot path


def _read(path: Path) -> dict[str, str]:
    parts = _NAME.split(_LIST.sub(_listed, path.read_text(encoding="utf-8")))
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _listed(found: re.Match[str]) -> str:
    table = BY_NAME[found[1]]
    match found[2]:
        case "columns":
            return ", ".join(table.written)
        case "values":
            return ", ".join(f":{name}" for name in table.written)
        case "changes":
            return ", ".join(f"{name} = :{name}" for name in table.updated)
        case "excluded":
            return ", ".join(f"{name} = excluded.{name}" for name in table.updated)
        case _:
            return ", ".join(table.names)


def storable(value: Any) -> Any:
    """The value without NUL, which PostgreSQL cannot hold in a text; only a question may have one."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


# -- what the records need from a database, whichever engine it is


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
        topic: the file in a folder `sql` that has them.
        readers: of a capability's tables, by name: what makes a value of some columns of a row, and which.
    """

    topic: ClassVar[str]
    readers: ClassVar[Mapping[str, tuple[Callable[[tuple[Any, ...]], Any], tuple[str, ...]]]] = {}

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


# -- the schema as numbered SQL files, the same numbers in every engine


_FILE = lazy(r"(\d{4})_(\w+)\.sql")


class Migration(NamedTuple):
    """One step of the schema."""

    version: int
    name: str
    sql: str


@cache
def known(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder, in order."""
    found = ((_FILE.fullmatch(path.name), path) for path in sorted(folder.glob("*.sql")))
    return tuple(
        Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")) for match, path in found if match
    )


@cache
def newest(folder: Path) -> int:
    """The last number in a folder; no file is read for it."""
    return max(int(match[1]) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name)))


# -- whether a store is half a copy of another one


def copied_from(database: Database) -> str | None:
    """The store that a copy into this one was begun from and not finished; None where none was.

    Raises:
        CorruptStoreError: what is noted of it cannot be read.
    """
    found = database.value(database.queries("transfer")["mark"])
    if found is None:
        return None
    try:
        source = parse(found, None, dict[str, Any])["source"]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise CorruptStoreError("The note of a copy into this store is damaged.") from error
    if not isinstance(source, str):
        raise CorruptStoreError("The note of a copy into this store is damaged.")
    return source


# -- values of the domain as columns hold them, and back, by the annotations of a dataclass
#
# Imported by hooks: nothing heavier than the domain may be imported here.


T = TypeVar("T")
_NOT_OURS = (InvalidInputError, ValueError, TypeError, KeyError, OverflowError, AttributeError)
"""What reading a row raises that damage has changed."""


class Codec(NamedTuple):
    """How a field's value is stored, and read again."""

    stored: Callable[[Any], Any]
    read: Callable[[Any], Any]


class as_written:  # noqa: N801  as `suppress` is; a generator takes a microsecond more for each row
    """Reads a row inside; one that damage has changed is named, as in "The memory 1".

    Raises `CorruptStoreError` where the row is not one that we wrote.
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Name the row in the error that reading it gave."""
        if isinstance(error, _NOT_OURS):
            raise CorruptStoreError(f"{self._what} is not as it was written: {error}.") from error


def micros(at: datetime | None) -> int | None:
    """An instant as stored."""
    return None if at is None else to_micros(at)


def instant(at: int | None) -> datetime | None:
    """A stored instant."""
    return None if at is None else from_micros(at)


def json(value: Any) -> str:
    """Compact JSON text."""
    return msgspec.json.encode(value).decode()


def parse(text: str | None, empty: Any, type_: Any = Any) -> Any:
    """JSON that we wrote; `empty` where the column is null.

    Raises:
        ValueError: it is no JSON of that type.
    """
    if text is None:
        return empty
    try:
        return _decoder(type_).decode(text)
    except Exception as error:
        from recortex.lean import msgspec  # an import costs as much as decoding does

        if isinstance(error, msgspec.MsgspecError):
            raise ValueError(str(error)) from error  # noqa: TRY004
        raise


@cache
def _decoder(type_: Any) -> Any:
    return msgspec.json.Decoder(type_)


PLAIN = Codec(lambda value: value, lambda column: column)
_INSTANT = Codec(micros, instant)
_BY_ANNOTATION = {
    "datetime": _INSTANT,
    "datetime | None": _INSTANT,
    "bool": Codec(int, bool),
    "tuple[str, ...]": Codec(json, lambda column: parse(column, (), tuple[str, ...])),
    "dict[str, Any]": Codec(lambda value: json(value) if value else None, lambda column: parse(column, {})),
}


@cache
def codecs(cls: Any) -> dict[str, Codec]:
    """How each field is stored, by its annotation as it is written: resolving it would take milliseconds."""
    return {
        name: _codec(annotation)
        for base in cls.__mro__
        for name, annotation in vars(base).get("__annotations__", {}).items()
        if name in cls.__struct_fields__
    }


class _Words(dict[Any, Any]):
    """The members of an enumeration by their values: a call of the enumeration takes four times as long."""

    def __init__(self, words: Any) -> None:
        super().__init__({word.value: word for word in words})
        self._words = words

    def __missing__(self, value: Any) -> Any:
        return self._words(value)  # which raises an error that names the value


def _codec(annotation: str) -> Codec:
    words = getattr(vocabulary, annotation, None)
    if words is not None:
        return Codec(operator.attrgetter("value"), _Words(words).__getitem__)
    return _BY_ANNOTATION.get(annotation, PLAIN)


def stored(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Fields of a dataclass's instance as their columns hold them, by name."""
    of = codecs(value.__class__)
    return {name: of[name].stored(getattr(value, name)) for name in names}


def read(cls: Callable[..., T], names: Sequence[str], row: Sequence[Any]) -> T:
    """The instance whose fields `names` a row holds, in that order.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    of = codecs(cls)
    with as_written(_described(cls)):
        return cls(**{name: of[name].read(value) for name, value in zip(names, row, strict=True)})


@cache
def _described(cls: Any) -> str:
    """What a row of a class is called in errors: "A stored audit entry"."""
    return "A stored" + "".join(f" {one.lower()}" if one.isupper() else one for one in cls.__name__)
