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
from recortex.engines.decisions.mentions import Mention, field_mentions, in_part, mentions
from recortex.engines.decisions.options import Option, chosen, options
from recortex.engines.decisions.outline import outline
from recortex.engines.decisions.parts import Parts, is_field, role_of, text_of
from recortex.engines.decisions.standing import (
    Said,
    Standing,
    dates_in,
    is_choice,
    is_of_others,
    nearest,
    stated_in,
    statements,
)
from recortex.engines.decisions.wording import cut, items, joined, pieces, plain, prose
from recortex.engines.decisions.y_statement import YStatement, y_statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.commit import FileHistory
    from recortex.engines.decisions.outline import Line


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
    title = _title(parts, name)
    status = parts.status
    if PATTERNS.placeholder.search(title) or is_choice(status) or _is_blank(name, parts, title):
        return Skipped("a template")
    if (named := _named_otherwise(name)) and not _is_filled(parts, title):
        return Skipped(named)
    whole = [line for section in read.sections for line in section.lines]
    told = (
        y_statement(joined(whole, MOST_Y)) if not parts.has("decision") or not parts.has("context") else None
    )
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
    context, listed, consequences = _context(parts), _options(parts), tuple(_consequences(parts))
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
    if not status or is_of_others(status):
        return said._replace(standing="accepted" if decided else ""), ""
    return said, f"its status {cut(plain(status), MOST_ODD)!r} is not known: kept as proposed"


def _context(parts: Parts) -> str:
    about = [line for line in parts.lines("context") if not is_field(line.text)]
    drivers = prose(parts.lines("drivers"), MOST_CONTEXT // 3)
    return " ".join(filter(None, (prose(about, MOST_CONTEXT), drivers)))


def _options(parts: Parts) -> tuple[Option, ...]:
    taken, _ = chosen(parts.lines("decision"))
    return options(parts.under("options"), parts.under("pros"), taken, MOST_ITEM)


def _dates(parts: Parts) -> tuple[datetime, ...]:
    """What a record's own date may mean: that of a field, of a section, of its status, of its changelog."""
    below = "\n".join(line.text for line in parts.lines("date"))
    said = (parts.value("date", "decided-on", "created", "approved", "accepted"), below, parts.status)
    return next(filter(None, map(dates_in, said)), ()) or _begun(parts)


def _begun(parts: Parts) -> tuple[datetime, ...]:
    """The date in a record's own changelog when it was accepted, else of the earliest entry."""
    entries = [(line.text, dates) for line in parts.lines("history") if (dates := dates_in(line.text))]
    accepted = [dates for text, dates in entries if PATTERNS.accepting.search(text)]
    return min(accepted or [dates for _, dates in entries], default=())


def _title(parts: Parts, name: str) -> str:
    """The title without its number; where there is none, the file's name."""
    titles = (one.title for one in parts.sections if one.title and not role_of(one.title))
    heading = next((one for one in titles if not is_field(one)), "")
    title = heading or text_of(parts.front.get("title")) or name.replace("-", " ").replace("_", " ")
    title = plain(title)
    for form in (PATTERNS.numbered, PATTERNS.called):
        if (found := form.match(title)) and title[found.end() :].strip():
            title = title[found.end() :]
    return title.strip(" \"'")


def _numbered(name: str, parts: Parts) -> tuple[int | None, tuple[datetime, ...]]:
    """The number of a record, and the date in its file's name."""
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
        if name not in {"title", "id", "summary", "tags", "parent", "nav-order", "date", "created"}:
            found += field_mentions(name, text_of(value), path)
    below = statements("\n".join(line.text for line in parts.lines("status")))
    of_status = mentions(below, path, stated=True, of_status=True)
    found += of_status if standing in {"superseded", "deprecated", ""} else map(in_part, of_status)
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
