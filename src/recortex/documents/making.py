"""Makes a document and its chunks of a file's bytes: redacted, cut, and with the words to find them by."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.documents.reading import FORMS, MOST_TITLE, Line, read, with_titles
from recortex.domain.search import LEAST_TOKENS, MOST_TOKENS, OVERLAP, Chunk, Document, chunk_id, document_id
from recortex.domain.vocabulary import Domain
from recortex.engines.privacy import redact
from recortex.engines.privacy.table import rules_in_use
from recortex.lean import blake2b
from recortex.text.tokens import LONGEST_TOKEN, fitting
from recortex.text.words import (
    compound_parts,
    grams,
    identifier_parts,
    path_words,
    sections,
    stem,
    word_set,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from recortex.documents.reading import Block, Reading
    from recortex.domain.search import Form
    from recortex.engines.privacy import Redaction

    Count = Callable[[str], int]


# -- cuts a document into chunks (E, Chunker)


_OWN = MOST_TOKENS - OVERLAP - 2
"""Tokens of a chunk without what it repeats and the break between the two."""
_MOST_BREAKS = 5
"""Breaks between two lines that are kept."""
_COUNTED = 4_096
"""Texts whose tokens are remembered while a document is cut: most are asked for three times."""
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|(?<=[\u3002\uff01\uff1f])")
_SPACE = re.compile(r"\s+")


class Cut(NamedTuple):
    """A chunk of a text.

    Attributes:
        headings: those that it stands under, the highest first.
        first, last: numbers of its lines.
        tokens: of the text.
    """

    headings: tuple[str, ...]
    text: str
    first: int
    last: int
    tokens: int


@dataclass(slots=True)
class _Piece:
    """Lines that stay together.

    Attributes:
        headings: that all of them stand under.
        tokens: about what they have.
        begins: it is the beginning of a section.
        above: how many of the lines belong to sections before its last one.
    """

    headings: tuple[str, ...]
    lines: list[Line]
    tokens: int
    begins: bool = False
    above: int = 0


def cut(blocks: Iterable[Block], count: Count) -> list[Cut]:
    """The chunks of a document, in its order: together they hold every line.

    Args:
        blocks: of the document.
        count: tokens of a text.
    """
    # The same lines are counted when they are packed, joined and finished.
    count = lru_cache(_COUNTED)(count)
    pieces = [piece for headings, section in _sections(blocks) for piece in _packed(headings, section, count)]
    # The pieces, those that are small put together with the next or the one before, as far as both fit.
    found: list[_Piece] = []
    waiting = deque(pieces)
    while waiting:
        piece = waiting.popleft()
        if piece.tokens >= LEAST_TOKENS:
            found.append(piece)
            continue
        after, before = waiting[0] if waiting else None, found[-1] if found else None
        # Its neighbours: first the one that shares more of its headings, of equals the one after.
        neighbours = [one for one in (after, before) if one is not None]
        # Under the same headings first, so that a small piece stays in its own section.
        for other in sorted(neighbours, key=lambda one: -_shared(piece.headings, one.headings)):
            if other is after and (both := _together(piece, other, count)):
                waiting[0] = both
                break
            if other is before and (both := _together(other, piece, count)):
                found[-1] = both
                break
        else:
            # Too small, but no neighbour has room for it.
            found.append(piece)
    pieces = found
    return [
        _finished(piece, before, count) for before, piece in pairwise([None, *pieces]) if piece is not None
    ]


def joined(lines: Sequence[Line]) -> str:
    """Lines as they stood, with the blank ones between them; parts of one line are put together."""
    if len(lines) == 1:
        return lines[0].text
    breaks = ["", *(_break(before, line) for before, line in pairwise(lines))]
    return "".join(part for pair in zip(breaks, (line.text for line in lines), strict=True) for part in pair)


def _break(before: Line, line: Line) -> str:
    return "\n" * min(line.number - before.number, _MOST_BREAKS)


def _sections(blocks: Iterable[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Each heading with the blocks below it, up to the next one."""
    section: list[Block] = []
    under: tuple[str, ...] = ()
    for headings, block in with_titles(blocks):
        if block.level and section:
            yield under, section
            section = []
        under = headings
        section.append(block)
    if section:
        yield under, section


