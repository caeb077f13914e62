"""What is computed of a text when it is written: its search text, traits and vectors, for comparison."""

from __future__ import annotations

import re
import threading
from enum import IntFlag
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeAlias

from recortex.domain.kinds import KINDS
from recortex.domain.search import SearchText
from recortex.domain.text import lazy
from recortex.lean import NamedTuple, lazy_module
from recortex.text.words import compound_parts, grams, identifier_parts, path_words, runs_of_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from recortex.domain.memory import Memory
    from recortex.ports.store import Store

    Rows = npt.NDArray[np.float32]
    Row: TypeAlias = npt.NDArray[np.float32]
    import numpy as np
else:
    np = lazy_module("numpy")


# -- recognises code and outlines, and reads the name and documentation of a piece of code


_CODE_READ = 8_000
"""Characters of a text that are read: its beginning shows what it is."""

_DECLARATION = lazy(
    r"^\s*(?:[A-Za-z_]\w*\.)*(?:(?:export|default|public|private|protected|static|abstract|async|pub)\s+)*"
    r"(?:(?:def|function|func|fn)\s+([A-Za-z_]\w*)\s*[(<]|(?:class|interface|struct|enum|trait|impl|"
    r"type)\s+([A-Z_]\w*))"
)
"""A declaration, also one after the name of its class (`Store.def open(path)`)."""
_STATEMENT = lazy(
    r"^\s*(?:return\b|if\b.*[:{]\s*$|for\b.*[:{]\s*$|while\b.*[:{]\s*$|try\b|raise\b|throw\b|self\.|this\.|"
    r"import\s|from\s+\S+\s+import\b|[\w.\[\]'\"]+\s*[-+|]?=[^=]|[\w.]+\(.*\)\s*;?\s*$|[})\]]+[;,]?\s*$)"
)
_QUOTED = ('"""', "'''")
_SENTENCE = lazy(r"(?<=[.!?])\s")
_DOC_END = lazy(r"\s(?::param|:return|@param|@return|Args:|Parameters\b|Returns:?|-{4,})")
_DOC_WORDS = 60
_LEAST_LINES = 2


def is_code(text: str) -> bool:
    """Whether the text is the body of a function or class: a declaration and, below it, statements."""
    # Prose in a docstring looks like no statement, and would hide that the rest is code.
    lines = _lines(_without_docstring(text[:_CODE_READ]))
    declared = sum(_DECLARATION.match(line) is not None for line in lines[:5])  # decorators may come first
    if not declared:
        return False
    statements = sum(_STATEMENT.match(line) is not None for line in lines)
    return bool(statements and 3 * statements >= len(lines) - declared)


def is_outline(text: str) -> bool:
    """Whether the text lists declarations without their bodies, as an index of a file does."""
    lines = _lines(text[:_CODE_READ])
    return len(lines) >= _LEAST_LINES and (
        2 * sum(_DECLARATION.match(line) is not None for line in lines) >= len(lines)
    )


def self_description(text: str) -> str:
    """The words of the first declared name, and the first sentence of its documentation; empty if neither."""
    text = text[:_CODE_READ]
    name = next((match[1] or match[2] for line in _lines(text) if (match := _DECLARATION.match(line))), "")
    return " ".join([*identifier_parts(name), *_first_sentence(_docstring(text)).split()[:_DOC_WORDS]])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _docstring(text: str) -> str:
    start, mark = _doc_start(text)
    if start < 0:
        return ""
    end = text.find(mark, start + 3)
    return text[start + 3 : end if end >= 0 else len(text)]


def _without_docstring(text: str) -> str:
    start, mark = _doc_start(text)
    end = text.find(mark, start + 3) if start >= 0 else -1
    return text if end < 0 else text[:start] + text[end + 3 :]


def _doc_start(text: str) -> tuple[int, str]:
    found = [(place, mark) for mark in _QUOTED if (place := text.find(mark)) >= 0]
    return min(found, default=(-1, ""))


