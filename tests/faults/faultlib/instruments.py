"""What breaks a process from within.

A trace that kills it at a statement, and a file system that fails, tears or forgets.
"""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

import errno
import os
import random
import signal
from pathlib import Path
from typing import Any

import apsw

BOUNDARIES = apsw.SQLITE_TRACE_STMT | apsw.SQLITE_TRACE_PROFILE
"""Before each statement (those of triggers too), and after it."""

ENDS = {"COMMIT", "ROLLBA", "PRAGMA", "VACUUM", "REINDE"}
"""How statements begin that end a transaction, or are one by themselves."""


def die() -> None:
    """As the system's out-of-memory killer does it."""
    os.kill(os.getpid(), signal.SIGKILL)


class Statements:
    """Counts statement boundaries from `armed` on, and kills at one of them.

    Counted are those before each statement that writes, those of triggers among them, and those before and
    after each that ends a transaction: between two of them, however much is read, the store is the same.
    """

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.armed = False
        self.seen = 0
        apsw.connection_hooks.append(lambda connection: connection.trace_v2(BOUNDARIES, self._at, id=self))

    def _at(self, event: dict[str, Any]) -> None:
        ends = event["sql"][:6].upper() in ENDS
        before = event["code"] == apsw.SQLITE_TRACE_STMT
        if not self.armed or not (ends or (before and not event["readonly"])):
            return
        self.seen += 1
        if self.seen == self.at:
            die()


class Disk(apsw.VFS):
    """The system's files, of which some writes go wrong.

    Args:
        how: count: nothing goes wrong; kill: the process dies before the nth call; tear: it dies in the
            middle of the nth write; full: no byte fits beyond `at` bytes; short: as full, and what fits of
            a write is written;
            error: the nth call fails; cut: the process dies at the nth call, and of what was not yet
                synced a part is
            forgotten, file by file; readonly: every write is refused.
        at: see `how`.
        seed: for the choice of what is forgotten.
        lasting: whether calls after the first failure fail too.
    """

    def __init__(self, how: str, at: int, seed: int, *, lasting: bool = True) -> None:
        super().__init__("faulty", "unix", makedefault=True)
        self.how, self.at, self.lasting = how, at, lasting
        self.chance = random.Random(seed)
        self.armed = False
        self.calls = 0
        self.bytes = 0
        self.failed = False
        self.unsynced: dict[str, list[tuple[int, bytes, int]]] = {}

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802
        return _File(self, name, flags)

    def call(self, size: int = 0) -> bool:
        """Whether a call is to fail now."""
        if not self.armed:
            return False
        self.calls += 1
        self.bytes += size
        if self.failed and self.lasting:
            return True
        if self.how in {"full", "short"}:
            self.failed = self.bytes > self.at
            return self.failed
        self.failed = self.calls == self.at or self.how == "readonly"
        return self.failed

    def forget(self) -> None:
        """Undo a part of what no sync has made sure of.

        The latest writes of each file, the last of them perhaps half.
        """
        for path, writes in self.unsynced.items():
            keep = self.chance.randint(0, len(writes))
            if not writes[keep:] or not Path(path).exists():
                continue
            handle = os.open(path, os.O_RDWR)
            for offset, former, size in reversed(writes[keep:]):
                os.pwrite(handle, former, offset)
                os.ftruncate(handle, size)
            os.close(handle)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        disk = self._disk
        if disk.call(len(data)):
            self._fail(data, offset)
        if disk.how == "cut" and self._path:
            self._note(len(data), offset)
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        if self._disk.call():
            self._fail(b"", 0)
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._disk.call():
            self._fail(b"", 0)
        super().xSync(flags)
        self._disk.unsynced.pop(self._path, None)

    def _note(self, length: int, offset: int) -> None:
        size = self.xFileSize()
        former = self.xRead(min(length, size - offset), offset) if offset < size else b""
        self._disk.unsynced.setdefault(self._path, []).append((offset, former, size))

    def _fail(self, data: bytes, offset: int) -> None:
        disk = self._disk
        if disk.how == "cut":
            disk.forget()
        if disk.how in {"tear", "short"} and data:
            super().xWrite(data[: disk.chance.randrange(len(data))], offset)
        if disk.how in {"kill", "tear", "cut"}:
            die()
        if disk.how in {"full", "short"}:
            raise apsw.FullError(os.strerror(errno.ENOSPC))
        if disk.how == "readonly":
            raise apsw.ReadOnlyError(os.strerror(errno.EROFS))
        raise apsw.IOError(os.strerror(errno.EIO))
