"""Checks a file's type, owner and size before a byte of it is read or a program opens it by name.

A link, a pipe or a device where a file is expected, or a file of another user, is refused: `/dev/zero` behind
a link would otherwise be read until memory ends, and another user's file would be believed. Used by hooks:
nothing heavy is imported. Here too: a lock that only one process holds.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from recortex.errors import UntrustedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
ROOT = 0


def read_own(path: Path, most: int, *, links: bool = False) -> bytes:
    """The bytes of a regular file that belongs to this user (or to root).

    Args:
        path: the file.
        most: its largest size in bytes.
        links: follow a symbolic link; what it leads to must be such a file.

    Raises:
        UntrustedFileError: it is a link, no regular file, another user's, or larger.
        OSError: it is not there, or cannot be read.
    """
    return _read(path, most, own=True, links=links)


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a regular file, whoever owns it and however it is reached: for a repository's own files.

    Raises:
        UntrustedFileError: it is no regular file, or larger than `most` bytes.
        OSError: it is not there, or cannot be read.
    """
    return _read(path, most, own=False, links=True)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file of whatever size and owner for reading, such as a transcript.

    A link to one is followed.

    Raises:
        UntrustedFileError: it is something else, such as a pipe or a device, which might never end.
        OSError: it is not there, or cannot be read.
    """
    file = os.fdopen(_opened(path, links=True), "rb")
    try:
        _check(path, os.fstat(file.fileno()), most=None, own=False)
    except BaseException:
        file.close()
        raise
    return file


def append_own(path: Path, text: str, most: int) -> None:
    """Add a text to a file of this user's, mode 0600; one of more than `most` bytes is emptied first.

    Raises:
        UntrustedFileError: it is a link, no regular file, or another user's.
        OSError: it cannot be written.
    """
    require_own(path)
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0) as file:
        _check(path, os.fstat(file.fileno()), most=None, own=True)
        if os.fstat(file.fileno()).st_size > most:
            file.truncate(0)
        file.write(text.encode("utf-8", "replace"))


def require_own(path: Path) -> None:
    """Refuse a link, anything but a regular file, and another user's file; what is not there passes.

    For what another library opens by its name, such as a database.

    Raises:
        UntrustedFileError: it is one of those.
    """
    with suppress(FileNotFoundError):
        _check(path, path.lstat(), most=None, own=True)


def require_own_folder(path: Path) -> None:
    """Refuse a link and another user's folder; what is not there passes.

    Raises:
        UntrustedFileError: it is one of those.
    """
    with suppress(FileNotFoundError):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise _refused(path, "is a symbolic link")
        _check_owner(path, status)


def _read(path: Path, most: int, *, own: bool, links: bool) -> bytes:
    with os.fdopen(_opened(path, links=links), "rb", buffering=0) as file:
        _check(path, os.fstat(file.fileno()), most=most, own=own)
        data = file.read(most + 1)
    if len(data) > most:  # it grew meanwhile, or tells no size, as the files of /proc
        raise _too_large(path, most)
    return data


def _opened(path: Path, *, links: bool) -> int:
    try:
        return os.open(path, _FLAGS | (0 if links else _NO_LINK))
    except OSError:
        if not links and path.is_symlink():
            raise _refused(path, "is a symbolic link") from None
        raise


def _check(path: Path, status: os.stat_result, *, most: int | None, own: bool) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _refused(path, "is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise _refused(path, "is no regular file")
    if own:
        _check_owner(path, status)
    if most is not None and status.st_size > most:
        raise _too_large(path, most)


def _check_owner(path: Path, status: os.stat_result) -> None:
    if os.name == "posix" and status.st_uid not in {os.geteuid(), ROOT}:
        raise _refused(path, "belongs to another user")


def replace_text(path: Path, text: str) -> None:
    """Write a file through a temporary one beside it, so that no reader ever sees half of it. Mode 0600.

    Raises:
        OSError: it cannot be written.
    """
    replace_bytes(path, text.encode("utf-8", "replace"), 0o600)


def replace_bytes(path: Path, data: bytes, mode: int) -> None:
    """The same for bytes and another mode, from which the user's mask is taken.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with suppress(FileNotFoundError):
        part.unlink()
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def _too_large(path: Path, most: int) -> UntrustedFileError:
    return _refused(path, f"is larger than {most:,} bytes")


def _refused(path: Path, why: str) -> UntrustedFileError:
    return UntrustedFileError(f"{path} {why}: it is not opened.")


# -- one process at a time: a lock that the operating system takes back when its holder dies


_POLL = 0.01  # seconds between two tries


@contextmanager
def alone(path: Path, *, patience: float = 0.0) -> Iterator[bool]:
    """Hold the lock of a file while inside; False where another process holds it for longer than `patience`.

    The file stays; it says which process has the lock, for people: nothing depends on that.

    Args:
        path: the lock's file, made when it is not there.
        patience: seconds to wait.

    Raises:
        OSError: the file cannot be made, or is a symbolic link.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        held = _acquire(handle, time.monotonic() + patience)
        if held:
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        yield held
    finally:
        os.close(handle)


def _acquire(handle: int, deadline: float) -> bool:
    while not _try_lock(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)
    return True


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
