"""What the search index keeps of a memory and of a document, and why a memory answers a question."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.exchange import ExchangeHit
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Freshness, Memory
from recortex.domain.text import RULE as IN_A_FILE
from recortex.domain.vocabulary import Domain, Origin, Scope, Status
from recortex.lean import NamedTuple, Value, blake2b, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# Whole numbers, since PostgreSQL stores them added up (storage/postgres/words.py) and halves them in the
# function `matching` of its migration 0002: a weight is a multiple of 0.5. To change one:
#
# - say the same in the query `lookalikes` of storage/sql/sqlite/search.sql, which a test compares;
# - rows of a PostgreSQL store keep the former weight until they are edited, or copied into a new store;
# - run bench/retrieval.py again: engines/retrieval/scorer.py was fitted on these scores.
#
# Comparing new memories with known ones (`lookalikes`) goes by the text alone. In stores of fewer than 50
# memories words are scored without BM25 (`SMALL` in engines/retrieval/weights.py).
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
MOST_SCORED = 20_000
"""Memories that one search by words scores: 12 ms in SQLite, whatever the size of the store
(bench/scale.py)."""
BM25_MOST_GAIN = 2.2
"""What BM25 gives a word at most, in units of its rarity: k1 + 1 with FTS5's k1 of 1.2, which cannot be set.
The function `matching` of PostgreSQL's migration 0002 has both numbers too."""


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
        pieces: its word pieces, where that embedder tells some (`ports.model.PieceCodes`).
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
    pieces: bytes | None = None


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
        and (query.not_valid_at is None or not memory.was_valid_at(query.not_valid_at))
        and (not query.in_files or _is_in_a_file(memory))
        and (
            not query.files
            or any(
                (file.path.startswith(one) if one.endswith("/") else file.path == one)
                for one in query.files
                for file in memory.files
            )
        )
    )


def _is_in_a_file(memory: Memory) -> bool:
    """Whether it is what a file says: of the repository, or of the person for their client."""
    own = memory.origin is Origin.USER and memory.source.rule == IN_A_FILE
    return own or memory.origin is Origin.REPOSITORY


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


# -- which memories are asked for: every filter, in one value


Order = Literal["recorded", "updated", "accessed", "importance", "confidence"]


