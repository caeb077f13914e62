"""Finders: what a secret is where only a word says that one follows; the rules name them `module.function`.

A rule's pattern finds the word (a cue, such as `password`). What stands around it is read by a finder: as
code or configuration (`literals`), or as speech (`speech`). A finder gives spans of the text.

It is given a window of the text and no more. So each cue costs the same however long the text is, and what
is repeated, as by a log or by one who wants to keep the program busy, is read once.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recortex.engines.privacy.table import fold
from recortex.lean import NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    Spans = tuple[tuple[int, int], ...]

_WINDOWS = {"literals": (260, 900), "literals.column": (402, 8_500), "speech": (120, 450)}
"""Characters before and after a cue that a finder, or the finders of a module, read."""
_REMEMBERED = 1_000
"""Windows whose spans are kept while a text is redacted: repetition is near."""


class Cue(NamedTuple):
    """What a finder gets: where the cue is, the text around it, and it in lower case, with equal offsets."""

    start: int
    end: int
    text: str
    folded: str

    @property
    def word(self) -> str:
        """The cue in lower case."""
        return self.folded[self.start : self.end]


class Reader:
    """Reads what stands around the cues of one text with one finder.

    Attributes:
        left: cues that may still be read; those whose surroundings were read before do not count.
    """

    def __init__(self, finder: str, left: int) -> None:
        self.left = left
        self._find = _finder_named(finder)
        self._before, self._after = _WINDOWS.get(finder) or _WINDOWS[finder.partition(".")[0]]
        self._known: dict[tuple[int, int, str], Spans] = {}

    def read(self, match: re.Match[str], text: str) -> Iterator[tuple[int, int]]:
        """The secrets around a cue, as spans of the text."""
        start, end = match.span()
        floor = max(0, start - self._before)
        key = (start - floor, end - floor, text[floor : end + self._after])
        spans = self._known.get(key)
        if spans is None:
            self.left -= 1
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            spans = self._known[key] = tuple(self._find(Cue(*key, fold(key[2]))))
        for begin, stop in spans:
            yield floor + begin, floor + stop


@cache
def _finder_named(name: str) -> Callable[[Cue], Iterator[tuple[int, int]]]:
    """The finder that a rule names. Its module is imported when a cue first needs it."""
    module, _, function = name.partition(".")
    finder: Callable[[Cue], Iterator[tuple[int, int]]] = getattr(
        import_module(f"{__name__}.{module}"), function
    )
    return finder
