"""Citations: the signature of cited lines, where those lines are now, and what became of them.

A line counts the more the fewer lines of the file are like it, and a chain the less the further its lines
moved apart or together. So a block is found that was moved and edited, and one like it elsewhere is not taken
for it. Every number was chosen with bench/freshness.py on two repositories.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from functools import cached_property
from itertools import takewhile
from math import log2
from typing import TYPE_CHECKING
from zlib import crc32

from recortex.domain.memory import MOST_CHANGED, Citation
from recortex.lean import NamedTuple, lazy_module, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import blake3

    from recortex.domain.memory import FileLink
else:
    blake3 = lazy_module("blake3")


# -- A file's text as one number for each line that says something, for comparing and finding lines


_SPACE = b" \t\r\n\f\v"
_BITS = 32
"""Of a line's number; of most only the first bytes are kept."""


class Lines:
    """The lines of a file that are not blank. Layout does not count: indentation, spaces, line ends."""

    def __init__(self, data: bytes) -> None:
        # Line ends are kept: the hash of a cited place was made over the bytes of the file, ends included.
        self.raw = data.splitlines(keepends=True)
        self.size = len(data)
        self._found: dict[int, dict[int, list[int]]] = {}

    @cached_property
    def _table(self) -> tuple[list[int], list[int]]:
        bare = [line.translate(None, _SPACE) for line in self.raw]
        said = [(number, crc32(line)) for number, line in enumerate(bare, 1) if line]
        return [number for number, _ in said], [value for _, value in said]

    @property
    def numbers(self) -> list[int]:
        """The number of each line that is not blank, from 1, ascending."""
        return self._table[0]

    @property
    def hashes(self) -> list[int]:
        """CRC-32 of each such line without its white space."""
        return self._table[1]

    def within(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The places of `numbers` that lie in a range of lines, from and up to; None: the whole file."""
        if first is None:
            return 0, len(self.numbers)
        return bisect_left(self.numbers, first), bisect_right(self.numbers, last or first)

    def length(self, place: int) -> int:
        """Bytes of a line that is not blank, without its white space."""
        return len(self.raw[self.numbers[place] - 1].translate(None, _SPACE))

    def found(self, width: int) -> dict[int, list[int]]:
        """The places of each line by its number cut to so many bytes."""
        if width not in self._found:
            shift = _BITS - 8 * width
            places: dict[int, list[int]] = {}
            for place, value in enumerate(self.hashes):
                places.setdefault(value >> shift, []).append(place)
            self._found[width] = places
        return self._found[width]


def together(hashes: list[int]) -> int:
    """One number of 32 bits for several lines."""
    return crc32(b"".join(value.to_bytes(4, "big") for value in hashes))


# -- a few dozen bytes of cited lines, from which they are found again after they moved or were changed


MOST = 24
"""Lines of a sample."""
WIDE, NARROW = 3, 2
"""Bytes of a line: of few, which collide more easily with others of a file, and of many."""
FEW = 12
AROUND = 2
"""Lines before, and after."""
_WHOLE, _AROUND_BYTES = 4, 2
# The longest signature has some 90 characters; whatever is longer is not decoded at all.
_LONGEST = 200
_MOST_LINES = 10_000_000


class Signature(NamedTuple):
    """A signature, taken apart.

    Attributes:
        size: lines that are not blank.
        whole: of all of them together.
        before, after: what stands around them, in order; 0 where there is nothing.
        lines: all of them, or a sample in order.
    """

    size: int
    whole: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    lines: tuple[int, ...]

    @property
    def width(self) -> int:
        """Bytes of each line."""
        return width_of(self.size)

    @property
    def sampled(self) -> bool:
        """Whether there are more lines than it tells."""
        return self.size > len(self.lines)


def width_of(count: int) -> int:
    """Bytes of each of so many lines."""
    return WIDE if count <= FEW else NARROW


def sign(lines: Lines, first: int | None, last: int | None) -> str:
    """The signature of a range of lines, or of a whole file; empty where nothing is in it."""
    start, end = lines.within(first, last)
    count = end - start
    if not count:
        return ""
    whole = together(lines.hashes[start:end])
    before = [lines.hashes[place] if place >= 0 else 0 for place in range(start - AROUND, start)]
    after = [lines.hashes[place] if place < len(lines.hashes) else 0 for place in range(end, end + AROUND)]
    told = [lines.hashes[place] for place in _sample(lines, start, count)]
    packed = b"".join(
        [
            _packed([whole], _WHOLE),
            _packed([*before, *after], _AROUND_BYTES),
            _packed(told, width_of(count)),
        ]
    )
    return f"{count}.{b64encode(packed).decode()}"


def buckets(count: int) -> Iterator[tuple[int, int]]:
    """The parts of so many lines of each of which one is told, from and up to.

    The first and the last line are parts of their own, since they tell where the range begins and ends.
    """
    if count <= MOST:
        yield from ((place, place + 1) for place in range(count))
        return
    inner, parts = count - 2, MOST - 2
    yield 0, 1
    for part in range(parts):
        yield 1 + part * inner // parts, 1 + (part + 1) * inner // parts
    yield count - 1, count


def _sample(lines: Lines, start: int, count: int) -> Iterator[int]:
    """The longest line of each part, which is the likeliest to be the only one of its text."""
    for low, high in buckets(count):
        yield max(range(start + low, start + high), key=lines.length) if high - low > 1 else start + low


def parsed(text: str) -> Signature | None:
    """The inverse of `sign`; None where a text is no signature."""
    count, _, packed = text[:_LONGEST].partition(".")
    if not (count.isdecimal() and count.isascii() and 0 < int(count) <= _MOST_LINES):
        return None
    try:
        data = b64decode(packed, validate=True)
    except (Error, ValueError):
        return None
    lines, width = min(int(count), MOST), width_of(int(count))
    # Fields have fixed widths: with any other length all numbers after the missing byte would be wrong.
    if len(data) != _WHOLE + 2 * AROUND * _AROUND_BYTES + lines * width:
        return None
    around = _unpacked(data[_WHOLE : _WHOLE + 2 * AROUND * _AROUND_BYTES], _AROUND_BYTES)
    told = _unpacked(data[_WHOLE + 2 * AROUND * _AROUND_BYTES :], width)
    whole = int.from_bytes(data[:_WHOLE], "big")
    return Signature(int(count), whole, around[:AROUND], around[AROUND:], told)


def _packed(values: Sequence[int], width: int) -> bytes:
    """The highest bytes of numbers of 32 bits."""
    shift = _BITS - 8 * width
    return b"".join((value >> shift).to_bytes(width, "big") for value in values)


def _unpacked(data: bytes, width: int) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[at : at + width], "big") for at in range(0, len(data), width))


# -- finds cited lines again in a file by their signature: the best chain of lines that stand in the same ord


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
    # The number 0 says that nothing stood there, at the beginning or the end of the file.
    chain = _best([one for one in (*before, *own, *after) if one.own or one.value], lines, expected)
    return _placed(signature, lines, chain) if chain else None


def _unchanged(signature: Signature, lines: Lines, expected: int) -> int | None:
    """Where all lines stand as they did; of several places that in the same surroundings, or nearest."""

    def rank(start: int) -> tuple[int, int]:
        return -_surroundings(signature, lines, start), abs(start - expected)

    starts = lines.found(signature.width).get(signature.lines[0], ())
    last, shift = len(lines.hashes) - signature.size, _BITS - 8 * signature.width
    # The last line is compared first: a hash over all of them takes longer.
    ends = (
        start
        for start in starts
        if start <= last and lines.hashes[start + signature.size - 1] >> shift == signature.lines[-1]
    )
    for start in sorted(ends, key=rank):
        if together(lines.hashes[start : start + signature.size]) == signature.whole:
            return start
    return None


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
    links: list[_Link] = []
    link: _Link | None = chain
    while link is not None:
        links.insert(0, link)
        link = link.before
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
    # Where the last line is gone, its place is a guess by the old number of lines, maybe beyond the file.
    end = min(_end(links, own[-1], signature.size), len(lines.numbers) - 1)
    count = end - start + 1
    return Place(lines.numbers[start], lines.numbers[end], len(own), told, count, whole=False)


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
    return str(
        blake3.blake3(b"".join(data if first is None else data[first - 1 : last or first])).hexdigest()
    )


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
    # All told lines can stand in a place that changed: lines were added, or the sample missed those that
    # differ.
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
        # Each start hashes as many lines as were cited, so the time is a product of two lengths.
        for first in range(1, min(len(lines.raw), MOST_SOUGHT) - count + 2):
            if hash_of(lines.raw, first, first + count - 1) == link.content_hash:
                return _judging_unchanged(link, path, first, first + count - 1)
    if elsewhere and link.line_start is not None:
        return None
    return Citation(link, "changed", path, link.line_start, link.line_end, UNSIGNED, "it reads otherwise")


# -- finds cited lines that are in none of the files where they should be, among many files, each read once


LIKELY = 0.5
"""The share of the cited lines that a file must have to be looked at."""
SURE = 0.6
"""The share of them that must stand together for lines found in another file to be these."""
SEARCHING_LEAST = 3
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


class _Sought(NamedTuple):
    link: FileLink
    signature: Signature


class Search:
    """Looks for places in one file after another, and keeps the best that was found of each."""

    def __init__(self, links: Iterable[FileLink], absent: Collection[str] = ()) -> None:
        """Prepare for the places; `absent`: the files of these that are not there any more."""
        self._absent = frozenset(absent)
        # Several memories may cite the same place, which is looked for once.
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
        # Not before all files were read: how rare a line is depends on all of them.
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
            if not citation or citation.standing is None:
                continue
            told = citation.standing * len(self._sought[place].signature.lines)
            sure = citation.state == "moved" or (citation.standing >= SURE and told >= SEARCHING_LEAST)
            best = self._best.get(place)
            # More stands, or almost as much in a file whose path is more alike.
            if sure and (best is None or _worth(citation) > _worth(best)):
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
            # A sample may hold a line twice, and the lines of a file are counted as a set.
            if count >= LIKELY * len(set(self._sought[place].signature.lines))
        ]


def suffix(path: str) -> str:
    """The ending of a file's name, with its dot; the name where it has none."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name[1:] else name


def _worth(one: Citation) -> tuple[float, int]:
    return (one.standing or 0.0) + ALIKE * min(_alike(one), MOST_ALIKE), _alike(one)


def _alike(citation: Citation) -> int:
    """How many parts of two paths are the same, from their ends on: folders are moved, and names are kept."""
    old, new = (path.split("/")[::-1] for path in (citation.link.path, citation.path))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
