"""Gets vectors from a provider over HTTP: in batches, with retries, checking every response."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from recortex.codec import dumps, loads, storable
from recortex.embeddings.onnx import normalised
from recortex.embeddings.providers import RateLimit
from recortex.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidInputError,
    RateLimitedError,
    TextRefusedError,
)
from recortex.transport.post import Deadline, PostError, objection, post

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.embeddings.providers import EmbedderSettings, Found, Provider
    from recortex.ports.embedding import Purpose, Vectors

MAX_ANSWER = 16_000_000
"""Bytes of an answer that are read: three times those of 64 texts in 3,072 dimensions, within what `codec`
reads."""
TRIES, TRIES_TO_CONNECT = 4, 2
"""Attempts with a busy provider, and with one that cannot be reached, which seldom comes back soon."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds before the second attempt, doubled each time up to the longest; up to half of it is random."""
REST = 30.0
"""Seconds in which a provider that failed is not asked again, so that not each recall waits for it."""
LONGEST_REST = 3_600.0
"""The longest rest, if a provider asks for more than `REST`: one that asks for days may work again
earlier."""
QUERY_SECONDS = 5.0
"""The time limit for embedding a question, if `timeout` is longer: a person waits for it."""
_NO_KEY, _FORBIDDEN, _UNKNOWN, _TOO_MANY = 401, 403, 404, 429
_REFUSED = (
    "See that embedding.model and embedding.dimensions are right; a text that it refuses is "
    "found by its words."
)
_OF_THE_TEXTS = frozenset({400, 413, 422})  # a request that the provider cannot use: another may be better
_BROKEN = frozenset({"connection", "truncated"})
_EMPTY = "."  # sent instead of an empty text, which providers refuse


class _NoRoomError(EmbeddingError):
    """The rate limit was reached within a call. Its vectors are lost, so it is not retried at once."""


