"""Facts of code on disk: one SQLite file for a project, which can be deleted at any time.

It is a cache of its own beside the store of memories, and no part of it: all in it follows from files that
anybody can read again. So it needs no migration (another version empties it), no seals, and no second form on
PostgreSQL, where teams share memories but not working trees. It is SQLite, and not a file for each blob:
thousands of small values are found by key, change together, and are read by several processes at once.

Facts are kept by the hash of a file's bytes and its grammar: worktrees, branches, renamed files share them.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from recortex.codebase.record_files import forget
from recortex.codebase.syntax.kept_facts import BUSY_MILLISECONDS, FILE_VERSION, decode, kept, key_of
from recortex.codebase.syntax.making import at_once, encode, short
from recortex.codebase.syntax.working_tree import LARGEST, SECONDS, SLOW, Folder, as_read, refusal, visits
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular, require_own, require_own_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.codebase.syntax.making import Made
    from recortex.codebase.syntax.working_tree import Seen
    from recortex.domain.code import FileFacts

    Read = Callable[[str, bytes], Callable[[], Made]]


# -- the files of a working tree that changed, read: what is known of each now, and what is to be kept


SMALLEST = 4 * 1024 * 1024
"""Bytes of code from which on processes are started: some 120,000 lines, of which one process takes 2.5 s
(bench/code_facts.py)."""
MOST = 4
"""Processes: each takes up to 150 MB."""


class Looked(NamedTuple):
    """A file that was looked at.

    Attributes:
        seen: what is known of it.
        made: waits for what is to be kept of it; None where nothing is, or it is kept already.
    """

    seen: Seen
    made: Callable[[], Made] | None = None


class Reader:
    """Reads the files of a tree.

    Args:
        root: its top folder.
        read: makes what is to be kept of a file.
        has: whether the facts with a key are kept already.
    """

    def __init__(self, root: Path, read: Read, has: Callable[[bytes], bool]) -> None:
        self._root, self._read, self._has = str(root), read, has
        self._making: dict[bytes, Callable[[], Made]] = {}

    def folder(self, path: str, folder: Folder) -> Iterator[Looked]:
        """The files of a folder."""
        for one in folder.files:
            name = f"{path}/{one.name}" if path else one.name
            yield Looked(one) if is_known(one) else self._file(name, one)

    def forget(self, files: Iterable[Looked]) -> None:
        """What was made of files is kept now, or was left out."""
        for one in files:
            self._making.pop(one.seen.key, None)

    def _file(self, path: str, one: Seen) -> Looked:
        place = f"{self._root}/{path}"
        try:
            seen = as_read(place, one, time.time_ns())
            if seen is None:
                return Looked(one._replace(skipped="no regular file"))
            if seen.size > LARGEST:
                return Looked(seen._replace(skipped="larger than 1 MB"))
            data = read_regular(Path(place), LARGEST)
        except (OSError, UntrustedFileError):
            return Looked(one._replace(skipped="it cannot be read"))
        if why := refusal(path, data):
            return Looked(seen._replace(skipped=why))
        key = key_of(path, data)
        if self._has(key):
            return Looked(seen._replace(key=key))
        if key not in self._making:
            self._making[key] = self._read(path, data)
        return Looked(seen._replace(key=key), self._making[key])


@contextmanager
def reading(size: int) -> Iterator[Read]:
    """A function that reads a file, given its path and its bytes, and returns what waits for the result.

    Args:
        size: bytes of all files that may have to be read: of much, several processes read.
    """
    count = min(_cores(), MOST)
    if size < SMALLEST or count < 2 or not sys.executable:  # noqa: PLR2004
        yield at_once
        return
    from recortex.codebase.syntax.parallel import Readers

    readers = Readers(count)
    try:
        yield readers.read
    finally:
        readers.close()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_known(one: Seen) -> bool:
    """Whether a file is as it was when it was read."""
    return bool(one.modified and (one.key or one.skipped))


# -- facts of code on disk: one SQLite file for a project, which can be deleted at any time


UNUSED_DAYS = 30
"""After which facts that no tree has are deleted; until then a branch that comes back costs nothing."""
COLLECT_SECONDS = 24 * 3600
_DAY = 24 * 3600
_BATCH = 200
_TABLES = """
CREATE TABLE facts(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used INTEGER NOT NULL,
    facts BLOB NOT NULL);
