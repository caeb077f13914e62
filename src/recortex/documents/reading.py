"""The text of a document's bytes: its encoding, its form, what it says of itself, and its blocks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recortex.domain.search import Form
from recortex.errors import FormatError
from recortex.text.outline import field_list, front_matter

if TYPE_CHECKING:
    from collections.abc import Iterable


# -- what a document is made of: headings, and blocks of lines that belong together


MOST_TITLE = 200
"""Characters of a title that are kept."""


class Line(NamedTuple):
    """A line of a text, or a part of a long one: its number from 1, and what it says."""

    number: int
    text: str


class Block(NamedTuple):
    """A heading, paragraph, list, table or block of code: lines that follow each other.

    Attributes:
        level: of a heading from 1; 0: it is none.
        title: of a heading, without its marks.
    """

    lines: tuple[Line, ...]
    level: int = 0
    title: str = ""


class Collector:
    """Puts lines together into blocks."""

    def __init__(self) -> None:
        self._lines: list[Line] = []

    @property
    def lines(self) -> Sequence[Line]:
        """What the open block has so far."""
        return self._lines

    def add(self, line: Line) -> None:
        """A line of the block that is open."""
        self._lines.append(line)

    def close(self, *, level: int = 0, title: str = "") -> Iterator[Block]:
        """The open block, if there is one."""
        if self._lines:
            yield Block(tuple(self._lines), level, title)
            self._lines = []


def with_titles(blocks: Iterable[Block]) -> Iterator[tuple[tuple[str, ...], Block]]:
    """Each block with the headings that it stands under, the highest first; a heading stands under itself."""
    path: list[tuple[int, str]] = []
    for block in blocks:
        if block.level:
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, block.title))
        yield tuple(title for _, title in path if title), block


# -- Markdown as blocks: headings, fenced code, and what blank lines part


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
# Without this, the line below a list or table would make a heading of its last row.
_NO_TITLE = re.compile(r" {0,3}(?:[-+*>|]|\d+[.)]|</?\w)")
"""What may stand before an underline and be no heading: an item, a quotation, a row of a table, a tag."""
_FENCE = re.compile(r"(?:[ \t>]|[-+*][ \t]|\d{1,3}[.)][ \t])*(`{3,}|~{3,})([^`]*)$")
"""The beginning of a block of code, also inside an item or a quotation."""
_ANCHOR = re.compile(r"(?<![ \t])[ \t]*\{[ \t]*[#.:][^{}]*\}[ \t]*$")
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKDOWN_MARKS = re.compile(r"[`*]|<[^<>]*>")


def markdown_blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """The blocks of Markdown."""
    open_, fence = Collector(), ""
    for line in lines:
        text = line.text
        if not fence and not text.strip():
            yield from open_.close()
            continue
        heading = None if fence else _HEADING.match(text)
        opening = None if fence else _FENCE.match(text)
        if fence:
            open_.add(line)
            # A closing fence may stand in a quotation.
            bare = text.strip(" \t>")
            # At least as long as the opening one, as in CommonMark: shorter ones are a part of the code.
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence = ""
                yield from open_.close()
        elif opening:
            yield from open_.close()
            open_.add(line)
            fence = opening[1]
        elif heading:
            yield from open_.close()
            open_.add(line)
            yield from open_.close(level=len(heading[1]), title=title(_CLOSING.sub("", heading[2] or "")))
        elif _UNDERLINE.match(text) and len(open_.lines) == 1 and not _NO_TITLE.match(open_.lines[0].text):
            above = open_.lines[0].text
            open_.add(line)
            yield from open_.close(level=1 if "=" in text else 2, title=title(above))
        else:
            open_.add(line)
    yield from open_.close()


def title(text: str) -> str:
    """A heading as it is read: without anchors, links and marks."""
    plain = _MARKDOWN_MARKS.sub("", _LINKED.sub(r"\1", _ANCHOR.sub("", text)))
    return " ".join(plain.split())[:MOST_TITLE]


# -- reStructuredText and plain text as blocks: underlined titles, and what blank lines part


_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_ROLE = re.compile(r":[\w:+.-]+:`([^`<]*)(?:<[^`]*>)?`|`{1,2}([^`]*)`{1,2}_{0,2}")


def restructured_blocks(lines: Sequence[Line]) -> Iterator[Block]:
    """The blocks of reStructuredText.

    A title's level is the place of its adornment among those that the document uses, as docutils has it.
    """
    levels: list[str] = []
    # Levels follow from the order in which adornments occur, as reStructuredText has no fixed ones.
    place = 0
    while place < len(lines):
        taken, adornment = _heading(lines, place)
        if taken:
            if adornment not in levels:
                levels.append(adornment)
            above = lines[place + (taken == _OVERLINED)].text
            yield Block(tuple(lines[place : place + taken]), levels.index(adornment) + 1, _title(above))
        else:
            taken = 1
            if lines[place].text.strip():
                # How many lines until a blank one or a heading.
                end = place + 1
                while end < len(lines) and lines[end].text.strip() and not _heading(lines, end)[0]:
                    end += 1
                taken = end - place
                yield Block(tuple(lines[place : place + taken]))
        place += taken


def _heading(lines: Sequence[Line], place: int) -> tuple[int, str]:
    """How many lines a heading takes that begins here, 0 where none does, and how it is adorned."""
    first, second, third = (line.text.rstrip() for line in (*lines[place : place + 3], *_NONE)[:3])
    if _ADORNMENT.match(first):
        overlined = bool(second.strip()) and third == first and not _ADORNMENT.match(second)
        # With a line above, it is another adornment than the same sign below alone, as docutils has it.
        return (_OVERLINED, first[0] * 2) if overlined and len(first) >= len(second.strip()) else (0, "")
    if not first or first[0].isspace() or not _ADORNMENT.match(second) or len(second) < len(first):
        return 0, ""
    return 2, second[0]


_NONE = (Line(0, ""),) * 3
_OVERLINED = 3
"""Lines of a heading with a line above it."""


def _title(text: str) -> str:
    plain = _ROLE.sub(lambda found: (found[1] or found[2] or "").strip(), text)
    return " ".join(plain.replace("*", "").split())[:MOST_TITLE]


# -- AsciiDoc as blocks: section titles, delimited blocks, and what blank lines part


_SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}|[|,:!]={3,})[ \t]*(?:\w+[ \t]*)?$")
"""The beginning of a block whose lines are no sections: a listing, a literal, a comment, a table."""
_MACRO = re.compile(r"(?:(?:link|xref|https?|mailto):[^\s\[]{1,300})\[([^\]]{0,300})\]|<<([^<>]{0,300})>>")
_ASCIIDOC_MARKS = re.compile(r"[`*]|\[\[[^\]]{0,300}\]\]|\[[.#%][^\]]{0,300}\]")


def _section_title(mark: str, said: str) -> str:
    """The title of a section without a closing mark, links by their texts, and other marks."""
    # Only behind a space: without one, the sign belongs to the title.
    before = said.removesuffix(mark)
    said = before if before[-1:].isspace() else said
    linked = _MACRO.sub(lambda found: found[1] or (found[2] or "").partition(",")[2], said)
    return " ".join(_ASCIIDOC_MARKS.sub("", linked).split())[:MOST_TITLE]


def asciidoc_blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """The blocks of AsciiDoc."""
    open_, end = Collector(), ""
    for line in lines:
        text = line.text.rstrip()
        opening = None if end else _DELIMITER.match(text)
        section = None if end else _SECTION.match(text)
        if end:
            open_.add(line)
            if text == end:
                end = ""
                yield from open_.close()
        elif not text:
            yield from open_.close()
        elif opening:  # what is said of the block stands above it
            open_.add(line)
            end = opening[1]
        elif section:
            yield from open_.close()
            open_.add(line)
            yield from open_.close(level=len(section[1]), title=_section_title(*section.groups()))
        else:
            open_.add(line)
    yield from open_.close()


# -- the text of a document's bytes: its encoding, its form, what it says of itself, and its blocks


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
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".ipynb": "notebook",
}
"""What a file is read as, by the end of its name in lower case."""
# Plain text is often underlined in the way of reStructuredText.
_BLOCKS: dict[Form, Callable[[Sequence[Line]], Iterator[Block]]] = {
    "markdown": markdown_blocks,
    "notebook": markdown_blocks,
    "asciidoc": asciidoc_blocks,
}
"""What takes a text apart by its form; plain text is read as reStructuredText."""
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
    # Cleaned before it is parted into lines: a secret may go over several.
    lines = clean(_DATA.sub(r"\1", text)).split("\n")
    metadata: dict[str, Any] = {}
    taken = 0
    if form != "notebook":
        taking = field_list if form == "rst" else front_matter
        metadata, taken = taking(lines) if form in {"markdown", "rst"} else ({}, 0)
    numbered = [Line(number, line) for number, line in enumerate(lines[taken:], taken + 1)]
    by = _BLOCKS.get(form, restructured_blocks)
    return Reading(
        form, tuple(by(numbered)), places or range(1, len(lines) + 1), metadata, (note,) if note else ()
    )


def decoded(data: bytes) -> tuple[str, str]:
    r"""A text with breaks as `\\n`, and a note where its encoding had to be guessed.

    Raises:
        FormatError: it is no text.
    """
    mark = next((name for start, name in _MARKS if data.startswith(start)), "")
    # UTF-16 without a mark has nulls, too: it is refused rather than guessed.
    if not mark and b"\0" in data[:_LOOKED_AT]:
        raise FormatError("It is binary.", hint="Only text can be ingested.")
    note = ""
    try:
        text = data.decode(mark or "utf-8")
    except UnicodeDecodeError as error:
        if mark:
            raise FormatError(f"It is not the {mark} that it says to be: {error.reason}.") from error
        # Nearly any byte means something in this encoding, so the share of control characters decides.
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
