"""What the search index keeps of a memory, and what is read of a candidate to score it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Domain, Origin, Scope, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.domain.memory import Memory


# Whole numbers, since PostgreSQL stores them added up (storage/postgres/words.py) and halves them in the
# function `matching` of its migration 0002: a weight is a multiple of 0.5. To change one:
#
# - say the same in the query `lookalikes` of storage/sql/sqlite/search.sql, which a test compares;
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
"""The same of exchanges."""
CHUNK_WEIGHTS_DOUBLED: dict[str, int] = {"text": 2, "headings": 2, "terms": 2}
"""The same of chunks of documents."""
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


# -- whether a memory passes a query: the meaning that every store's filters must have


def matches(query: MemoryQuery, memory: Memory) -> bool:
    """Whether the memory passes every filter of the query but `as_of`, which picks states, not memories."""
    any_of: tuple[tuple[Iterable[object], Sequence[object]], ...] = (
        ((memory.kind,), query.kinds),
        ((memory.status,), query.statuses),
        ((memory.domain,), query.domains),
        ((memory.origin,), query.origins),
        (memory.tags, query.tags),
        ((link.name for link in memory.functions), query.functions),
        ((link.id for link in memory.patterns), query.patterns),
        ((link.id for link in memory.constraints), query.constraints),
    )
    return (
        all(not wanted or any(value in wanted for value in values) for values, wanted in any_of)
        and query.scope in (None, memory.scope)
        and query.session in ("", memory.source.session)
        and query.pinned in (None, memory.pinned)
        and _within(memory.priority, query.min_priority, query.max_priority)
        and _within(memory.confidence, query.min_confidence, query.max_confidence)
        and (query.recorded_after is None or memory.recorded_at >= query.recorded_after)
        and (query.recorded_before is None or memory.recorded_at < query.recorded_before)
        and (query.valid_at is None or memory.was_valid_at(query.valid_at))
        and (
            not query.files
            or any(
                (file.path.startswith(one) if one.endswith("/") else file.path == one)
                for one in query.files
                for file in memory.files
            )
        )
    )


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


# -- which memories are asked for: every filter, in one value


Order = Literal["recorded", "updated", "accessed", "importance", "confidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """Filters are joined by *and*; the items of one filter by *or*. An empty filter lets everything pass.

    Attributes:
        statuses: empty means every status.
        files: exact paths, or folders ending in a slash.
        patterns, constraints: ids or names.
        as_of: the states that were recorded at that time, instead of now.
        valid_at: only what was true in the world then.
        not_valid_at: only what was not.
        limit: at most so many; None means all.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    tags: tuple[str, ...] = ()
    domains: tuple[Domain, ...] = ()
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    scope: Scope | None = None
    session: str = ""
    pinned: bool | None = None
    min_priority: int | None = None
    max_priority: int | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    recorded_after: datetime | None = None
    recorded_before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    not_valid_at: datetime | None = None
    order: Order = "recorded"
    descending: bool = True
    limit: int | None = None
    offset: int = 0