CREATE TABLE defined(name TEXT NOT NULL, fact INTEGER NOT NULL, place INTEGER NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY(name, fact, place)) WITHOUT ROWID;
CREATE INDEX defined_hash ON defined(hash);
CREATE TABLE trees(id INTEGER PRIMARY KEY, root TEXT NOT NULL UNIQUE);
CREATE TABLE folders(tree INTEGER NOT NULL, path TEXT NOT NULL, seen BLOB NOT NULL,
    PRIMARY KEY(tree, path)) WITHOUT ROWID;
CREATE TABLE collected(at INTEGER NOT NULL);
"""
_folder = msgspec.msgpack.Decoder(Folder).decode


class Place(NamedTuple):
    """Where a symbol is: in the facts with a key, by its number there."""

    key: bytes
    number: int


class _Looked(NamedTuple):
    path: str
    folder: Folder
    files: list[Looked]


@dataclass(slots=True)
class Tree:
    """A working tree as it is now.

    Attributes:
        files: the keys of the facts of its files, by path.
        skipped: files without facts, by path, and why.
        vendored: folders that were not gone into.
        parsed, removed: files whose facts were made just now, and that are no longer there.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    vendored: list[str] = field(default_factory=list)
    parsed: int = 0
    removed: int = 0

    @property
    def slow(self) -> dict[str, str]:
        """The files and folders among `skipped` that were left out since reading them took too long."""
        return {path: why for path, why in self.skipped.items() if path.endswith("/") or why in SLOW}


