"""What a record says of other records: which ones, and how it is related to them, in its own words."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.engines.patterns import Patterns
from recortex.text.outline import cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
