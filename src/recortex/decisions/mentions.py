"""What a record says of other records: which ones, and how it is related to them, in its own words."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.vocabulary import RelationType
from recortex.engines.tables import Patterns
from recortex.text.outline import cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Standing = Literal["accepted", "proposed", "rejected", "deprecated", "superseded", ""]
"""Empty: it does not say, or not in words that are known."""

STATUS_PATTERNS = Patterns(__file__, "status")
_SHORT_YEAR, _DAY = 2, timedelta(days=1)
_MONTHS = {name: at for at, name in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip
# Rejected and deprecated are equally late in a record's life: of both the date decides, or the first named.
_AGE: dict[Standing, int] = {"proposed": 0, "accepted": 1, "deprecated": 2, "rejected": 2, "superseded": 3}
"""How far a standing is in a record's life."""
_ENDED, _CHOICES = 2, 3
MOST_STATEMENT = 1_000
"""Characters from which on a statement is not wrapped to another line."""
MOST_ALONE = 200
"""Characters of a line that may be nothing but a standing and its date."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class Said(NamedTuple):
    """A standing that a status states, with its date if it names one."""

    standing: Standing
    date: datetime | None


def stated_in(text: str) -> Said:
    """What a status says, and since when: its first word, unless a later statement says what became of it.

    A later statement begins a line or clause and says nothing but a standing with its date, person or
    reason: "Deprecated options are listed below" is none. What a status says of other records ("supersedes
    …"), of what was once or may be, and of the end of a part, is not its standing. Of several with dates the
    latest counts, otherwise the one that is furthest in a record's life.
    """
    rows = [list(_own(_clauses(statement))) for statement in statements(text)]
    found = [said for number, row in enumerate(rows) for said in _stated(row, first=not number)]
    if not found:
        words = (_first_word(clause) for row in rows for clause, part in row if not part)
        in_part = any(part for row in rows for _, part in row)
        return Said(next(filter(None, words), "accepted" if in_part else ""), date_in(text))
    if all(one.date for one in found):
        return max(found, key=lambda one: (one.date or _NEVER, _AGE[one.standing]))
    return max(found, key=lambda one: _AGE[one.standing])


def is_of_others(text: str) -> bool:
    """Whether a status says nothing of its own standing, only how the record is related to others."""
    left = [STATUS_PATTERNS.of_another.sub("", one) for line in statements(text) for one in _clauses(line)]
    others = bool(STATUS_PATTERNS.of_another.search(_unlinked(text)))
    return others and not any(STATUS_PATTERNS.letter.search(one.replace(_LINK, "")) for one in left)


def statements(text: str) -> list[str]:
    """The lines of a status, each with those that it is wrapped to; of a table each row."""
    # Struck through, or a box that is not ticked: written there, and not what holds.
    text = STATUS_PATTERNS.unchecked.sub("", STATUS_PATTERNS.struck.sub("", text))
    found, goes_on = list[str](), False
    for line in text.split("\n"):
        if STATUS_PATTERNS.rule.match(line):
            goes_on = False
            continue
        anew = STATUS_PATTERNS.begins.match(line) or (line.strip()[:1].isupper() and _is_statement(line))
        # A capital alone begins no statement, as names have one, too; it must also say a standing.
        if (
            goes_on
            and len(found[-1]) < MOST_STATEMENT
            and (not anew or STATUS_PATTERNS.open_end.search(found[-1]))
        ):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
        goes_on = len(found[-1]) > MOST_ALONE or not STATUS_PATTERNS.alone.fullmatch(_unlinked(found[-1]))
    return [" ".join(one.strip("|").split("|")) if one.startswith("|") else one for one in found]


def is_choice(text: str) -> bool:
    # Templates list all standings to choose from: "proposed | accepted | rejected".
    """Whether a status is that of a template: several to choose from."""
    if STATUS_PATTERNS.choice.search(text):
        return True
    for line in filter(STATUS_PATTERNS.listing.search, text.split("\n")):
        named = {_word(one) for one in STATUS_PATTERNS.listing.split(line)}
        # With dates it is a history of the record and no list to choose from.
        if len(named - {""}) >= _CHOICES and not STATUS_PATTERNS.date.search(line):
            return True
    return False


_LINK = "[link]"


def _unlinked(text: str) -> str:
    """A text in which a link is one word, unless its own words are a standing."""

    def words(found: re.Match[str]) -> str:
        said = found["said"] or found["named"] or ""
        # The words of a link are mostly another record's title, in which "deprecated" is not about this
        # one.
        return said if STATUS_PATTERNS.word.search(said) and _is_statement(said) else _LINK

    return STATUS_PATTERNS.link.sub(words, text)


def _clauses(statement: str) -> list[str]:
    return [one for one in STATUS_PATTERNS.clause.split(_unlinked(statement)) if one.strip()]


def _own(clauses: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What each clause says of the record itself, and whether it only tells that a part of it ended."""
    for clause, following in zip(clauses, [*clauses[1:], ""], strict=False):
        own = STATUS_PATTERNS.of_another.sub("", clause)
        # Only an ending can be of a part; a part that was accepted says nothing of the rest.
        word = next((one for one in STATUS_PATTERNS.word.finditer(own) if _AGE[_name(one)] >= _ENDED), None)
        part = word and (
            STATUS_PATTERNS.in_part.search(own)
            or STATUS_PATTERNS.limited.match(own, word.end())
            or STATUS_PATTERNS.part_only.match(following)
        )
        yield own, bool(part)


def _stated(row: Sequence[tuple[str, bool]], *, first: bool) -> Iterator[Said]:
    """The standings that the clauses of a statement are; the first one of all needs only to begin with it."""
    whole = " ".join(clause for clause, _ in row)
    for number, (clause, part) in enumerate(row):
        after = row[number + 1][0] if number + 1 < len(row) else ""
        lead = STATUS_PATTERNS.lead_word.match(clause)
        word = STATUS_PATTERNS.word.match(clause, lead.end()) if lead else None
        if word is None or part or STATUS_PATTERNS.by_nobody.search(clause):
            continue
        only = first and not number and not STATUS_PATTERNS.at_first.match(clause, word.end())
        if only or STATUS_PATTERNS.tail.match(clause, word.end()):
            alone = not STATUS_PATTERNS.word.search(after)
            yield Said(_name(word), date_in(clause) or (date_in(after) if alone else None) or date_in(whole))


def _is_statement(text: str) -> bool:
    lead = STATUS_PATTERNS.lead_word.match(text)
    word = STATUS_PATTERNS.word.match(text, lead.end()) if lead else None
    return bool(word and STATUS_PATTERNS.tail.match(text, word.end()))


def _first_word(clause: str) -> Standing:
    """The first word of a clause that is a standing which it has now, else one that it had."""
    had: Standing = ""
    for word in STATUS_PATTERNS.word.finditer(clause):
        # "No longer deprecated", "not yet accepted": the word is there, and does not hold.
        if STATUS_PATTERNS.not_now.search(clause[: word.start()]):
            continue
        if not (
            STATUS_PATTERNS.once.search(clause[: word.start()])
            or STATUS_PATTERNS.at_first.match(clause, word.end())
        ):
            return _name(word)
        had = had or _name(word)
    return had


def _word(text: str) -> Standing:
    found = STATUS_PATTERNS.word.search(text)
    return _name(found) if found else ""


def _name(word: re.Match[str]) -> Standing:
    return word.lastgroup  # type: ignore[return-value]  # the names of the groups


def dates_in(text: str) -> tuple[datetime, ...]:
    """What the first date of a text can mean, at midnight UTC: `2024-05-01`, `1.5.2024`, `May 1, 2024`.

    `4/5/2024` is the fourth of May or the fifth of April.
    """
    # The text does not say which order of day and month it follows, so all readings are kept until the date
    # of the file's first commit decides (`nearest`).
    for found in STATUS_PATTERNS.date.finditer(text):
        if readings := tuple(filter(None, (_date(*parts) for parts in _parts(found)))):
            return readings
    return ()


def date_in(text: str) -> datetime | None:
    """The likelier meaning of the first date in a text."""
    return next(iter(dates_in(text)), None)


def nearest(readings: Sequence[datetime], to: datetime) -> datetime:
    """The meaning of a date that is nearest to when it was committed first; rather before than after."""
    # A decision is mostly written down on its day or later. One day of grace is for time zones.
    return min(readings, key=lambda one: (one > to + _DAY, abs(one - to)))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Year, month and day, as the date may be read."""
    if found["y"]:
        # Two digits are years of this century: no decision record is older.
        year = found["y"] if len(found["y"]) > _SHORT_YEAR else f"20{found['y']}"
        yield from ((year, found["b"], found["a"]), (year, found["a"], found["b"]))
        return
    kind = next(one for one in "123456" if found[f"y{one}"])
    yield found[f"y{kind}"], found[f"m{kind}"], "1" if kind == "5" else found[f"d{kind}"]


def _date(year: str, month: str, day: str) -> datetime | None:
    try:
        return datetime(int(year), _MONTHS.get(month[:3].lower()) or int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None


# -- what a record says of other records: which ones, and how it is related to them, in its own words


MOST = 30
"""Relations of one record."""
_QUOTED = 240
_APART = 200
"""Characters between a verb and a record in the same clause at most."""
PATTERNS = Patterns(__file__)
_VERBS = PATTERNS.by_name("verb_")
_STRONG = {RelationType.SUPERSEDES, RelationType.REFINES, RelationType.DEPENDS_ON}
_NAME = re.compile(r"verb_(of_)?([a-z_]+?)(?:_\d)?$")
_PART_OF_WORD, _WORD = re.compile(r"[\w-]"), re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Mention:
    """Another record that one names.

    Attributes:
        type: of the relation.
        backwards: the other record is the one that supersedes, refines or depends on this one.
        target: a path from the repository's root without its ending, or a number.
        stated: the record says so of itself; otherwise the other one only occurs in its text.
        sentence: in which it does.
    """

    type: RelationType
    backwards: bool
    target: str | int
    stated: bool
    sentence: str


def mentions(lines: Sequence[str], path: str, *, stated: bool, of_status: bool = False) -> list[Mention]:
    """The records that some lines name, in order.

    Args:
        lines: of the record, outside code.
        path: of the record, from the repository's root.
        stated: they stand where records say how they are related, such as below `Status` or `Links`.
        of_status: they are the status, where "by 12" is a record too.
    """
    found: list[Mention] = []
    heading = ""
    for line in lines:
        here = list(_line(line, path, stated=stated, of_status=of_status, before=heading))
        found += here
        # A line such as "**Supersedes:**" whose records are listed below it: its verb counts for those
        # lines.
        alone = not here and _verbs(line) and line.rstrip().endswith((":", ":**", "**"))
        if alone:
            heading = f"{line.strip()} "
        # An empty line between the heading and its list does not end it.
        elif not line.strip() or (here and not heading):
            heading = heading if not line.strip() else ""
        elif not here:
            heading = ""
        if len(found) >= MOST:
            break
    return found[:MOST]


def in_part(mention: Mention) -> Mention:
    """The mention, where what took this record's place took only a part of it."""
    ends = mention.type is RelationType.SUPERSEDES and mention.backwards
    return replace(mention, type=RelationType.REFINES) if ends else mention


def field_mentions(name: str, value: str, path: str) -> list[Mention]:
    """The records that a field of the front matter names, such as `superseded-by: 12`."""
    words = name.replace("-", " ").replace("_", " ")
    # Another record's number is only read behind "ADR", since "12" alone may be anything.
    lines = [
        f"{words}: ADR {one}" if one.strip().isdecimal() else f"{words}: {one}" for one in value.split("\n")
    ]
    return mentions(lines, path, stated=True)


def _line(line: str, path: str, *, stated: bool, of_status: bool, before: str) -> Iterator[Mention]:
    text = before + line
    references = list(_references(text, of_status=of_status))
    for at, (start, end, target) in enumerate(references):
        # The link's own words know best, as in "[Refined by ADR-0012](…)"; only then what stands before it.
        verb = _inside(text, start, end) or _nearest(text[:start], [one[:2] for one in references[:at]])
        type_, backwards, begins = verb or (RelationType.REFERENCES, False, 0)
        owns = (
            stated
            or bool(PATTERNS.leading.fullmatch(text[:begins]))
            or bool(PATTERNS.subject.search(text[:begins]))
        )
        if type_ is RelationType.RELATED and not stated:
            type_ = RelationType.REFERENCES
        # "ADR 7 supersedes ADR 3" in a third record says nothing of this one; it is a mere reference there.
        if type_ in _STRONG and not owns:
            type_, backwards = RelationType.REFERENCES, False
        # What took the place of a part leaves the rest in force: that refines, and does not supersede.
        if type_ is RelationType.SUPERSEDES and (
            PATTERNS.part.match(text[end:]) or (backwards and PATTERNS.of_a_part.search(text[:begins]))
        ):
            type_ = RelationType.REFINES
        if type_ is RelationType.REFERENCES and stated:
            type_ = RelationType.RELATED
        resolved = target if isinstance(target, int) else _resolved(target, path)
        yield Mention(type_, backwards, resolved, type_ in _STRONG or stated, cut(plain(text), _QUOTED))


def _references(text: str, *, of_status: bool) -> Iterator[tuple[int, int, str | int]]:
    """Where each reference stands, and what it refers to; a link's own words are no second one."""
    end = 0
    # Inside of what the reference before it took, such as the number in a link's path.
    for found in PATTERNS.reference.finditer(text):
        if found.start() < end:
            continue
        end = found.end()
        name = found["link"] or found["xref"] or found["name"]
        start = found.start()
        if found["link"]:
            opened = text.rfind("[", 0, start)
            start = opened if opened >= 0 else start
        linked = _linked(text, found)
        if linked:
            continue  # the words of a link whose target says it better
        yield start, end, name or int(found["number"])
        while not name and (more := PATTERNS.more.match(text, end)):
            end = more.end()
            yield start, end, int(more["number"])
    # Only where nothing else was found: "superseded by 12, see 0012-x.md" would else name 12 twice.
    if of_status and not end:
        for bare in PATTERNS.bare.finditer(text):
            group = "number" if bare["number"] else "alone"
            yield *bare.span(group), int(bare[group])


def _linked(text: str, found: re.Match[str]) -> bool:
    """Whether a reference stands in the words of a link to a file: `[ADR-12: …](0012-….md)`."""
    if found["link"] or found["xref"]:
        return False
    closed = text.find("](", found.end())
    opened = text.rfind("[", 0, found.start() + 1)
    inside = (
        opened >= 0
        and closed >= 0
        and "]" not in text[opened : found.start()]
        and "[" not in text[found.end() : closed]
    )
    return inside and bool(PATTERNS.reference.match(text, closed))


def _nearest(lead: str, earlier: Sequence[tuple[int, int]]) -> tuple[RelationType, bool, int] | None:
    """The last verb before a reference, unless a sentence or another clause's verb lies between."""
    verbs = _verbs(lead)
    if not verbs:
        return None
    begins, ends, type_, backwards = verbs[-1]
    between = lead[ends:]
    for start, end in earlier:  # other references of the same list are no other clause
        if start >= ends:
            between = between.replace(lead[start:end], " ")
    if len(between) > _APART or re.search(r"[.;!?](?:\s|$)", between.strip(" .")):
        return None
    # A verb that ends a record needs to stand close to it: far apart it is about something else, and the
    # wrong record would be taken out of force.
    if type_ is RelationType.SUPERSEDES and not PATTERNS.between.fullmatch(between):
        return (RelationType.REFINES, backwards, begins) if PATTERNS.in_part.search(between) else None
    return type_, backwards, begins


def _inside(text: str, start: int, end: int) -> tuple[RelationType, bool, int] | None:
    """The verb that a link's own words begin with: `[Refined by ADR-0012](0012-….md)`."""
    verbs = _verbs(text[start:end]) if text[start : start + 1] == "[" else []
    if not verbs or verbs[0][0] != 1 or not PATTERNS.called.match(text[start:end], verbs[0][1]):
        return None
    return verbs[0][2], verbs[0][3], start


def _verbs(text: str) -> list[tuple[int, int, RelationType, bool]]:
    """Where each verb of relation stands, what it says, and whether from the other record's end.

    Of those that overlap the one that is listed first counts.
    """
    found: list[tuple[int, int, RelationType, bool]] = []
    for name, pattern in _VERBS.items():
        named = _NAME.match(name)
        if named is None:
            continue
        for verb in pattern.finditer(text):
            begins, ends = verb.span()
            # Inside a longer word, or behind a hyphen, a verb is only a part of a name.
            whole = not (_PART_OF_WORD.match(text[begins - 1 : begins]) or _WORD.match(text[ends : ends + 1]))
            if whole and all(ends <= one[0] or begins >= one[1] for one in found):
                found.append((begins, ends, RelationType(named[2]), bool(named[1])))
    return sorted(found)


def _resolved(link: str, path: str) -> str:
    """A link's target from the repository's root, without its ending."""
    base = posixpath.dirname(path)
    place = link.lstrip("/") if link.startswith("/") else posixpath.normpath(posixpath.join(base, link))
    stem, dot, ending = place.rpartition(".")
    return (
        # Only endings of documents: "v1.2" is a name with a dot, and keeps it.
        stem if dot and ending.lower() in {"md", "markdown", "adoc", "asciidoc", "rst"} else place.rstrip("/")
    )