class FactStore:
    """Facts of the working trees of a project.

    Args:
        path: of the file; it is made, and made anew where it is damaged or of another version. None keeps
            them in memory, for as long as the store is open.
        hidden: says of the name of a file or folder that it may not be kept, since it holds a secret.
        clean: takes secrets out of facts before they are written.

    Raises:
        UntrustedFileError: the file, or its folder, is another user's or a link.
        OSError: the folder cannot be made.
    """

    def __init__(
        self,
        path: Path | None,
        hidden: Callable[[str], bool] = lambda _: False,
        clean: Callable[[FileFacts], FileFacts] = lambda facts: facts,
    ) -> None:
        self._path, self._hidden, self._clean = path, hidden, clean
        if path is None:
            self._database = _opened(None)
            return
        require_own_folder(path.parent)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_own(path)
        try:
            self._database = _opened(path)
        except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError):
            forget(path)
            self._database = _opened(path)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def refresh(self, root: Path, progress: Callable[[str, int, int], None] | None = None) -> Tree:
        """Bring what is known of a working tree up to date.

        Args:
            root: its top folder.
            progress: told what is done, how much of it, and how much there is.
        """
        found = self._database.execute("SELECT id FROM trees WHERE root = ?", (str(root),)).get
        if found is None:
            self._database.execute("INSERT OR IGNORE INTO trees(root) VALUES(?)", (str(root),))
            found = self._database.execute("SELECT id FROM trees WHERE root = ?", (str(root),)).get
        number = int(found)
        rows = self._database.execute("SELECT path, seen FROM folders WHERE tree = ?", (number,))
        known = {path: _folder(seen) for path, seen in rows}
        tree, met = Tree(), set()
        changed: list[tuple[str, Folder, bool]] = []

        def left_out(path: str) -> None:
            tree.skipped[f"{path}/"] = f"left out: listing the tree took longer than {SECONDS:.0f} s"

        for path, folder, fresh in visits(root, known, self._hidden, left_out):
            met.add(path)
            if fresh or any(not one.key and not one.skipped for one in folder.files):
                changed.append((path, folder, fresh))
            else:
                _enter(tree, path, folder)
        self._read_changed(root, number, changed, tree, progress)
        gone = [path for path in known if path not in met]
        before = {f"{path}/{one.name}" if path else one.name for path in known for one in known[path].files}
        tree.removed = len(before - tree.files.keys() - tree.skipped.keys())
        if gone:
            with self._database:
                self._database.executemany(
                    "DELETE FROM folders WHERE tree = ? AND path = ?", [(number, path) for path in gone]
                )
        return tree

    def _read_changed(
        self,
        root: Path,
        number: int,
        changed: list[tuple[str, Folder, bool]],
        tree: Tree,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        if not changed:
            return
        total, done = sum(len(folder.files) for _, folder, _ in changed), 0
        size = sum(one.size for _, folder, _ in changed for one in folder.files if not is_known(one))
        with reading(size) as read:
            reader, looked = Reader(root, read, self._has), list[_Looked]()
            for batch in _batches(changed):
                before = looked  # is written while the next is read
                looked = [_Looked(path, folder, [*reader.folder(path, folder)]) for path, folder in batch]
                self._write(number, before, tree)
                reader.forget(file for one in before for file in one.files)
                done += sum(len(one.files) for one in before)
                if progress is not None:
                    progress("reading code", done, total)
            self._write(number, looked, tree)
        if progress is not None:
            progress("reading code", total, total)

    def _write(self, number: int, looked: list[_Looked], tree: Tree) -> None:
        """Keep what was read of folders; it is waited for before the file of facts is locked."""
        made = {seen.key: made() for one in looked for seen, made in one.files if made is not None}
        with self._database:
            for key, one in made.items():
                if not one.skipped:
                    tree.parsed += self._put(key, one)
            for path, folder, files in looked:
                now = folder._replace(files=tuple(_settled(seen, made.get(seen.key)) for seen, _ in files))
                self._database.execute(
                    "INSERT OR REPLACE INTO folders VALUES(?, ?, ?)", (number, path, encode(now))
                )
                _enter(tree, path, now)

    def _put(self, key: bytes, made: Made) -> bool:
        """Keep facts; whether nobody else had."""
        today = int(time.time()) // _DAY
        inserted = "INSERT OR IGNORE INTO facts(key, used, facts) VALUES(?, ?, ?) RETURNING id"
        clean = encode(self._clean(decode(made.facts)))
        number = self._database.execute(inserted, (key, today, clean)).get
        rows = [(name, number, place, hash_) for place, (name, hash_) in enumerate(made.symbols)]
        if number is not None:
            self._database.executemany("INSERT INTO defined VALUES(?, ?, ?, ?)", rows)
        return number is not None

    def _has(self, key: bytes) -> bool:
        return bool(self._database.execute("SELECT 1 FROM facts WHERE key = ?", (key,)).get)

    def facts(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, FileFacts]]:
        """Facts by their keys, one after the other; what another process deleted meanwhile is left out."""
        yield from kept(self._database, keys)

    def files(self, root: Path) -> dict[str, bytes]:
        """The keys of the facts of a tree's files by path, as they were when it was last refreshed."""
        number = self._database.execute("SELECT id FROM trees WHERE root = ?", (str(root),)).get
        rows = self._database.execute("SELECT path, seen FROM folders WHERE tree = ?", (number,))
        tree = Tree()
        for path, seen in rows:
            _enter(tree, path, _folder(seen))
        return tree.files

    def defining(self, names: Iterable[str]) -> list[Place]:
        """Where symbols with plain names are defined, in whatever tree."""
        return self._places("SELECT key, place FROM defined JOIN facts ON id = fact WHERE name = ?", names)

    def alike(self, hashes: Iterable[str]) -> list[Place]:
        """Where symbols with hashes are, in whatever tree; of some, by chance, with another hash."""
        found = "SELECT key, place FROM defined JOIN facts ON id = fact WHERE hash = ?"
        return self._places(found, map(short, hashes))

    def _places(self, query: str, values: Iterable[object]) -> list[Place]:
        return [Place(*row) for value in values for row in self._database.execute(query, (value,))]

    def bytes(self) -> int:
        """Of the file."""
        return self._path.stat().st_size if self._path else 0

    def collect(self, *, everything: bool = False) -> int:
        """Delete the trees that are gone, and facts that none has had for a month; at most once a day.

        Args:
            everything: now, and also facts that were used today.

        Returns how many facts were deleted.
        """
        now = int(time.time())
        last = self._database.execute("SELECT max(at) FROM collected").get or 0
        if not everything and now - last < COLLECT_SECONDS:
            return 0
        today = now // _DAY
        with self._database:
            self._database.execute("DELETE FROM collected")
            self._database.execute("INSERT INTO collected VALUES(?)", (now,))
            for number, root in list(self._database.execute("SELECT id, root FROM trees")):
                if not os.path.isdir(root):  # noqa: PTH112
                    self._database.execute("DELETE FROM folders WHERE tree = ?", (number,))
                    self._database.execute("DELETE FROM trees WHERE id = ?", (number,))
            seen = self._database.execute("SELECT seen FROM folders")
            used = {one.key for (row,) in seen for one in _folder(row).files if one.key}
            self._database.executemany(
                "UPDATE facts SET used = ? WHERE key = ?", [(today, key) for key in used]
            )
            before = today + 1 if everything else today - UNUSED_DAYS
            old = self._database.execute("SELECT key FROM facts WHERE used < ?", (before,))
            gone = [(key,) for (key,) in old if key not in used]
            self._database.executemany("DELETE FROM facts WHERE key = ?", gone)
            if gone:
                self._database.execute("DELETE FROM defined WHERE fact NOT IN (SELECT id FROM facts)")
        if gone:
            self._database.execute("PRAGMA incremental_vacuum").fetchall()
        return len(gone)


