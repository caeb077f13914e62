"""Finds cited lines again in a file by their signature: the best chain of lines that stand in the same order.

A line counts the more the fewer lines of the file are like it, and a chain the less the further its lines
moved apart or together. So a block is found that was moved and edited, and one like it elsewhere is not taken
for it. Every number was chosen with bench/freshness.py on two repositories.
"""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.domain.citation import MOST_CHANGED, Citation
from recortex.engines.citations.signature import AROUND, Signature, buckets, parsed, sign, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.memory import FileLink
    from recortex.engines.citations.signature import Lines


NEAREST = 12
"""Of the places that a line may stand at, so many are tried: those nearest to where it stood."""
CONTEXT = 0.5
"""What a line around the cited ones counts beside one of these."""
DRIFT = 0.2
"""What each doubling of a displacement between two lines costs."""
FAR = 0.02
"""How much a line counts less for each doubling of its distance from where it stood: of two copies the nearer
is taken."""
LEAST = 0.6
"""The least score of a chain: less than that of one line that is the only one of its text, and near."""
LEAST_SHARE = 0.25
"""The least share of the cited lines that stand."""
STRETCH, MORE = 3, 5
"""Between what stood before and after lines that all changed there are at most so many times as many, and so
many more."""


class Place(NamedTuple):
    """Where cited lines stand in a file.

    Attributes:
        first, last: line numbers, inclusive.
        standing: how many of the told lines stand.
        told: of how many.
        lines: that are not blank in the range as it is now.
        whole: they all stand, in their order, and nothing between them.
    """

    first: int
    last: int
    standing: int
    told: int
    lines: int
    whole: bool


class _Element(NamedTuple):
    """A told line: its place among the cited ones, how far that may be off, and whether it is one of them."""

    offset: int
    slack: int
    value: int
    width: int
    own: bool


class _Link(NamedTuple):
    """A line of a chain with the best chain that ends in it."""

    score: float
    element: _Element
    place: int
    before: _Link | None


