"""Finds cited lines that are in none of the files where they should be, among many files, each read once."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.citations.following import judged
from recortex.engines.citations.signature import NARROW, WIDE, parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from recortex.domain.citation import Citation
    from recortex.domain.memory import FileLink
    from recortex.engines.citations.signature import Lines, Signature

LIKELY = 0.5
"""The share of the cited lines that a file must have to be looked at."""
SURE = 0.6
"""The share of them that must stand together for lines found in another file to be these."""
LEAST = 3
"""Lines that must stand; of fewer all must, unchanged."""
TELLING, WHOLE_TELLING = 1.5, 0.9
"""How much lines must tell together that changed, and that are unchanged. A line tells one divided by the
number of files that have it: `return nil` and a brace are found everywhere."""
NAMED = 3
"""How much more they tell for each part of the path, from its end on, that a file has in common with the one
that is gone."""
ALIKE, MOST_ALIKE = 0.15, 3
"""The share of lines for which each such part makes up, and the most parts: copies of code stand in many
files, and a file that was moved and edited is more likely than a copy in another."""
_BITS = 32


class _Sought(NamedTuple):
    link: FileLink
    signature: Signature


class Search:
    """Looks for places in one file after another, and keeps the best that was found of each."""

    def __init__(self, links: Iterable[FileLink], absent: Collection[str] = ()) -> None:
        """Prepare for the places; `absent`: the files of these that are not there any more."""
        self._absent = frozenset(absent)
        found = ((link, parsed(link.signature)) for link in dict.fromkeys(links))
        self._sought = [_Sought(link, one) for link, one in found if one]
        self._by_line: dict[int, defaultdict[int, list[int]]] = {
            width: defaultdict(list) for width in (WIDE, NARROW)
        }
        for place, (_, signature) in enumerate(self._sought):
            for value in set(signature.lines):
                self._by_line[signature.width][value].append(place)
        self._best: dict[int, Citation] = {}
        self._files: Counter[tuple[int, int]] = Counter()

    @property
    def found(self) -> dict[FileLink, Citation]:
        """What was found of each place, once all files were looked into."""
        return {self._sought[place].link: one for place, one in self._best.items() if self._tells(place, one)}

    def _tells(self, place: int, citation: Citation) -> bool:
        """Whether so much is told by the lines that stand that it cannot be chance."""
        signature = self._sought[place].signature
        known = (self._files[signature.width, value] for value in set(signature.lines))
        telling = sum(1 / files for files in known if files) * (citation.standing or 0.0)
        if citation.link.path in self._absent:
            telling *= 1 + NAMED * _alike(citation)
        return telling >= (WHOLE_TELLING if citation.state == "moved" else TELLING)

    @property
    def suffixes(self) -> frozenset[str]:
        """The endings of the files that were cited: code moves between files of one language."""
        return frozenset(suffix(one.link.path) for one in self._sought)

    def look(self, path: str, lines: Lines) -> None:
        """Look into a file."""
        for place in self._likely(lines):
            link = self._sought[place].link
            if suffix(link.path) != suffix(path) or path == link.path:
                continue
            citation = judged(link, lines, path)
            if citation and self._sure(place, citation) and _better(citation, self._best.get(place)):
                self._best[place] = citation

    def _likely(self, lines: Lines) -> list[int]:
        """The places of which the file has enough lines."""
        counts: Counter[int] = Counter()
        for width, known in self._by_line.items():
            if known:
                shift = _BITS - 8 * width
                for value in {one >> shift for one in lines.hashes} & known.keys():
                    counts.update(known[value])
                    self._files[width, value] += 1
        return [
            place
            for place, count in counts.items()
            if count >= LIKELY * len(set(self._sought[place].signature.lines))
        ]

    def _sure(self, place: int, citation: Citation) -> bool:
        if citation.standing is None:
            return False
        signature = self._sought[place].signature
        if citation.state == "moved":
            return True
        told = len(signature.lines)
        return citation.standing >= SURE and citation.standing * told >= LEAST


def suffix(path: str) -> str:
    """The ending of a file's name, with its dot; the name where it has none."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name[1:] else name


def _better(one: Citation, other: Citation | None) -> bool:
    """Whether more stands, or almost as much in a file whose path is more alike."""
    return other is None or _worth(one) > _worth(other)


def _worth(one: Citation) -> tuple[float, int]:
    return (one.standing or 0.0) + ALIKE * min(_alike(one), MOST_ALIKE), _alike(one)


def _alike(citation: Citation) -> int:
    """How many parts of two paths are the same, from their ends on: folders are moved, and names are kept."""
    old, new = (path.split("/")[::-1] for path in (citation.link.path, citation.path))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