def _packed(headings: tuple[str, ...], section: Sequence[Block], count: Count) -> Iterator[_Piece]:
    """A section in pieces: as many blocks in each as it has room for, a heading never alone at an end."""
    waiting = deque((block.lines, bool(block.level)) for block in section)
    piece, begun = (
        _Piece(headings, [], 0, begins=True),
        False,
    )  # begun: a cut after it leaves no heading alone
    while waiting:
        lines, heading = waiting.popleft()
        # Tokens of lines below others; of a line that is cut in any case only that they are too many
        # Counting the tokens of a very long line takes long, and it is cut in any case.
        if len(lines) == 1 and len(lines[0].text) > LONGEST_TOKEN * _OWN:
            tokens = MOST_TOKENS
        else:
            tokens = count((_break(piece.lines[-1], lines[0]) if piece.lines else "") + joined(lines))
        if piece.tokens + tokens <= _OWN:
            piece.lines += lines
            piece.tokens += tokens
            # A heading alone at the end of a chunk would be parted from what it announces.
            begun = begun or not heading or 2 * piece.tokens > _OWN
        elif begun:
            yield from _bounded(piece, count)
            piece, begun = _Piece(headings, [], 0), False
            waiting.appendleft((lines, heading))
        else:
            # Put back in front, so that the parts go through the same test as blocks do.
            waiting.extendleft((part, heading) for part in reversed(_smaller(lines, piece.tokens, count)))
    if piece.lines:
        yield from _bounded(piece, count)


def _bounded(piece: _Piece, count: Count) -> Iterator[_Piece]:
    """The piece, in halves where its parts have more tokens together than they have alone."""
    # Tokens of parts do not add up: a tokenizer joins characters across their borders.
    tokens = count(joined(piece.lines))
    if tokens <= MOST_TOKENS or len(piece.lines) == 1:
        piece.tokens = tokens
        yield piece
        return
    half = len(piece.lines) // 2
    for lines, begins in ((piece.lines[:half], piece.begins), (piece.lines[half:], False)):
        yield from _bounded(_Piece(piece.headings, lines, 0, begins=begins), count)


def _smaller(lines: Sequence[Line], beside: int, count: Count) -> list[tuple[Line, ...]]:
    """A block that is too long by its lines, or a line that is too long in parts, the first beside others."""
    if len(lines) > 1:
        return [(line,) for line in lines]
    (line,) = lines
    parts: list[tuple[Line, ...]] = []
    start, room, begin = 0, _OWN - beside - 1, 0
    while start < len(line.text):
        # A token has a longest length, so what is beyond that needs no counting.
        begin = fitting(line.text[start : start + LONGEST_TOKEN * max(room, 1)], room, count, begin)
        parts.append((line._replace(text=line.text[start : start + begin]),))
        start, room = start + begin, _OWN
    return parts


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many headings two pieces begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _together(one: _Piece, other: _Piece, count: Count) -> _Piece | None:
    """Two neighbours as one, under the headings that they share; None: they are too long for that.

    No token goes from the end of a line to what is visible below, so two texts have hardly fewer tokens
    together: they are counted only where the sum leaves it open.
    """
    lines = [*one.lines, *other.lines]
    tokens = one.tokens + other.tokens + 1
    if tokens > MOST_TOKENS:
        tokens = count(joined(lines))
    if tokens > MOST_TOKENS:
        return None
    headings = one.headings[: _shared(one.headings, other.headings)]
    above = len(one.lines) + other.above if other.begins or other.above else one.above
    return _Piece(headings, lines, tokens, begins=one.begins, above=above)


def _finished(piece: _Piece, before: _Piece | None, count: Count) -> Cut:
    """The chunk of a piece, which repeats the end of the one before as far as it has room.

    What stands above a heading is not repeated below it.
    """
    text = joined(piece.lines)
    tokens = count(text)
    lines, room = piece.lines, min(OVERLAP, MOST_TOKENS - tokens)
    while before is not None and room > 0 and not piece.begins:
        repeated = _ending(before.lines[before.above :], room, count)
        if not repeated:
            break
        longer = joined([*repeated, *lines])
        if (more := count(longer)) <= MOST_TOKENS:
            text, tokens, lines = longer, more, [*repeated, *lines]
            break
        # Joined, both may have some tokens more than alone: tried again with less room.
        room -= more - MOST_TOKENS
    return Cut(piece.headings, text, lines[0].number, lines[-1].number, tokens)


