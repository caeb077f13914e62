"""Reads a project's instruction files, those they import, a client's own notes and the person's file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.clients.instruction_files import (
    IMPORTING,
    MOST_FILES,
    InstructionFile,
    inside,
    instruction_files,
    notes,
    persons_file,
)
from recortex.deadlines import within
from recortex.engines.instructions.parsing import Statement, parse
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES = 128 * 1024
"""Of one file."""
SECONDS = 5.0
"""Of the processor that reading one file may take."""
MOST_STATEMENTS = 600
"""Statements of all files of a project."""
IMPORT_DEPTH = 4
"""Files that import one another in a row, as Claude Code follows them."""


class Read(NamedTuple):
    """A file with what it says.

    Attributes:
        slow: it was left out, since reading it took too long; what is known of it stays.
    """

    file: InstructionFile
    statements: tuple[Statement, ...]
    lines: list[bytes]
    imports: tuple[str, ...] = ()
    slow: bool = False


def files_of(
    root: Path, clients: frozenset[str] | None, notes_in: Sequence[Path], persons: Sequence[Path] = ()
) -> list[InstructionFile]:
    """The person's, those of a project, and a client's notes on it, that one of these clients loads.

    Of all clients where `clients` is None.
    """
    own = map(persons_file, persons)
    found = [*own, *instruction_files(root), *(file for folder in notes_in for file in notes(folder))]
    return [file for file in found if clients is None or file.clients & clients]


def reads(root: Path, files: Sequence[InstructionFile]) -> Iterator[Read]:
    """The files with what they say, and those that they import; none twice, `MOST_STATEMENTS` in all."""
    real = os.path.realpath(root)
    done: dict[str, Read] = {}
    waiting = [(file, 0) for file in files]
    while waiting and len(done) < MOST_FILES:
        file, depth = waiting.pop(0)
        known = done.get(file.name)
        if known is not None:
            file = replace(known.file, clients=known.file.clients | file.clients)
            if file == known.file:
                continue
        read = known._replace(file=file) if known else _read(file)
        if read is not None:
            done[file.name] = read
            more = _imported(read, real) if depth < IMPORT_DEPTH else ()
            waiting += [(other, depth + 1) for other in more]
    left = MOST_STATEMENTS
    for one in done.values():
        yield one._replace(statements=one.statements[: max(0, left)])
        left -= len(one.statements)


def _read(file: InstructionFile) -> Read | None:
    """A file with what it says; None where it cannot be read."""
    try:
        data = _data(file)
    except (OSError, UntrustedFileError):
        return None
    try:
        with within(SECONDS):
            parsed = parse(data.decode("utf-8", "replace"))
    except TimeoutError:
        return Read(file, (), [], slow=True)
    return Read(file, parsed.statements, data.splitlines(keepends=True), parsed.imports)


def _data(file: InstructionFile) -> bytes:
    """What stands in a file; what is believed as the agent's or person's word must belong to this user."""
    if file.speaker == "repository":
        return read_regular(file.path, MOST_BYTES)
    # The person may keep the own file elsewhere, and have a link to it.
    return read_own(file.path, MOST_BYTES, links=file.speaker == "person")


def _imported(read: Read, real_root: str) -> Iterator[InstructionFile]:
    """The files of the project that a file imports, for the clients that follow imports."""
    clients = read.file.clients & IMPORTING
    for name in read.imports if clients and not read.file.outside else ():
        with suppress(OSError, ValueError):
            path = Path(os.path.realpath(read.file.path.parent / name))
            if path.is_file() and inside(path, real_root):
                yield InstructionFile(path, path.relative_to(real_root).as_posix(), clients)
