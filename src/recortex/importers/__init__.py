"""How a memory system is declared, what is read of it, and how a path is recognised by its content.

A module of this package declares its `SOURCES`; nothing else has to know it. A source only reads: what
becomes of its rows (redaction, quarantine, idempotence) is decided by `app/memory_import.py`.
"""

from __future__ import annotations

import pkgutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from recortex.domain.vocabulary import RelationType
from recortex.engines.instructions import parse
from recortex.errors import FormatError, UntrustedFileError
from recortex.filesystem import read_regular
from recortex.importers.reading import Columns, database, head_of, is_database, loaded, parsed
from recortex.lean import Value, field

MOST_ROWS = 500_000
"""The most rows that are read of one place: they are held until all of them could be read."""


class Link(Value, frozen=True):
    """What a row says of another one of its source.

    Attributes:
        to: the other row's id.
        type: how they are related.
        words: the source's own word for it, kept as the evidence.
    """

    to: str
    type: RelationType = RelationType.RELATED
    words: str = ""


class Row(Value, frozen=True, kw_only=True):
    """One thing that a source remembers, or why it is refused.

    Attributes:
        id: the source's own id, unique within it and the same on every run.
        text: what it says.
        kind: the source's own word for what kind of thing it is; `Source.kinds` says what becomes of it.
        summary: a title, where the source has one.
        created, updated: when it was first recorded, and last changed.
        valid_from, valid_until: when it was true, where the source knows.
        files: that it is about, from the project's root or absolute; `PATH:FIRST-LAST` where it names lines.
        priority, confidence: 1 to 10, 10 is the most; 0 to 1. None where the source does not say.
        pinned: it is never to be put away.
        speaker: who said it.
        session: that it was learned in.
        project: the name or path of the project it belongs to; empty where the source does not say.
        raw: what else is worth keeping of it, small.
        refused: why it is not imported; empty where it is to be.
    """

    id: str
    text: str = ""
    kind: str = ""
    summary: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    links: tuple[Link, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    priority: int | None = None
    confidence: float | None = None
    pinned: bool = False
    speaker: str = ""
    session: str = ""
    project: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""


class Where(NamedTuple):
    """Where sources are looked for.

    Attributes:
        home: the person's home folder.
        environment: variables by which a system was told to keep its data elsewhere.
        project: the root of the project.
    """

    home: Path
    environment: Mapping[str, str]
    project: Path

    def named(self, variable: str) -> list[Path]:
        """The path that a variable names, if it is set."""
        value = self.environment.get(variable, "").strip()
        return [self.home / value[2:] if value.startswith("~/") else Path(value)] if value else []


class Seen:
    """What a path is, looked at once for all sources.

    Attributes:
        path: the file or folder.
        folder: whether it is a folder.
        head: the first bytes of a file.
        tables: of an SQLite database: the columns of each plain table.
    """

    # Each source asks for the same bytes, tables and JSON: they are read once.
    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.is_dir()
        self.head = b"" if self.folder else head_of(path)
        self.tables: Columns = {}
        if is_database(self.head):
            with database(path) as opened:
                self.tables = opened.tables

    def has(self, table: str, *columns: str) -> bool:
        """Whether it is a database with that table and at least these columns."""
        return set(columns) <= self.tables.get(table, frozenset())

    @cached_property
    def json(self) -> Any:
        """The whole file as JSON; None where it is none."""
        if self.folder or self.tables or self.head.lstrip()[:1] not in {b"{", b"["}:
            return None
        try:
            return loaded(self.path)
        except FormatError:
            return None

    @cached_property
    def first(self) -> Any:
        """The first line as JSON, of a file of JSON lines; None where it is none."""
        # Some programs write a byte order mark, which no line of JSON begins with.
        line = self.head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
        return parsed(line) if line[:1] == b"{" else None

    @cached_property
    def names(self) -> frozenset[str]:
        """What lies in the folder, at most a thousand names."""
        if not self.folder:
            return frozenset()
        # Bounded, as a folder may hold any number of files.
        return frozenset(one.name for one, _ in zip(self.path.iterdir(), range(1000), strict=False))

    def __str__(self) -> str:
        """What it looks like, in words, for the person whose file no source recognises."""
        line = self.head.decode("utf-8", "replace").strip().partition("\n")[0]
        looks: tuple[tuple[object, str], ...] = (
            (self.folder, f"a folder with {_some(self.names)}"),
            (is_database(self.head), f"an SQLite database with the tables {_some(self.tables)}"),
            (isinstance(self.json, dict), f"a JSON object with the keys {_some(self.json)}"),
            (isinstance(self.json, list), f"a JSON list, whose first entry has {_some(self._first_entry)}"),
            (self.first, f"JSON lines, the first with the keys {_some(self.first)}"),
            (not self.head, "an empty file"),
            (b"\0" in self.head, "a binary file"),
        )
        return next((words for so, words in looks if so), f"text that begins {line[:60]!r}")

    @property
    def _first_entry(self) -> Any:
        return self.json[0] if isinstance(self.json, list) and self.json else None


_SHOWN = 8


def _some(names: object) -> str:
    found = sorted(map(str, names)) if isinstance(names, Mapping | frozenset) else []
    shown = ", ".join(one[:40] for one in found[:_SHOWN])
    return f"{shown}{', …' if len(found) > _SHOWN else ''}" or "none"


Discover: TypeAlias = Callable[[Where], Iterable[Path]]
"""The places where the system keeps its data; they need not exist, and are recognised before they count."""


class Source(Value, frozen=True, kw_only=True):
    """A memory system that can be imported from.

    Attributes:
        name: as `recortex import NAME` spells it, and as the origin of what is imported says it.
        title: what people call it, with what of it this reads where it has several forms.
        recognise: whether a path is of this system, by its content.
        read: gives every row, also those it refuses; raises FormatError where the place is broken, and
            nothing of it is imported then.
        kinds: what becomes of the source's own kinds; "" stands for any other.
        discover: where it is looked for.
    """

    name: str
    title: str
    recognise: Callable[[Seen], bool]
    read: Callable[[Path], Iterator[Row]]
    kinds: Mapping[str, str]
    discover: Discover = lambda _: ()

    def kind(self, row: Row) -> str:
        """The kind of the memory that a row becomes."""
        return self.kinds.get(row.kind) or self.kinds[""]

    def rows(self, path: Path) -> list[Row]:
        """Every row of a place, read before anything is written of it.

        Raises:
            FormatError: it is broken, or has too many.
        """
        try:
            # One more than is allowed tells that there are more.
            found = list(islice(self.read(path), MOST_ROWS + 1))
        except FormatError:
            raise
        # Whatever a reader stumbles over in a file of another form, a person is told the same.
        except (ValueError, TypeError, LookupError, AttributeError, OSError, RecursionError) as error:
            raise FormatError(
                f"{path} is not what {self.title} writes: {error}.",
                hint="Nothing of it was imported. Export it again with a current version.",
            ) from error
        if len(found) > MOST_ROWS:
            raise FormatError(f"{path} has more than {MOST_ROWS:,} rows.", hint="Export a part of it.")
        return found


@cache
def sources() -> Mapping[str, Source]:
    """Every source, by its name; each module of this package that has `SOURCES` adds its own."""
    modules = (one.name for one in pkgutil.iter_modules(import_module(__package__).__path__))
    # Sorted, so that of two systems that recognise a path the same one is taken each time.
    loaded_modules = (import_module(f"{__package__}.{name}") for name in sorted(modules))
    return {one.name: one for module in loaded_modules for one in getattr(module, "SOURCES", ())}


def recognise(path: Path) -> tuple[Source | None, Seen]:
    """The system that a path is of, by its content, and what was seen.

    Raises:
        FormatError: it cannot be read.
    """
    seen = Seen(path)
    return next((one for one in sources().values() if one.recognise(seen)), None), seen


# -- looks for sources where they keep their data, and in the project


MOST_ENTRIES, DEEPEST = 20_000, 4
"""Of the project's folder: how many entries are looked at, and how deep."""
_SUFFIXES = frozenset((".db", ".sqlite", ".sqlite3", ".json", ".jsonl", ".af"))
_LEFT_OUT = frozenset(("node_modules", "venv", "dist", "build", "target", "__pycache__", "site-packages"))


def discover(where: Where, told: Callable[[str, int, int], None]) -> Iterator[tuple[Source, Path]]:
    """Every place of a known system, each once: where the systems keep their data, then in the project.

    Args:
        where: to look.
        told: of the progress.
    """
    known = list(sources().values())
    done: set[Path] = set()
    # Places of a system come before the project's files: there, only this one system is asked.
    candidates = [([one], place) for one in known for place in one.discover(where)]
    candidates += [(known, place) for place in _in_project(where.project)]
    for number, (possible, place) in enumerate(candidates, 1):
        told("looking for memories", number, len(candidates))
        try:
            # A place may be named in several ways, and lie in the project as well: it is read once.
            real = place.resolve()
            if real in done or not real.exists():
                continue
            seen = Seen(real)
            source = next((one for one in possible if one.recognise(seen)), None)
        except (FormatError, OSError):
            # Of a place that one system alone has, reading it says what is wrong; others may be anything.
            source = possible[0] if len(possible) == 1 else None
        if source:
            done.add(real)
            yield source, real


def _in_project(root: Path) -> Iterator[Path]:
    """Files of the project that may be a memory system's."""
    folders, looked = deque([(root, 0)]), 0
    while folders and looked < MOST_ENTRIES:
        folder, depth = folders.popleft()  # what lies near the root comes first, in a project of any size
        try:
            # Sorted, so that the same project gives the same order.
            entries = sorted(folder.iterdir())
        except OSError:
            continue
        for one in entries:
            looked += 1
            # A link may lead out of the project, or in a circle.
            if one.is_symlink():
                continue
            if one.is_dir():
                if depth < DEEPEST and one.name not in _LEFT_OUT and one.name != ".git":
                    folders.append((one, depth + 1))
            elif one.suffix in _SUFFIXES:
                yield one


# -- folders of Markdown that other programs keep as memory: their files, and what a document says in pieces


MOST_FILES, DEEPEST_FOLDER = 20_000, 12
MOST_BYTES = 1024 * 1024
SHORT = 400
"""Characters of a document that is one statement, whatever it looks like."""


class Document(NamedTuple):
    """A file of such a folder.

    Attributes:
        name: its path from the folder, with forward slashes and without the ending.
        text: without the mark at its beginning; None where it cannot be read as text.
        changed: when it was last written.
    """

    name: str
    text: str | None
    changed: datetime


def documents(folder: Path) -> Iterator[Document]:
    """The Markdown files of a folder and of those in it, in the order of their names. Links are not followed.

    Raises:
        FormatError: there are too many, or the folder cannot be read.
    """
    found: list[Path] = []
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        for one in here.iterdir():
            # Hidden folders hold versions and settings, such as those of git.
            if one.is_symlink() or one.name.startswith("."):
                continue
            if one.is_dir() and depth < DEEPEST_FOLDER:
                waiting.append((one, depth + 1))
            elif one.suffix == ".md":
                found.append(one)
        if len(found) + len(waiting) > MOST_FILES:
            raise FormatError(f"{folder} has more than {MOST_FILES:,} files.", hint="Name a part of it.")
    for path in sorted(found):
        try:
            # With or without a byte order mark, and with the line ends of any system.
            text = read_regular(path, MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
        except (UnicodeDecodeError, UntrustedFileError):
            text = None
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        yield Document(path.relative_to(folder).with_suffix("").as_posix(), text, changed)


UNREADABLE = "it is no text, or too large"


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """What a document says, statement by statement, each with a key that stays while its words do."""
    whole = text.strip()
    # A short note of one line is one statement: only more than that is taken apart.
    said = parse(whole).statements if len(whole) > SHORT or "\n" in whole else ()
    if not said:
        yield "", whole
        return
    yield from ((one.hash, one.text) for one in said)


def rows_of(document: Document, kind: str = "") -> Iterator[Row]:
    """A row for each statement of a document; one for it as a whole where it is refused."""
    if document.text is None or not document.text.strip():
        why = "it is empty" if document.text is not None else UNREADABLE
        yield Row(id=document.name, kind=kind, refused=why)
        return
    for key, said in pieces(document.text):
        # Its id is made of its words and not of its place: a statement that only moved is known again.
        yield Row(
            id=f"{document.name}#{key}" if key else document.name,
            text=said,
            kind=kind,
            created=document.changed,
            raw={"file": f"{document.name}.md"},
        )
