"""What a record says of its own standing, and when: the words and dates of its status."""

from __future__ import annotations

import csv
import posixpath
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.domain.text import lazy
from recortex.domain.vocabulary import RelationType
from recortex.engines.documents.reading import field_list, front_matter
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


Standing = Literal["accepted", "proposed", "rejected", "deprecated", "superseded", ""]
"""Empty: it does not say, or not in words that are known."""

PATTERNS = Patterns(__file__)
_SHORT_YEAR, _DAY = 2, timedelta(days=1)
_MONTHS = {name: at for at, name in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip
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
    left = [PATTERNS.of_another.sub("", one) for line in statements(text) for one in _clauses(line)]
    others = bool(PATTERNS.of_another.search(_unlinked(text)))
    return others and not any(PATTERNS.letter.search(one.replace(_LINK, "")) for one in left)


def statements(text: str) -> list[str]:
    """The lines of a status, each with those that it is wrapped to; of a table each row."""
    text = PATTERNS.unchecked.sub("", PATTERNS.struck.sub("", text))
    found, goes_on = list[str](), False
    for line in text.split("\n"):
        if PATTERNS.rule.match(line):
            goes_on = False
            continue
        anew = PATTERNS.begins.match(line) or (line.strip()[:1].isupper() and _is_statement(line))
        if goes_on and len(found[-1]) < MOST_STATEMENT and (not anew or PATTERNS.open_end.search(found[-1])):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
        goes_on = len(found[-1]) > MOST_ALONE or not PATTERNS.alone.fullmatch(_unlinked(found[-1]))
    return [" ".join(one.strip("|").split("|")) if one.startswith("|") else one for one in found]


def is_choice(text: str) -> bool:
    """Whether a status is that of a template: several to choose from."""
    if PATTERNS.choice.search(text):
        return True
    for line in filter(PATTERNS.listing.search, text.split("\n")):
        named = {_word(one) for one in PATTERNS.listing.split(line)}
        if len(named - {""}) >= _CHOICES and not PATTERNS.date.search(line):
            return True
    return False


_LINK = "[link]"


def _unlinked(text: str) -> str:
    """A text in which a link is one word, unless its own words are a standing."""

    def words(found: re.Match[str]) -> str:
        said = found["said"] or found["named"] or ""
        return said if PATTERNS.word.search(said) and _is_statement(said) else _LINK

    return PATTERNS.link.sub(words, text)


def _clauses(statement: str) -> list[str]:
    return [one for one in PATTERNS.clause.split(_unlinked(statement)) if one.strip()]


def _own(clauses: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What each clause says of the record itself, and whether it only tells that a part of it ended."""
    for clause, following in zip(clauses, [*clauses[1:], ""], strict=False):
        own = PATTERNS.of_another.sub("", clause)
        word = next((one for one in PATTERNS.word.finditer(own) if _AGE[_name(one)] >= _ENDED), None)
        part = word and (
            PATTERNS.in_part.search(own)
            or PATTERNS.limited.match(own, word.end())
            or PATTERNS.part_only.match(following)
        )
        yield own, bool(part)


def _stated(row: Sequence[tuple[str, bool]], *, first: bool) -> Iterator[Said]:
    """The standings that the clauses of a statement are; the first one of all needs only to begin with it."""
    whole = " ".join(clause for clause, _ in row)
    for number, (clause, part) in enumerate(row):
        after = row[number + 1][0] if number + 1 < len(row) else ""
        lead = PATTERNS.lead_word.match(clause)
        word = PATTERNS.word.match(clause, lead.end()) if lead else None
        if word is None or part or PATTERNS.by_nobody.search(clause):
            continue
        only = first and not number and not PATTERNS.at_first.match(clause, word.end())
        if only or PATTERNS.tail.match(clause, word.end()):
            alone = not PATTERNS.word.search(after)
            yield Said(_name(word), date_in(clause) or (date_in(after) if alone else None) or date_in(whole))


def _is_statement(text: str) -> bool:
    lead = PATTERNS.lead_word.match(text)
    word = PATTERNS.word.match(text, lead.end()) if lead else None
    return bool(word and PATTERNS.tail.match(text, word.end()))


def _first_word(clause: str) -> Standing:
    """The first word of a clause that is a standing which it has now, else one that it had."""
    had: Standing = ""
    for word in PATTERNS.word.finditer(clause):
        if PATTERNS.not_now.search(clause[: word.start()]):
            continue
        if not (PATTERNS.once.search(clause[: word.start()]) or PATTERNS.at_first.match(clause, word.end())):
            return _name(word)
        had = had or _name(word)
    return had


def _word(text: str) -> Standing:
    found = PATTERNS.word.search(text)
    return _name(found) if found else ""


def _name(word: re.Match[str]) -> Standing:
    return word.lastgroup  # type: ignore[return-value]  # the names of the groups


def dates_in(text: str) -> tuple[datetime, ...]:
    """What the first date of a text can mean, at midnight UTC: `2024-05-01`, `1.5.2024`, `May 1, 2024`.

    `4/5/2024` is the fourth of May or the fifth of April.
    """
    for found in PATTERNS.date.finditer(text):
        if readings := tuple(filter(None, (_date(*parts) for parts in _parts(found)))):
            return readings
    return ()


def date_in(text: str) -> datetime | None:
    """The likelier meaning of the first date in a text."""
    return next(iter(dates_in(text)), None)


def nearest(readings: Sequence[datetime], to: datetime) -> datetime:
    """The meaning of a date that is nearest to when it was committed first; rather before than after."""
    return min(readings, key=lambda one: (one > to + _DAY, abs(one - to)))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Year, month and day, as the date may be read."""
    if found["y"]:
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


# -- what a record says of other records: which ones, and how it is related to them, in its own words


MOST = 30
"""Relations of one record."""
_QUOTED = 240
_APART = 200
"""Characters between a verb and a record in the same clause at most."""
MENTIONS_PATTERNS = Patterns(__file__, "mentions")
_VERBS = MENTIONS_PATTERNS.by_name("verb_")
_MENTIONS_STRONG = {RelationType.SUPERSEDES, RelationType.REFINES, RelationType.DEPENDS_ON}
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
        alone = not here and _verbs(line) and line.rstrip().endswith((":", ":**", "**"))
        if alone:
            heading = f"{line.strip()} "
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
    lines = [
        f"{words}: ADR {one}" if one.strip().isdecimal() else f"{words}: {one}" for one in value.split("\n")
    ]
    return mentions(lines, path, stated=True)


def _line(line: str, path: str, *, stated: bool, of_status: bool, before: str) -> Iterator[Mention]:
    text = before + line
    references = list(_references(text, of_status=of_status))
    for at, (start, end, target) in enumerate(references):
        verb = _inside(text, start, end) or _nearest(text[:start], [one[:2] for one in references[:at]])
        type_, backwards, begins = verb or (RelationType.REFERENCES, False, 0)
        owns = (
            stated
            or bool(MENTIONS_PATTERNS.leading.fullmatch(text[:begins]))
            or bool(MENTIONS_PATTERNS.subject.search(text[:begins]))
        )
        if type_ is RelationType.RELATED and not stated:
            type_ = RelationType.REFERENCES
        if type_ in _MENTIONS_STRONG and not owns:
            type_, backwards = RelationType.REFERENCES, False
        if type_ is RelationType.SUPERSEDES and (
            MENTIONS_PATTERNS.part.match(text[end:])
            or (backwards and MENTIONS_PATTERNS.of_a_part.search(text[:begins]))
        ):
            type_ = RelationType.REFINES
        if type_ is RelationType.REFERENCES and stated:
            type_ = RelationType.RELATED
        resolved = target if isinstance(target, int) else _resolved(target, path)
        yield Mention(
            type_, backwards, resolved, type_ in _MENTIONS_STRONG or stated, cut(plain(text), _QUOTED)
        )


def _references(text: str, *, of_status: bool) -> Iterator[tuple[int, int, str | int]]:
    """Where each reference stands, and what it refers to; a link's own words are no second one."""
    end = 0
    for found in MENTIONS_PATTERNS.reference.finditer(text):
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
        while not name and (more := MENTIONS_PATTERNS.more.match(text, end)):
            end = more.end()
            yield start, end, int(more["number"])
    if of_status and not end:
        for bare in MENTIONS_PATTERNS.bare.finditer(text):
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
    return inside and bool(MENTIONS_PATTERNS.reference.match(text, closed))


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
    if type_ is RelationType.SUPERSEDES and not MENTIONS_PATTERNS.between.fullmatch(between):
        return (
            (RelationType.REFINES, backwards, begins) if MENTIONS_PATTERNS.in_part.search(between) else None
        )
    return type_, backwards, begins


def _inside(text: str, start: int, end: int) -> tuple[RelationType, bool, int] | None:
    """The verb that a link's own words begin with: `[Refined by ADR-0012](0012-….md)`."""
    verbs = _verbs(text[start:end]) if text[start : start + 1] == "[" else []
    if not verbs or verbs[0][0] != 1 or not MENTIONS_PATTERNS.called.match(text[start:end], verbs[0][1]):
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
        stem if dot and ending.lower() in {"md", "markdown", "adoc", "asciidoc", "rst"} else place.rstrip("/")
    )


# -- A record's text as what it says of itself, and its headings with what stands below them


_FENCE = lazy(r"[ \t]{0,3}(`{3,}|~{3,}|-{4,}[ \t]*$|\.{4,}[ \t]*$)")
_ATX = lazy(r"[ ]{0,3}(#{1,6}|={1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = lazy(r"([=\-~^\"*+#'`:._])\1*[ \t]*$")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PLAIN = lazy(r"[ \t]*(?:[-*+|>#=]|\d+[.)][ \t])")
_WITH_LINE_ABOVE = 2
MOST_LINE = 2_000
"""Characters of a line that are looked at."""


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
    closing = ""
    for number, line in enumerate(lines[first:], first + 1):
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
    place = 0
    while place < len(lines):
        rest = lines[place : place + MOST_TABLE]
        rows, used = _table([line.text for line in rest], suffix)
        if used:
            yield from (Line(lines[place].number, row) for row in rows)
            place += used
        else:
            yield lines[place]
            place += 1


def _table(lines: Sequence[str], suffix: str) -> tuple[list[str], int]:
    """The rows of the table that begins with the first line, and how many lines it takes; 0: none begins."""
    if begun := _HTML_TABLE.search(lines[0]):
        end = f"</{begun[1].lower()}"
        last = next((at for at, line in enumerate(lines) if end in line.lower()), None)
        return ([], 0) if last is None else (_of_html("\n".join(lines[: last + 1])), last + 1)
    if suffix in {".adoc", ".asciidoc"}:
        return _of_asciidoc(lines)
    return _of_rst(lines) if suffix == ".rst" else ([], 0)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.replace('|', ' ').split()) for cell in cells)} |"


def _with_rule(rows: Sequence[Sequence[str]], *, header: bool) -> list[str]:
    told = [_row(cells) for cells in rows if any(cell.strip() for cell in cells)]
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


def _of_html(text: str) -> list[str]:
    cells = _Cells()
    cells.feed(text)
    cells.close()
    header = bool(cells.rows) and 1 < len(cells.rows[0]) == cells.names[0]
    return _with_rule(cells.rows, header=header)


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
        return _of_columns(lines)
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


def _of_columns(lines: Sequence[str]) -> tuple[list[str], int]:
    """A simple table: borders show where columns begin; one below the first row makes that their names."""
    borders = [at for at, line in enumerate(lines) if _BORDER.match(line)]
    end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    borders = [at for at in borders if at < end]
    if len(borders) < _WITH_LINE_ABOVE:
        return [], 0
    starts = [found.start() for found in re.finditer(r"=+", lines[0])]
    spans = list(pairwise([*starts, MOST_LINE]))
    inside = [line for at, line in enumerate(lines[: borders[-1]]) if at not in borders]
    rows = [[line[begin:stop] for begin, stop in spans] for line in inside]
    return _with_rule(rows, header=len(borders) > _WITH_LINE_ABOVE), borders[-1] + 1