def _ending(lines: Sequence[Line], most: int, count: Count) -> list[Line]:
    """The last lines, or the end of the last one, in at most so many tokens."""
    first, left = len(lines), most
    while first and left > 0 and len(lines[first - 1].text) <= LONGEST_TOKEN * most:
        line, below = lines[first - 1], lines[first : first + 1]
        left -= count(line.text + (_break(line, below[0]) if below else ""))
        first -= left >= 0
    found = list(lines[first:])
    # Counted one by one before; together they may have a few more.
    while found and count(joined(found)) > most:
        del found[0]
    return found or _end_of(lines[-1], most, count)


def _end_of(line: Line, most: int, count: Count) -> list[Line]:
    """The last sentences of a line that are no longer, else its last words; none where not one word is."""
    text = line.text[-LONGEST_TOKEN * most :]

    def fits(start: int) -> int:
        return int(count(text[start:]) <= most)

    for pattern in (_SENTENCE, _SPACE):
        starts = [found.end() for found in pattern.finditer(text) if found.end() < len(text)]
        first = bisect_left(starts, 1, key=fits)  # what begins later is shorter
        if first < len(starts):
            return [line._replace(text=text[starts[first] :])]
    return []


# -- guesses the area of the software that a text is about, by a table of words


_OF_STEM: dict[str, tuple[Domain, ...]] = {}
for _name, _listed in sections(__file__, "domains").items():
    for _word in set(map(stem, word_set(_listed))):
        _OF_STEM[_word] = (*_OF_STEM.get(_word, ()), Domain(_name))
_IN_NAMES = 4
"""What a word of a heading or path counts, beside one of the text."""
_LEAST, _SHARE = 4, 0.4
"""The least weight, and the least part of the weight of all areas, that decides."""


def guess(text: str, names: Iterable[str], otherwise: Domain = Domain.GENERAL) -> Domain:
    """The area of a text.

    Args:
        text: what it says.
        names: its headings and its path.
        otherwise: where no area is clear.
    """
    weights: Counter[Domain] = Counter()
    for word, count in Counter(words(text)).items():
        # Once for each name: a long path must not outweigh the text.
        _add(weights, word, count)
    for name in names:
        for word in {*words(name), *identifier_parts(name)}:
            _add(weights, word, _IN_NAMES)
    total = sum(weights.values())
    if otherwise is not Domain.GENERAL:
        # An area that is known of the whole document needs less to be confirmed for a part.
        weights[otherwise] += _LEAST
    # By the name where weights are equal, so that the same text always gets the same area.
    best, weight = max(weights.items(), key=lambda one: (one[1], one[0]), default=(otherwise, 0))
    # A share as well: a text about several areas is about none of them.
    return best if weight >= _LEAST and weight >= _SHARE * total else otherwise


def _add(weights: Counter[Domain], word: str, count: int) -> None:
    for domain in _OF_STEM.get(stem(word), ()):
        weights[domain] += count


# -- makes a document and its chunks of a file's bytes: redacted, cut, and with the words to find them by


_READ_AS = b"1"
"""Part of a document's hash: raise it when documents are read or cut in another way, so that all are."""
_MOST_TERMS = 4_000
"""Characters of the terms of a chunk."""
_GUESSED = 4
"""Chunks by which the area of a document is guessed."""
_TOLD = ("title", "description", "summary", "keywords", "tags", "categories")
"""What front matter says that a document is found by."""


class Source(NamedTuple):
    """A file that is to be ingested.

    Attributes:
        path: as the document will have it.
        origin: the path or pattern by which it was found.
        domain: as whoever ingests it said; None: it is guessed.
    """

    path: str
    data: bytes
    origin: str
    modified_at: datetime
    domain: Domain | None = None


class Made(NamedTuple):
    """A document, its chunks with the words that they are found by, and what was unusual or taken out."""

    document: Document
    chunks: tuple[tuple[Chunk, str], ...]
    notes: tuple[str, ...]
    redacted: int


def content_hash(data: bytes) -> str:
    """What tells whether a document has to be read again."""
    return str(blake3(_READ_AS + data).hexdigest())


