"""Makes a decision record of a file: MADR of any version, Nygard's form, Y-statements, and what is alike.

MADR: https://adr.github.io/madr/. Nygard: "Documenting Architecture Decisions" (2011). Y-statements:
Zimmermann, "Making Architectural Decisions" (2013).
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.decisions.mentions import MOST as MOST_MENTIONS
from recortex.decisions.mentions import (
    Mention,
    Said,
    Standing,
    dates_in,
    field_mentions,
    in_part,
    is_choice,
    is_of_others,
    mentions,
    nearest,
    stated_in,
    statements,
)
from recortex.engines.tables import Patterns
from recortex.text.outline import Line, cut, items, joined, outline, pieces, plain, prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.code import FileHistory
    from recortex.text.outline import Section


# -- what a record considered: the option that was chosen, and the others with what spoke against them


OPTIONS_PATTERNS = Patterns(__file__, "options")
MOST_OUTCOME = 4_000
"""Characters of an outcome in which the chosen option is looked for."""
MOST_TITLE, SHORT = 200, 80
"""Characters of an option, and of one that stands before its reason on a line."""


class Option(NamedTuple):
    """An option that was not taken, and why; the reason may be empty."""

    option: str
    against: str = ""


def chosen(lines: Sequence[Line]) -> tuple[str, str]:
    """The option that a MADR outcome names, and its reason; both empty where it names none."""
    found = OPTIONS_PATTERNS.chosen.search(joined(lines, MOST_OUTCOME))
    return (found["option"].strip(), (found["why"] or "").strip()) if found else ("", "")


def options(
    listed: Sequence[Section], weighed: Sequence[Section], taken: str, most: int
) -> tuple[Option, ...]:
    """The options that were not chosen, each once.

    Args:
        listed: sections that name them, as items or as headings of their own.
        weighed: sections with the pros and cons of each.
        taken: the one that was chosen.
        most: characters of a reason.
    """
    against = {_key(section.title): _cons(section, most) for section in weighed if section.title}
    found: dict[str, Option] = {}
    for option in _options_listed(listed, most):
        key = _key(option.option)
        if key and not _same(key, _key(taken)) and key not in found:
            found[key] = option if option.against else Option(option.option, against.get(key, ""))
    if not found:  # only weighed
        for section in weighed[1:]:
            key = _key(section.title)
            if key and not _same(key, _key(taken)) and not OPTIONS_PATTERNS.taken.search(section.title):
                found[key] = Option(_named(section.title), against[key])
    return tuple(found.values())


def _options_listed(sections: Sequence[Section], most: int) -> Iterator[Option]:
    if not sections:
        return
    top = min(section.level for section in sections)
    # Options as headings of their own; only where there are none do the items of a list count, since below
    # such headings the items are pros and cons.
    inner = [one for one in sections if one.level == top + 1]
    for section in inner:
        if not OPTIONS_PATTERNS.taken.search(section.title):
            yield Option(_named(section.title), cut(joined(section.lines, most), most))
    for section in () if inner else sections:
        for item in items(section.lines):
            if not OPTIONS_PATTERNS.taken.search(item):
                yield _item(item, most)


def _item(text: str, most: int) -> Option:
    """An item as option and reason: `**Option**: reason`, `Option: reason`, `Option - reason`."""
    if bold := OPTIONS_PATTERNS.bold.match(text.strip()):
        return Option(_named(bold["option"]), cut(plain(bold["why"]), most))
    said = plain(text)
    parts = OPTIONS_PATTERNS.reason.split(said, maxsplit=1)
    # A colon in a long sentence or in an address does not part an option from its reason.
    short = len(parts) > 1 and len(parts[0]) <= SHORT and "://" not in said[: len(parts[0]) + 4]
    return Option(_named(parts[0]), cut(parts[1], most)) if short else Option(_named(said))


def _named(title: str) -> str:
    said = plain(title).strip(" *_`\"'“”")
    found = OPTIONS_PATTERNS.numbered.match(said)
    # An option that is nothing but a number ("2.") keeps it: cut off, it would be empty.
    return cut(said[found.end() :] if found and said[found.end() :] else said, MOST_TITLE).rstrip(" :.")


def _cons(section: Section, most: int) -> str:
    """What spoke against an option."""
    said = [plain(one) for one in items(section.lines)]
    found = [
        one[match.end() :]
        for one in said
        if (match := OPTIONS_PATTERNS.against.match(one)) and match.end() < len(one)
    ]
    return cut("; ".join(found), most)


def _key(title: str) -> str:
    return " ".join(OPTIONS_PATTERNS.words.findall(_named(title).lower()))


def _same(key: str, taken: str) -> bool:
    """Whether a listed option is the chosen one, where one of the names is the beginning of the other."""
    # A list often has the long form, "PostgreSQL 16 with PostGIS", and the outcome the short one.
    return bool(taken) and (key.startswith(taken) or taken.startswith(key))


# -- the parts of a record by what they are for: by its headings, and by the fields above them


MOST_STATUS = 2_000
"""Characters of a status that are looked at."""
PARTS_PATTERNS = Patterns(__file__, "parts")
_ROLES = PARTS_PATTERNS.by_name("role_")
_PAIR = 2
_NONE = frozenset(("none", "no", "null", "n/a", "na", "nobody", "nothing", "tbd"))


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
                # An empty line between, so that the last line of one section is not read as wrapped to the
                # next.
                found += [Line(0, ""), *section.lines]
        return found

    def under(self, role: str) -> list[Section]:
        """The sections of a role, the inner ones too."""
        return [one for one, own in zip(self.sections, self.roles, strict=True) if own == role]

    @property
    def status(self) -> str:
        """What it says of its standing."""
        front = text_of(self.front.get("status") or self.front.get("state"))
        # Templates leave `superseded-by:` empty or with a dash; only what has letters or digits names a
        # record.
        if front and any(map(str.isalnum, by := text_of(self.front.get("superseded-by")))):
            front += f"\nSuperseded by {by}" if by.lower() not in _NONE else ""
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
            # Only above the first part: further down, "Date:" may be in an example.
            if role:
                break
            for text in (section.title, *_parts_listed([line.text for line in section.lines])):
                if found := PARTS_PATTERNS.field.match(text):
                    name = found["name"].lower().replace(" ", "-")
                    if name not in seen and found["value"]:
                        seen.add(name)
                        yield name, found["value"]

    @property
    def hides_status(self) -> bool:
        """Whether it names its status in a form that cannot be read."""
        return not self.status and any(map(PARTS_PATTERNS.unread.match, self.head))

    @property
    def head(self) -> list[str]:
        """The lines above the first part."""
        return [line.text for section in self.above for line in section.lines]

    @property
    def above(self) -> list[Section]:
        """The sections above the first part."""
        return [
            section
            for section, _ in takewhile(lambda one: not one[1], zip(self.sections, self.roles, strict=True))
        ]


def _parts_listed(lines: Sequence[str]) -> Iterator[str]:
    """The lines; a table with a column for each field as one line for each."""
    heads: list[str] = []
    for place, line in enumerate(lines):
        # The cells of a row of a table; none where it is no row.
        row = line.strip()
        cells = [one.strip(" \t*_") for one in row.strip("|").split("|")] if row.startswith("|") else []
        # A field with its value, which is not the names of two fields.
        pair = len(cells) == _PAIR and not _is_name(cells[1])
        columns = len(cells) > 1 and any(map(_is_name, cells)) and not pair
        if columns and PARTS_PATTERNS.rule.match("".join(lines[place + 1 : place + 2])):
            heads = cells
        elif heads and cells:
            if not PARTS_PATTERNS.rule.match(line):
                yield from (f"{name}: {value}" for name, value in zip(heads, cells, strict=False))
        elif PARTS_PATTERNS.alone.match(line):
            below = (lines[at].strip() for at in range(place + 1, len(lines)))
            yield f"Status: {next(filter(None, below), '')}"
        else:
            heads = []
            yield line


def _is_name(cell: str) -> bool:
    return bool(PARTS_PATTERNS.field.match(f"{cell}: x"))


def is_field(text: str) -> bool:
    """Whether a line is a field, such as `* Status: accepted`."""
    return bool(PARTS_PATTERNS.field.match(text))


def role_of(heading: str) -> str:
    """The role that a heading names; empty where it names none."""
    said = " ".join(PARTS_PATTERNS.heading.sub("", heading.lower()).split())
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


# -- A decision in one sentence: in the context of …, facing …, we decided for … and against …, to achieve …


Y_STATEMENT_PATTERNS = Patterns(__file__, "y_statement")
MOST = 2_000
"""Characters of the sentence that are looked at."""


class YStatement(NamedTuple):
    """What the sentence says, by its parts."""

    context: str
    decision: str
    options: tuple[Option, ...]
    consequences: tuple[str, ...]


def y_statement(text: str) -> YStatement | None:
    """The first such sentence of a text on one line."""
    begun = Y_STATEMENT_PATTERNS.begin.search(text)
    parts = _parts(text[begun.end() : begun.end() + MOST].partition(".")[0]) if begun else {}
    # Four parts are the sentence's form (Zimmermann, 2013); with fewer, "in the context of" is ordinary
    # prose.
    if not {"context", "facing", "decision", "goal"} <= parts.keys():
        return None
    because = f" because {parts['because']}" if "because" in parts else ""
    return YStatement(
        context=f"In the context of {parts['context']}, facing {parts['facing']}.",
        decision=f"Decided for {parts['decision']}, to achieve {parts['goal']}{because}.",
        options=(Option(parts["against"]),) if "against" in parts else (),
        consequences=(f"Accepted: {parts['cost']}.",) if "cost" in parts else (),
    )


def _parts(sentence: str) -> dict[str, str]:
    """The parts of a sentence that are there, by name: each from its first words to those of the next."""
    found, at = {"context": (0, 0)}, 0
    # In the fixed order of the form: "to achieve" may also stand within what was decided for.
    for name, words in Y_STATEMENT_PATTERNS.by_name("part_").items():
        if mark := words.search(sentence, at):
            found[name.removeprefix("part_")] = mark.span()
            at = mark.end()
    ends = [begins for begins, _ in list(found.values())[1:]] + [len(sentence)]
    parts = {name: sentence[at:end].strip() for (name, (_, at)), end in zip(found.items(), ends, strict=True)}
    return {name: said for name, said in parts.items() if said}


# -- makes a decision record of a file: MADR of any version, Nygard's form, Y-statements, and what is alike


MOST_CONTEXT, MOST_DECISION, MOST_ITEM = 1_200, 1_200, 300
"""Characters of a part; the memory cites the whole record."""
MOST_ITEMS, MOST_FILES = 12, 20
MOST_LINE, MOST_ODD = 200, 60
"""Characters of a title, a status or names; of a status that is told as odd."""
MOST_Y = 20_000
"""Characters of a text without parts in which a Y-statement is looked for."""
PATTERNS = Patterns(__file__)
_DECIDERS = ("decision-makers", "decision-maker", "deciders", "decider", "author", "authors")


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


_CODE = re.compile(r"`[^`]*`")


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
    read = outline(text, f".{suffix.lower()}")
    parts = Parts(read.front, read.sections)
    # The title without its number; where there is none, the file's name
    titles = (one.title for one in parts.sections if one.title and not role_of(one.title))
    heading = next((one for one in titles if not is_field(one)), "")
    title = heading or text_of(parts.front.get("title")) or name.replace("-", " ").replace("_", " ")
    title = plain(title)
    for form in (PATTERNS.numbered, PATTERNS.called):
        if (found := form.match(title)) and title[found.end() :].strip():
            title = title[found.end() :]
    title = title.strip(" \"'")
    status = parts.status
    named_in_prose = _CODE.sub("", title)  # `GET /items/{id}` is filled in
    # Before anything else: a template has a status and a decision, too, and would become a rule.
    if PATTERNS.placeholder.search(named_in_prose) or is_choice(status) or _is_blank(name, parts, title):
        return Skipped("a template")
    # An index or a guide by its name ("README", "template") may still be a real record called so.
    if (named := _named_otherwise(name)) and not _is_filled(parts, title):
        return Skipped(named)
    whole = [line for section in read.sections for line in section.lines]
    # It stands in only for parts that are missing: where they are there, such a sentence may be an example.
    told = (
        y_statement(joined(whole, MOST_Y)) if not parts.has("decision") or not parts.has("context") else None
    )
    # Some projects number their files and date them, and write neither a status nor a heading for it.
    numbered = bool(PATTERNS.file_number.match(name)) and bool(parts.value("date"))
    if not (status or parts.has("decision") or told or numbered):
        return Skipped("no decision record: it has neither a status nor a decision")
    return _record(path, name, title, parts, whole, told)


def _named_otherwise(name: str) -> str:
    """What a file's name says that it is, where that is no record."""
    if PATTERNS.template_name.search(name):
        return "a template"
    return "an index or a guide" if PATTERNS.no_record_name.match(name) else ""