class HttpEmbedder:
    """Embeds texts at a provider. The first text opens the first connection.

    Args:
        row: the provider.
        chosen: the settings; of `dimensions`, only what the provider can shorten its vectors to.
        key: returns the key, empty if none is needed; raises `EmbeddingError` if one is missing.
        clean: removes from a text what must not leave this machine.
        pause: seconds before the second try.
    """

    def __init__(
        self,
        row: Provider,
        chosen: EmbedderSettings,
        key: Callable[[], str],
        *,
        clean: Callable[[str], str],
        pause: float = FIRST_PAUSE,
    ) -> None:
        self._row = row
        self._chosen = chosen
        self._label = chosen.embedder
        self._model = chosen.model or row.model
        self._key = key
        self._clean = clean
        self._pause = pause
        self._rate = RateLimit(chosen.requests_per_minute)
        self._shortened = chosen.dimensions if row.shortens else 0
        self._width = self._shortened or (row.dimensions if self._model == row.model else 0)
        size = f"@{self._width}" if self._width else ""
        self.name = f"{self._label}/{self._model}{size}"
        self._failure: tuple[float, EmbeddingError] | None = None
        self._asked_rest = 0.0

    @property
    def dimensions(self) -> int:
        """The length of each vector; 0 where it is not known before the first one."""
        return self._width

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: the provider cannot be reached, does not answer in time, or answers no vectors.
        """
        import numpy as np

        if not texts:
            return np.empty((0, self._width), dtype=np.float32)
        self._check_rest()
        timeout = self._chosen.timeout
        deadline = Deadline(min(timeout, QUERY_SECONDS) if purpose == "query" else timeout)
        try:
            url, key = self._address(), self._key()
            sent = list(batches([self._clean(text) for text in texts], self._row))
            if not deadline.leaves(self._rate.seconds_until(len(sent))):
                raise self._full(RateLimitedError)
            return np.concatenate([self._batch(url, key, batch, purpose, deadline) for batch in sent])
        except (TextRefusedError, RateLimitedError, _NoRoomError):
            raise
        except EmbeddingError as error:
            self._failure = (time.monotonic() + max(REST, self._asked_rest), error)
            raise

    def _check_rest(self) -> None:
        if self._failure and time.monotonic() < self._failure[0]:
            raise self._failure[1].with_traceback(None)  # otherwise it would grow with each raise
        self._failure, self._asked_rest = None, 0.0

    def _address(self) -> str:
        base = self._chosen.url or self._row.url
        why = objection(base, secret=True, setting="embedding.url")
        if why:
            raise EmbeddingError(why, hint="Correct embedding.url, or remove it for the provider's own.")
        return base.rstrip("/") + self._row.path(self._model)

    def _batch(self, url: str, key: str, texts: list[str], purpose: Purpose, deadline: Deadline) -> Vectors:
        from recortex.embeddings.providers import Asked

        asked = Asked(self._model, texts, purpose, self._shortened)
        body = dumps(storable(self._row.body(asked)))  # without lone surrogates, which no JSON can hold
        answer = self._answer(url, key, body, deadline)
        try:
            found = self._row.read(loads(answer))
        except InvalidInputError:
            raise self._unusable("does not follow its protocol") from None
        return self._rows(found, len(texts))

    def _answer(self, url: str, key: str, body: bytes, deadline: Deadline) -> bytes:
        """Send the request, with retries, until there is a response or the deadline passes."""
        for number in range(TRIES):
            self._wait_for_room(deadline)
            try:
                return post(url, self._row.headers(key), body, deadline, most=MAX_ANSWER)
            except PostError as error:
                wait = self._pause_before(number + 1, error)
                if wait is None or not deadline.leaves(wait):
                    self._asked_rest = min(error.pause or 0.0, LONGEST_REST)
                    raise self._refused(error) from None
                time.sleep(wait)
        raise AssertionError  # the last try gives no pause

    def _pause_before(self, number: int, error: PostError) -> float | None:
        """Seconds before the next attempt; None if there is none."""
        broken = error.reason in _BROKEN
        if not (error.retry or broken) or number >= (TRIES_TO_CONNECT if broken else TRIES):
            return None
        if error.pause is not None:
            return error.pause
        pause: float = min(self._pause * 2 ** (number - 1), LONGEST_PAUSE)
        return pause * random.uniform(0.5, 1.0)  # noqa: S311  so that clients do not come back together

    def _wait_for_room(self, deadline: Deadline) -> None:
        while wait := self._rate.acquire():
            if not deadline.leaves(wait):
                raise self._full(_NoRoomError)
            time.sleep(wait)

    def _full(self, kind: type[EmbeddingError]) -> EmbeddingError:
        """The error for a reached rate limit. The provider works, so it gets no rest."""
        return kind(
            f"{self._chosen.requests_per_minute} requests to {self._label} were sent in this minute.",
            hint="What waits is embedded later; embedding.requests_per_minute sets the limit.",
        )

    def _rows(self, found: list[Found], count: int) -> Vectors:
        """The vectors in the order of the texts, checked for number and length."""
        if len(found) != count:
            raise self._unusable(f"holds {len(found)} vectors for {count} texts")
        if any(one.place is not None for one in found):
            if sorted(-1 if one.place is None else one.place for one in found) != list(range(count)):
                raise self._unusable("does not say which vector is whose")
            found = sorted(found, key=lambda one: one.place or 0)
        widths = {len(one.values) for one in found}
        if len(widths) != 1 or not min(widths) or (self._width and widths != {self._width}):
            raise DimensionMismatchError(
                f"The answer of {self._label} has vectors of {min(widths)} to {max(widths)} dimensions "
                f"instead of {self._width or 'one number'}.",
                hint="Set embedding.dimensions to what embedding.model makes.",
            )
        try:
            rows = normalised([one.values for one in found])
        except TextRefusedError as error:
            why = error.message.lower().rstrip(".")
            raise TextRefusedError(
                f"The answer of {self._label} cannot be used: {why}.", hint=_REFUSED
            ) from None
        self._width = min(widths)
        return rows

    def _unusable(self, what: str) -> EmbeddingError:
        return EmbeddingError(
            f"The answer of {self._label} {what}.",
            hint="See that embedding.url and embedding.model are right.",
        )

    def _refused(self, error: PostError) -> EmbeddingError:
        label, variable, wrong = self._label, self._chosen.variable, self._row.wrong_key
        if error.status in {_NO_KEY, _FORBIDDEN} or (wrong and wrong.encode() in error.body):
            hint = f"See that {variable}, or the keyring, holds a key that is valid." if variable else None
            return EmbeddingError(f"{label} does not accept the key (HTTP {error.status}).", hint=hint)
        if error.status == _UNKNOWN:
            return EmbeddingError(
                f"{label} has no model {self._model[:60]!r} there (HTTP 404).",
                hint="See that embedding.url and embedding.model are right.",
            )
        if error.status in _OF_THE_TEXTS:
            return TextRefusedError(f"{label}: {error.message}", hint=_REFUSED)
        busy = "It allows no more requests now; set embedding.requests_per_minute."
        return EmbeddingError(f"{label}: {error.message}", hint=busy if error.status == _TOO_MANY else None)


def batches(texts: Sequence[str], row: Provider) -> Iterator[list[str]]:
    """Split the texts, in order, into requests within the provider's limits; cut each text to its limit."""
    batch: list[str] = []
    size = 0
    for text in texts:
        sent, bytes_ = _short(text, row.longest)
        if batch and (len(batch) >= row.texts or size + bytes_ > row.bytes):
            yield batch
            batch, size = [], 0
        batch.append(sent)
        size += bytes_
    if batch:
        yield batch


def _short(text: str, most: int) -> tuple[str, int]:
    """The first `most` bytes of a text without a split character, and their number."""
    encoded = text.encode("utf-8", "replace")[:most]
    sent = encoded.decode("utf-8", "ignore")
    return (sent, len(encoded)) if sent.strip() else (_EMPTY, 1)
