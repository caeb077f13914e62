"""Makes a document and its chunks of a file's bytes: redacted, cut, and with the words to find them by."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.domain.document import Chunk, Document, chunk_id, document_id
from recortex.domain.vocabulary import Domain
from recortex.engines.documents.chunking import cut
from recortex.engines.documents.reading import FORMS, MOST_TITLE, read
from recortex.engines.privacy import redact
from recortex.engines.privacy.table import rules_in_use
from recortex.engines.words import (
    compound_parts,
    grams,
    identifier_parts,
    path_words,
    sections,
    singular,
    word_set,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from recortex.domain.document import Form
    from recortex.engines.documents.chunking import Cut
    from recortex.engines.documents.reading import Reading
    from recortex.engines.privacy import Redaction


# -- guesses the area of the software that a text is about, by a table of words


_OF_WORD: dict[str, tuple[Domain, ...]] = {}
for _name, _listed in sections(__file__, "domains").items():
    for _word in word_set(_listed):
        _OF_WORD[_word] = (*_OF_WORD.get(_word, ()), Domain(_name))
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
        _add(weights, word, count)
    for name in names:
        for word in {*words(name), *identifier_parts(name)}:
            _add(weights, word, _IN_NAMES)
    total = sum(weights.values())
    if otherwise is not Domain.GENERAL:
        weights[otherwise] += _LEAST
    best, weight = max(weights.items(), key=lambda one: (one[1], one[0]), default=(otherwise, 0))
    return best if weight >= _LEAST and weight >= _SHARE * total else otherwise


def _add(weights: Counter[Domain], word: str, count: int) -> None:
    for domain in _OF_WORD.get(word) or _OF_WORD.get(singular(word), ()):
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
        yield chunk, terms(chunk, told if not place else ())


def terms(chunk: Chunk, told: Sequence[str] = ()) -> str:
    """The words of a chunk's path, parts of its identifiers, and pairs of Chinese and Japanese characters.

    Args:
        chunk: what is found by them.
        told: what the document says of itself.
    """
    said = "\n".join((*chunk.headings, chunk.text))
    found = [*told, *path_words(chunk.path), *compound_parts(said), *grams(said)]
    return " ".join(dict.fromkeys(found))[:_MOST_TERMS]


def _aligned(text: str, redaction: Redaction) -> str:
    """The redacted text with all its lines: breaks that a secret held are put after its marker."""
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