def _first_sentence(documentation: str) -> str:
    line = " ".join(documentation.split())
    return _DOC_END.split(_SENTENCE.split(line, maxsplit=1)[0], maxsplit=1)[0]


# -- compares a question with texts word by word, each of its pieces with the piece of a text most like it


class AskedPieces(NamedTuple):
    """The word pieces of a question, as its embedder tells them (`ports/model.py`).

    Attributes:
        rows: of unit length, shape (pieces, numbers).
        telling: for each piece, whether it says what the question is about; at least one does.
    """

    rows: Rows
    telling: npt.NDArray[np.bool_]


class Wording(NamedTuple):
    """How near the words of a text are to those of a question, as cosines.

    Attributes:
        words: the mean over the question's pieces of the best cosine in the text.
        weakest: the best cosine of the telling piece that is matched worst.
        passage: the mean over the telling pieces of the best cosine in the text and those around it.
        pieces: how many pieces of the text are kept: different words that it has.
    """

    words: float
    weakest: float
    passage: float
    pieces: int


def wordings(
    asked: AskedPieces, codes: Mapping[int, bytes], around: Mapping[int, Sequence[int]]
) -> dict[int, Wording]:
    """The wording of each text that has pieces, by its key.

    Args:
        asked: the question.
        codes: the signs of the pieces of texts, and of those around them, a bit each; of another width than
            the question's they are left out.
        around: keys of the texts around one, by its key.
    """
    # Rounded up: the last byte may be filled only in part.
    width = -(-asked.rows.shape[1] // 8)
    known = {key: code for key, code in codes.items() if code and not len(code) % width}
    if not known:
        return {}
    best = _best(asked.rows, known, width)
    place = {key: number for number, key in enumerate(known)}
    near = [[place[key], *(place[one] for one in around.get(key, ()) if one in place)] for key in known]
    telling = asked.telling
    columns = (
        best.mean(axis=1).tolist(),
        best[:, telling].min(axis=1).tolist(),
        _highest(best[:, telling][list(chain.from_iterable(near))], map(len, near)).mean(axis=1).tolist(),
        [len(code) // width for code in known.values()],
    )
    return dict(zip(known, map(Wording, *columns), strict=True))


def _best(rows: Rows, codes: Mapping[int, bytes], width: int) -> Rows:
    """The best cosine of each piece of the question in each text, shape (texts, pieces).

    The signs of a text stand for numbers of one size, ±1 / sqrt(n). They are looked up eight at a time, which
    takes a fifth of what a product of matrices does, and no threads of the linear algebra library.
    """
    packed = np.frombuffer(b"".join(codes.values()), np.uint8).reshape(-1, width)
    sums = np.zeros((len(packed), len(rows)), np.float32)
    for place, found in enumerate(_of_bytes(rows, width)):
        sums += found.take(packed[:, place], axis=0)
    return _highest(sums, (len(code) // width for code in codes.values()))


def _of_bytes(rows: Rows, width: int) -> Rows:
    """What each byte of a text's signs adds to a cosine, by place and value, shape (width, 256, pieces)."""
    signs = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) - 1
    padded = np.zeros((len(rows), 8 * width), np.float32)
    padded[:, : rows.shape[1]] = rows / np.sqrt(rows.shape[1])
    found: Rows = signs @ padded.reshape(len(rows), width, 8).transpose(1, 2, 0)
    return found


def _highest(rows: Rows, lengths: Iterable[int]) -> Rows:
    """The highest values of each stretch of rows."""
    # For an empty stretch `reduceat` would return a row of the next one; here each has at least one.
    starts = [0, *accumulate(lengths)][:-1]
    highest: Rows = np.maximum.reduceat(rows, starts, axis=0)
    return highest


# -- the traits of a text as bits, computed when it is written, so that recall need not read it to score it


class Trait(IntFlag):
    """Forms that a text may have, and kinds of answers that it may hold."""

    QUESTION = 1
    TIME = 2
    NUMBER = 4
    PLACE = 8
    REASON = 16
    DIALOGUE = 32
    """A turn of people talking: its neighbours and speakers say what it is about."""
    MESSAGE = 64
    """What a person wrote to an assistant."""
    REPLY = 128
    """What an assistant answered."""
    CODE = 256
    OUTLINE = 512
    DOCUMENT = 1024
    """Longer than the embedding model reads, so its vector is that of its beginning."""
    TEST = 2048
    """Code of a test: it is about what another file does."""


ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "agent", "model"})
"""Speakers that are parts of a chat with a machine, not names of people."""
_PEOPLE = frozenset({"user", "human"})

_TIMES = (
    "yesterday|today|tonight|tomorrow|last|next|ago|weekend|recently|since|week|month|year|day|monday|"
    "tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|"
    "september|october|november|december"
)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|few|couple|hundred|thousand"
_YEAR = r"(?:19|20)\d\d"
_ANSWERS = {
    Trait.TIME: lazy(rf"\b(?:{_TIMES}|{_YEAR})s?\b", re.IGNORECASE),
    Trait.NUMBER: lazy(rf"\b(?:\d+|{_NUMBERS})\b", re.IGNORECASE),
    Trait.PLACE: lazy(r"\b(?:in|at|to|from|near)\s(?:the\s)?[A-Z][a-z]"),
    Trait.REASON: lazy(
        r"\b(?:because|since|so that|reason|inspired|motivat\w+|helps?|due to|to help|want(?:ed)? to)\b",
        re.IGNORECASE,
    ),
}
_WORDS_OF_TIME = frozenset(f"{word}{end}" for word in _TIMES.split("|") for end in ("", "s"))
_A_YEAR = lazy(rf"{_YEAR}s?")
_WORDS_OF_NUMBER = frozenset(_NUMBERS.split("|"))
_REASONS = ("because", "since", "so that", "reason", "inspired", "motivat", "help", "due to", "want")
"""What an ASCII text has in lower case where it gives a reason: most have none of it."""
_BEFORE_A_NAME = 3
"""Characters before the capital of a place's name, at least."""
_TEST_FILE = lazy(
    r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]*$|(?:_test|\.test|\.spec|_spec)\.\w+$|(?:^|"
    r"/)conftest\.py$"
)
_SHORT_QUESTION = 120
"""Characters; a longer text that ends in a question mark says more than it asks."""
_READ = 4_000
"""Characters in which the words of answers are looked for."""
_LONG = 1_200
"""Characters of ordinary text in 256 word pieces, which is what the model reads."""


def traits(text: str, *, speaker: str = "", session: str = "", files: Sequence[str] = ()) -> Trait:
    """The traits of a text; `files` are the paths that it is linked to."""
    found = _form(text, speaker.strip().lower(), session)
    if found & (Trait.CODE | Trait.OUTLINE) and files and all(_TEST_FILE.search(path) for path in files):
        found |= Trait.TEST
    stripped = text.strip()
    if stripped.endswith("?") and len(stripped) < _SHORT_QUESTION:
        found |= Trait.QUESTION
    read = stripped[:_READ]
    if read.isascii():
        return found | _answers_in_ascii(read)
    for trait, pattern in _ANSWERS.items():
        if pattern.search(read):
            found |= trait
    return found


def _answers_in_ascii(read: str) -> Trait:
    """What the expressions of `_ANSWERS` find in a text of ASCII, by its words: in a quarter of the time."""
    found, lower = Trait(0), read.lower()
    said = set(runs_of_ascii(lower))
    # Two digits are looked for first, since trying the expression on each word takes longer.
    if not _WORDS_OF_TIME.isdisjoint(said) or (
        ("19" in lower or "20" in lower) and any(map(_A_YEAR.fullmatch, said))
    ):
        found |= Trait.TIME
    if not _WORDS_OF_NUMBER.isdisjoint(said) or any(map(str.isdigit, said)):
        found |= Trait.NUMBER
    # The slow expressions are asked only where a capital letter or the beginning of a reason may make them
    # match.
    if read[_BEFORE_A_NAME:] != lower[_BEFORE_A_NAME:] and _ANSWERS[Trait.PLACE].search(read):
        found |= Trait.PLACE
    if any(map(lower.__contains__, _REASONS)) and _ANSWERS[Trait.REASON].search(read):
        found |= Trait.REASON
    return found


def _form(text: str, speaker: str, session: str) -> Trait:
    if speaker and session:
        return (
            Trait.DIALOGUE if speaker not in ROLES else Trait.MESSAGE if speaker in _PEOPLE else Trait.REPLY
        )
    if is_outline(text):
        return Trait.OUTLINE
    if is_code(text):
        return Trait.CODE
    return Trait.DOCUMENT if len(text) > _LONG else Trait(0)


# -- vectors as bytes: compressed to int8, and compared


_LARGEST = 127
_scratch = threading.local()


class QuestionVector(NamedTuple):
    """A question's vector, with the name of the embedder that made it.

    Attributes:
        pieces: None where the embedder tells no word pieces.
    """

    model: str
    values: Row
    pieces: AskedPieces | None = None

    @property
    def raw(self) -> bytes:
        """The values as little-endian float32."""
        return bytes(self.values.astype("<f4").tobytes())


def mean_direction(vectors: npt.NDArray[np.float32]) -> Row:
    """The mean of vectors of unit length (rows), of unit length again; a single one as it is."""
    mean = vectors[0] if len(vectors) == 1 else vectors.mean(axis=0)
    # The mean of opposite vectors has no length to divide by.
    length = 1.0 if len(vectors) == 1 else max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(mean / length, dtype=np.float32)


def compact(vector: Row) -> bytes:
    """The vector as int8, a byte per dimension, the largest ±127. Cosines change by less than 0.01."""
    scale = _LARGEST / max(float(np.abs(vector).max(initial=0.0)), 1e-12)
    return bytes(np.rint(vector * scale).astype(np.int8).tobytes())


def direction(code: bytes) -> bytes:
    """An int8 vector as little-endian float32, for comparing it with others."""
    return bytes(np.frombuffer(code, dtype=np.int8).astype("<f4").tobytes())


def cosine(a: bytes, b: bytes) -> float:
    """The cosine between two vectors of int8 values."""
    row = np.frombuffer(a, dtype=np.int8).astype(np.float32)
    return cosines(row, {0: b})[0]


def cosines(query: Row, vectors: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine between the query and each vector, by its key.

    A vector with one byte per dimension is int8, with four little-endian float32; others are left out.
    """
    small = {key: raw for key, raw in vectors.items() if len(raw) == query.size}
    large = {key: raw for key, raw in vectors.items() if len(raw) == 4 * query.size}
    found: dict[int, float] = {}
    for group, kind in ((small, np.int8), (large, np.dtype("<f4"))):
        if group:
            rows = np.frombuffer(b"".join(group.values()), dtype=kind).reshape(len(group), -1)
            found.update(zip(group, _cosines(query, _floats(rows)), strict=True))
    return found


def _floats(rows: npt.NDArray[np.generic]) -> Row:
    """The rows as float32, in memory that the thread's next call uses again.

    The system would give fresh memory page by page, which takes three times as long as all that is computed.
    """
    room: Row | None = getattr(_scratch, "room", None)
    if room is None or room.size < rows.size:
        # With room to spare, so that a somewhat larger search does not ask the system again.
        room = _scratch.room = np.empty(2 * rows.size, np.float32)
    floats = room[: rows.size].reshape(rows.shape)
    np.copyto(floats, rows)
    return floats


def _cosines(query: Row, rows: Row) -> list[float]:
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * np.linalg.norm(query)
    found: list[float] = (rows @ query / np.maximum(norms, 1e-12)).tolist()
    return found


# -- makes the additional search text of a memory


_DOCUMENT_READ = 8_000
"""Characters of a text whose identifiers become terms."""
_MOST = 8_000
"""The most characters of `terms`, so that a huge text does not fill the index twice; without those of CJK
text, which is found by nothing else."""
_CONTEXT = 600
"""Characters of the preceding turn; a spoken turn has about 150."""


class PrecedingTurn(NamedTuple):
    """The turn before a memory's own: its speaker and text."""

    speaker: str
    text: str


def search_text(memory: Memory, before: PrecedingTurn | None = None) -> SearchText:
    """The additional search text of a memory.

    `terms` are parts of identifiers and paths, tags, CJK pairs and, in a dialogue, the speaker and the date;
    `context` is the preceding turn, in a dialogue.

    Args:
        memory: the one that is written.
        before: the preceding turn of its session, if there is one.
    """
    seen = traits(
        memory.text,
        speaker=memory.source.speaker,
        session=memory.source.session,
        files=[link.path for link in memory.files],
    )
    plain = " ".join(_terms(memory, seen))[:_MOST]
    terms = " ".join([plain, *grams(memory.text[:_DOCUMENT_READ])]).strip()
    context = f"{before.speaker}: {before.text}"[:_CONTEXT] if before and seen & Trait.DIALOGUE else ""
    return SearchText(terms, context, int(seen))


def _terms(memory: Memory, seen: Trait) -> Iterator[str]:
    text = memory.text[:_DOCUMENT_READ]
    if seen & Trait.DIALOGUE:
        at = memory.valid_from
        # With the month in words, as questions name a day.
        yield f"{memory.source.speaker} {at.day} {at:%B} {at.year}"
    if seen & (Trait.CODE | Trait.OUTLINE):
        yield self_description(text)
    yield from compound_parts(text)
    for link in memory.files:
        yield from path_words(link.path)
    for function in memory.functions:
        yield from path_words(function.name)
    yield from memory.tags


# -- the text of which a memory's vector is made


def embedded_text(memory: Memory, project: str = "") -> str:
    """A line of metadata, the text, and what it is linked to; empty for kinds that are never embedded.

    `[kind|importance|category] [project:name] who: text`, then `Files: …` and `Patterns: …`, each if there is
    one. Code has no such metadata: it costs half a point of MRR and a whole one of R@10 on CoSQA, and nothing
    on LoCoMo (bench/retrieval.py).
    Questions are embedded plainly: a prefix on them costs up to 12 points of R@10. The text is
    unchanged: with split identifiers, or only names and documentation, less was found on CoSQA.
    """
    return "\n".join(_document_lines(memory, project)) if KINDS[memory.kind].embedded else ""


def _document_lines(memory: Memory, project: str) -> Iterator[str]:
    label = f"[{memory.kind}|{memory.importance.value}|{KINDS[memory.kind].category}]"
    metadata = () if is_code(memory.text) else (label, project and f"[project:{project}]")
    speaker = memory.source.speaker.strip()
    # A role such as "user" is no name: it would stand in the vectors of half of all messages.
    who = f"{speaker}: " if speaker and speaker.lower() not in ROLES else ""
    yield " ".join(part for part in (*metadata, f"{who}{memory.text}") if part)
    if memory.files:
        yield f"Files: {', '.join(link.path for link in memory.files)}"
    if memory.patterns:
        yield f"Patterns: {', '.join(link.name or link.id for link in memory.patterns)}"


# -- the search text of a memory, with the preceding turn read from the store


def search_text_in(store: Store, memory: Memory) -> SearchText:
    """As `search_text`, with the preceding turn of the memory's session if the store has it."""
    source = memory.source
    if not source.session or not source.turn:
        return search_text(memory)
    found = store.memories.neighbours(source.session, source.turn - 1, source.turn - 1)
    return search_text(memory, PrecedingTurn(found[0].speaker, found[0].text) if found else None)
