"""Where exchanges are kept and found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery, SessionSummary
    from recortex.ports.search import OwnVectors


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
