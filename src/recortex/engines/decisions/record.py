"""Makes a decision record of a file: MADR of any version, Nygard's form, Y-statements, and what is alike.

MADR: https://adr.github.io/madr/. Nygard: "Documenting Architecture Decisions" (2011). Y-statements:
Zimmermann, "Making Architectural Decisions" (2013).
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recortex.engines.decisions.mentions import MOST as MOST_MENTIONS
from recortex.engines.decisions.mentions import Mention, field_mentions, mentions
from recortex.engines.decisions.options import Option, chosen, options
from recortex.engines.decisions.outline import Line, Section, outline
from recortex.engines.decisions.standing import Standing, date_in, dates_in, is_choice, nearest, standing_of
from recortex.engines.decisions.wording import cut, items, joined, pieces, plain, prose
from recortex.engines.decisions.y_statement import y_statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.commit import FileHistory


MOST_CONTEXT, MOST_DECISION, MOST_ITEM = 1_200, 1_200, 300
"""Characters of a part; the memory cites the whole record."""
MOST_ITEMS, MOST_FILES = 12, 20
MOST_STATUS, MOST_Y = 2_000, 20_000
"""Characters of a status, and of a text without parts, that are looked at."""
PATTERNS = Patterns(__file__)
_ROLES = PATTERNS.by_name("role_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A decision record, in plain sentences.

    Attributes:
        path: from the repository's root, with forward slashes.
        number: by which others refer to it; not always of it alone.
        standing: what its status says; empty where it says nothing that is known.
        status: as it is written, shortened.
        dates: that it says of itself; several where one can be read in several ways.
        ended: a date that its status names where it no longer holds.
        mentions: other records that it names.
        files: paths that it names, as they are written.
        lines: how many it has.
        problem: what is odd about it; empty where nothing is.
    """

    path: str
    number: int | None
    title: str
    standing: Standing
    status: str
    dates: tuple[datetime, ...]
    ended: datetime | None
    context: str
    decision: str
    options: tuple[Option, ...]
    consequences: tuple[str, ...]
    deciders: str
    mentions: tuple[Mention, ...]
    files: tuple[str, ...]
    lines: int
    problem: str = ""

    @property
    def date(self) -> datetime | None:
        """When it was decided, as far as it says so."""
        return self.dates[0] if self.dates else None

    @property
    def key(self) -> str:
        """Its path without the ending, by which links find it."""
        return self.path.rpartition(".")[0] or self.path


def dated(record: Record, history: FileHistory | None) -> Record:
    """The record with one date: of several readings the one next to the file's first commit, or that one."""
    if history is None or len(record.dates) == 1:
        return record
    date = nearest(record.dates, history.first) if record.dates else history.first
    return replace(record, dates=(date,))


class Skipped(str):
    """Why a file is no decision record."""

    __slots__ = ()


def read_record(path: str, text: str) -> Record | Skipped:
    """The record that stands in a file, or why none does.

    Args:
        path: from the repository's root.
        text: of the whole file.
    """
    name, _, suffix = posixpath.basename(path).rpartition(".")
    if PATTERNS.template_name.search(name):
        return Skipped("a template")
    if PATTERNS.no_record_name.match(name):
        return Skipped("an index or a guide")
    read = outline(text, f".{suffix.lower()}")
    parts = _Parts(read.front, read.sections)
    title = _title(parts, name)
    status = parts.status
    if PATTERNS.placeholder.search(title) or is_choice(status):
        return Skipped("a template")
    whole = [line for section in read.sections for line in section.lines]
    told = (
        y_statement(joined(whole, MOST_Y)) if not parts.has("decision") or not parts.has("context") else None
    )
    numbered = bool(PATTERNS.file_number.match(name)) and bool(parts.value("date"))
    if not (status or parts.has("decision") or told or numbered):
        return Skipped("no decision record: it has neither a status nor a decision")
    return _record(path, name, title, parts, whole, told)


class _Parts:
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
        front = _text(self.front.get("status") or self.front.get("state"))
        body = self.fields.get("status", "") or self.fields.get("state", "")
        whole = front or body or "\n".join(line.text for line in self.lines("status")).strip()
        return whole[:MOST_STATUS]

    def value(self, *names: str) -> str:
        """The first of these fields that is there."""
        return next(
            filter(None, (_text(self.front.get(name)) or self.fields.get(name, "") for name in names)), ""
        )

    def _fields(self) -> Iterator[tuple[str, str]]:
        """The fields above the first part, such as `* Status: accepted` or a heading; the first counts."""
        seen = set[str]()
        for section, role in zip(self.sections, self.roles, strict=True):
            if role:
                break
            for text in (section.title, *(line.text for line in section.lines)):
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


def _role(heading: str) -> str:
    """The role that a heading names; empty where it names none."""
    said = " ".join(PATTERNS.heading.sub("", heading.lower()).split())
    return next((name.removeprefix("role_") for name, one in _ROLES.items() if one.fullmatch(said)), "")


def _roles(sections: Sequence[Section]) -> Iterator[str]:
    """The role of each section: by its heading, else of the section that it lies in."""
    within: list[tuple[int, str]] = [(0, "")]
    for section in sections:
        while len(within) > 1 and within[-1][0] >= section.level:
            within.pop()
        named = _role(section.title)
        outer = within[-1][1]
        if outer in {"options", "pros"} and named not in {"decision", "links", "status"}:
            named = ""  # "Positive" below an option is about that option
        role = named or outer
        within.append((section.level, role))
        yield role


