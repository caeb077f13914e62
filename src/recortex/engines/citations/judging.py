"""Whether a cited place reads in a file as it did, and what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blake3 import blake3

from recortex.domain.citation import MOST_CHANGED, Citation
from recortex.engines.citations.following import Place, follow
from recortex.engines.citations.signature import Signature, parsed, sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.links import FileLink
    from recortex.engines.citations.lines import Lines

UNSIGNED = 0.5
"""What counts as standing of a changed place that has no signature: nobody can tell how much it changed."""
MOST_SOUGHT = 20_000
"""Lines of a file in which an unsigned place is looked for."""


def hash_of(data: Sequence[bytes], first: int | None = None, last: int | None = None) -> str:
    """BLAKE3 of lines with their ends, counted from 1; of all where `first` is None."""
    return str(blake3(b"".join(data if first is None else data[first - 1 : last or first])).hexdigest())


def signed(lines: Lines, first: int | None, last: int | None) -> tuple[str, str]:
    """The hash and the signature of a place."""
    return hash_of(lines.raw, first, last), sign(lines, first, last)


def judged(link: FileLink, lines: Lines, path: str = "") -> Citation | None:
    """What became of a cited place, as a file tells; None where it is not in that file.

    Args:
        link: the place as it was cited.
        lines: the file as it is now.
        path: of that file, where it is not the one that was cited.
    """
    path = path or link.path
    if not link.content_hash:
        return uncompared(link) if path == link.path else replace(uncompared(link), state="moved", path=path)
    if hash_of(lines.raw, link.line_start, link.line_end) == link.content_hash:
        return _unchanged(link, path, link.line_start, link.line_end)
    signature = parsed(link.signature)
    if signature is None:
        return _unsigned(link, lines, path)
    place = follow(signature, lines, link.line_start)
    if place is None:
        return None
    first, last = (None, None) if link.line_start is None else (place.first, place.last)
    if place.whole:
        return _unchanged(link, path, first, last)
    share = min(place.standing / place.told, MOST_CHANGED)
    return Citation(link, "changed", path, first, last, share, _difference(signature, place))


def lost(link: FileLink, path: str, *, known: bool = False) -> Citation:
    """A place that was not found.

    Args:
        link: the place as it was cited.
        path: of its file as it is now; empty where the file is gone.
        known: git knows what became of the file; else one that was only named may never have been there.
    """
    if not (link.content_hash or known):
        return uncompared(link)
    what = f"its lines are not in {path} any more" if path else "the file is gone"
    place = (path or link.path, link.line_start, link.line_end)
    return Citation(link, "gone", *place, 0.0 if link.content_hash else None, what)


def uncompared(link: FileLink) -> Citation:
    """A place that cannot be compared."""
    return Citation(link, "none", link.path, link.line_start, link.line_end)


def _unchanged(link: FileLink, path: str, first: int | None, last: int | None) -> Citation:
    if (path, first) == (link.path, link.line_start):
        return Citation(link, "fresh", path, first, last, 1.0)
    return Citation(link, "moved", path, first, last, 1.0)


def _difference(signature: Signature, place: Place) -> str:
    """What differs, in a few words: exact where all lines are told, else about how much."""
    differ, added = place.told - place.standing, place.lines - signature.size
    if signature.sampled and differ:
        return f"about {100 * differ / place.told:.0f} % of {signature.size} lines differ"
    if differ:
        return f"{differ} of {signature.size} lines differ" if signature.size > 1 else "the line differs"
    if added > 0:
        return f"{added} {'line was' if added == 1 else 'lines were'} added"
    return f"a few of {signature.size} lines differ"


def _unsigned(link: FileLink, lines: Lines, path: str) -> Citation | None:
    """The same where only a hash is known: lines that moved unchanged are found, no others."""
    elsewhere = path != link.path
    if link.line_start is not None:
        count = (link.line_end or link.line_start) - link.line_start + 1
        for first in range(1, min(len(lines.raw), MOST_SOUGHT) - count + 2):
            if hash_of(lines.raw, first, first + count - 1) == link.content_hash:
                return _unchanged(link, path, first, first + count - 1)
    if elsewhere and link.line_start is not None:
        return None
    return Citation(link, "changed", path, link.line_start, link.line_end, UNSIGNED, "it reads otherwise")
