"""What the search index keeps of a memory, and what is read of a candidate to score it."""

from __future__ import annotations

from typing import NamedTuple

BM25_COLUMNS = {"text": 1.0, "terms": 2.0, "context": 0.5}
"""What BM25 gives a word by the column that holds it; `storage/sql/sqlite/search.sql` says the same."""
BM25_MOST_GAIN = 2.2
"""What BM25 gives a word at most, in units of its rarity: k1 + 1 with FTS5's k1 of 1.2."""


class SearchText(NamedTuple):
    """What a memory is found by besides its text, made when it is written.

    Attributes:
        terms: parts of identifiers and paths, CJK pairs.
        context: words of its neighbours in a dialogue.
        traits: what kind of text it is, as bits.
    """

    terms: str = ""
    context: str = ""
    traits: int = 0


class Neighbour(NamedTuple):
    """A turn of a dialogue near another one.

    Attributes:
        turn: its position in the session.
        speaker: who said it.
        text: what was said.
    """

    turn: int
    speaker: str
    text: str


class Facts(NamedTuple):
    """What is scored of a candidate, read from its row without the text.

    Attributes:
        session: empty where the memory is not part of a dialogue.
        turn: position in the session, or None.
        valid_from: microseconds since 1970 UTC, as the other instants.
        last_accessed_at: None where it was never recalled.
        confidence: the stored base, 0 to 1; decay is computed from it.
        traits: what `engines.indexing.traits` saw in the text when it was written.
        patterns: how many code patterns it is linked to.
        vector: by the embedder that was asked for: int8 or little-endian float32 values.
    """

    key: int
    kind: str
    session: str
    turn: int | None
    speaker: str
    valid_from: int
    recorded_at: int
    last_accessed_at: int | None
    confidence: float
    priority: int
    traits: int
    pinned: int = 0
    validated_at: int | None = None
    access_count: int = 0
    patterns: int = 0
    vector: bytes | None = None


class Links(NamedTuple):
    """Paths of the files and ids of the patterns that a memory is linked to."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