class MemoryQuery(Value, frozen=True, kw_only=True):
    """Filters are joined by *and*; the items of one filter by *or*. An empty filter lets everything pass.

    Attributes:
        statuses: empty means every status.
        files: exact paths, or folders ending in a slash.
        patterns, constraints: ids or names.
        as_of: the states that were recorded at that time, instead of now.
        valid_at: only what was true in the world then.
        not_valid_at: only what was not.
        in_files: only what files say: those of the repository, and the person's own for their client.
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
    in_files: bool = False
    order: Order = "recorded"
    descending: bool = True
    limit: int | None = None
    offset: int = 0


# -- A document that was ingested, and its chunks: what a question finds of it


Form = Literal["markdown", "text", "rst", "asciidoc", "notebook"]
MOST_TOKENS, LEAST_TOKENS, OVERLAP = 500, 50, 50
"""Tokens (cl100k_base) of a chunk at most; of one that is not merged with its neighbour; of what a chunk
repeats of the one before (E, Chunker)."""
_DIGEST = 14
_PREFIX = "chk-"


class Document(Value, frozen=True, kw_only=True):
    """A file as it was ingested.

    Attributes:
        id: of its path.
        path: from the project's root with forward slashes; absolute where it lies outside.
        form: what it was read as.
        title: its first heading, or what its front matter says.
        domain: the area of the software: as it was set, else guessed.
        set_domain: whether it was set by whoever ingested it.
        metadata: its front matter.
        size: in bytes.
        hash: BLAKE3 of its bytes and of how they were read.
        rules: the privacy rules by which secrets were taken out.
        source: the path or pattern by which it was ingested, from the project's root.
        chunks, tokens: how many it has; tokens count what overlaps twice.
        modified_at: the file's own time.
        ingested_at: when it was read last.
    """

    id: str
    path: str
    form: Form
    title: str
    domain: Domain
    set_domain: bool
    size: int
    hash: str
    rules: str
    source: str
    chunks: int
    tokens: int
    modified_at: datetime
    ingested_at: datetime
    metadata: dict[str, Any] = field(default_factory=dict)


class Chunk(Value, frozen=True, kw_only=True):
    """A part of a document: a section, or a piece of one.

    Attributes:
        id: stays while the document's path and the chunk's text do.
        path: the document's.
        place: among the document's chunks, from 0.
        headings: those that it stands under, the highest first.
        text: as the document has it, without secrets; it may begin with the end of the chunk before.
        first_line, last_line: in the file, from 1; of a notebook its cells.
        tokens: of the text, in cl100k_base, at most `MOST_TOKENS`.
        hash: of the text with its headings: the same text elsewhere has the same vector.
        domain: the document's where that was set, else guessed for the chunk.
        written_at: the file's time when this text was first read.
    """

    id: str
    path: str
    place: int
    headings: tuple[str, ...]
    text: str
    first_line: int
    last_line: int
    tokens: int
    hash: str
    domain: Domain
    written_at: datetime


class Alike(NamedTuple):
    """A document that is like a question.

    Attributes:
        likeness: a cosine: the mean of its parts that are nearest.
        words: its nearest paragraph.
    """

    path: str
    likeness: float
    words: str


class ChunkHit(Value, frozen=True, kw_only=True):
    """A chunk that answers, with the lines that do.

    Attributes:
        id: of the chunk, which can be opened whole.
        path, first_line, last_line: where the lines stand in the file; of a notebook its cells.
        headings: those that it stands under.
        text: the lines.
        score: the probability that these lines answer.
        weak: that is low: they may be about something else.
        signals: each part of the score by name, before weighting.
        freshness: whether the document still reads as it did when it was ingested.
        tokens: of the text and of what says where it stands.
    """

    id: str
    path: str
    first_line: int
    last_line: int
    headings: tuple[str, ...]
    text: str
    domain: Domain
    score: float = 0.0
    signals: dict[str, float] = field(default_factory=dict)
    freshness: Freshness = "none"
    tokens: int = 0
    weak: bool = False


def document_id(path: str) -> str:
    """The id of the document at a path."""
    return _id("doc-", path)


def chunk_id(path: str, hash_: str, nth: int) -> str:
    """The id of a chunk: `nth` tells chunks of a document apart that say the same."""
    return _id(_PREFIX, f"{path}\0{hash_}\0{nth}")


def is_chunk_id(text: str) -> bool:
    """Whether a text can be a chunk's id, or the beginning of one."""
    return text.startswith(_PREFIX)


def _id(prefix: str, text: str) -> str:
    return prefix + blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()


# -- why a memory answers a question or does not, and how the question was understood


Cause = Literal[
    "answers", "proposed", "status", "not yet true", "no longer true", "kind", "filter", "candidates",
    "nothing in common", "floor", "far", "alike", "limit", "budget", "exchanges", "no vector",
]  # fmt: skip
"""Why a memory was found or not; `engines/retrieval/weights.py` has the words."""


class Why(Value, frozen=True, kw_only=True):
    """The parts of a hit's score.

    Attributes:
        has: the words of the question that it has, the rarest first, with the number of memories that have
            each.
        lacks: those that it does not have.
        store: how many memories the store has.
        adds: by how much each signal raises its score, or lowers it, in standard deviations from the other
            candidates; what adds nothing is left out.
        behind: how far it is behind the best one, in the same unit.
        without_vector: it waits for its vector, so that its words count in place of its meaning.
        text: the parts in words.
    """

    has: dict[str, int] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    store: int = 0
    adds: dict[str, float] = field(default_factory=dict)
    behind: float = 0.0
    without_vector: bool = False
    text: str = ""