def _batches(changed: list[tuple[str, Folder, bool]]) -> Iterator[list[tuple[str, Folder]]]:
    """Folders with some `_BATCH` files together."""
    batch, count = list[tuple[str, Folder]](), 0
    for path, folder, _ in changed:
        batch.append((path, folder))
        count += len(folder.files)
        if count >= _BATCH:
            yield batch
            batch, count = [], 0
    yield batch


def _settled(seen: Seen, made: Made | None) -> Seen:
    """A file as it is kept: without a key where it was left out."""
    return seen._replace(key=b"", skipped=made.skipped) if made is not None and made.skipped else seen


def _enter(tree: Tree, path: str, folder: Folder) -> None:
    before = f"{path}/" if path else ""
    for one in folder.files:
        if one.key:
            tree.files[before + one.name] = one.key
        else:
            tree.skipped[before + one.name] = one.skipped
    tree.vendored += [before + name for name in folder.vendored]


@contextmanager
def kept_on_disk() -> Iterator[None]:
    """Raise an error of the system where the disk is full, or may only be read.

    Raises:
        OSError: it is.
    """
    try:
        yield
    except (apsw.FullError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError) as error:
        raise OSError(str(error)) from error


def _opened(path: Path | None) -> apsw.Connection:
    database = apsw.Connection(str(path or ":memory:"))
    try:
        if path:
            with suppress(OSError):
                path.chmod(0o600)
        database.set_busy_timeout(BUSY_MILLISECONDS)
        if database.execute("PRAGMA user_version").get != FILE_VERSION:
            _remake(database, FILE_VERSION)
        database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").fetchall()
    except BaseException:
        database.close(force=True)
        raise
    return database


def _remake(database: apsw.Connection, version: int) -> None:
    """Empty a file of another version, and make the tables; nothing of what was in it stays in its bytes."""
    database.execute("PRAGMA secure_delete = ON").fetchall()
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.execute("BEGIN IMMEDIATE")
    try:
        if database.execute("PRAGMA user_version").get != version:  # no other process was faster
            names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for (name,) in list(names):
                database.execute(f'DROP TABLE "{name}"')
            database.execute(_TABLES)
            database.execute(f"PRAGMA user_version = {version}")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise
