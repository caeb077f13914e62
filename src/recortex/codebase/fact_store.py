"""Facts of code on disk: one SQLite file for a project, which can be deleted at any time.

It is a cache of its own beside the store of memories, and no part of it: all in it follows from files that
anybody can read again. So it needs no migration (another version empties it), no seals, and no second form on
PostgreSQL, where teams share memories but not working trees. It is SQLite, and not a file for each blob:
thousands of small values are found by key, change together, and are read by several processes at once.

Facts are kept by the hash of a file's bytes and its grammar: worktrees, branches, renamed files share them.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from recortex.codebase.extraction import LARGEST, TOO_LONG, VENDORED, read_facts, refusal
from recortex.codebase.grammars import BUSY_MILLISECONDS, BY_ENDING, FILE_VERSION, kept, key_of
from recortex.codebase.manifests import MANIFESTS
from recortex.codebase.record_files import forget, hides, ignored_above, with_own
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular, require_own, require_own_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from recortex.codebase.record_files import Ignored
    from recortex.domain.code import FileFacts

# -- the files of code of a working tree, and which of them may have changed since they were last seen


MOST_FILES = 50_000
"""Files of code of one tree; what comes after them is left out, and counted."""
DEEPEST = 60
"""Folders within folders."""
RACE = 2_000_000_000
"""Nanoseconds: what changed so shortly before it was looked at may change again with the same time (FAT keeps
two seconds), so it is looked at again next time."""
NEVER = 0
"""A time that no file has."""
SECONDS = 60.0
"""For listing the folders of a tree; those that were not listed by then are left out, and told."""


class Seen(NamedTuple):
    """A file as it was when it was read.

    Attributes:
        key: of its facts; empty where none are kept.
        skipped: why none are.
    """

    name: str
    size: int = -1
    modified: int = NEVER
    changed: int = NEVER
    key: bytes = b""
    skipped: str = ""


class Folder(NamedTuple):
    """A folder as it was when it was listed.

    Attributes:
        modified: its time; `NEVER` where it must be listed again.
        ignores: time and size of its `.gitignore`.
        folders: names of those that are gone into.
        vendored: names of those with other people's code.
    """

    modified: int
    ignores: tuple[int, int]
    folders: tuple[str, ...]
    files: tuple[Seen, ...]
    vendored: tuple[str, ...] = ()


class Visit(NamedTuple):
    """A folder as it is now.

    Attributes:
        path: from the top of the tree, with slashes; empty for the top itself.
        folder: with the files that did not change as they were, and the others with `NEVER` as their time.
        fresh: whether it differs from what was known.
    """

    path: str
    folder: Folder
    fresh: bool


def visits(
    root: Path,
    known: Mapping[str, Folder],
    hidden: Callable[[str], bool] = lambda _: False,
    left_out: Callable[[str], None] = lambda _: None,
) -> Iterator[Visit]:
    """All folders of a tree with code in them or below.

    Args:
        root: the top of the working tree.
        known: its folders as they were seen last, by path.
        hidden: says of the name of a file or folder that it may not be kept.
        left_out: told of each folder that was not listed for want of time.
    """
    walk = _Walk(root, known, hidden)
    waiting = [("", 0, False)]
    end = time.monotonic() + SECONDS
    while waiting:
        path, depth, forced = waiting.pop()
        if time.monotonic() > end:
            left_out(path)
            continue
        found = walk.visit(path, forced=forced)
        if found is None:
            continue
        visit, anew = found
        yield visit
        if depth < DEEPEST:
            # Taken from the end, so that folders come in the order of their names.
            inner = reversed(visit.folder.folders)
            waiting += [(f"{path}/{name}" if path else name, depth + 1, anew) for name in inner]


class _Walk:
    def __init__(self, root: Path, known: Mapping[str, Folder], hidden: Callable[[str], bool]) -> None:
        self._root, self._known, self._now, self._hidden = str(root), known, time.time_ns(), hidden
        self._above: dict[str, tuple[Ignored, ...]] = {}
        self._files = 0

    def visit(self, path: str, *, forced: bool) -> tuple[Visit, bool] | None:
        """The folder, and whether all below must be listed again; None where it cannot be read."""
        place = f"{self._root}/{path}" if path else self._root
        old = self._known.get(path)
        try:
            # The top may be a link, as the person gave it; one below could lead out of the tree, or in a
            # circle.
            status = os.stat(place, follow_symlinks=path == "")  # noqa: PTH116  hot
            ignores = _signature(f"{place}/.gitignore")
            same = (
                old is not None
                and not forced
                and old.modified == status.st_mtime_ns != NEVER
                and old.ignores == ignores
            )
            folder = old if same and old is not None else self._listed(place, path, status, ignores)
        except OSError:
            return None
        # Where other files are ignored now, the folders below may have others too, although their times are
        # the same.
        anew = forced or (old is not None and old.ignores != ignores)
        files = [self._looked_at(place, one) for one in folder.files]
        self._files += len(files)
        if self._files > MOST_FILES:
            files = [one._replace(key=b"", skipped="too many files") for one in files]
        now = folder._replace(files=tuple(files))
        return Visit(path, now, now != old), anew

    def _looked_at(self, place: str, one: Seen) -> Seen:
        """A file as it was seen, or with no time where it may be another by now."""
        try:
            status = os.lstat(f"{place}/{one.name}")
        except OSError:
            return Seen(one.name, skipped="it cannot be read")
        if (one.size, one.modified, one.changed) == (
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        ):
            return one
        return Seen(one.name, status.st_size, NEVER, status.st_ctime_ns)

    def _listed(self, place: str, path: str, status: os.stat_result, ignores: tuple[int, int]) -> Folder:
        known = {one.name: one for one in self._known[path].files} if path in self._known else {}
        ignored = self._ignored(place, path)
        folders, vendored, files = [], [], []
        with os.scandir(place) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                name = entry.name
                if name.startswith(".") or not name.isprintable() or entry.is_symlink():
                    continue
                if self._hidden(name):
                    continue
                if entry.is_dir():
                    if name in VENDORED or os.path.lexists(f"{entry.path}/.git"):
                        vendored.append(name)
                    elif not hides(ignored, entry.path, folder=True):
                        folders.append(name)
                elif is_read(name) and not hides(ignored, entry.path, folder=False):
                    files.append(known.get(name) or Seen(name))
        # A folder that changed just now may change again within the same tick of its clock.
        settled = self._now - status.st_mtime_ns > RACE
        modified = status.st_mtime_ns if settled else NEVER
        return Folder(modified, ignores, tuple(folders), tuple(files), tuple(vendored))

    def _ignored(self, place: str, path: str) -> tuple[Ignored, ...]:
        if path not in self._above:
            if not path:
                self._above[path] = with_own(ignored_above(Path(place)), Path(place))
            else:
                above, _, name = path.rpartition("/")
                parent = place[: -len(name) - 1]
                self._above[path] = with_own(self._ignored(parent, above), Path(place))
        return self._above[path]


def is_read(name: str) -> bool:
    """Whether a file of this name has facts: code of our languages, or a manifest."""
    return os.path.splitext(name)[1].lower() in BY_ENDING or name in MANIFESTS  # noqa: PTH122  hot


def _signature(path: str) -> tuple[int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def as_read(place: str, one: Seen, now: int) -> Seen | None:
    """The times of a file before it is read, for what is kept of it; None where it is no regular file.

    Args:
        place: its path.
        one: what is known of it.
        now: nanoseconds since 1970; a change shortly before is not relied on.

    Raises:
        OSError: it is not there.
    """
    status = os.lstat(place)
    if not stat.S_ISREG(status.st_mode):
        return None
    settled = now - max(status.st_mtime_ns, status.st_ctime_ns) > RACE
    modified = status.st_mtime_ns if settled else NEVER
    return Seen(one.name, status.st_size, modified, status.st_ctime_ns)


# -- facts of code on disk: one SQLite file for a project, which can be deleted at any time
#
# It is a cache of its own beside the store of memories, and no part of it: all in it follows from files
# that anybody can read again. So it needs no migration (another version empties it), no seals, and no
# second form on PostgreSQL, where teams share memories but not working trees. It is SQLite, and not a file
# for each blob: thousands of small values are found by key, change together, and are read by several
# processes at once.
# Facts are kept by the hash of a file's bytes and its grammar: worktrees, branches, renamed files share
# them.


# -- a file of a working tree that changed: what is known of it now, and the facts of what it holds


def _look_at(root: Path, path: str, one: Seen) -> tuple[Seen, bytes]:
    """What is known of a file now, and its bytes where there may be facts of them."""
    place = f"{root}/{path}"
    try:
        seen = as_read(place, one, time.time_ns())
        if seen is None:
            return one._replace(skipped="no regular file"), b""
        if seen.size > LARGEST:
            return seen._replace(skipped="larger than 1 MB"), b""
        data = read_regular(Path(place), LARGEST)
    except (OSError, UntrustedFileError):
        return one._replace(skipped="it cannot be read"), b""
    if why := refusal(path, data):
        return seen._replace(skipped=why), b""
    return seen._replace(key=key_of(path, data)), data


def is_known(one: Seen) -> bool:
    """Whether a file is as it was when it was read."""
    return bool(one.modified and (one.key or one.skipped))


# -- facts of code on disk: one SQLite file for a project, which can be deleted at any time


UNUSED_DAYS = 30
"""After which facts that no tree has are deleted; until then a branch that comes back costs nothing."""
COLLECT_SECONDS = 24 * 3600
_DAY = 24 * 3600
_BATCH = 200
"""Files that are read and written at a time."""
SHORT = 6
"""Bytes of the hash of a symbol that are kept for looking it up."""
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
encode = msgspec.msgpack.Encoder().encode
_folder = msgspec.msgpack.Decoder(Folder).decode


class Place(NamedTuple):
    """Where a symbol is: in the facts with a key, by its number there."""

    key: bytes
    number: int


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
        return {path: why for path, why in self.skipped.items() if path.endswith("/") or why == TOO_LONG}


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
            # Another process may insert the row at the same time.
            self._database.execute("INSERT OR IGNORE INTO trees(root) VALUES(?)", (str(root),))
            found = self._database.execute("SELECT id FROM trees WHERE root = ?", (str(root),)).get
        number = int(found)
        rows = self._database.execute("SELECT path, seen FROM folders WHERE tree = ?", (number,))
        known = {path: _folder(seen) for path, seen in rows}
        tree, met = Tree(), set()
        changed: list[tuple[str, Folder]] = []

        def left_out(path: str) -> None:
            tree.skipped[f"{path}/"] = f"left out: listing the tree took longer than {SECONDS:.0f} s"

        for path, folder, fresh in visits(root, known, self._hidden, left_out):
            met.add(path)
            if fresh or any(not one.key and not one.skipped for one in folder.files):
                changed.append((path, folder))
            else:
                _enter(tree, path, folder)
        total, done = sum(len(folder.files) for _, folder in changed), 0
        for batch in _batches(changed):
            self._write(number, root, batch, tree)
            done += sum(len(folder.files) for _, folder in batch)
            if progress is not None and changed:
                progress("reading code", done, total)
        gone = [path for path in known if path not in met]
        before = {f"{path}/{one.name}" if path else one.name for path in known for one in known[path].files}
        tree.removed = len(before - tree.files.keys() - tree.skipped.keys())
        if gone:  # a folder that is no longer there, or that is hidden or ignored by now
            with self._database:
                self._database.executemany(
                    "DELETE FROM folders WHERE tree = ? AND path = ?", [(number, path) for path in gone]
                )
        return tree

    def _write(self, number: int, root: Path, batch: list[tuple[str, Folder]], tree: Tree) -> None:
        """Read the files of some folders and keep their facts; only for the latter the file is locked."""
        folders: list[tuple[str, Folder]] = []
        made: dict[bytes, FileFacts] = {}
        for path, folder in batch:
            files = [
                one
                if is_known(one)
                else self._read(root, f"{path}/{one.name}" if path else one.name, one, made)
                for one in folder.files
            ]
            folders.append((path, folder._replace(files=tuple(files))))
        today = int(time.time()) // _DAY
        with self._database:
            for key, facts in made.items():
                inserted = "INSERT OR IGNORE INTO facts(key, used, facts) VALUES(?, ?, ?) RETURNING id"
                fact = self._database.execute(inserted, (key, today, encode(self._clean(facts)))).get
                if fact is None:  # another process was faster
                    continue
                tree.parsed += 1
                rows = [(one.plain, fact, at, short(one.hash)) for at, one in enumerate(facts.symbols)]
                self._database.executemany("INSERT INTO defined VALUES(?, ?, ?, ?)", rows)
            for path, folder in folders:
                row = (number, path, encode(folder))
                self._database.execute("INSERT OR REPLACE INTO folders VALUES(?, ?, ?)", row)
                _enter(tree, path, folder)

    def _read(self, root: Path, path: str, one: Seen, made: dict[bytes, FileFacts]) -> Seen:
        """A file as it is now; its facts are added to `made` where they are new."""
        # The times are taken before the bytes: a change in between is noticed by the next refresh.
        seen, data = _look_at(root, path, one)
        if seen.skipped or seen.key in made:
            return seen
        # Another tree, branch or name of the file may have brought its facts already.
        if self._database.execute("SELECT 1 FROM facts WHERE key = ?", (seen.key,)).get:
            return seen
        facts = read_facts(path, data)
        if facts is None or facts.skipped:
            return seen._replace(key=b"", skipped=facts.skipped if facts else "no code")
        made[seen.key] = facts
        return seen

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


def _batches(changed: list[tuple[str, Folder]]) -> Iterator[list[tuple[str, Folder]]]:
    """Folders with some `_BATCH` files together."""
    batch: list[tuple[str, Folder]] = []
    count = 0
    for path, folder in changed:
        batch.append((path, folder))
        count += len(folder.files)
        if count >= _BATCH:
            yield batch
            batch, count = [], 0
    yield batch


def short(hash_: str) -> bytes:
    """The beginning of a hash, by which symbols are looked up; what is found is compared as a whole."""
    return bytes.fromhex(hash_[: 2 * SHORT])


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
        # Several processes read while one writes, and a cache may lose its last transaction with the power.
        database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").fetchall()
    except BaseException:
        database.close(force=True)
        raise
    return database


def _remake(database: apsw.Connection, version: int) -> None:
    """Empty a file of another version, and make the tables; nothing of what was in it stays in its bytes."""
    database.execute("PRAGMA secure_delete = ON").fetchall()
    # It can be set only before there is a table.
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