class Understood(Value, frozen=True, kw_only=True):
    """A question as one store takes it.

    Attributes:
        question: the part of the question, where it has several.
        scope: of the store.
        store: how many memories it has.
        words: that were looked up, the rarest first, with the number of memories that have each.
        unknown: words that no memory has; `instead` are synonyms of them that some memory has.
        common: words in so many memories that they are left out when meanings are compared.
        names: of people and things.
        paths: files that it names.
        dates: that it names, as YYYY-MM-DD, with ? for what was not said.
        asks_for: time, number, place or reason; empty where it asks for none of these.
        kinds: that usually answer such a question.
        intent: what a task in these words would be about.
        for_an_answer: what speaks for an answer in this store, or against it; each in logits.
        sure: the probability that the store has an answer, 0 to 1.
        floor: what that has to reach.
        gathered: how many memories were scored: the nearest by words and by meaning.
    """

    question: str = ""
    scope: str = ""
    store: int = 0
    words: dict[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    asks_for: str = ""
    kinds: tuple[str, ...] = ()
    intent: str = ""
    for_an_answer: dict[str, float] = field(default_factory=dict)
    sure: float = 0.0
    floor: float = 0.0
    gathered: int = 0


class Reason(Value, frozen=True, kw_only=True):
    """One reason why a memory is an answer, or is none, with its words."""

    cause: Cause
    text: str


# -- what a recall finds


Recipe = Literal["hybrid", "keyword", "semantic", "frame"]
Empty = Literal["", "nothing stored", "nothing in common", "floor", "filter", "budget", "time"]
"""Why there is no answer."""
ANSWERING = tuple(kind for kind, content in KINDS.items() if content.embedded)
"""Kinds that answer a question by themselves; raw code comes along with its description."""


class Hit(Value, frozen=True, kw_only=True):
    """A memory that answers, with the parts of its score.

    Attributes:
        score: 0 to 1.
        signals: each part of the score by name, before weighting.
        freshness: whether the cited code still reads as it did; `none` where none can be compared.
        cited: what became of it, in one line, where it does not stand as it did; and how the patterns that
            the memory is linked to stand, as counted last.
        code: of a description of code: the code itself.
        weak: much less sure than the best one: it may be about something else.
        disputed: day, id and text of a later memory that contradicts it; a person is to decide.
        alike: ids of memories that say the same in nearly the same words and are not told again.
        why: the parts of its score, where they were asked for.
    """

    memory: Memory
    score: float
    signals: dict[str, float] = field(default_factory=dict)
    freshness: Freshness = "none"
    cited: str = ""
    code: tuple[Memory, ...] = ()
    weak: bool = False
    disputed: str = ""
    alike: tuple[str, ...] = ()
    why: Why | None = None


class Proposal(Value, frozen=True, kw_only=True):
    """A proposed memory that answers: nobody has approved it, and nothing has confirmed it.

    Attributes:
        said_on: from when it holds.
    """

    id: str
    text: str
    said_on: datetime


class Recall(Value, frozen=True, kw_only=True):
    """The answer to a question: empty when nothing that is known is relevant.

    Attributes:
        best: the highest score before the floor, so that an empty answer can be understood.
        floor: what the best score, and that of each hit, had to reach.
        hits: memories; where exchanges answer too, only those that probably do.
        exchanges: what was said in sessions and may answer: it follows the memories, since nobody checked it.
        documents: parts of ingested documents that answer, beside the memories.
        unchecked: proposed memories that answer.
        tokens: cl100k_base tokens of all hits' texts, of the code that they bring, and of the rest.
        degraded: what could not be used, and what was used instead.
        needed: where hits answer but none fits the budget: the smallest budget that brings one; else 0.
        empty: why there is no answer; empty where there is one.
        withheld: how many memories the floor kept back, beside an answer too; where there is none for the
            filters' sake, how many these did.
        untimely: how many memories would answer too, but are not true now: they ended, or begin later.
    """

    query: str
    recipe: Recipe
    hits: tuple[Hit, ...] = ()
    exchanges: tuple[ExchangeHit, ...] = ()
    documents: tuple[ChunkHit, ...] = ()
    unchecked: tuple[Proposal, ...] = ()
    best: float = 0.0
    floor: float = 0.0
    tokens: int = 0
    degraded: tuple[str, ...] = ()
    needed: int = 0
    empty: Empty = ""
    withheld: int = 0
    untimely: int = 0
