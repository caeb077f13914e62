"""Reads and writes a client's file: it is backed up, and never overwritten if it changed meanwhile."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.errors import ConfigError, FormatError, PermissionsError, RecortexError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

MARK = ".recortex-backup-"
KEPT = 3
"""How many backups of a file stay."""
LARGEST = 64_000_000
"""Bytes of a file; no client's settings are nearly as large."""


class ChangedMeanwhileError(RecortexError):
    """The file was changed by somebody else at the same time."""

    code = "changed_meanwhile"
    hint = "Nothing was written; close the program that uses it, or simply try again."


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as it was found.

    Attributes:
        path: where the client looks for it.
        target: where it really is.
        text: None where there is no file.
    """

    path: Path
    target: Path
    text: str | None

    def backups(self) -> list[Path]:
        """Those that were made of it, the newest first."""
        return sorted(self.target.parent.glob(f"{escape(self.target.name)}{MARK}*"), reverse=True)


def read(path: Path, root: Path) -> ClientFile:
    """Find a file and read it.

    Raises:
        ConfigError: a symbolic link leads out of `root`, or it is no ordinary file.
        FormatError: it is too large, or no UTF-8.
        PermissionsError: it cannot be read.
    """
    with _named(path):
        target = path.resolve()
        if not target.is_relative_to(root.resolve()):
            raise ConfigError(
                f"{path} leads to {target}, outside of {root}.",
                hint="Nothing was changed. If that is meant, edit the file yourself, or name the folder in "
                "the client's variable.",
            )
        if not target.exists():
            return ClientFile(path, target, None)
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{path} is no ordinary file.", hint="Nothing was changed; look what it is.")
        if status.st_size > LARGEST:
            raise FormatError(f"{path} is larger than {LARGEST:,} bytes.", hint="Nothing was changed.")
        try:
            return ClientFile(path, target, target.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path} is no UTF-8: {error.reason} at byte {error.start}.", hint="Nothing was changed."
            ) from None


def back_up(file: ClientFile, now: datetime) -> Path:
    """Put a copy beside a file, as readable as the file itself, and let only the newest ones stay.

    Raises:
        PermissionsError: it cannot be written.
    """
    with _named(file.target):
        stem = f"{file.target.name}{MARK}{now:%Y%m%dT%H%M%SZ}"
        names = (stem if number == 0 else f"{stem}-{number}" for number in range(1000))
        place = next(p for p in (file.target.with_name(name) for name in names) if not p.exists())
        _create(place, (file.text or "").encode(), stat.S_IMODE(file.target.stat().st_mode))
        for old in file.backups()[KEPT:]:
            old.unlink(missing_ok=True)
    return place


def write(file: ClientFile, text: str | None) -> list[Path]:
    """Replace a file's text in one step; None removes the file.

    Returns the folders that were made for it.

    Raises:
        ChangedMeanwhileError: it is not as it was when it was read.
        PermissionsError: it cannot be written.
    """
    with _named(file.target):
        if read(file.target, file.target.parent).text != file.text:
            raise ChangedMeanwhileError(f"{file.path} was changed by another program just now.")
        if text is None:
            file.target.unlink(missing_ok=True)
            return []
        made = [folder for folder in file.target.parents if not folder.exists()]
        file.target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(file.target.stat().st_mode) if file.text is not None else 0o600
        beside = file.target.with_name(f".{file.target.name}.recortex-{os.getpid()}")
        try:
            _create(beside, text.encode(), mode)
            beside.replace(file.target)
        finally:
            beside.unlink(missing_ok=True)
    return made


def _create(path: Path, data: bytes, mode: int) -> None:
    """Create a file with a mode from the beginning, so that it is never readable by more people."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    path.chmod(mode)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Raise our error, with the file's name, for what the system refuses.

    Raises:
        PermissionsError: it refused.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:  # a ring of links is a RuntimeError before Python 3.13
        reason = getattr(error, "strerror", None) or error
        raise PermissionsError(
            f"{path}: {reason}.", hint="Nothing was changed there; check the owner and the free space."
        ) from None