def _is_blank(name: str, parts: Parts, title: str) -> bool:
    """Whether a text is called a template, or has a number or a date that is to be filled in."""
    return bool(
        PATTERNS.template_title.fullmatch(title)
        or PATTERNS.unnumbered.match(name)
        or PATTERNS.date_blank.search(parts.value("date"))
    )


def _is_filled(parts: Parts, title: str) -> bool:
    """Whether a text has a status and a decision of its own, whatever its file is called."""
    decided = prose(parts.lines("decision"), MOST_DECISION)
    blank = (
        PATTERNS.blank.search(decided) or PATTERNS.blank.search(title) or PATTERNS.blank.search(parts.status)
    )
    return bool(decided and stated_in(parts.status).standing and not blank)


def _record(
    path: str, name: str, title: str, parts: Parts, whole: Sequence[Line], told: YStatement | None
) -> Record:
    status, decided = parts.status, prose(parts.lines("decision"), MOST_DECISION)
    said, problem = _stated(status, decided=bool(decided or told))
    # A status that cannot be read may be "rejected": it is not taken for accepted.
    if parts.hides_status:
        said, problem = said._replace(standing=""), "its status cannot be read: kept as proposed"
    about = [line for line in parts.lines("context") if not is_field(line.text)]
    # Drivers add to the context; a third of its length leaves the context itself the larger part.
    drivers = prose(parts.lines("drivers"), MOST_CONTEXT // 3)
    context, listed, consequences = (
        " ".join(filter(None, (prose(about, MOST_CONTEXT), drivers))),
        _options(parts),
        tuple(_consequences(parts)),
    )
    if told:
        decided, context = decided or told.decision, context or told.context
        listed, consequences = listed or told.options, consequences or told.consequences
    number, in_name = _numbered(name, parts)
    return Record(
        path=path,
        number=number,
        title=cut(plain(title), MOST_LINE),
        standing=said.standing,
        status=cut(plain(status), MOST_LINE),
        dates=_dates(parts) or in_name,
        ended=said.date if said.standing in {"superseded", "deprecated"} else None,
        context=context,
        decision=decided,
        options=listed[:MOST_ITEMS],
        consequences=tuple(cut(one, MOST_ITEM) for one in consequences[:MOST_ITEMS]),
        deciders=cut(plain(parts.value(*_DECIDERS)), MOST_LINE),
        mentions=_mentions(parts, path, said.standing),
        files=tuple(_paths(whole)),
        lines=whole[-1].number if whole else 1,
        problem=problem,
    )


def _stated(status: str, *, decided: bool) -> tuple[Said, str]:
    """Where a record stands by its status, and what is odd about that; without one it counts as decided."""
    said = stated_in(status)
    if said.standing:
        return said, ""
    # "Supersedes ADR 3" as the only status says that it is in force, since it replaces another one.
    if not status or is_of_others(status):
        # A decision that is written down without any status counts as made.
        return said._replace(standing="accepted" if decided else ""), ""
    return said, f"its status {cut(plain(status), MOST_ODD)!r} is not known: kept as proposed"


def _options(parts: Parts) -> tuple[Option, ...]:
    taken, _ = chosen(parts.lines("decision"))
    return options(parts.under("options"), parts.under("pros"), taken, MOST_ITEM)


def _dates(parts: Parts) -> tuple[datetime, ...]:
    """What a record's own date may mean: that of a field, of a section, of its status, of its changelog."""
    below = "\n".join(line.text for line in parts.lines("date"))
    said = (parts.value("date", "decided-on", "created", "approved", "accepted"), below, parts.status)
    # The first place that has a date; the changelog comes last, as it also has the dates of later edits.
    return next(filter(None, map(dates_in, said)), ()) or _begun(parts)


def _begun(parts: Parts) -> tuple[datetime, ...]:
    """The date in a record's own changelog when it was accepted, else of the earliest entry."""
    entries = [(line.text, dates) for line in parts.lines("history") if (dates := dates_in(line.text))]
    accepted = [dates for text, dates in entries if PATTERNS.accepting.search(text)]
    return min(accepted or [dates for _, dates in entries], default=())


def _numbered(name: str, parts: Parts) -> tuple[int | None, tuple[datetime, ...]]:
    """The number of a record, and the date in its file's name."""
    # A date in front of the name must not be read as the number 2024.
    if found := PATTERNS.file_date.match(name):
        return None, dates_in(f"{found['y']}-{found['m']}-{found['d']}")
    if found := PATTERNS.file_number.match(name):
        return int(found["number"]), ()
    heading = next((PATTERNS.numbered.match(one.title) for one in parts.sections if one.title), None)
    return (int(heading["number"]) if heading else None), ()


def _consequences(parts: Parts) -> Iterator[str]:
    sections = parts.under("consequences")
    for section in sections:
        listed = items(section.lines)
        yield from map(plain, listed)
        if not listed:
            yield from pieces(section.lines)


def _mentions(parts: Parts, path: str, standing: Standing) -> tuple[Mention, ...]:
    """Other records, each once with the strongest that is said of it.

    By the status of a record that holds nothing took its place: what it names there took a part of it.
    """
    found: list[Mention] = []
    for name, value in parts.front.items():
        # These hold no relations, and numbers in them (`id: 12`, a tag, a date) would be read as records.
        if name not in {"title", "id", "summary", "tags", "parent", "nav-order", "date", "created"}:
            found += field_mentions(name, text_of(value), path)
    below = statements("\n".join(line.text for line in parts.lines("status")))
    of_status = mentions(below, path, stated=True, of_status=True)
    # "Accepted, superseded by 12 for new services": it still holds, so what it names took a part of it.
    found += of_status if standing in {"superseded", "deprecated", ""} else map(in_part, of_status)
    found += mentions(parts.head, path, stated=True)
    for section in parts.under("links"):
        lines = [f"{section.title}: {line.text}" if line.text.strip() else "" for line in section.lines]
        # The heading is the verb: the lines below "Superseded by" are only links.
        own = section.title.lower() in {"supersedes", "superseded by", "amends"}
        found += mentions(lines if own else [line.text for line in section.lines], path, stated=True)
    above = len(parts.above)
    for place, (section, role) in enumerate(zip(parts.sections, parts.roles, strict=True)):
        if place >= above and role not in {"status", "links"}:
            # A line that another is wrapped to begins with what is said of something else.
            prose_of_part = statements("\n".join(line.text for line in section.lines))
            found += mentions(prose_of_part, path, stated=False)
    return tuple(_once(found))[:MOST_MENTIONS]


def _once(found: Iterable[Mention]) -> Iterator[Mention]:
    """Of what is said of a record, what it states; that it only occurs tells no more than that."""
    stated = list(dict.fromkeys((one.type, one.backwards, one.target) for one in found if one.stated))
    known = {target for _, _, target in stated}
    done = set[tuple[Any, ...]]()
    for one in found:
        key = (one.type, one.backwards, one.target)
        # The status may say "superseded by 12", and the text mention 12 again: the statement is what
        # counts.
        if key not in done and (one.stated or one.target not in known):
            done.add(key)
            yield one


def _paths(lines: Sequence[Line]) -> Iterator[str]:
    """The paths that a text names, each once; whether they are there is for others to see."""
    seen = set[str]()
    for line in lines:
        for found in PATTERNS.path.finditer(line.text):
            path = found[1].removeprefix("./").rstrip(".")
            # Bounds the work on a pasted log with thousands of paths; far fewer are kept.
            if path not in seen and len(seen) < 20 * MOST_FILES:
                seen.add(path)
                yield path