def follow(signature: Signature, lines: Lines, first: int | None) -> Place | None:
    """The place of cited lines in a file; None where they are not in it.

    Args:
        signature: of the lines as they were cited.
        lines: the file as it is now.
        first: the line that they began at; None where the whole file was cited.
    """
    if first is None:
        # A whole file: its lines are compared, not looked for.
        hashes = lines.hashes
        if not hashes:
            return None
        whole = len(hashes) == signature.size and together(hashes) == signature.whole
        known = lines.found(signature.width)
        standing = len(signature.lines) if whole else sum(one in known for one in signature.lines)
        return Place(1, len(lines.raw), standing, len(signature.lines), len(hashes), whole)
    expected = lines.within(first, first)[0]
    start = _unchanged(signature, lines, expected)
    if start is not None:
        end, told = start + signature.size - 1, len(signature.lines)
        return Place(lines.numbers[start], lines.numbers[end], told, told, signature.size, whole=True)
    own = [
        _Element((low + high - 1) // 2, (high - low) // 2, value, signature.width, own=True)
        for (low, high), value in zip(buckets(signature.size), signature.lines, strict=True)
    ]
    before = [
        _Element(place - AROUND, 0, value, 2, own=False) for place, value in enumerate(signature.before)
    ]
    after = [
        _Element(signature.size + place, 0, value, 2, own=False)
        for place, value in enumerate(signature.after)
    ]
    chain = _best([one for one in (*before, *own, *after) if one.own or one.value], lines, expected)
    return _placed(signature, lines, chain) if chain else None


def _unchanged(signature: Signature, lines: Lines, expected: int) -> int | None:
    """Where all lines stand as they did; of several places that in the same surroundings, or nearest."""

    def rank(start: int) -> tuple[int, int]:
        return -_surroundings(signature, lines, start), abs(start - expected)

    starts = lines.found(signature.width).get(signature.lines[0], ())
    last = len(lines.hashes) - signature.size
    ends = [start for start in starts if start <= last and _ends_at(signature, lines, start)]
    return next(
        (
            start
            for start in sorted(ends, key=rank)
            if (together(lines.hashes[start : start + signature.size]) == signature.whole)
        ),
        None,
    )


def _ends_at(signature: Signature, lines: Lines, start: int) -> bool:
    value = lines.hashes[start + signature.size - 1] >> (32 - 8 * signature.width)
    return value == signature.lines[-1]


def _surroundings(signature: Signature, lines: Lines, start: int) -> int:
    """How many of the lines around a place are those that stood around the cited ones."""
    end = start + signature.size
    places = [*range(start - AROUND, start), *range(end, end + AROUND)]
    return sum(
        value == (lines.hashes[place] >> 16 if 0 <= place < len(lines.hashes) else 0)
        for value, place in zip((*signature.before, *signature.after), places, strict=True)
    )


def _best(elements: Sequence[_Element], lines: Lines, expected: int) -> _Link | None:
    """The last line of the best chain; None where no line stands."""
    links: list[_Link] = []
    for element in elements:
        known = lines.found(element.width).get(element.value, ())
        wanted = expected + element.offset
        near = sorted(known, key=lambda place: abs(place - wanted))[:NEAREST]
        links += [_linked(links, element, place, len(known), wanted) for place in near]
    return max(links, key=lambda one: one.score, default=None)


def _linked(links: Sequence[_Link], element: _Element, place: int, alike: int, wanted: int) -> _Link:
    weight = (1.0 if element.own else CONTEXT) / alike
    best, before = 0.0, None
    for one in links:
        if one.place < place and one.element.offset < element.offset:
            # What it costs that two lines stand otherwise apart than they did.
            moved = abs((place - one.place) - (element.offset - one.element.offset))
            score = one.score - (DRIFT * log2(1 + max(0, moved - element.slack - one.element.slack)))
            if score > best:
                best, before = score, one
    score = best + weight * (1.0 - FAR * log2(1 + abs(place - wanted)))
    return _Link(score, element, place, before)


def _placed(signature: Signature, lines: Lines, chain: _Link) -> Place | None:
    links = list(_back(chain))[::-1]
    own = [one for one in links if one.element.own]
    told = len(signature.lines)
    if not own:
        # The lines between what stood before and after, where none of the cited ones stands any more.
        before = [one for one in links if one.element.offset < 0]
        after = [one for one in links if one.element.offset > 0]
        if not (before and after) or links[-1].score < LEAST:
            return None
        start = before[-1].place - before[-1].element.offset
        end = after[0].place - (after[0].element.offset - signature.size) - 1
        count = end - start + 1
        if not 0 < count <= STRETCH * signature.size + MORE:
            return None
        return Place(lines.numbers[start], lines.numbers[end], 0, len(signature.lines), count, whole=False)
    if chain.score < LEAST or len(own) < LEAST_SHARE * told:
        return None
    start = _start(links, own[0])
    end = min(_end(links, own[-1], signature.size), len(lines.numbers) - 1)
    count = end - start + 1
    return Place(lines.numbers[start], lines.numbers[end], len(own), told, count, whole=False)


def _back(link: _Link | None) -> Iterator[_Link]:
    while link is not None:
        yield link
        link = link.before


def _start(links: Sequence[_Link], first: _Link) -> int:
    """Where the range begins: at its first line, or else after what stood before it."""
    if first.element.offset == 0:
        return first.place
    guess = max(0, first.place - first.element.offset)
    before = [one for one in links if one.element.offset < 0]
    if not before:
        return guess
    near = before[-1]
    return min(near.place - near.element.offset, first.place)


def _end(links: Sequence[_Link], last: _Link, count: int) -> int:
    if last.element.offset == count - 1:
        return last.place
    after = [one for one in links if one.element.offset >= count]
    if not after:
        return last.place + count - 1 - last.element.offset
    near = after[0]
    return max(near.place - (near.element.offset - count) - 1, last.place)


# -- what became of the lines and symbols that a memory cites, said once where both mean the same code


_STANDS = frozenset({"fresh", "moved"})


def together_together(files: Sequence[Citation], symbols: Sequence[Citation]) -> list[Citation]:
    """The citations of a memory without those that another one knows better.

    Lines within a symbol hold as long as one of the two does: the symbol is not changed by comments and
    layout, and a few of its lines not by an edit elsewhere in it. Of a file that is cited whole, what counts
    is what became of the symbols of it that the memory names.
    """
    kept = [one for one in files if not any(_tells_more(symbol, one) for symbol in symbols)]
    return kept + [one for one in symbols if not any(_finer(lines, one) for lines in kept)]


def _tells_more(symbol: Citation, file: Citation) -> bool:
    """Whether what became of a symbol says what became of a place that does not read as it did."""
    if file.link.path != symbol.link.path or file.state in _STANDS | {"none"} or symbol.state == "gone":
        return False
    if file.link.line_start is None or file.state == "gone":
        return True
    within, whole = _lines(file), _lines(symbol)
    return within == whole or (_inside(within, whole) and symbol.state in _STANDS)


def _finer(file: Citation, symbol: Citation) -> bool:
    """Whether cited lines within an edited symbol say more precisely what became of it."""
    same = file.link.path == symbol.link.path and file.link.line_start is not None and file.state != "none"
    return symbol.state == "changed" and same and _inside(_lines(file), _lines(symbol))


def _inside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one != other


def _lines(citation: Citation) -> tuple[int, int]:
    first = citation.link.line_start or 0
    return first, citation.link.line_end or first


# -- whether a cited place reads in a file as it did, and what differs


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
        return _judging_unchanged(link, path, link.line_start, link.line_end)
    signature = parsed(link.signature)
    if signature is None:
        return _unsigned(link, lines, path)
    place = follow(signature, lines, link.line_start)
    if place is None:
        return None
    first, last = (None, None) if link.line_start is None else (place.first, place.last)
    if place.whole:
        return _judging_unchanged(link, path, first, last)
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


def _judging_unchanged(link: FileLink, path: str, first: int | None, last: int | None) -> Citation:
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
                return _judging_unchanged(link, path, first, first + count - 1)
    if elsewhere and link.line_start is not None:
        return None
    return Citation(link, "changed", path, link.line_start, link.line_end, UNSIGNED, "it reads otherwise")
