"""Writes our entries into a client's files and removes them: first all changes are planned, then written."""

from __future__ import annotations

import difflib
import json
import os
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.errors import ConfigError, FormatError, PermissionsError, RecortexError, UntrustedFileError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from recortex.clients.parts import Part


# -- reads and writes a client's file: it is backed up, and never overwritten if it changed meanwhile


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


# -- writes our entries into a client's files and removes them: first all changes are planned, then written


Action = Literal["unchanged", "created", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done beside the change itself.

    Attributes:
        backup: the copy that was made before.
        folders: those that were made, the innermost first.
    """

    backup: Path | None = None
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file.

    Attributes:
        text: what it is to hold; None where it is to be gone.
    """

    file: ClientFile
    text: str | None

    @property
    def action(self) -> Action:
        """What is done to it."""
        if self.text == self.file.text:
            return "unchanged"
        if self.text is None:
            return "removed"
        return "created" if self.file.text is None else "changed"

    def diff(self) -> str:
        """The lines that are removed and added; no others, since they may hold secrets."""
        lines = difflib.unified_diff(
            (self.file.text or "").splitlines(keepends=True),
            (self.text or "").splitlines(keepends=True),
            str(self.file.path),
            str(self.file.path),
            n=0,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def apply(self, now: datetime) -> Applied:
        """Do it.

        Raises:
            RecortexError: it cannot be done; the file is then as it was.
        """
        if self.action == "unchanged":
            return Applied()
        # No backup of a file that is removed, which only held our entries, or that was not there.
        keeps = self.file.text is not None and self.text is not None
        backup = back_up(self.file, now) if keeps else None
        return Applied(backup, tuple(write(self.file, self.text)))


def additions(parts: Sequence[Part]) -> list[Change]:
    """The changes that write our entries.

    Raises:
        RecortexError: one cannot be read; none was touched.
    """
    return [_addition(part, read(part.path, part.root)) for part in parts]


def wanting(parts: Sequence[Part]) -> bool:
    """Whether something of ours is missing in a client, as far as its files can be read."""
    try:
        return any(change.action != "unchanged" for change in additions(parts))
    except RecortexError:
        return True


def removals(parts: Sequence[Part]) -> list[Change]:
    """The changes that remove our entries.

    Raises:
        RecortexError: one cannot be read; none was touched.
    """
    return [_removal(part, read(part.path, part.root)) for part in parts]


def _addition(part: Part, file: ClientFile) -> Change:
    try:
        text = part.added(file.text or "")
    except FormatError as error:
        raise FormatError(
            f"{file.path}: {error.message}",
            hint="Nothing was changed. Mend the file and try again, or write this into it by hand: "
            f"{part.by_hand()}",
        ) from None
    return Change(file, text if text or file.text is not None else None)


def _removal(part: Part, file: ClientFile) -> Change:
    if file.text is None:
        return Change(file, None)
    try:
        text = part.removed(file.text)
        if text == file.text:
            return Change(file, text)
        return Change(file, _before(part, file, text))
    except FormatError as error:
        raise FormatError(
            f"{file.path}: {error.message}",
            hint="Nothing was changed. Mend the file and try again, or take what is named recortex out by "
            "hand.",
        ) from None


def _before(part: Part, file: ClientFile, without: str) -> str | None:
    """The file as it was before we came, to the byte, where nobody else has changed it since.

    Else without ours.

    What it was is known from the backups: ours added to one of them gives just what is there now.
    """
    for backup in file.backups():
        try:
            former = read(backup, backup.parent).text or ""
            if part.removed(former) == former and part.added(former) == file.text:
                return former
        except FormatError:
            continue  # what was broken then says nothing about now
    return None if part.added("") == file.text else without


# -- the folders that were made for a client's files, so that uninstalling removes those that are empty then


NOTE = "made-folders.json"
_LARGEST = 1_000_000


def note(home: Path, made: Iterable[Path]) -> None:
    """Add folders to those that we made."""
    noted = _noted(home)
    more = [str(folder) for folder in made if str(folder) not in noted]
    if more:
        _write(home, [*noted, *more])


def take_away(home: Path) -> None:
    """Remove those that we made and that are empty, the innermost first."""
    noted = _noted(home)
    for folder in sorted(noted, key=len, reverse=True):
        with suppress(OSError):  # it holds something, or is gone
            Path(folder).rmdir()
    left = [folder for folder in noted if Path(folder).is_dir()]
    if left != noted:
        _write(home, left)


def _noted(home: Path) -> list[str]:
    try:
        found = json.loads(read_own(home / NOTE, _LARGEST))
    except (OSError, ValueError, UntrustedFileError):
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _write(home: Path, folders: list[str]) -> None:
    place = home / NOTE
    if not folders:
        place.unlink(missing_ok=True)
        return
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_text(place, json.dumps(folders))
