"""Reads other programs' databases and JSON files without changing, trusting or being overwhelmed by them."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from recortex.domain.text import parse_instant
from recortex.errors import FormatError, RecortexError
from recortex.filesystem import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import apsw

HEAD = 65_536
"""The bytes of a file by which it is recognised."""
MOST_JSON = 256 * 1024 * 1024
MOST_DATABASE = 4 * 1024 * 1024 * 1024
MOST_CELL = 4 * 1024 * 1024
"""The most bytes of one value of a database: none of the systems writes near as much for one memory."""
MOST_LINE = 4 * 1024 * 1024
_MAGIC = b"SQLite format 3\0"
_TRIES = 3

Columns: TypeAlias = "Mapping[str, frozenset[str]]"
"""The columns of each table."""


def head_of(path: Path) -> bytes:
    """The first bytes of a file.

    Raises:
        FormatError: it cannot be read.
    """
    try:
        with open_regular(path) as file:
            return file.read(HEAD)
    except (OSError, RecortexError) as error:
        raise unreadable(path, error) from error


def is_database(head: bytes) -> bool:
    """Whether a file that begins so is an SQLite database."""
    return head.startswith(_MAGIC)


def unreadable(path: Path, why: object) -> FormatError:
    """The error of a file that cannot be read."""
    return FormatError(f"{path} cannot be read: {why}.", hint="Check the path and the file.")


# -- SQLite


class Database:
    """An SQLite database, read only.

    Attributes:
        tables: the columns of each plain table: no views and no virtual tables, which would run code.
    """

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection, self._path = connection, path
        found = self._all(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        # Reading a virtual table runs code of its module.
        plain = [str(name) for name, sql in found if not str(sql).upper().startswith("CREATE VIRTUAL")]
        self.tables: Columns = {
            name: frozenset(str(one) for (one,) in self._all("SELECT name FROM pragma_table_info(?)", name))
            # Bounded: the database of a stranger may have any number of tables.
            for name in plain[:1000]
        }

    def rows(self, table: str, columns: Sequence[str], order: str = "") -> Iterator[dict[str, Any]]:
        """The rows of a table; a column that it does not have is None in each.

        Args:
            table: one of `tables`.
            columns: that are wanted.
            order: the column by which they are sorted.
        """
        # Older and newer versions of a program lack some of the columns.
        here = [one for one in columns if one in self.tables[table]]
        wanted = ", ".join(map(_quoted, here)) or "NULL"
        sorted_by = f" ORDER BY {_quoted(order)}" if order in self.tables[table] else ""
        empty = dict.fromkeys(columns)
        for values in self._all(f"SELECT {wanted} FROM {_quoted(table)}{sorted_by}"):  # noqa: S608  quoted
            yield empty | dict(zip(here, values, strict=False))

    def _all(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        import apsw

        try:
            yield from self._connection.execute(sql, values)
        except (apsw.Error, UnicodeDecodeError) as error:
            raise FormatError(
                f"The database {self._path} cannot be read: {error}.",
                hint="Nothing of it was imported. Check it with `sqlite3 FILE 'PRAGMA integrity_check'`.",
            ) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def database(path: Path) -> Iterator[Database]:
    """Open a database to read it.

    One in WAL mode is copied with its log first: to open it where it lies would write beside it.

    Raises:
        FormatError: it cannot be opened.
    """
    import apsw

    with tempfile.TemporaryDirectory(prefix="recortex-import-") as folder:
        try:
            if path.stat().st_size > MOST_DATABASE:
                raise FormatError(f"{path} is larger than {MOST_DATABASE:,} bytes.", hint="Export a part.")
            # The bytes 18 and 19 of SQLite's header are 2 where the file is in WAL mode.
            wal = head_of(path)[18:20] == b"\x02\x02"
            opened = _copied(path, Path(folder)) if wal else path
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            if wal:  # the copy's log is folded in by who may write
                flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
            uri = opened.absolute().as_uri()
            connection = apsw.Connection(uri if wal else f"{uri}?mode=ro", flags=flags)
        except (apsw.Error, OSError) as error:
            raise unreadable(path, error) from error
        try:
            # The program that the database belongs to may be writing.
            connection.set_busy_timeout(5_000)
            # A value beyond it is an error of SQLite's, before it takes memory.
            connection.limit(apsw.SQLITE_LIMIT_LENGTH, MOST_CELL)
            # The schema is another program's or a stranger's: what it holds may call nothing with an effect.
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            yield Database(connection, path)
        finally:
            connection.close()


def _copied(path: Path, folder: Path) -> Path:
    """A copy with its log; made again where somebody wrote meanwhile."""
    copy = folder / "copy.db"
    log = path.with_name(f"{path.name}-wal")
    # A copy made while somebody writes may mix two states of the file and its log.
    for _ in range(_TRIES):
        before = _state(path), _state(log)
        shutil.copyfile(path, copy)
        copied_log = folder / "copy.db-wal"
        # The log of an earlier attempt would belong to another state of the file.
        copied_log.unlink(missing_ok=True)
        if log.is_file():
            shutil.copyfile(log, copied_log)
        if (_state(path), _state(log)) == before:
            return copy
    raise FormatError(f"{path} is being written.", hint="End the program that uses it, and try again.")


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return found.st_size, found.st_mtime_ns


# -- JSON


def loaded(path: Path) -> Any:
    """A file as JSON.

    Raises:
        FormatError: it is none, or too large.
    """
    try:
        with open_regular(path) as file:
            # One byte more than is allowed tells that there is more.
            data = file.read(MOST_JSON + 1)
    except (OSError, RecortexError) as error:
        raise unreadable(path, error) from error
    if len(data) > MOST_JSON:
        raise FormatError(f"{path} is larger than {MOST_JSON:,} bytes.", hint="Split it.")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{path} is no JSON: {error}.", hint="Nothing of it was imported. Export it again."
        ) from error


def parsed(line: bytes) -> Any:
    """A line as JSON; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The lines of a file as JSON, each with its number; one that is none is None. Empty lines are left out.

    Raises:
        FormatError: it cannot be read.
    """
    try:
        with open_regular(path) as file:
            number = 0
            # Read with a bound, as a file without line ends is one line of any size.
            while line := file.readline(MOST_LINE + 1):
                number += 1
                if len(line) > MOST_LINE:
                    raise FormatError(f"{path}: line {number} is longer than {MOST_LINE:,} bytes.")
                if line.strip():
                    yield number, parsed(line.lstrip(b"\xef\xbb\xbf"))
    except OSError as error:
        raise unreadable(path, error) from error


# -- values


_EARLIEST, _LATEST = 0, 4_102_444_800
"""1970 to 2100: anything else is no time that a memory was written at."""
_MILLISECONDS = 100_000_000_000


def when(value: Any) -> datetime | None:
    """A time as systems write it: seconds or milliseconds since 1970, or ISO 8601; None if it is neither.

    A time without a zone is taken as UTC.
    """
    if isinstance(value, str):
        text = value.strip()
        try:
            value = float(text)
        except ValueError:
            try:
                found = parse_instant(text)
            except RecortexError:
                return None
            value = found.timestamp()
    # In Python, True is a number as well.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    # Seconds have so many digits only from the year 5138 on: these are milliseconds.
    seconds = value / 1000 if abs(value) > _MILLISECONDS else value
    if not _EARLIEST < seconds < _LATEST:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def words(value: Any) -> str:
    """A text; empty where it is none, such as a number, null or bytes."""
    return value.strip() if isinstance(value, str) else ""


def listed(value: Any) -> tuple[str, ...]:
    """The texts of a list, which may stand as JSON in a text; commas separate those of any other text."""
    if isinstance(value, str):
        # Some systems keep a list as JSON in a column of text.
        inside = parsed(value.encode()) if value.lstrip()[:1] in {"[", "{"} else None
        value = inside if inside is not None else value.split(",")
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(one.strip() for one in value if isinstance(one, str) and one.strip()))


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, which may stand as JSON in a text; empty where it is none."""
    found = parsed(value.encode()) if isinstance(value, str) and value.lstrip()[:1] == "{" else value
    return found if isinstance(found, dict) else {}


