"""Recognises that a thing has another name now: a branch, folder, file, command, host or package.

What was said before with the old name alone is out of date, whatever else it says: "The metadata is on the
branch `notes/v1`" after "renamed `notes/v1` to `notes/v2`".
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATTERNS = Patterns(__file__)
NOTE = "renamed"
"""What the metadata of a memory calls the two names for which it waits."""
_CUE = re.compile(
    r"renam|replac|supersed|moved?\b|moving|migrat|switch|chang|formerly|previously|used to be|is now|"
    r"are now|instead of|rather than|no longer|swap",
    re.IGNORECASE,
)
_SHORTEST = 3
_LONGEST = 500
"""Characters of a line that are looked at."""
_QUOTES = "`\"'“”"
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+")
_NUMBER = re.compile(r"v?[\d.,]+\w{0,2}")


class Renaming(NamedTuple):
    """An old name and the one that took its place."""

    old: str
    new: str


def renamings(text: str) -> Iterator[Renaming]:
    """The changes of names that a text tells or orders, by their forms; the same one may come again.

    What is moved, replaced or used instead must be a place, such as a path, a file or a command: in code, one
    name is replaced by another every day, and both go on to exist.
    """
    forms = {**PATTERNS.by_name("rename_"), **PATTERNS.by_name("place_")}
    lines = (line[:_LONGEST] for line in text.splitlines() if _CUE.search(line[:_LONGEST]))
    for line, (form, pattern) in product(lines, forms.items()):
        for found in pattern.finditer(line):
            before = line[max(0, found.start() - 60) : found.start()]
            old, new = found["old"].strip(_QUOTES).strip(), found["new"].strip(_QUOTES).strip()
            if PATTERNS.unsaid.search(before) or not _names(old, new):
                continue
            if form.startswith("rename_") or (_is_place(old) and _is_place(new)):
                yield Renaming(old, new)


def describe_rename(metadata: Mapping[str, Any]) -> str:
    """Why a memory waits for review since a name changed, in a sentence; empty where it does not."""
    names = metadata.get(NOTE)
    if not (isinstance(names, list) and len(names) == len(Renaming._fields)):
        return ""
    return "It names `{}`, which is `{}` now.".format(*names)


def names_old_alone(text: str, renaming: Renaming) -> bool:
    """Whether a text has the old name and not the new one; a plain word counts only where it is marked."""
    return mentions(text, renaming.old) and not mentions(text, renaming.new)


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as a whole; a plain word counts only in code marks or quotes."""
    if name not in text:
        return False
    if _PLAIN.fullmatch(name):
        return any(f"{mark}{name}{mark}" in text for mark in "`\"'")
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w|/\w*[\w.-]*\.\w)", text) is not None


def _names(old: str, new: str) -> bool:
    """Whether both are names, and neither is part of the other's meaning, such as a number or a value."""
    if min(len(old), len(new)) < _SHORTEST or old.lower() == new.lower():
        return False
    return not (_NUMBER.fullmatch(old) or _NUMBER.fullmatch(new) or (" " in old) != (" " in new))


def _is_place(name: str) -> bool:
    """Whether a name has the form of a path, a file, a host, a package or a command."""
    if any(sign in name for sign in "(){}[]=;<>,"):
        return False
    return (
        "/" in name or " " in name or re.search(r"\w\.[a-z]{2,5}$|^[a-z]+(?:-[a-z0-9]+)+$", name) is not None
    )
