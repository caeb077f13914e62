"""What the changes of a commit say took a name's place: pure, from the lines that were removed and added."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.learned import Hunk


LEAST_SHARE = 0.5
"""Of the lines with the old name that a commit removed, how many must have the new one in its place."""
LEAST_ALONE = 0.8
"""Of the lines where a name took its place, how many must have the same one: otherwise it was split."""
TWICE = 2
"""Places where the name was exchanged, where none of them declares it."""
MOST_LINES = 200
"""Lines of one change among which the likest one is looked for."""
LEAST_LIKE = 0.5
_LONGEST = 500
_SHORTEST = 3
_TOKEN = re.compile(r"\w+|[^\w\s]")
_HYPHENATED = re.compile(r"\w+(?:-\w+)*|[^\w\s]")
_NAME = re.compile(r"[^\W\d][\w-]*")
_DECLARES = (
    r"\b(?:def|class|fn|func|fun|function|type|interface|struct|enum|trait|union|object|record|const|let|var|"
    r"val|static|mod|module|namespace|package|macro_rules!|typedef|define|public|private|protected|internal)"
    r"\b[^=;,(]*(?:\([^)]*\)\s*)?"
)


class Replaced(NamedTuple):
    """The name that took an old one's place, and whether a line that declares the old one shows it."""

    new: str
    declared: bool


def replaced_in(old: str, hunks: Iterable[Hunk]) -> Replaced | None:
    """What took a name's place in most of the lines that a commit took it from; None where nothing did.

    Args:
        old: the name, a word of code or several with hyphens.
        hunks: of the commit.
    """
    whole = re.compile(
        rf"(?<!\w)(?<!\w-){re.escape(old)}(?![\w-])" if "-" in old else rf"\b{re.escape(old)}\b"
    )
    field = rf"^\s*(?:pub(?:\([a-z]+\))?\s+)?[\"']?{re.escape(old)}[\"']?\s*[:=(]"
    declares = re.compile(rf"{_DECLARES}\b{re.escape(old)}\b|{field}")
    removed, votes, declared = 0, Counter[str](), set[str]()
    for hunk in hunks:
        for place, line in enumerate(hunk.removed):
            if len(line) > _LONGEST or not whole.search(line):
                continue
            removed += 1
            if new := _partner(old, line, place, hunk):
                votes[new] += 1
                if declares.search(line):
                    declared.add(new)
    if not votes:
        return None
    ((new, count),) = votes.most_common(1)
    split = count < LEAST_ALONE * votes.total()
    if split or count < LEAST_SHARE * removed or (count < TWICE and new not in declared):
        return None
    return Replaced(new, new in declared)


def _partner(old: str, line: str, place: int, hunk: Hunk) -> str:
    """The name that stands where the old one stood, in the added line that is likest."""
    token = _HYPHENATED if "-" in old else _TOKEN
    before, found = token.findall(line), list[tuple[float, str]]()
    same = len(hunk.removed) == len(hunk.added)
    lines: Sequence[str] = hunk.added[place : place + 1] if same else hunk.added[:MOST_LINES]
    for other in lines:
        after = token.findall(other[:_LONGEST])
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        if same or matcher.ratio() >= LEAST_LIKE:
            found += [(matcher.ratio(), new) for new in _exchanged(old, before, after, matcher)]
    return max(found, default=(0.0, ""))[1]


def _exchanged(
    old: str, before: Sequence[str], after: Sequence[str], matcher: SequenceMatcher[str]
) -> Iterator[str]:
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "replace" and b - a == d - c and old in before[a:b]:
            new = after[c + before[a:b].index(old)]
            if len(new) >= _SHORTEST and new.lower() != old.lower() and _NAME.fullmatch(new):
                yield new
