"""What is kept to be found: the index of memories as recall uses it, exchanges, documents, sessions.

Gather candidates, read what is scored of them, read those that answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery, SessionSummary
    from recortex.domain.maintenance import Reembedding, VectorIndexState
    from recortex.domain.memory import Memory
    from recortex.domain.search import Chunk, Document, Facts, Links, MemoryQuery
    from recortex.domain.session import Channel, GivenMemory, Outcome, Receipt, Session, Signal, Use


class VectorSearch(Protocol):
    """Search by vectors, and what they are compared by more closely.

    Keys are as in `SearchStore`.
    """

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> Sequence[int]:
        """Keys whose vectors' signs differ least from the query's, nearest first: a coarse pass.

        Args:
            vector: little-endian float32 values.
            limit: the most keys to return.
            only: as in `match`.
            model: the embedder; vectors of another one are not looked at.

        Returns:
            The keys; none where vectors cannot be searched.
        """

    def vectors(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:
        """The vector by that embedder of each memory that has one.

        All are of one type: int8 or little-endian float32 values.
        """

    def pieces(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:
        """The word pieces (`ports.model.PieceCodes`) of each memory with a vector by that embedder.

        Memories whose embedder told none are left out.
        """


class SearchStore(VectorSearch, Protocol):
    """Search by words and by vectors.

    Keys are the store's own integers; no method raises for a key that is gone.
    """

    def searchable(self) -> int:
        """How many memories are indexed, whatever their status; may be an estimate."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word, how many memories contain it (stemmed as the index does); 0 for mere punctuation.

        A word may end in `text.words.ANY_ENDING`, here and in `match`; PostgreSQL then counts a memory
        with two words that begin so twice.

        Above 10,000 it may be an estimate.
        """

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> Mapping[str, frozenset[int]]:
        """For each word, those of the memories that contain it."""

    def known_speakers(self, words: Sequence[str]) -> Sequence[str]:
        """Those speakers, as stored, whose whole name is one of the words; case is ignored."""

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> Sequence[tuple[int, float]]:
        """Keys of memories that contain the words, with their BM25 score (higher is better), best first.

        `domain/search.py` has the weights of the columns. Of the memories found, the latest `MOST_SCORED` are
        scored.

        Args:
            words: to look for.
            limit: the most keys to return.
            only: restricts the search to memories that pass it (its order, limit, offset and `as_of` are
                ignored); None searches everything, which is faster.
            all_required: whether a memory must contain all of the words.
            score_only: words that match no memory, but add to the score of those that are found.
        """

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> Sequence[Facts]:
        """The facts of those of `keys` that pass the filter, in any order.

        With vectors where a model is named.
        """

    def around(self, keys: Sequence[int], radius: int) -> Sequence[tuple[int, int]]:
        """Pairs (key, neighbour's key): other turns of the same session, at most `radius` turns away."""

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of those memories that have some."""

    def centralities(self, keys: Sequence[int]) -> Mapping[int, float]:
        """The in-degree of each memory as a part of the greatest, above 0; one without is left out.

        Only active relations count; one in both directions counts at both ends.
        """

    def memories(
        self, keys: Sequence[int], confidence: Mapping[int, float] | None = None
    ) -> Mapping[int, Memory]:
        """The memories with these keys, with this confidence where one is given."""


# -- vectors of memories: reading and writing them, changing the embedding model, and the vector index


Kept_co = TypeVar("Kept_co", covariant=True)


class OwnVectors(Protocol, Generic[Kept_co]):
    """The vectors of exchanges, or of chunks: a text elsewhere, even the same, has another one."""

    def waiting(self, limit: int) -> Sequence[tuple[int, Kept_co]]:
        """Records without vectors, with their keys: the latest exchanges first, and chunks in their order."""

    def count_waiting(self) -> int:
        """How many have no vectors."""

    def count_outdated(self, model: str) -> int:
        """How many have vectors of other embedders than that one."""

    def keys_of(self, hashes: Collection[bytes]) -> Mapping[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> Mapping[bytes, int]:
        """Keep vectors, int8 codes by hash; returns their keys. Inside a transaction."""

    def release_others(self, model: str, limit: int) -> int:
        """Take records the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """

    def attach(self, vectors: Mapping[int, tuple[int | None, ...]]) -> None:
        """Give records the keys of their vectors, at least one each; inside a transaction."""


class MemoryVectors(Protocol):
    """Vectors by the hash of the embedded text; memories with the same text share one."""

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by hash."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors; inside a transaction.

        Args:
            model: the embedder's name.
            codes: int8 codes by hash, all of one length.

        Returns:
            The keys by hash.
        """

    def put_pieces(self, pieces: Mapping[int, bytes]) -> None:
        """Keep the word pieces of vectors, by the vectors' keys; inside a transaction."""

    def attach(self, pairs: Sequence[tuple[str, int, bytes]], *, first: bool = False) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for).

        Args:
            pairs: of memories and vectors; a memory whose text has changed since is left as it is.
            first: leave a memory as it is that has a vector.
        """

    def codes_of(self, ids: Sequence[str], model: str) -> dict[str, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""

    def pending(self, limit: int, *, best_first: bool = False) -> list[str]:
        """Ids of memories without a vector.

        Args:
            limit: the most to return.
            best_first: the most important and most used first, which reads all of them.
        """

    def count_pending(self) -> int:
        """How many memories have no vector."""

    def made(self, model: str) -> int:
        """How many vectors of an embedder are kept: about as many as memories that have one."""

    def dimensions(self, model: str) -> int | None:
        """The length of an embedder's vectors; None where there are none."""


