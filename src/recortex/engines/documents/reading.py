"""The text of a document's bytes: its encoding, its form, what it says of itself, and its blocks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from recortex.domain.document import Form
from recortex.engines.documents import markdown, restructured
from recortex.engines.documents.blocks import Block, Line
from recortex.engines.documents.front_matter import field_list, front_matter
from recortex.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable


FORMS: dict[str, Form] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".txt": "text",
    ".text": "text",
    ".rst": "rst",
    ".rest": "rst",
    ".ipynb": "notebook",
}
"""What a file is read as, by the end of its name in lower case."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Those of UTF-32 come first: UTF-16's is their beginning."""
_LOOKED_AT = 8_192
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_MOST_CONTROLS = 0.01
"""A text of one byte a character that holds more controls than this share is none."""
_DATA = re.compile(r"(data:[\w/+.-]{1,60};base64,)[A-Za-z0-9+/=]{100,}")
"""A picture inside of a text: nobody asks for it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as it was read.

    Attributes:
        places: of each line its number in the file, or of a notebook its cell.
        blocks: of lines that are counted from 1 without a gap.
        notes: what was unusual about it, for the person.
    """

    form: Form
    blocks: Sequence[Block]
    places: Sequence[int]
    metadata: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read(data: bytes, form: Form, clean: Callable[[str], str]) -> Reading:
    """The blocks of a document.

    Args:
        data: the bytes of the file.
        form: what it is read as.
        clean: takes secrets out of a text and leaves its lines where they are.

    Raises:
        FormatError: it is no text, or no notebook.
    """
    text, note = decoded(data)
    places: Sequence[int] = ()
    if form == "notebook":
        text, places = _notebook(text)
    lines = clean(_DATA.sub(r"\1", text)).split("\n")
    metadata: dict[str, Any] = {}
    taken = 0
    if form != "notebook":
        taking = field_list if form == "rst" else front_matter
        metadata, taken = taking(lines) if form != "text" else ({}, 0)
    numbered = [Line(number, line) for number, line in enumerate(lines[taken:], taken + 1)]
    by = markdown.blocks if form in {"markdown", "notebook"} else restructured.blocks
    return Reading(
        form, tuple(by(numbered)), places or range(1, len(lines) + 1), metadata, (note,) if note else ()
    )


def decoded(data: bytes) -> tuple[str, str]:
    r"""A text with breaks as `\\n`, and a note where its encoding had to be guessed.

    Raises:
        FormatError: it is no text.
    """
    mark = next((name for start, name in _MARKS if data.startswith(start)), "")
    if not mark and b"\0" in data[:_LOOKED_AT]:
        raise FormatError("It is binary.", hint="Only text can be ingested.")
    note = ""
    try:
        text = data.decode(mark or "utf-8")
    except UnicodeDecodeError as error:
        if mark:
            raise FormatError(f"It is not the {mark} that it says to be: {error.reason}.") from error
        text, note = data.decode("cp1252", "replace"), "not UTF-8: it was read as Windows-1252"
        if len(_CONTROLS.findall(text[:_LOOKED_AT])) > _MOST_CONTROLS * len(text[:_LOOKED_AT]):
            raise FormatError("It is binary.", hint="Only text can be ingested.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""), note


class _Cell(msgspec.Struct):
    cell_type: str = "code"
    source: str | list[str] = ""
    input: str | list[str] = ""
    """What format 3 called the source of code."""


class _Sheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []
    """Where format 3 kept the cells."""
    nbformat: int = 4


def _notebook(text: str) -> tuple[str, list[int]]:
    """A notebook as Markdown, and of each line its cell; what code printed is left out."""
    try:
        read_ = msgspec.json.decode(text, type=_Notebook)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(f"It is no notebook: {error}.", hint="Open and save it in Jupyter.") from error
    lines: list[str] = []
    places: list[int] = []
    cells = [*read_.cells, *(cell for sheet in read_.worksheets for cell in sheet.cells)]
    for number, cell in enumerate(cells, 1):
        source = cell.source or cell.input
        said = (source if isinstance(source, str) else "".join(source)).replace("\r\n", "\n").strip("\n")
        if said.strip():
            code = cell.cell_type == "code"
            own = [*(["```"] if code else []), *said.split("\n"), *(["```"] if code else []), ""]
            lines += own
            places += [number] * len(own)
    return "\n".join(lines), places
