"""Embedding providers over HTTP: the address, the request, its limits, and how to read the response.

The providers document these limits, or enforce them: OpenAI 2,048 texts and 300,000 tokens per request, 8,192
tokens per text; Voyage 1,000 texts and 120,000 tokens for voyage-code-3; Mistral 16,384 tokens per request,
8,192 per text; Gemini 100 texts of 2,048 tokens. Ours are well below: a response of 64 texts in 3,072
dimensions is 5 MB of JSON.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from recortex import plugins
from recortex.codec import convert, dumps, loads, storable
from recortex.embeddings.onnx import Pooling, normalised
from recortex.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidInputError,
    RateLimitedError,
    TextRefusedError,
)
from recortex.lean import NamedTuple, lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np

    from recortex import transport
    from recortex.ports.model import Embedder, Purpose, Vectors
    from recortex.transport import Deadline, PostError
else:
    transport = lazy_module("recortex.transport")
    np = lazy_module("numpy")


BYTES_PER_TOKEN = 2
"""Fewer bytes of UTF-8 than a token of prose or code has with any tokenizer, so that a limit in bytes is
within the limit in tokens."""


class Asked(NamedTuple):
    """One request.

    Attributes:
        model: its name at the provider.
        texts: what is embedded.
        purpose: what the texts are for.
        dimensions: the length that vectors should have; 0 for the model's own.
    """

    model: str
    texts: Sequence[str]
    purpose: Purpose
    dimensions: int


class Found(NamedTuple):
    """A vector, and the position of its text in the request; None if the order is the same."""

    values: list[float]
    place: int | None = None


class Provider(NamedTuple):
    """A row of the table.

    Attributes:
        url: the default base URL.
        model: the default model.
        dimensions: the length of that model's vectors.
        keyed: whether its own service needs a key.
        path: the path below the base URL, by the model's name.
        headers: the headers, by the key.
        body: the request as plain JSON values.
        read: the vectors in a successful answer; raises `InvalidInputError` for another form.
        shortens: whether the number of dimensions is a parameter; otherwise vectors are cut here.
        texts: the most texts in a request.
        bytes: the most bytes of UTF-8 in a request.
        longest: bytes of a text that are sent; the rest has no influence.
        wrong_key: a part of its answer with status 400 to a wrong key; empty where the status is 401 or 403.
    """

    url: str
    model: str
    dimensions: int
    keyed: bool
    path: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    body: Callable[[Asked], Mapping[str, Any]]
    read: Callable[[Any], list[Found]]
    shortens: bool
    texts: int
    bytes: int
    longest: int
    wrong_key: str = ""


class _Item(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _List(msgspec.Struct):
    data: list[_Item]


class _Values(msgspec.Struct):
    values: list[float]


class _Contents(msgspec.Struct):
    embeddings: list[_Values]


class _Plain(msgspec.Struct):
    embeddings: list[list[float]]


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _body(asked: Asked, **parameters: Any) -> Mapping[str, Any]:
    """A request as most providers take it. Parameters without a value are left out."""
    given = {name: value for name, value in parameters.items() if value}
    return {"model": asked.model, "input": list(asked.texts), **given}


def _voyage(asked: Asked) -> Mapping[str, Any]:
    purpose = "query" if asked.purpose == "query" else "document"
    return _body(asked, input_type=purpose, output_dimension=asked.dimensions)


def _gemini(asked: Asked) -> Mapping[str, Any]:
    task = "RETRIEVAL_QUERY" if asked.purpose == "query" else "RETRIEVAL_DOCUMENT"
    shared: dict[str, Any] = {"model": f"models/{asked.model.removeprefix('models/')}", "taskType": task}
    if asked.dimensions:
        shared["outputDimensionality"] = asked.dimensions
    return {"requests": [{**shared, "content": {"parts": [{"text": text}]}} for text in asked.texts]}


_openai_like = partial(
    Provider,
    keyed=True,
    path=lambda _: "/embeddings",
    headers=_bearer,
    read=lambda data: [Found(item.embedding, item.index) for item in convert(data, _List).data],
    shortens=True,
    texts=64,
)
PROVIDERS: dict[str, Provider] = {
    "openai": _openai_like(
        url="https://api.openai.com/v1",
        model="text-embedding-3-large",
        dimensions=3_072,
        body=lambda asked: _body(asked, encoding_format="float", dimensions=asked.dimensions),
        bytes=300_000,
        longest=8_192 * BYTES_PER_TOKEN,
    ),
    "voyage": _openai_like(
        url="https://api.voyageai.com/v1",
        model="voyage-code-3",
        dimensions=1_024,
        body=_voyage,
        bytes=120_000 * BYTES_PER_TOKEN,
        longest=16_384 * BYTES_PER_TOKEN,
    ),
    "mistral": _openai_like(
        url="https://api.mistral.ai/v1",
        model="codestral-embed",
        dimensions=1_536,
        body=lambda asked: _body(asked, output_dimension=asked.dimensions),
        bytes=16_384 * BYTES_PER_TOKEN,
        longest=8_192 * BYTES_PER_TOKEN,
    ),
    "gemini": Provider(
        url="https://generativelanguage.googleapis.com",
        model="gemini-embedding-001",
        dimensions=3_072,
        keyed=True,
        path=lambda model: (
            f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:batchEmbedContents"
        ),
        headers=lambda key: {"x-goog-api-key": key} if key else {},
        body=_gemini,
        read=lambda data: [Found(item.values) for item in convert(data, _Contents).embeddings],
        shortens=True,
        texts=64,
        bytes=20_000 * BYTES_PER_TOKEN,
        longest=2_048 * BYTES_PER_TOKEN,
        # The reason in google.rpc.ErrorInfo, of keys that are wrong or have expired.
        wrong_key="API_KEY_INVALID",
    ),
    "ollama": Provider(
        url="http://127.0.0.1:11434",
        model="nomic-embed-text",
        dimensions=768,
        keyed=False,
        path=lambda _: "/api/embed",
        headers=_bearer,
        body=lambda asked: _body(asked, truncate=True),
        read=lambda data: [Found(values) for values in convert(data, _Plain).embeddings],
        shortens=False,  # older servers ignore the parameter without an error
        texts=32,  # usually runs on this machine: a short request is a short wait
        bytes=64_000,
        longest=2_048 * BYTES_PER_TOKEN,  # nomic-embed-text's window in Ollama
    ),
}


def provider(name: str) -> Provider | Callable[[EmbedderSettings], Embedder] | None:
    """The provider of a name: a row of the table, or a plug-in's row or its function that makes an embedder.

    None if there is none, or it cannot be loaded.
    """
    return PROVIDERS.get(name) or plugins.plugin(plugins.EMBEDDERS, name)


# -- A provider's key, from the environment or the system's keyring; never from a project's file


SERVICE = "recortex"
"""The service name of the keys in the keyring; the user name is the provider's name."""