def form_of(path: str) -> Form:
    """What a file is read as, by its name; text, unless that says more."""
    return FORMS.get(PurePosixPath(path).suffix.lower(), "text")


def make(source: Source, now: datetime, count: Callable[[str], int]) -> Made:
    """The document of a file, and its chunks.

    Raises:
        FormatError: it is no text, or no notebook.
    """
    found = 0

    def clean(text: str) -> str:
        nonlocal found
        # Before the text is cut: half a secret, at the end of a chunk, would not be recognised.
        redaction = redact(text, path=source.path)
        found += len(redaction.findings)
        return _aligned(text, redaction) if redaction.findings else text

    reading = read(source.data, form_of(source.path), clean)
    cuts = cut(reading.blocks, count)
    said = reading.metadata.get("title")
    heading = next((block.title for block in reading.blocks if block.level), "")
    title = (said if isinstance(said, str) and said else heading or PurePosixPath(source.path).stem)[
        :MOST_TITLE
    ]
    if isinstance(said, str) and said and not any(block.level == 1 for block in reading.blocks):
        # such as a page of a site: its generator makes the highest heading of the title
        cuts = [one._replace(headings=(title, *one.headings)) for one in cuts]
    # The beginning says what a document is about; later parts go into details.
    beginning = "\n".join(one.text for one in cuts[:_GUESSED])
    whole = source.domain or guess(beginning, [source.path, title])
    chunks = tuple(_chunks(cuts, reading, source, whole))
    document = Document(
        id=document_id(source.path),
        path=source.path,
        form=reading.form,
        title=title,
        domain=whole,
        set_domain=source.domain is not None,
        size=len(source.data),
        hash=content_hash(source.data),
        # When the rules of redaction change, what was read by other ones is read again.
        rules=rules_in_use(),
        source=source.origin,
        chunks=len(chunks),
        tokens=sum(one.tokens for one in cuts),
        modified_at=source.modified_at,
        ingested_at=now,
        metadata=reading.metadata,
    )
    return Made(document, chunks, reading.notes, found)


def _chunks(
    cuts: Sequence[Cut], reading: Reading, source: Source, whole: Domain
) -> Iterator[tuple[Chunk, str]]:
    same: Counter[str] = Counter()
    told = [str(reading.metadata[name]) for name in _TOLD if name in reading.metadata]
    for place, one in enumerate(cuts):
        said = "\n".join((*one.headings, "", one.text))
        hash_ = blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()
        chunk = Chunk(
            # With the number of equal parts before it: a text that stands twice has two ids.
            id=chunk_id(source.path, hash_, same[hash_]),
            path=source.path,
            place=place,
            headings=one.headings,
            text=one.text,
            first_line=reading.places[one.first - 1],
            last_line=reading.places[one.last - 1],
            tokens=one.tokens,
            hash=hash_,
            domain=source.domain or guess(one.text, [source.path, *one.headings], whole),
            written_at=source.modified_at,
        )
        same[hash_] += 1
        # What a document says of itself is found with its beginning, and not with each of its parts.
        yield chunk, terms(chunk, told if not place else ())


def terms(chunk: Chunk, told: Sequence[str] = ()) -> str:
    """The words of a chunk's path, parts of its identifiers, and pairs of Chinese and Japanese characters.

    Args:
        chunk: what is found by them.
        told: what the document says of itself.
    """
    said = "\n".join((*chunk.headings, chunk.text))
    found = [*told, *path_words(chunk.path), *compound_parts(said), *grams(said)]
    # Bounded, as a large table may have as many words as cells.
    return " ".join(dict.fromkeys(found))[:_MOST_TERMS]


def _aligned(text: str, redaction: Redaction) -> str:
    """The redacted text with all its lines: breaks that a secret held are put after its marker."""
    # Only a secret of several lines shifts those below it.
    found = [one for one in redaction.findings if "\n" in text[one.start : one.end]]
    clean, before = redaction.text, 0
    at = 0
    for one in redaction.findings if found else ():
        at += one.start - before
        end = clean.find("]", at) + 1
        if one.start < before or not end or clean[at : at + 1] != "[":
            return redaction.text  # one lies within another: the lines below may be told a little too high
        breaks = text.count("\n", one.start, one.end)
        clean = clean[:end] + "\n" * breaks + clean[end:]
        at, before = end + breaks, one.end
    return clean