_LARGEST = 1e15
"""JSON of the store holds integers of 64 bits."""


def share(value: Any) -> float | None:
    """A number from 0 to 1; None where it is none."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if number else None


def priority(value: Any, levels: str) -> int | None:
    """A priority as of a memory; `levels` are the source's own signs, the most urgent first."""
    sign = str(value).upper().removeprefix("P")
    place = levels.find(sign) if len(sign) == 1 else -1
    # Steps of two: from 9 down to 1 for five levels.
    return None if place < 0 else 9 - 2 * place


def small(**values: Any) -> dict[str, Any]:
    """What is kept of a row beside its text: what is not empty of short texts, numbers and lists of them."""
    kept = {name: _shortened(value) for name, value in values.items()}
    return {name: value for name, value in kept.items() if value not in (None, "", [], {})}


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value[:500]
    if isinstance(value, list | tuple):
        return [one for one in map(_shortened, value[:20]) if isinstance(one, str | int | float)]
    if isinstance(value, dict):
        return {str(name)[:80]: _shortened(one) for name, one in list(value.items())[:20] if _plain(one)}
    return value if isinstance(value, int | float | bool) and _finite(value) else None


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | bool) or (isinstance(value, float) and _finite(value))


def _finite(value: float) -> bool:
    return math.isfinite(value) and abs(value) < _LARGEST
