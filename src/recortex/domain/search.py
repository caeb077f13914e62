"""What the search index keeps of a memory, and what is read of a candidate to score it."""

from __future__ import annotations

from typing import NamedTuple

# Whole numbers, since PostgreSQL stores them added up (storage/postgres/words.py) and halves them in the
# function `matching` of its migration 0002: a weight is a multiple of 0.5. To change one:
#
# - say the same in the query `match` of storage/sql/sqlite/search.sql, which a test compares;
# - rows of a PostgreSQL store keep the former weight until they are edited, or copied into a new store;
# - run bench/retrieval.py again: engines/retrieval/floor.py was fitted on these scores.
#
# Comparing new memories with known ones (`lookalikes`) goes by the text alone. In stores of fewer than 50
# memories words are scored without BM25 (`SMALL` in engines/retrieval/vocabulary.py).
BM25_WEIGHTS_DOUBLED: dict[str, int] = {"text": 2, "terms": 4, "context": 1}
"""Twice the weight that BM25 gives a word, by the column that holds it."""
EXCHANGE_WEIGHTS_DOUBLED: dict[str, int] = {
    "message": 2,
    "asked": 2,
    "opening": 2,
    "conclusion": 2,
    "terms": 2,
}
"""The same of exchanges; FTS5 counts all columns alike where it is told nothing."""
CHUNK_WEIGHTS_DOUBLED: dict[str, int] = {"text": 2, "headings": 2, "terms": 2}
"""The same of chunks of documents; `match` of storage/sql/sqlite/chunks.sql says the same."""
BM25_MOST_GAIN = 2.2
"""What BM25 gives a word at most, in units of its rarity: k1 + 1 with FTS5's k1 of 1.2, which cannot be set.
The function `matching` of PostgreSQL's migration 0002 has both numbers too."""


ANY_ENDING = "*"
"""At the end of a word that is searched: the words that begin so are found as if they were that word. Only
letters may stand before it."""


def begins(word: str) -> bool:
    """Whether a word that is searched stands for all that begin so."""
    return word.endswith(ANY_ENDING) and word.removesuffix(ANY_ENDING).isalpha()


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
        checked_at, standing: when the code that it cites was last looked at, and the share that stood.
        status: as stored.
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
    checked_at: int | None = None
    standing: float | None = None
    status: str = "active"
    vector: bytes | None = None


class Links(NamedTuple):
    """Paths of the files and ids of the patterns that a memory is linked to."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
