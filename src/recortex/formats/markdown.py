"""Writes memories as a Markdown document, and reads notes from one."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.errors import FormatError
from recortex.filesystem import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from recortex.domain.memory import Memory

MAX_BYTES = 8 * 1024 * 1024
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_FENCE = re.compile(r"(?:```|~~~)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Note:
    """An item or paragraph, under its heading."""

    text: str
    heading: str = ""


def write(memories: Iterable[Memory]) -> Iterator[str]:
    """The lines of a document: a heading for each category, an item for each memory."""
    by_category: dict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        by_category[KINDS[memory.kind].category or "code"].append(memory)
    yield "# Memories\n"
    for category in sorted(by_category):
        yield f"\n## {category.replace('_', ' ').capitalize()}\n\n"
        yield from map(_item, by_category[category])


def _item(memory: Memory) -> str:
    about = [f"`{file.path}`" for file in memory.files] + [f"#{tag}" for tag in memory.tags]
    lines = memory.text.splitlines() or [""]
    text = "\n  ".join(lines)
    facts = (
        f"{memory.kind}, {memory.importance.value}, {memory.recorded_at:%Y-%m-%d}, "
        f"{memory.status.value}, {memory.id}"
    )
    return f"- {text}{' (' + ' '.join(about) + ')' if about else ''}\n  <!-- {facts} -->\n"


def read(path: Path) -> list[Note]:
    """The items and paragraphs of a document; headings, code blocks, tables and comments are left out.

    Raises:
        FormatError: the file cannot be read or is too large.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error}.", hint="Check the path.") from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"{path} is larger than {MAX_BYTES} bytes.", hint="Split it.")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return [note for note in _notes(_COMMENT.sub("", text)) if note.text]


def _notes(text: str) -> Iterator[Note]:
    heading, parts, fenced = "", list[str](), False
    for line in text.splitlines():
        bare = line.strip()
        if _FENCE.match(bare):
            fenced = not fenced
        item, title = _ITEM.match(bare), _HEADING.match(bare)
        if fenced or _FENCE.match(bare) or bare.startswith("|"):
            continue
        if item or title or not bare:
            yield Note(" ".join(parts), heading)
            parts = [item[1]] if item else []
        else:
            parts.append(bare)
        heading = title[1] if title else heading
    yield Note(" ".join(parts), heading)
