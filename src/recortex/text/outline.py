"""A record's text: front matter, headings with what stands below them, tables as rows, prose as sentences."""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.text import lazy, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_BORDERS = {"---": ("---", "..."), "+++": ("+++",)}
_MOST_LINES, _MOST_NAMES = 400, 60
_MOST_BITS = 63
_NAME = re.compile(r"""["']?([\w@$][\w .@/$-]{0,60}?)["']?[ \t]*:(?:[ \t]+(.*))?$""")
_LISTED = re.compile(r"[ \t]*-[ \t]+(.*)$")
_FIELD = re.compile(r":([\w][\w .-]{0,60}):(?:[ \t]+(.*))?$")
RAW = "front matter"
"""The name under which one is kept that cannot be read."""


def front_matter(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """What stands at the beginning between two borders, and how many lines it takes; none: empty and 0.

    Of YAML the plain part is read: names with a text or a list of texts. What is nested or folded is kept as
    the text that it is. One whose second border is missing is none.
    """
    ends = _BORDERS.get(lines[0].rstrip()) if lines else None
    for place, line in enumerate(lines[1:_MOST_LINES] if ends else (), 1):
        if ends and line.rstrip() in ends:
            inside = lines[1:place]
            return (_toml(inside) if lines[0].startswith("+") else _yaml(inside)), place + 1
    return {}, 0


def _toml(lines: Sequence[str]) -> dict[str, Any]:
    text = "\n".join(lines)
    try:
        return {name: _plain(value) for name, value in list(read_toml(text).items())[:_MOST_NAMES]}
    except (ValueError, RecursionError):
        return {RAW: text}


def _plain(value: Any) -> Any:
    """A value as JSON can hold it, the nested ones as texts.

    Raises:
        ValueError: it is a number that JSON cannot hold.
    """
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ValueError
    if isinstance(value, list):
        return [str(one) for one in value]
    return value if isinstance(value, str | bool | int | float) else str(value)


def _yaml(lines: Sequence[str]) -> dict[str, Any]:
    """The value of each name, with the lines below it that belong to it."""
    found: dict[str, tuple[str, list[str]]] = {}
    below: list[str] = []
    for line in lines:
        name = None if line[:1].isspace() or line.startswith(("-", "#")) else _NAME.match(line)
        if name and len(found) < _MOST_NAMES:
            below = []
            found[name[1]] = ((name[2] or "").strip(), below)
        elif line.strip() and not line.startswith("#"):
            below.append(line)
    return {name: _value(text, nested) for name, (text, nested) in found.items()}


def _value(text: str, below: Sequence[str]) -> Any:
    if not below:
        listed = text.startswith("[") and text.endswith("]")
        return [_unquoted(one) for one in text[1:-1].split(",") if one.strip()] if listed else _unquoted(text)
    items = [item[1] for item in map(_LISTED.match, below) if item]
    if not text and len(items) == len(below):
        return [_unquoted(one) for one in items]
    if text[:1] in {">", "|"}:
        return (" " if text[0] == ">" else "\n").join(line.strip() for line in below)
    return "\n".join(filter(None, (text, *below)))


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def field_list(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """The fields that reStructuredText begins with, and how many lines they take; none: empty and 0."""
    found: dict[str, Any] = {}
    taken = 0
    for line in lines[:_MOST_LINES]:
        if field := _FIELD.match(line):
            found[field[1]] = field[2] or ""
        elif found and line[:1].isspace() and line.strip():
            name = next(reversed(found))
            found[name] = f"{found[name]} {line.strip()}".strip()
        else:
            break
        taken += 1
    return found, taken


# -- front matter: names and values before a text


_FENCE = lazy(r"[ \t]{0,3}(`{3,}|~{3,}|-{4,}[ \t]*$|\.{4,}[ \t]*$)")
_ATX = lazy(r"[ ]{0,3}(#{1,6}|={1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = lazy(r"([=\-~^\"*+#'`:._])\1*[ \t]*$")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PLAIN = lazy(r"[ \t]*(?:[-*+|>#=]|\d+[.)][ \t])")
_WITH_LINE_ABOVE = 2
MOST_LINE = 2_000
"""Characters of a line that are looked at."""
MOST_BLANK = 2
"""Blank lines in a row that are looked at: more of them say no more."""


class Line(NamedTuple):
    """A line of text outside code blocks, with its number from 1."""

    number: int
    text: str


class Section(NamedTuple):
    """A heading with the lines up to the next heading of whatever level; level 0: before the first one."""

    level: int
    title: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "\n".join(line.text for line in self.lines)


class Outline(NamedTuple):
    """A record's front matter, by lower-case name, and its sections in order."""

    front: dict[str, Any]
    sections: tuple[Section, ...]


def outline(text: str, suffix: str = ".md") -> Outline:
    """Read a record.

    Args:
        text: of the whole file.
        suffix: of its name: `.rst` and `.adoc` have headings and fields of their own.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # Line breaks of a comment stay, since sections are cited by their lines.
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = [line[:MOST_LINE] for line in text.split("\n")]
    front, taken = front_matter(lines)
    if not taken and suffix == ".rst":
        front, taken = field_list(lines)
    named = {str(name).strip().lower().replace("_", "-"): value for name, value in front.items()}
    told = list(_in_rows(list(_outside_code(lines, taken, suffix)), suffix))
    return Outline(named, tuple(_sections(told, suffix)))


def _outside_code(lines: Sequence[str], first: int, suffix: str) -> Iterator[Line]:
    """The lines that are no code; a block that is never closed ends with the text."""
    closing, blank = "", 0
    for number, line in enumerate(lines[first:], first + 1):
        if not line or line.isspace():
            blank += 1
            if not closing and (
                blank <= MOST_BLANK or number == len(lines)
            ):  # the last says how many there are
                yield Line(number, line)
            continue
        blank = 0
        fence = _FENCE.match(line)
        mark = fence[1].strip() if fence else ""
        if closing:
            if mark.startswith(closing) or (closing in "-." and mark[:1] == closing):
                closing = ""
        elif mark and (mark[0] in "`~" or suffix in {".adoc", ".asciidoc"}):
            closing = mark[:3] if mark[0] in "`~" else mark[0]
        else:
            yield Line(number, line)


def _sections(lines: Sequence[Line], suffix: str) -> Iterator[Section]:
    level, title, below, place = 0, "", list[Line](), 0
    marks = [] if suffix == ".rst" else ["=", "-"]
    while place < len(lines):
        found = _heading(lines[place : place + 3], marks, adorned=suffix == ".rst")
        if found:
            yield Section(level, title, tuple(below))
            level, title, used = found
            below = []
            place += used
        else:
            below.append(lines[place])
            place += 1
    yield Section(level, title, tuple(below))


def _heading(lines: Sequence[Line], marks: list[str], *, adorned: bool) -> tuple[int, str, int] | None:
    """The level and title of a heading, and how many lines it takes.

    Args:
        lines: three at most, the first one in question.
        marks: by which titles are underlined, the highest first; new ones are added where it may be any.
        adorned: it may be any sign, and a line above too, as in reStructuredText.
    """
    if not adorned and (found := _ATX.match(lines[0].text)):
        return len(found[1]), found[2].strip(), 1
    over = adorned and len(lines) > _WITH_LINE_ABOVE and _UNDERLINE.match(lines[0].text)
    line, under = lines[1 if over else 0], lines[(2 if over else 1) : (3 if over else 2)]
    # Where the numbers do not follow each other, code that was left out stands between the two.
    mark = _UNDERLINE.match(under[0].text) if under and under[0].number == line.number + 1 else None
    said = line.text.strip()
    text = said and not _NOT_PLAIN.match(line.text) and (over or not line.text.startswith((" ", "\t")))
    if not mark or not text or len(mark[0].strip()) < max(min(3, len(said)), len(said) // 2):
        return None
    if mark[1] not in marks:
        if not adorned:
            return None
        marks.append(mark[1])
    return marks.index(mark[1]) + 1, said, 3 if over else 2


# -- tables of other forms as rows of Markdown's; each has the number of its table's first line


_HTML_TABLE = lazy(r"<(table|dl)\b", re.IGNORECASE)
_DIRECTIVE = lazy(r"([ \t]*)\.\.[ \t]+(list|csv)-table::")
_LIST_CELL = lazy(r"[ \t]*(\*[ \t]+)?-(?:[ \t]+(.*))?$")
_HEADER = lazy(r"[ \t]*:header-rows:[ \t]*[1-9]")
_HEADER_NAMES = lazy(r"[ \t]*:header:[ \t]*(.+)$")
_GRID = lazy(r"[ \t]*\+(?:[-=]+\+)+[ \t]*$")
_BORDER = lazy(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*$")
_DELIMITER = "|==="
_COLUMNS = lazy(r"cols=(?:\"([^\"]*)\"|(\d+\*?))")
_RULE = "|---|---|"
MOST_TABLE = 200
"""Lines of a table that are looked at."""


def _in_rows(lines: Sequence[Line], suffix: str) -> Iterator[Line]:
    """The lines, with every table as rows between bars; below the names of columns stands a rule."""
    # Looked up once: searching from each beginning would take the square of the text's length.
    closed = {
        name: [at for at, line in enumerate(lines) if f"</{name}" in line.text.lower()]
        for name in ("table", "dl")
    }
    place = 0
    while place < len(lines):
        rows, used = _table(lines, place, suffix, closed)
        if used:
            yield from (Line(lines[place].number, row) for row in rows)
            place += used
        else:
            yield lines[place]
            place += 1


def _table(
    lines: Sequence[Line], place: int, suffix: str, closed: Mapping[str, Sequence[int]]
) -> tuple[list[str], int]:
    """The rows of the table that begins with a line, and how many lines it takes; 0: none begins.

    Lines below are looked at only where one begins: a text may have very many.
    """
    first = lines[place].text
    if begun := _HTML_TABLE.search(first):
        ends = closed[begun[1].lower()]
        number = bisect_left(ends, place)
        if number == len(ends) or (last := ends[number]) >= place + MOST_TABLE:
            return [], 0
        text = "\n".join(line.text for line in lines[place : last + 1])
        cells = _Cells()
        cells.feed(text)
        cells.close()
        header = bool(cells.rows) and 1 < len(cells.rows[0]) == cells.names[0]
        return _with_rule(cells.rows, header=header), last + 1 - place
    if suffix in {".adoc", ".asciidoc"}:
        begins = place + first.startswith("[")
        if begins < len(lines) and lines[begins].text.strip() == _DELIMITER:
            return _of_asciidoc(_up_to(_DELIMITER, lines, place, begins + 1))
    if suffix == ".rst" and (_GRID.match(first) or _BORDER.match(first)):
        return _of_rst(_up_to("", lines, place, place))
    if suffix == ".rst" and _DIRECTIVE.match(first):
        return _of_rst([line.text for line in lines[place : place + MOST_TABLE]])
    return [], 0


def _up_to(end: str, lines: Sequence[Line], place: int, begins: int) -> list[str]:
    """The lines of a table from a place on, with the one that ends it."""
    found = [line.text for line in lines[place:begins]]
    for at in range(begins, min(place + MOST_TABLE, len(lines))):
        found.append(lines[at].text)
        if found[-1].strip() == end:
            break
    return found


def _with_rule(rows: Sequence[Sequence[str]], *, header: bool) -> list[str]:
    told = [
        f"| {' | '.join(' '.join(cell.replace('|', ' ').split()) for cell in cells)} |"
        for cells in rows
        if any(cell.strip() for cell in cells)
    ]
    return [*told[:1], _RULE, *told[1:]] if header and told else told


class _Cells(HTMLParser):
    """Collects the cells of a table, or the terms of a list with what they mean."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.names: list[int] = []  # of each row, how many of its cells name something
        self._within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in {"tr", "dt"} or (tag in {"td", "th", "dd"} and not self.rows):
            self.rows.append([])
            self.names.append(0)
        if tag in {"td", "th", "dt", "dd"}:
            self.rows[-1].append("")
            self.names[-1] += tag == "th"
            self._within = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "dt", "dd", "tr"}:
            self._within = False

    def handle_data(self, data: str) -> None:
        if self._within:
            self.rows[-1][-1] += data


def _of_asciidoc(lines: Sequence[str]) -> tuple[list[str], int]:
    """Between `|===`; a line may hold a row or a cell, by how many columns there are."""
    attributes = lines[0] if lines[0].startswith("[") else ""
    first = bool(attributes)
    if len(lines) <= first or lines[first].strip() != _DELIMITER:
        return [], 0
    last = next((at for at, line in enumerate(lines) if at > first and line.strip() == _DELIMITER), None)
    if last is None:
        return [], 0
    body = lines[first + 1 : last]
    found = [
        [cell.strip() for cell in line.strip()[1:].split("|")] for line in body if line.strip()[:1] == "|"
    ]
    given = _COLUMNS.search(attributes)
    said = (given[1] or given[2]).rstrip("*") if given else ""
    listed = len(said.split(",")) if said else 0
    columns = int(said[:2]) if said.isdigit() else listed
    columns = max(columns or max(map(len, found), default=1), 1)
    flat = [cell for row in found for cell in row]
    rows = [flat[at : at + columns] for at in range(0, len(flat), columns)]
    begins = next((at for at, line in enumerate(body) if line.strip()), 0)
    blank_after = columns == len(found[0]) and not "".join(body[begins + 1 : begins + 2]) if found else False
    header = "header" in attributes or (blank_after and len(rows) > 1)
    return _with_rule(rows, header=header), last + 1


def _of_rst(lines: Sequence[str]) -> tuple[list[str], int]:
    if begun := _DIRECTIVE.match(lines[0]):
        used = 1 + _indented(lines[1:], len(begun[1].expandtabs()))
        return (_of_list if begun[2] == "list" else _of_csv)(lines[1:used]), used
    if _GRID.match(lines[0]):
        used = next(
            (at for at, line in enumerate(lines) if not line.strip().startswith(("+", "|"))), len(lines)
        )
        header = any(_GRID.match(line) and "=" in line for line in lines[1:used])
        rows = [line.strip().strip("|").split("|") for line in lines[:used] if line.strip()[:1] == "|"]
        return _with_rule(rows, header=header), used
    if _BORDER.match(lines[0]):
        # A simple table: borders show where columns begin; one below the first row makes that their names
        end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
        borders = [at for at, line in enumerate(lines[:end]) if _BORDER.match(line)]
        if len(borders) < _WITH_LINE_ABOVE:
            return [], 0
        starts = [found.start() for found in re.finditer(r"=+", lines[0])]
        spans = list(pairwise([*starts, MOST_LINE]))
        inside = [line for at, line in enumerate(lines[: borders[-1]]) if at not in borders]
        rows = [[line[begin:stop] for begin, stop in spans] for line in inside]
        return _with_rule(rows, header=len(borders) > _WITH_LINE_ABOVE), borders[-1] + 1
    return [], 0


def _indented(lines: Sequence[str], depth: int) -> int:
    """How many of the lines stand further to the right, or are blank."""
    deeper = (len(line.expandtabs()) - len(line.expandtabs().lstrip()) > depth for line in lines)
    ends = (
        at for at, (line, inner) in enumerate(zip(lines, deeper, strict=True)) if line.strip() and not inner
    )
    return next(ends, len(lines))


def _of_list(lines: Sequence[str]) -> list[str]:
    rows: list[list[str]] = []
    for line in lines:
        if found := _LIST_CELL.match(line):
            if found[1] or not rows:
                rows.append([])
            rows[-1].append(found[2] or "")
        elif rows and line.strip():
            rows[-1][-1] += f" {line.strip()}"
    return _with_rule(rows, header=any(map(_HEADER.match, lines)))


def _of_csv(lines: Sequence[str]) -> list[str]:
    named = next(filter(None, map(_HEADER_NAMES.match, lines)), None)
    header = bool(named) or any(map(_HEADER.match, lines))
    body = [line.strip() for line in lines if line.strip() and not line.strip().startswith(":")]
    given = [named[1], *body] if named else body
    return _with_rule(list(csv.reader(given, skipinitialspace=True)), header=header)


# -- marked-up text as plain sentences, cut where a sentence ends


_IMAGE = lazy(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,400}\)|^[ \t]*image::?\S.*$", re.MULTILINE)
_WORDING_LINK = lazy(
    r"\[([^\]\[]{0,300})\]"
    r"\([^()\[\s]{0,400}(?:\([^()\[\s]{0,100}\)[^()\[\s]{0,100})?(?:[ \t][^()\[]{0,200})?\)"
)
_XREF = lazy(r"(?:link|xref):[^\s\[]{1,500}\[([^\]]{0,300})\]")
_HTML = lazy(
    r"</?(?:a|b|i|u|s|p|br|hr|em|del|div|img|kbd|sub|sup|pre|code|span|strong|table|tr|td|th|ul|ol|li|"
    r"details|summary|blockquote|h[1-6])(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_ESCAPED = lazy(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_OPEN = lazy(r"\b(?:because|that|are|is|by|with|to|in|the|and|following)$", re.IGNORECASE)
_STRONG = lazy(r"\*\*(?=\S)(.{1,500}?\S|\S)\*\*|__(?=\S)(.{1,500}?\S|\S)__")
MOST_PLAIN = 4_000
"""Characters of one paragraph or item that are looked at."""
_ITEM = lazy(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$")
_TABLE = lazy(r"[ \t]*\|")
_SENTENCE_END = lazy(r"[.!?:;]['\")\]]?(?=\s)")


def plain(text: str) -> str:
    """A text without links, images, tags and emphasis, on one line; what is too long is cut."""
    text = text[:MOST_PLAIN]
    text = _IMAGE.sub(" ", text)
    text = _WORDING_LINK.sub(r"\1", text)
    text = _XREF.sub(r"\1", text)
    text = _HTML.sub(" ", text)
    text = _STRONG.sub(lambda found: found[1] or found[2], text)
    text = _ESCAPED.sub(r"\1", text)
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """The text, cut after its last sentence that fits; at a word where the first one does not."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in _SENTENCE_END.finditer(text[: most + 1])]
    if ends and ends[-1] > most // 3:
        return text[: ends[-1]].rstrip(":; ")
    return text[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


def prose(lines: Sequence[Line], most: int) -> str:
    """The paragraphs and items of some lines as sentences; tables are left out."""
    return cut(" ".join(map(_ended, _first(pieces(lines), most))), most)


def joined(lines: Sequence[Line], most: int) -> str:
    """The first paragraphs and items of some lines, of about so many characters, on one line."""
    return " ".join(_first(pieces(lines), most))


def _first(said: Iterable[str], most: int) -> Iterator[str]:
    """As many of the texts as have so many characters, and the next one."""
    left = most
    for text in said:
        yield text
        left -= len(text) + 1
        if left < 0:
            return


def _ended(piece: str) -> str:
    """A piece with the mark that ends it; one that its list goes on has none."""
    return piece if piece.endswith((".", "!", "?", ":", ";", ",")) or _OPEN.search(piece) else f"{piece}."


def pieces(lines: Sequence[Line]) -> Iterator[str]:
    """Each paragraph and each list item as one plain line."""
    for text, _ in _blocks(lines):
        if said := plain(text):
            yield said


def items(lines: Sequence[Line]) -> list[str]:
    """The outermost items of the lists, each with what is nested in it, marked up as they are."""
    found: list[tuple[int, str]] = []
    for text, depth in _blocks(lines):
        if depth is None:
            continue
        if found and depth > found[-1][0]:
            found[-1] = (found[-1][0], f"{found[-1][1]} {text}")
        else:
            found.append((depth, text))
    least = min((depth for depth, _ in found), default=0)
    return [text for depth, text in found if depth == least]


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[str, int | None]]:
    """Paragraphs, and items with their depth of indentation."""
    block, depth = list[str](), None
    for line in lines:
        item = _ITEM.match(line.text)
        if item or not line.text.strip() or _TABLE.match(line.text):
            if block:
                yield " ".join(block), depth
            block, depth = [], None
        if item:
            block, depth = [item[2]], len(item[1].expandtabs(4))
        elif line.text.strip() and not _TABLE.match(line.text):
            block.append(line.text.strip().lstrip("> "))
    if block:
        yield " ".join(block), depth
