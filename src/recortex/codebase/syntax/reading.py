"""The files of a working tree that changed, read: what is known of each now, and what is to be kept."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.syntax.kept_facts import key_of
from recortex.codebase.syntax.limits import LARGEST, refusal
from recortex.codebase.syntax.making import at_once
from recortex.codebase.syntax.working_tree import as_read
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.codebase.syntax.making import Made
    from recortex.codebase.syntax.working_tree import Folder, Seen

    Read = Callable[[str, bytes], Callable[[], Made]]


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
