"""Folders of Markdown that other programs keep as memory: their files, and what a document says in pieces."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.instructions import parse
from recortex.errors import FormatError, UntrustedFileError
from recortex.filesystem import read_regular
from recortex.importers.base import Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_FILES, DEEPEST = 20_000, 12
MOST_BYTES = 1024 * 1024
SHORT = 400
"""Characters of a document that is one statement, whatever it looks like."""


class Document(NamedTuple):
    """A file of such a folder.

    Attributes:
        name: its path from the folder, with forward slashes and without the ending.
        text: without the mark at its beginning; None where it cannot be read as text.
        changed: when it was last written.
    """

    name: str
    text: str | None
    changed: datetime


def documents(folder: Path) -> Iterator[Document]:
    """The Markdown files of a folder and of those in it, in the order of their names. Links are not followed.

    Raises:
        FormatError: there are too many, or the folder cannot be read.
    """
    found: list[Path] = []
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        for one in here.iterdir():
            if one.is_symlink() or one.name.startswith("."):
                continue
            if one.is_dir() and depth < DEEPEST:
                waiting.append((one, depth + 1))
            elif one.suffix == ".md":
                found.append(one)
        if len(found) + len(waiting) > MOST_FILES:
            raise FormatError(f"{folder} has more than {MOST_FILES:,} files.", hint="Name a part of it.")
    for path in sorted(found):
        try:
            text = read_regular(path, MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
        except (UnicodeDecodeError, UntrustedFileError):
            text = None
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        yield Document(path.relative_to(folder).with_suffix("").as_posix(), text, changed)


UNREADABLE = "it is no text, or too large"


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """What a document says, statement by statement, each with a key that stays while its words do."""
    whole = text.strip()
    said = parse(whole).statements if len(whole) > SHORT or "\n" in whole else ()
    if not said:
        yield "", whole
        return
    yield from ((one.hash, one.text) for one in said)


def rows_of(document: Document, kind: str = "") -> Iterator[Row]:
    """A row for each statement of a document; one for it as a whole where it is refused."""
    if document.text is None or not document.text.strip():
        why = "it is empty" if document.text is not None else UNREADABLE
        yield Row(id=document.name, kind=kind, refused=why)
        return
    for key, said in pieces(document.text):
        yield Row(
            id=f"{document.name}#{key}" if key else document.name,
            text=said,
            kind=kind,
            created=document.changed,
            raw={"file": f"{document.name}.md"},
        )