def _record(path: str, name: str, title: str, parts: _Parts, whole: Sequence[Line], told: Any) -> Record:
    status, decided = parts.status, prose(parts.lines("decision"), MOST_DECISION)
    standing = standing_of(status)
    problem = ""
    if status and not standing:
        problem = f"its status {cut(plain(status), 60)!r} is not known: kept as proposed"
    if not status:
        standing = "accepted" if decided or told else ""
    about = [line for line in parts.lines("context") if not PATTERNS.field.match(line.text)]
    context = prose(about, MOST_CONTEXT)
    drivers = prose(parts.lines("drivers"), MOST_CONTEXT // 3)
    taken, _why = chosen(parts.lines("decision"))
    listed = options(parts.under("options"), parts.under("pros"), taken, MOST_ITEM)
    consequences = tuple(cut(one, MOST_ITEM) for one in _consequences(parts))[:MOST_ITEMS]
    if told:
        decided, context = decided or told.decision, context or told.context
        listed, consequences = listed or told.options, consequences or told.consequences
    number, in_name = _numbered(name, parts)
    below = "\n".join(line.text for line in parts.lines("date"))
    said = (parts.value("date", "decided-on", "created", "approved", "accepted"), below, status)
    dates = next(filter(None, map(dates_in, said)), ()) or in_name
    return Record(
        path=path,
        number=number,
        title=cut(plain(title), 200),
        standing=standing,
        status=cut(plain(status), 200),
        dates=dates,
        ended=date_in(status) if standing in {"superseded", "deprecated"} else None,
        context=" ".join(filter(None, (context, drivers))),
        decision=decided,
        options=listed[:MOST_ITEMS],
        consequences=consequences,
        deciders=cut(
            plain(
                parts.value("decision-makers", "decision-maker", "deciders", "decider", "author", "authors")
            ),
            200,
        ),
        mentions=_mentions(parts, path),
        files=tuple(_paths(whole)),
        lines=whole[-1].number if whole else 1,
        problem=problem,
    )


def _title(parts: _Parts, name: str) -> str:
    """The title without its number; where there is none, the file's name."""
    titles = (one.title for one in parts.sections if one.title and not _role(one.title))
    heading = next((one for one in titles if not PATTERNS.field.match(one)), "")
    title = heading or _text(parts.front.get("title")) or name.replace("-", " ").replace("_", " ")
    title = plain(title)
    for form in (PATTERNS.numbered, PATTERNS.called):
        if (found := form.match(title)) and title[found.end() :].strip():
            title = title[found.end() :]
    return title.strip(" \"'")


def _numbered(name: str, parts: _Parts) -> tuple[int | None, tuple[datetime, ...]]:
    """The number of a record, and the date in its file's name."""
    if found := PATTERNS.file_date.match(name):
        return None, dates_in(f"{found['y']}-{found['m']}-{found['d']}")
    if found := PATTERNS.file_number.match(name):
        return int(found["number"]), ()
    heading = next((PATTERNS.numbered.match(one.title) for one in parts.sections if one.title), None)
    return (int(heading["number"]) if heading else None), ()


def _consequences(parts: _Parts) -> Iterator[str]:
    sections = parts.under("consequences")
    for section in sections:
        listed = items(section.lines)
        yield from map(plain, listed)
        if not listed:
            yield from pieces(section.lines)


def _mentions(parts: _Parts, path: str) -> tuple[Mention, ...]:
    """Other records, each once with the strongest that is said of it."""
    found: list[Mention] = []
    for name, value in parts.front.items():
        if name not in {"title", "id", "summary", "tags", "parent", "nav-order", "date", "created"}:
            found += field_mentions(name, _text(value), path)
    found += mentions([line.text for line in parts.lines("status")], path, stated=True, of_status=True)
    found += mentions(parts.head, path, stated=True)
    for section in parts.under("links"):
        lines = [f"{section.title}: {line.text}" if line.text.strip() else "" for line in section.lines]
        own = section.title.lower() in {"supersedes", "superseded by", "amends"}
        found += mentions(lines if own else [line.text for line in section.lines], path, stated=True)
    for section, role in zip(parts.sections, parts.roles, strict=True):
        if role and role not in {"status", "links"}:
            found += mentions([line.text for line in section.lines], path, stated=False)
    return tuple(_once(found))[:MOST_MENTIONS]


def _once(found: Iterable[Mention]) -> Iterator[Mention]:
    """Of what is said of a record, what it states; that it only occurs tells no more than that."""
    stated = list(dict.fromkeys((one.type, one.backwards, one.target) for one in found if one.stated))
    known = {target for _, _, target in stated}
    done = set[tuple[Any, ...]]()
    for one in found:
        key = (one.type, one.backwards, one.target)
        if key not in done and (one.stated or one.target not in known):
            done.add(key)
            yield one


def _paths(lines: Sequence[Line]) -> Iterator[str]:
    """The paths that a text names, each once; whether they are there is for others to see."""
    seen = set[str]()
    for line in lines:
        for found in PATTERNS.path.finditer(line.text):
            path = found[1].removeprefix("./").rstrip(".")
            if path not in seen and len(seen) < 20 * MOST_FILES:
                seen.add(path)
                yield path


def _text(value: Any) -> str:
    """A field of the front matter as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