class EmbeddingChange(Protocol):
    """Replaces the vectors of one embedding model by those of another."""

    def others(self, model: str) -> Mapping[int, str]:
        """The other embedders of which there are vectors: names by key."""

    def outdated(self, models: Collection[int], limit: int) -> list[str]:
        """Ids of memories with a vector by one of these embedders, the most important and most used first.

        All of them are read and sorted, whatever the limit: ask for some thousands, not for one batch.
        """

    def count_outdated(self, models: Collection[int]) -> int:
        """How many memories have a vector by one of these embedders."""

    def forget(self, model: str) -> int:
        """Delete an embedder's vectors; their memories are left without one.

        Returns how many were deleted.
        """

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this store while inside; False where another machine has it."""

    def reembedding(self, model: str) -> Reembedding | None:
        """How the last change to that embedder went; None where there was none."""

    def reembedded(self, model: str, at: int, *, done: int, milliseconds: int) -> None:
        """Record progress; a change that was finished begins anew.

        Args:
            model: the new embedder.
            at: microseconds since 1970 UTC.
            done: memories that got their new vectors.
            milliseconds: that it took, pauses included.
        """

    def finish_reembedding(self, model: str, at: int) -> None:
        """Record that every memory has its vector by an embedder.

        Unfinished changes to others are dropped.
        """

    def drop_left_behind(self, models: Collection[int]) -> int:
        """Delete those vectors of embedders that no memory has, in short transactions; returns how many.

        A former version does not keep its vector: a state that comes back is embedded again.
        """


class VectorIndex(Protocol):
    """The approximate index that makes the search of many vectors quick."""

    def agrees(self) -> bool:
        """Whether every vector has its signs."""

    def keep_index(self, *, threads: int = 1) -> int:
        """Make or extend the index; returns how many vectors were added."""

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:
        """How the index stands; None where the engine keeps it by itself, or too few vectors need none.

        Args:
            thorough: check all of its content, half a second for a million vectors.
        """


class Vectors(MemoryVectors, EmbeddingChange, VectorIndex, Protocol):
    """Everything about vectors that a store offers."""


# -- where exchanges are kept and found


class ExchangeRecords(Protocol):
    """Exchanges of a store. What writes is called inside a transaction."""

    def put(self, exchanges: Sequence[tuple[Exchange, str]], at: datetime) -> int:
        """Keep exchanges with the words (beside their text) that they are found by; returns how many changed.

        Of one that is kept already the longer (`last_turn - first_turn`) stays, and of two as long the later
        one, where both were read from the same session; else, of copies, the kept one. Session, client,
        branch, folder and first turn stay those where it was first read. An exchange whose texts change
        waits for new vectors.
        """

    def get(self, ids: Sequence[str]) -> Sequence[Exchange]:
        """The exchanges with these ids, in that order; an id without one is left out."""

    def ids_beginning(self, prefix: str, *, of_sessions: bool = False) -> Sequence[str]:
        """At most three ids of exchanges, or of sessions, that begin so."""

    def growing(self, session: str) -> tuple[Exchange | None, Exchange | None]:
        """The last exchange of a session, and the last stretch of work within it."""

    def around(self, exchange: Exchange, before: int, after: int) -> Sequence[Exchange]:
        """The neighbours of an exchange in its session, in order; stretches of work count."""

    def find(self, query: ExchangeQuery) -> Sequence[Exchange]:
        """The exchanges that pass, latest first, cut as the query says."""

    def sessions(self, query: ExchangeQuery) -> Sequence[SessionSummary]:
        """The sessions with an exchange that passes, latest first; each is told by all that is kept of it."""

    def count(self, query: ExchangeQuery) -> int:
        """How many exchanges pass, whatever the limit."""

    def delete(self, keys: Sequence[int]) -> int:
        """Remove exchanges for good, with vectors that nothing else has; returns how many there were."""

    def delete_session(self, session: str, *, keep: Collection[str] = ()) -> int:
        """Remove the exchanges of a session for good, but for those with these ids; returns how many."""

    def oldest(self, limit: int, *, before: datetime | None = None) -> Sequence[int]:
        """Keys of those that ended first, at most `limit`; only those that ended before an instant.

        One that does not say when it ended counts by when it was kept.
        """

    def beyond(self, most: int) -> Sequence[int]:
        """Keys of the oldest that so many bytes have no room for, with vectors and indexes; about."""


class ExchangeWords(Protocol):
    """How usual words are among exchanges."""

    def size(self) -> int:
        """How many exchanges are indexed; may be an estimate."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word, how many exchanges contain it; of a common one about how many."""


