"""The parts of a record by what they are for: by its headings, and by the fields above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.engines.decisions.outline import Line
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.decisions.outline import Section

MOST_STATUS = 2_000
"""Characters of a status that are looked at."""
PATTERNS = Patterns(__file__)
_ROLES = PATTERNS.by_name("role_")
_PAIR = 2


class Parts:
    """The parts of a record by their role."""

    def __init__(self, front: dict[str, Any], sections: Sequence[Section]) -> None:
        self.front, self.sections = front, sections
        self.roles = list(_roles(sections))
        self.fields = dict(self._fields())

    def has(self, role: str) -> bool:
        """Whether it has such a part that says something."""
        return any(line.text.strip() for line in self.lines(role))

    def lines(self, role: str) -> list[Line]:
        """The lines of all sections of a role, with the headings inside of them left out."""
        found: list[Line] = []
        for section, own in zip(self.sections, self.roles, strict=True):
            if own == role:
                found += [Line(0, ""), *section.lines]
        return found

    def under(self, role: str) -> list[Section]:
        """The sections of a role, the inner ones too."""
        return [one for one, own in zip(self.sections, self.roles, strict=True) if own == role]

    @property
    def status(self) -> str:
        """What it says of its standing."""
        front = text_of(self.front.get("status") or self.front.get("state"))
        body = self.fields.get("status", "") or self.fields.get("state", "")
        whole = front or body or "\n".join(line.text for line in self.lines("status")).strip()
        return whole[:MOST_STATUS]

    def value(self, *names: str) -> str:
        """The first of these fields that is there."""
        return next(
            filter(None, (text_of(self.front.get(name)) or self.fields.get(name, "") for name in names)), ""
        )

    def _fields(self) -> Iterator[tuple[str, str]]:
        """The fields above the first part, such as `* Status: accepted` or a heading; the first counts."""
        seen = set[str]()
        for section, role in zip(self.sections, self.roles, strict=True):
            if role:
                break
            for text in (section.title, *_listed([line.text for line in section.lines])):
                if found := PATTERNS.field.match(text):
                    name = found["name"].lower().replace(" ", "-")
                    if name not in seen and found["value"]:
                        seen.add(name)
                        yield name, found["value"]

    @property
    def head(self) -> list[str]:
        """The lines above the first part."""
        return [
            line.text
            for one, role in zip(self.sections, self.roles, strict=True)
            if not role
            for line in one.lines
        ]


def _listed(lines: Sequence[str]) -> Iterator[str]:
    """The lines; a table with a column for each field as one line for each."""
    heads: list[str] = []
    for place, line in enumerate(lines):
        cells = _cells(line)
        columns = len(cells) > 1 and any(map(_is_name, cells)) and not _is_pair(cells)
        if columns and PATTERNS.rule.match("".join(lines[place + 1 : place + 2])):
            heads = cells
        elif heads and cells:
            if not PATTERNS.rule.match(line):
                yield from (f"{name}: {value}" for name, value in zip(heads, cells, strict=False))
        else:
            heads = []
            yield line


def _cells(line: str) -> list[str]:
    """The cells of a row of a table; none where it is no row."""
    row = line.strip()
    return [one.strip(" \t*_") for one in row.strip("|").split("|")] if row.startswith("|") else []


def _is_name(cell: str) -> bool:
    return bool(PATTERNS.field.match(f"{cell}: x"))


def _is_pair(cells: Sequence[str]) -> bool:
    """Whether a row is a field with its value, not the names of two fields."""
    return len(cells) == _PAIR and not _is_name(cells[1])


def is_field(text: str) -> bool:
    """Whether a line is a field, such as `* Status: accepted`."""
    return bool(PATTERNS.field.match(text))


def role_of(heading: str) -> str:
    """The role that a heading names; empty where it names none."""
    said = " ".join(PATTERNS.heading.sub("", heading.lower()).split())
    return next((name.removeprefix("role_") for name, one in _ROLES.items() if one.fullmatch(said)), "")


def _roles(sections: Sequence[Section]) -> Iterator[str]:
    """The role of each section: by its heading, else of the section that it lies in."""
    within: list[tuple[int, str]] = [(0, "")]
    for section in sections:
        while len(within) > 1 and within[-1][0] >= section.level:
            within.pop()
        named = role_of(section.title)
        outer = within[-1][1]
        if outer in {"options", "pros"} and named not in {"decision", "links", "status"}:
            named = ""  # "Positive" below an option is about that option
        role = named or outer
        within.append((section.level, role))
        yield role


def text_of(value: Any) -> str:
    """A field of the front matter as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
