"""Reads the files of a project's decision records; of each that is left out it tells why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.app.naming import shown
from recortex.codebase.document_files import find, place
from recortex.codebase.files import relative
from recortex.codebase.record_files import ENDINGS
from recortex.deadlines import within
from recortex.engines.decisions.record import Record, read_record
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 512 * 1024
"""Of one record."""
MOST_RECORDS = 2_000
SECONDS = 10.0
"""For one record."""
READER = 2
"""Counted up when records are read in another way, so that known ones are read again."""
_TOLD_EVERY = 20


class File(NamedTuple):
    """A file with a record, and the hash of its bytes."""

    record: Record
    hash: str


@dataclass(slots=True)
class RecordFiles:
    """The records in some folders.

    Attributes:
        root: of the project.
        wanted: paths from there that were asked for; what is beside them is read, but not counted.
        files: those with a record, by their path.
        unread: paths of which nothing is known now.
        looked_at, skipped, problems: how many were looked at, left out by the reason, and what is odd.
    """

    root: Path
    wanted: Sequence[str]
    files: dict[str, File] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    looked_at: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    _hashes: dict[str, str] = field(default_factory=dict)

    def covers(self, path: str) -> bool:
        """Whether a path was asked for, or lies in a folder that was."""
        return any(name in {".", path} or path.startswith(f"{name}/") for name in self.wanted)

    def read(self, places: Sequence[Path], progress: Callable[[str, int, int], None]) -> None:
        """Read every record in these folders, and beside these files."""
        paths = list(dict.fromkeys(path for one in places for path in self._found(one)))
        if len(paths) > MOST_RECORDS:
            self.problems.append(f"only the first {MOST_RECORDS:,} of {len(paths):,} files were read")
        last = min(len(paths), MOST_RECORDS)
        for number, path in enumerate(paths[:last], 1):
            self._take(path)
            if number % _TOLD_EVERY == 0 or number == last:
                progress("reading records", number, last)
        self.unread |= {relative(str(path), self.root) for path in paths[last:]}

    def _found(self, folder: Path) -> list[Path]:
        """The files in a folder; of a file the records beside it, which it may name."""
        if folder.is_file():
            beside = (one for one in folder.parent.iterdir() if one.suffix.lower() in ENDINGS)
            return sorted({folder, *(one for one in beside if one.is_file() and not one.is_symlink())})
        try:
            found = find(place(str(folder), self.root), ENDINGS)
        except OSError as error:
            self.problems.append(f"{folder}: {error.strerror or error}")
            return []
        self.problems += [f"{relative(str(path), self.root)}: {why}" for path, why in found.passed_over]
        return found.files

    def _take(self, path: Path) -> None:
        name = relative(str(path), self.root)
        self.looked_at += self.covers(name)
        try:
            data = read_regular(path, MOST_BYTES)
            text = data.decode("utf-8-sig")
            name.encode()
        except (UntrustedFileError, OSError, UnicodeError) as error:
            self._leave(name, _why(error, path))
            return
        hash_ = str(blake3(data).hexdigest())
        if shown(name) != name:
            self._leave(name, "its name holds a secret")
        elif twin := self._hashes.get(hash_):
            self._leave(name, "another record has the same text", f" ({twin})")
        elif isinstance(read := _read(name, text), Record):
            self._hashes[hash_] = name
            self.problems += [f"{name}: {read.problem}"] if read.problem and self.covers(name) else []
            self.files[name] = File(read, f"{READER}:{hash_}")
        else:
            self.skipped[str(read)] += self.covers(name)

    def _leave(self, name: str, why: str, more: str = "") -> None:
        self.unread.add(name)
        if self.covers(name):
            self.skipped[why] += 1
            self.problems.append(f"{shown(name).encode('utf-8', 'replace').decode()}: {why}{more}")


def _read(name: str, text: str) -> Record | str:
    """The record of a text, or why it has none."""
    try:
        with within(SECONDS):
            return read_record(name, text)
    except TimeoutError:
        return f"reading it took longer than {SECONDS:.0f} s"


def _why(error: Exception, path: Path) -> str:
    """Why a file cannot be read, in words that are the same for all such files."""
    if isinstance(error, UntrustedFileError):
        said = error.message.removeprefix(str(path)).partition(":")[0].strip()
        return f"it {said}"
    return "it is no UTF-8 text" if isinstance(error, UnicodeError) else "it cannot be read"
