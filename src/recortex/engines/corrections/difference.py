"""How a corrected text differs from the original: lines added, removed and changed, and what that means."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from recortex.domain.correction import Change, Difference
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_CHARACTERS = 200_000
MOST_LINES = 4_000
"""Of each of two texts that are compared: matching takes quadratic time where little is alike."""
_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)*|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_NOTHING = re.compile(r"[\s;,'\"`]+")
_DENIES = re.compile(r"\b(?:not|never|no|cannot|without)\b|n['’]t\b|!(?=[\w(=])", re.IGNORECASE)
_DECLARES = "def|class|function|func|fn|const|let|var|type|interface|struct|enum|module|package"
_HUNK = re.compile(r"^@@ .*?@@")
_FILE = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?(?P<path>[^\t\n]+)")
_HEADER = re.compile(
    r"^(?:diff |index |new file|deleted file|similarity|rename |old mode|new mode|\\ No newline)"
)


def difference(original: str, corrected: str, *, files: Sequence[str] = ()) -> Difference:
    """Compare two texts.

    Args:
        original: what was written first.
        corrected: what it became.
        files: that the two are of, if known.

    Raises:
        InvalidInputError: one is too long to be compared.
    """
    old, new = _lines(original), _lines(corrected)
    added: list[str] = []
    removed: list[str] = []
    changed: list[Change] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            for before, after in _paired(old[a:b], new[c:d]):
                if before and after:
                    changed.append(Change(before, after))
                elif before or after:
                    (removed if before else added).append(before or after)
    return Difference(
        additions=tuple(added),
        removals=tuple(removed),
        modifications=tuple(changed),
        renamed=tuple(one for one in _swapped(changed, _NAME) if _is_named(one.before, changed)),
        numbers=tuple(_swapped(changed, _NUMBER)),
        negated=_denials([*removed, *(one.before for one in changed)])
        != _denials([*added, *(one.after for one in changed)]),
        layout=bool(changed)
        and not (added or removed)
        and all(_bare(one.before) == _bare(one.after) for one in changed),
        files=tuple(files),
    )


def is_diff(text: str) -> bool:
    """Whether a text is a unified diff."""
    lines = text.splitlines()
    return any(_HUNK.match(line) for line in lines) and any(line.startswith(("+", "-")) for line in lines)


def of_diff(diff: str) -> Difference:
    """The difference that a unified diff tells; lines of context are left out.

    Raises:
        InvalidInputError: it is no diff, or too long.
    """
    old: list[str] = []
    new: list[str] = []
    files: dict[str, None] = {}
    for line in _lines(diff):
        if named := _FILE.match(line):
            files |= {named["path"].strip(): None} if named["path"] != "/dev/null" else {}
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif not _HUNK.match(line) and not _HEADER.match(line) and old and old[-1]:
            old.append("")  # what stands apart is compared apart
            new.append("")
    found = difference("\n".join(old), "\n".join(new), files=tuple(files))
    if found.empty:
        raise InvalidInputError(
            "The diff changes nothing.", hint="Give a unified diff, as `git diff` prints it."
        )
    return found


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    if len(text) > MOST_CHARACTERS or len(lines) > MOST_LINES:
        raise InvalidInputError(
            f"A text to compare has at most {MOST_LINES:,} lines and {MOST_CHARACTERS:,} characters.",
            hint="Give the part that was corrected.",
        )
    return lines


def _paired(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines that stand for each other, in order; what is left over stands for nothing."""
    return zip_longest((line.rstrip() for line in old), (line.rstrip() for line in new), fillvalue="")


def _swapped(changed: Sequence[Change], pattern: re.Pattern[str]) -> Iterator[Change]:
    """Words of a pattern that became others, and that stand nowhere in the corrected lines any more."""
    found: dict[str, set[str]] = {}
    for one in changed:
        for before, after in _tokens_swapped(one):
            if pattern.fullmatch(before) and pattern.fullmatch(after):
                found.setdefault(before, set()).add(after)
    for before, others in found.items():
        whole = re.compile(rf"(?<!\w){re.escape(before)}(?!\w)")
        if len(others) == 1 and not any(whole.search(one.after) for one in changed):
            yield Change(before, next(iter(others)))


def _is_named(name: str, changed: Sequence[Change]) -> bool:
    """Whether a word is a name: declared, or in several of the lines."""
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    declared = re.compile(rf"\b(?:{_DECLARES})\s+{re.escape(name)}(?!\w)")
    return sum(bool(whole.search(one.before)) for one in changed) > 1 or any(
        declared.search(one.before) for one in changed
    )


def _tokens_swapped(one: Change) -> Iterator[tuple[str, str]]:
    old, new = _TOKEN.findall(one.before), _TOKEN.findall(one.after)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and b - a == d - c:
            yield from zip(old[a:b], new[c:d], strict=True)


def _denials(lines: Iterable[str]) -> int:
    return sum(len(_DENIES.findall(line)) for line in lines)


def _bare(line: str) -> str:
    return _NOTHING.sub("", line).casefold()
