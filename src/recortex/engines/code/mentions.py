"""What a text says of code: names that are written as code, and places such as stack traces have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 20_000
"""Characters of a text that are looked at."""
MOST = 40
"""Names, and places, that are taken of one text."""
_NAME = r"[A-Za-z_$][\w$]{0,80}(?:(?:\.|::|->|#|\\)[A-Za-z_$~][\w$]{0,80}){0,6}"
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(rf"({_NAME})(\(.{{0,120}}\))?")
_BARE = re.compile(rf"(?<![\w`./\\$-])({_NAME})(\(\))?(?![\w/\\$]|-\w|\.\w)")
_PLACE = re.compile(r"(?<![\w.])([\w./\\-]{1,200}\.[A-Za-z]{1,5})(?::|\(|\", line )(\d{1,7})(?!\w)")
_JOINT = re.compile(r"\.|::|->|#|\\")
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SHAPED = 6


class Named(NamedTuple):
    """A name of code in a text.

    Attributes:
        parts: of the name, the last one its plain name.
        sure: it is a call, or a name of several parts or words: hardly a word of the language.
    """

    parts: tuple[str, ...]
    sure: bool

    @property
    def plain(self) -> str:
        """Its last part."""
        return self.parts[-1]


class At(NamedTuple):
    """A place in a text: a path, which may be a file's name alone, and a line from 1."""

    path: str
    line: int


def named(text: str) -> list[Named]:
    """The names of code in a text, each once, in their order."""
    found: dict[tuple[str, ...], bool] = {}
    for name, called, marked in _names(text[:LONGEST]):
        parts = tuple(_JOINT.split(name))
        sure = called or shaped(parts[-1]) or (marked and len(parts) > 1)
        if sure or marked:
            found[parts] = found.get(parts, False) or sure
    return [Named(parts, sure) for parts, sure in found.items()][:MOST]


def name_of(text: str) -> Named:
    """A name that was given as one of code."""
    name = text.strip().partition("(")[0]
    return Named(tuple(part for part in _JOINT.split(name) if part) or ("",), sure=True)


def _names(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Names, whether each is called, and whether it is marked as code."""
    for span in _SPAN.finditer(text):
        if name := _WRITTEN.fullmatch(span[1].strip()):
            yield name[1], bool(name[2]), True
    for name in _BARE.finditer(_SPAN.sub(" ", text)):
        yield name[1], bool(name[2]), False


def shaped(name: str) -> bool:
    """Whether a name is one of several words, as in code: `open_store`, `openStore`, `OpenStore`."""
    bare = name.strip("_$")
    return len(bare) >= _SHAPED and ("_" in bare or _HUMPS.search(bare) is not None)


def places(text: str) -> list[At]:
    """The places in a text, each once, in their order: `PATH:LINE`, and how stack traces write it."""
    found = (At(one[1].replace("\\", "/"), int(one[2])) for one in _PLACE.finditer(text[:LONGEST]))
    return list(dict.fromkeys(found))[:MOST]
