"""Writes our entries into a client's files and removes them: first all changes are planned, then written."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.clients import files
from recortex.clients.files import ClientFile
from recortex.errors import FormatError, RecortexError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.clients.parts import Part

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
        backup = files.back_up(self.file, now) if keeps else None
        return Applied(backup, tuple(files.write(self.file, self.text)))


def additions(parts: Sequence[Part]) -> list[Change]:
    """The changes that write our entries.

    Raises:
        RecortexError: one cannot be read; none was touched.
    """
    return [_addition(part, files.read(part.path, part.root)) for part in parts]


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
    return [_removal(part, files.read(part.path, part.root)) for part in parts]


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
            former = files.read(backup, backup.parent).text or ""
            if part.removed(former) == former and part.added(former) == file.text:
                return former
        except FormatError:
            continue  # what was broken then says nothing about now
    return None if part.added("") == file.text else without