def key_of(provider: str, variable: str, given: str, *, needed: bool) -> str:
    """The key of a provider; empty if there is none and none is needed.

    Args:
        provider: its name.
        variable: the environment variable for the key, for the hint.
        given: the value of that variable.
        needed: False for the person's own server, which may need no key.

    Raises:
        EmbeddingError: one is needed and there is none, or the keyring cannot be read.
    """
    given = given.strip()  # keys read from files often end with a line break
    if given or not needed:
        return given
    missing = f"There is no key for {provider}."
    try:
        import keyring
    except ImportError:
        raise EmbeddingError(
            missing, hint=f"Set {variable}, or keep the key in the keyring: {_line(provider, install=True)}"
        ) from None
    try:
        found = keyring.get_password(SERVICE, provider)
    except Exception as error:  # each keyring backend has its own errors
        raise EmbeddingError(
            f"{missing[:-1]}: the keyring cannot be read.", hint=f"Set {variable}."
        ) from error
    if not found:
        raise EmbeddingError(missing, hint=f"Set {variable}, or type: {_line(provider, install=False)}")
    return found.strip()


def _line(provider: str, *, install: bool) -> str:
    keep = f"keyring set {SERVICE} {provider}"
    return f"pip install 'recortex[keyring]' && {keep}" if install else keep


# -- A limit on requests per minute


MINUTE = 60.0


class RateLimit:
    """Limits the requests of this process in any minute.

    Args:
        limit: requests per minute; 0 means no limit.
        now: a monotonic clock in seconds.
    """

    def __init__(self, limit: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._now = now
        self._taken: deque[float] = deque()
        self._lock = threading.Lock()

    def acquire(self) -> float:
        """Return 0 and reserve a slot, or the seconds to wait before trying again."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._now()
            self._forget(now)
            if len(self._taken) >= self._limit:
                # Never 0, which would mean that a slot was reserved.
                return max(self._taken[0] + MINUTE - now, 0.001)
            self._taken.append(now)
            return 0.0

    def seconds_until(self, count: int) -> float:
        """Seconds until `count` slots (at most `limit`) are free; reserves none."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._now()
            self._forget(now)
            over = len(self._taken) + min(count, self._limit) - self._limit
            return max(self._taken[over - 1] + MINUTE - now, 0.001) if over > 0 else 0.0  # 0 means now

    def _forget(self, now: float) -> None:
        """Free the slots that were reserved more than a minute ago."""
        while self._taken and self._taken[0] <= now - MINUTE:
            self._taken.popleft()


# -- which embedder, and how it is used


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """The settings `embedder` and `embedding.*`, and values of this process.

    Attributes:
        embedder: onnx, multilingual, hashed, or the name of a provider or plug-in.
        folder: of a model; empty for the shipped one.
        models: the folder of models that were built on this machine.
        model: the provider's model, or the file in the folder; empty for the default.
        url: the provider's base URL; empty for its own.
        pooling, max_length: how a folder's model is used.
        query_prefix, passage_prefix, dimensions: see `Shape`.
        timeout: seconds for one call.
        requests_per_minute: to a provider; 0 means no limit.
        threads: of a model on this machine.
        variable: the environment variable that may have the provider's key.
    """

    embedder: str = "onnx"
    folder: str = ""
    models: str = ""
    model: str = ""
    url: str = ""
    pooling: Pooling = "mean"
    max_length: int = 512
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0
    timeout: float = 30.0
    requests_per_minute: int = 0
    threads: int = 1
    variable: str = ""


# -- gets vectors from a provider over HTTP: in batches, with retries, checking every response


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
        if not texts:
            return np.empty((0, self._width), dtype=np.float32)
        self._check_rest()
        timeout = self._chosen.timeout
        deadline = transport.Deadline(min(timeout, QUERY_SECONDS) if purpose == "query" else timeout)
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
        why = transport.objection(base, secret=True, setting="embedding.url")
        if why:
            raise EmbeddingError(why, hint="Correct embedding.url, or remove it for the provider's own.")
        return base.rstrip("/") + self._row.path(self._model)

    def _batch(self, url: str, key: str, texts: list[str], purpose: Purpose, deadline: Deadline) -> Vectors:
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
                return transport.post(url, self._row.headers(key), body, deadline, most=MAX_ANSWER)
            except transport.PostError as error:
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
