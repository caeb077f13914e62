"""What became of a place of code that a memory cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recortex.domain.memory import FileLink, Freshness

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORST_FIRST: tuple[Freshness, ...] = ("gone", "changed", "moved", "fresh")
Reach = Literal["file", "renames", "tree"]
"""Where a place is looked for: in its file alone, which runs nothing; in what that file was renamed to; in
every file of the same language."""
MOST_CHANGED = 0.95
"""The most that counts as standing of what was changed, however little."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited place as it is now.

    Attributes:
        link: the place as it was cited.
        state: fresh: it reads as it did; moved: it reads as it did elsewhere; changed; gone.
        path, first, last: where it is; of what is gone, where it was. First is None for a whole file.
        standing: the share of its lines that stand, 0 to 1; None where there is nothing to compare.
        what: in a few words, such as "3 of 12 lines differ"; empty where it is fresh.
        symbol, renamed: the name of the symbol that was cited, and what it is called now if that differs.
    """

    link: FileLink
    state: Freshness
    path: str
    first: int | None = None
    last: int | None = None
    standing: float | None = None
    what: str = ""
    symbol: str = ""
    renamed: str = ""

    @property
    def elsewhere(self) -> bool:
        """Whether it is not where it was cited."""
        return (self.path, self.first) != (self.link.path, self.link.line_start)

    @property
    def was(self) -> str:
        """Where it was cited, as it is written."""
        place = shown(self.link.path, self.link.line_start, self.link.line_end)
        return f"{self.symbol} ({place})" if self.symbol else place

    @property
    def now(self) -> str:
        """Where it is, as it is written."""
        place = shown(self.path, self.first, self.last)
        if not self.symbol:
            return place
        return f"{self.renamed} ({place})" if self.renamed else place

    @property
    def told(self) -> str:
        """What became of it, in one line; empty where it is fresh or cannot be compared."""
        if self.state == "moved":
            return f"{self.was} is now {'' if self.renamed or not self.symbol else 'in '}{self.now}"
        moved = self.elsewhere or self.renamed
        where = f" (now {self.now})" if self.state == "changed" and moved else ""
        return f"{self.was}{where}: {self.what}" if self.what else ""


def shown(path: str, first: int | None, last: int | None) -> str:
    """A place as it is written: `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`."""
    if first is None:
        return path
    return f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"


def worst(citations: Iterable[Citation]) -> Citation | None:
    """The first of those in the worst state; None where nothing can be compared."""
    found = list(citations)
    return next((one for state in _WORST_FIRST for one in found if one.state == state), None)


def freshness_of(citations: Iterable[Citation]) -> Freshness:
    """The worst state."""
    one = worst(citations)
    return one.state if one else "none"


def describe_citations(citations: Iterable[Citation]) -> str:
    """What became of them, in one line: the worst, and how many more do not stand as they did."""
    found = list(citations)
    one = worst(found)
    if one is None or not one.told:
        return ""
    more = sum(bool(other.told) for other in found) - 1
    return f"{one.told}; {more} more" if more else one.told


def standing_of(citations: Iterable[Citation]) -> float | None:
    """The mean share that stands; None where nothing can be compared."""
    shares = [one.standing for one in citations if one.standing is not None]
    return sum(shares) / len(shares) if shares else None