class ExchangeSearch(ExchangeWords, Protocol):
    """Search over exchanges by words and by vectors; keys are the store's own integers."""

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> Sequence[tuple[int, float]]:
        """Keys with their BM25 score over the parts (higher is better), best first.

        The rarest words find some hundred exchanges; the others only score.

        Args:
            words: with their frequencies, about.
            limit: at most so many.
            only: filters.
        """

    def nearest(self, vector: bytes, limit: int, only: ExchangeQuery | None, model: str) -> Sequence[int]:
        """Keys of exchanges one of whose vectors differs least in its signs from the query's."""

    def facts(
        self, keys: Sequence[int], only: ExchangeQuery | None, model: str | None
    ) -> Sequence[ExchangeFacts]:
        """What is scored of those of `keys` that pass, with vectors where a model is named."""

    def exchanges(self, keys: Sequence[int]) -> Mapping[int, Exchange]:
        """The exchanges with these keys."""

    def beginning_at(self, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Exchange]:
        """The exchanges that begin at these turns of sessions, without stretches of work."""

    def added_after(self, key: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        """What the person said that was kept after the one with that key, with keys, in their order."""


class ExchangeStore(Protocol):
    """What a store keeps of exchanges."""

    @property
    def exchanges(self) -> ExchangeRecords:
        """What was said in sessions."""

    @property
    def exchange_words(self) -> ExchangeWords:
        """How usual words are in what was said."""

    @property
    def exchange_search(self) -> ExchangeSearch:
        """Search over what was said."""

    @property
    def exchange_vectors(self) -> OwnVectors[Exchange]:
        """The vectors of what was said: of the message with what it answers, and of what came of it."""


# -- where documents and their chunks are kept and found


class DocumentRecords(Protocol):
    """Documents of a store. What writes is called inside a transaction."""

    def put(self, document: Document, chunks: Sequence[tuple[Chunk, str]]) -> None:
        """Keep a document with its chunks, and the words that each is found by, in place of what it was.

        A chunk whose text is known keeps its vector, its accesses and the time when it was written, also
        where it is known from another document: one that was renamed.
        """

    def delete(self, paths: Sequence[str]) -> int:
        """Remove documents, their chunks, and vectors that nothing else has; returns how many there were."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each of these chunks."""

    def count(self) -> tuple[int, int]:
        """How many documents and how many chunks there are."""

    def all(self, *, within: Sequence[str] = ()) -> Sequence[Document]:
        """The documents by their paths; only those at these, or in these folders, which end in a slash."""

    def by_other_rules(self, rules: str) -> set[str]:
        """The paths of documents from which secrets were taken out by other privacy rules than these."""

    def chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """The chunks with these ids, in that order; an id without one is left out."""

    def chunks_of(self, path: str) -> Sequence[Chunk]:
        """The chunks of a document, in its order."""

    def ids_beginning(self, prefix: str) -> Sequence[str]:
        """At most three ids of chunks that begin so."""


class ChunkSearch(SearchStore, Protocol):
    """Search over chunks, as over memories: what is found are chunks, and no memories."""

    def chunks(self, keys: Sequence[int]) -> Mapping[int, Chunk]:
        """The chunks with these keys."""


class DocumentStore(Protocol):
    """What a store keeps of documents."""

    @property
    def documents(self) -> DocumentRecords:
        """Documents with their chunks."""

    @property
    def chunk_search(self) -> ChunkSearch:
        """Search over chunks."""

    @property
    def chunk_vectors(self) -> OwnVectors[Chunk]:
        """The vectors of chunks."""

    def chunks_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the chunks and documents that erasing these texts takes along; see `exchanges_to_erase`."""


# -- records of agents' sessions: what was given in them and what was seen of their work


class Receipts(Protocol):
    """What was given to agents."""

    def give(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """Keep the receipts whose memory was not given before in the same context of the session.

        Returns:
            Those that were kept.
        """

    def give_again(self, receipts: Sequence[Receipt]) -> None:
        """Bring receipts up to date whose memory was given again, since it changed or somebody asked."""

    def move_receipts(self, memory: str, successor: str) -> list[tuple[str, int]]:
        """Let receipts of a memory be its successor's, but where that was given in the same context.

        Returns:
            Session and context of those that were moved.
        """

    def return_receipts(self, successor: str, memory: str, given: Sequence[tuple[str, int]]) -> None:
        """Let receipts be those of a memory again, by session and context."""

    def receipts(self, session_id: str) -> list[Receipt]:
        """What was given in a session, in order."""

    def receipts_of(self, memory: str, limit: int) -> list[Receipt]:
        """When a memory was given, latest first."""

    def outcomes(self, memories: Sequence[str], channels: Sequence[Channel]) -> Mapping[str, Outcome]:
        """What became of those memories that were given on one of these channels, or used on any."""

    def used_lately(self, limit: int) -> Sequence[str]:
        """Memories that were used after they were given, the latest first."""

    def mark_used(self, receipt: Receipt, at: datetime, use: Use) -> bool:
        """Record the first use of what was given; False where one was recorded before."""


class Signals(Protocol):
    """What was seen of agents' work."""

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep signals."""

    def has_failed(self, session_id: str, digest: str) -> bool:
        """Whether a command failed in a session and was not seen to work since."""

    def remembered_since(self, at: datetime) -> bool:
        """Whether an agent or a person remembered anything since a time; rules do not count."""

    def signals(self, session_id: str) -> list[Signal]:
        """What was seen in a session, in order."""

    def forget_text(self, text: str) -> None:
        """Delete every signal that holds a text, for a purge."""

    def cited(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that some memory is about, each once."""


class Sessions(Receipts, Signals, Protocol):
    """Sessions with their receipts and signals. Each write is a short transaction of its own."""

    def put(self, session: Session) -> None:
        """Keep a session, or bring it up to date."""

    def get(self, session_id: str) -> Session | None:
        """The session with that id."""

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three session ids that begin with the prefix."""

    def recent(self, limit: int) -> list[Session]:
        """The sessions that were seen last, latest first."""

    def unknown_transcripts(self, transcripts: Sequence[tuple[str, float]]) -> list[str]:
        """Those transcripts that are younger than the store and belong to no known session.

        Args:
            transcripts: paths with the time of their last change, in seconds since 1970.
        """

    def captured(self, session_id: str, at: datetime, *, size: int, told: str) -> None:
        """Record that a session was learned from, up to a size of its transcript in bytes."""

    def find_between(self, since: datetime, until: datetime) -> list[Session]:
        """The sessions that were last seen within a time, `until` excluded."""

    def given(self, since: datetime, until: datetime) -> list[GivenMemory]:
        """What was given within a time, by memory and channel."""

    def asked(self, since: datetime, until: datetime) -> list[tuple[str, str]]:
        """Subject and digest of each question within a time, in order."""

    def repeats_saved(self, since: datetime, until: datetime) -> int:
        """Tokens of warnings given within a time that later accesses to their file did not bring again."""

    def forget_before(self, at: datetime) -> int:
        """Delete sessions last seen before a time, with what belongs to them; returns how many."""
