"""Builds the embedders from the settings, the preferred one first; if one fails, the next is used."""

from __future__ import annotations

import math
import os
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from cachetools import LRUCache

from recortex import plugins
from recortex.domain.maintenance import Degradation
from recortex.domain.text import lazy
from recortex.embeddings.onnx import OnnxEmbedder, cut, normalised
from recortex.embeddings.providers import HttpEmbedder, Provider, key_of, provider
from recortex.errors import EmbeddingError
from recortex.lean import NamedTuple, blake2b, lazy_module
from recortex.ports.model import PieceEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.embeddings.providers import EmbedderSettings
    from recortex.ports.model import Embedder, PieceCodes, Pieces, Purpose, Vector, Vectors

    _Cached: TypeAlias = tuple[Vector, Pieces | PieceCodes | None]
    import numpy as np

    from recortex.embeddings import folder, multilingual
else:
    np = lazy_module("numpy")
    folder = lazy_module("recortex.embeddings.folder")
    multilingual = lazy_module("recortex.embeddings.multilingual")


# -- hashed TF-IDF: vectors without a model, the fallback on machines that cannot run it


_WORDS = """
a about after all also am an and any are as at be because been before being but by can could did do does
doing for from had has have having he her here him his how i if in into is it its just me more most my
no nor not of off on once only or other our out over own same she should so some such than that the
their them then there these they this those through to too under until up us very was we were what when
where which while who whom why will with would you your
"""
_ENDINGS = "ations ation ingly edly ments ment ness ings ing ies ers ed er es ly s"
NAME = "hashed-tfidf"
DIMENSIONS = 384
MAXIMUM_CHARACTERS = 16_384
LONGEST_WORD = 64

# English function words, which count nothing.
COMMON = frozenset(_WORDS.split())
_SUFFIXES = tuple(_ENDINGS.split())
_WORD = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDEOGRAPHS = lazy("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_SHORTEST_STEM = 3


class HashedEmbedder:
    """Embeds without any model or file."""

    name = NAME
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), 384); the same for any purpose."""
        del purpose
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for place, weight in _weights(text):
                vectors[row, place] += weight
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[lengths[:, 0] == 0, 0] = 1.0  # a text without words still has a direction
        lengths[lengths == 0] = 1.0
        vectors /= lengths
        return vectors


def features(text: str) -> Iterator[str]:
    """Yield the stems of a text's words and of the parts of its identifiers; ideographs in pairs."""
    for word in _WORD.findall(text[:MAXIMUM_CHARACTERS]):
        if not word.isascii() and _IDEOGRAPHS.match(word):
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
            continue
        yield stem(word.lower())
        parts = _PART.findall(word[:LONGEST_WORD]) if word.isascii() else []
        if len(parts) > 1:
            yield from (stem(part.lower()) for part in parts)


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Cut one common English ending off a lower-case word, and a doubled consonant or final e left by it."""
    word = word[:LONGEST_WORD].removesuffix("'s")
    if word in COMMON:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)]
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiou":
        return word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


@lru_cache(maxsize=8_192)
def _place(feature: str) -> tuple[int, float]:
    """Return a feature's place and its signed rarity."""
    number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest())
    rarity = 0.0 if feature in COMMON else math.log2(2 + len(feature))
    return (number >> 1) % DIMENSIONS, rarity if number & 1 else -rarity


def _weights(text: str) -> Iterator[tuple[int, float]]:
    for feature, count in Counter(features(text)).items():
        place, rarity = _place(feature)
        yield place, rarity * (1 + math.log(count))


# -- adds prefixes to a model's texts and cuts its vectors, as the settings say


_DIGITS = 6  # of a hash that distinguishes a person's few settings; it need not resist attacks


class Shape(NamedTuple):
    """Prefixes and dimensions from the settings.

    Attributes:
        query_prefix, passage_prefix: put before each text of that purpose, as the model was trained.
        dimensions: how many of each vector are kept; 0 for all.
    """

    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0

    @property
    def plain(self) -> bool:
        """Whether nothing is set."""
        return self == Shape()

    @property
    def mark(self) -> str:
        """The suffix of the model's name: `@256` for dimensions, `~` and six digits for prefixes."""
        size = f"@{self.dimensions}" if self.dimensions else ""
        if not (self.query_prefix or self.passage_prefix):
            return size
        prefixes = f"{len(self.query_prefix)}:{self.query_prefix}{self.passage_prefix}"
        digest = blake2b(prefixes.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{size}~{digest[:_DIGITS]}"


class ShapedEmbedder:
    """Another embedder with prefixes and fewer dimensions, under its own name.

    Args:
        inner: makes the vectors.
        shape: what is done to its texts before, and to its vectors after.
    """

    def __init__(self, inner: Embedder, shape: Shape) -> None:
        self._inner = inner
        self._shape = shape

    @property
    def name(self) -> str:
        """The model's name with the shape's mark."""
        return self._inner.name + self._shape.mark

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return self._shape.dimensions or self._inner.dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: the inner embedder failed, or makes fewer dimensions than are kept.
        """
        shape = self._shape
        prefix = shape.query_prefix if purpose == "query" else shape.passage_prefix
        rows = self._inner.embed([prefix + text for text in texts], purpose=purpose)
        return cut(rows, shape.dimensions) if shape.dimensions and len(rows) else rows


def shaped(inner: Embedder, shape: Shape) -> Embedder:
    """The embedder with a shape; the embedder itself if nothing is set."""
    return inner if shape.plain else ShapedEmbedder(inner, shape)


# -- builds the embedders from the settings, the preferred one first


def build_embedders(chosen: EmbedderSettings, *, key: str, clean: Callable[[str], str]) -> list[Embedder]:
    """Build the embedders. Nothing is loaded or sent yet.

    Hashed TF-IDF only replaces the shipped model. With any other model, memories wait for their vectors and
    are found by their words until that model works again: an outage must not replace good vectors.

    Args:
        chosen: the settings.
        key: the value of `chosen.variable`.
        clean: removes from a text what must not leave this machine.
    """
    if chosen.embedder == "hashed":
        return [HashedEmbedder()]
    if chosen.embedder == "multilingual":
        return [
            CachedEmbedder(
                multilingual.MultilingualEmbedder(
                    Path(chosen.models) / multilingual.FOLDER, threads=chosen.threads
                )
            )
        ]
    local = chosen.embedder == "onnx"
    preferred = CachedEmbedder(_local(chosen) if local else _remote(chosen, key, clean))
    return [preferred, HashedEmbedder()] if local and not chosen.folder else [preferred]


def _local(chosen: EmbedderSettings) -> Embedder:
    if not chosen.folder:
        return shaped(OnnxEmbedder(threads=chosen.threads), _shape(chosen))
    inner = folder.FolderEmbedder(
        Path(chosen.folder).expanduser(),
        file=chosen.model,
        pooling=chosen.pooling,
        length=chosen.max_length,
        threads=chosen.threads,
    )
    return shaped(inner, _shape(chosen))


def _remote(chosen: EmbedderSettings, key: str, clean: Callable[[str], str]) -> Embedder:
    """A provider's embedder, or the one that a plug-in makes."""
    row = provider(chosen.embedder)
    if not isinstance(row, Provider):
        made = PluggedEmbedder(chosen.embedder, partial(row, chosen) if row else None, clean=clean)
        return shaped(made, _shape(chosen))
    needed = row.keyed and not chosen.url
    remote = HttpEmbedder(
        row, chosen, lambda: key_of(chosen.embedder, chosen.variable, key, needed=needed), clean=clean
    )
    shape = _shape(chosen)
    return shaped(remote, shape._replace(dimensions=0) if row.shortens else shape)


def _shape(chosen: EmbedderSettings) -> Shape:
    return Shape(chosen.query_prefix, chosen.passage_prefix, chosen.dimensions)


# -- wraps embedders of other packages: checks their vectors and errors


_MULTIPLE = 8
"""The number of dimensions must be a multiple of this: the signs of a vector are stored as whole bytes."""


class PluggedEmbedder:
    """An embedder that a plug-in makes. It may send texts elsewhere, so it gets them without secrets.

    Args:
        label: the plug-in's name, the prefix of its vectors' model name.
        make: makes the embedder; None if the plug-in cannot be loaded.
        clean: removes from a text what must not leave this machine.
    """

    def __init__(
        self, label: str, make: Callable[[], Embedder] | None, *, clean: Callable[[str], str]
    ) -> None:
        self._label = label
        self._clean = clean
        self._inner: Embedder | None = None
        self.name, self.dimensions = label, 0
        try:
            self._inner = make() if make else None
            if self._inner:
                self.name, self.dimensions = f"{label}/{self._inner.name}", self._inner.dimensions
        # No error of another package may break this one.
        except Exception as error:  # noqa: BLE001
            plugins.warn(plugins.EMBEDDERS, label, repr(error))

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: the plug-in cannot be used, failed, or returned something else.
        """
        if self._inner is None:
            raise EmbeddingError(
                f"The embedder {self._label} cannot be loaded.",
                hint="Update its package, or set `embedder` to another one.",
            )
        try:
            rows = normalised(self._inner.embed([self._clean(text) for text in texts], purpose=purpose))
        except EmbeddingError:
            raise
        except Exception as error:
            raise self._useless(f"failed: {error!r}") from error
        if len(rows) != len(texts):
            raise self._useless(f"made {len(rows)} vectors for {len(texts)} texts")
        if rows.shape[1] % _MULTIPLE:
            raise self._useless(f"makes {rows.shape[1]} dimensions; a multiple of {_MULTIPLE} is needed")
        return rows

    def _useless(self, what: str) -> EmbeddingError:
        return EmbeddingError(
            f"The embedder {self._label} {what}.",
            hint="Report it to the package's author, and set `embedder` to another one meanwhile.",
        )


# -- runs a model beside other work: while it computes, Python and the database go on


T = TypeVar("T")
_THREADS = 2
"""A question is embedded once for each of the two stores, the project's and the person's."""


class _Workers:
    """Threads that stay: starting one for each question takes 0.1 ms longer (bench/beside_vectors.py)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, act: Callable[[], T]) -> Callable[[], T]:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="embedding")
            begun = self._pool.submit(act)
        # Where no thread has begun it yet, whoever waits does it: on a busy machine that is the case for half
        # of all questions, and a recall takes a twentieth less time (bench/RESULTS.md).
        return lambda: act() if begun.cancel() else begun.result()

    def close(self) -> None:
        """End the threads, which a forked process does not have; the next question starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()


_workers = _Workers()
if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(before=_workers.close)


def begun(act: Callable[[], T]) -> Callable[[], T]:
    """Start something; what this gives waits for the result, and raises what it raised."""
    try:
        return _workers.submit(act)
    except RuntimeError:  # the interpreter is ending, and starts no more threads
        return act


# -- embedders in order of preference: if one fails, the next one is used


class Embedded(NamedTuple):
    """Vectors of one call, the name of the embedder that made all of them, and pieces if it tells them."""

    name: str
    vectors: Vectors
    pieces: Sequence[Pieces | PieceCodes] = ()


class EmbedderChain:
    """Tries embedders in order. All vectors of a call come from the same embedder.

    By default these are the shipped model behind its cache, then hashed TF-IDF. The cache answers without the
    model if it holds all vectors of a call.

    Args:
        embedders: the preferred one first.
        on_degradation: called once for each embedder that fails.
    """

    def __init__(
        self, embedders: Sequence[Embedder], *, on_degradation: Callable[[Degradation], None] | None = None
    ) -> None:
        self._embedders = tuple(embedders)
        self._on_degradation = on_degradation
        self._reported: set[str] = set()
        self._active = self._embedders[0]

    @property
    def preferred_name(self) -> str:
        """The name of the first embedder; the others are its fallbacks."""
        return self._embedders[0].name

    @property
    def active_name(self) -> str:
        """The name of the embedder that was used last; before the first call, the preferred one's."""
        return self._active.name

    def embed_named(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Embedded:
        """Return the vectors of the first embedder that works, and its name.

        Raises:
            EmbeddingError: every embedder of the chain failed.
        """
        failure: EmbeddingError | None = None
        for place, embedder in enumerate(self._embedders):
            try:
                made = _made(embedder, texts, purpose)
            except EmbeddingError as error:
                failure = error
                self._report(place, error)
                continue
            self._active = embedder
            return made
        assert failure is not None  # noqa: S101  a chain has one embedder at least
        kind = type(failure)  # callers see by it whether other texts may work
        raise kind(f"every embedder failed: {failure.message}", hint=failure.hint) from failure

    def begin(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Callable[[], Embedded]:
        """Start to make vectors beside other work; what this gives waits for them.

        It raises `EmbeddingError` where every embedder failed.
        """
        return begun(lambda: self.embed_named(texts, purpose=purpose))

    def _report(self, place: int, error: EmbeddingError) -> None:
        name = self._embedders[place].name
        if self._on_degradation is None or name in self._reported:
            return
        self._reported.add(name)
        following = self._embedders[place + 1 :]
        fallback = following[0].name if following else "keyword search alone"
        self._on_degradation(Degradation("embedding model", f"{name}: {error.message}", fallback))


def _made(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> Embedded:
    if isinstance(embedder, PieceEmbedder):
        return Embedded(embedder.name, *embedder.embed_pieces(texts, purpose=purpose))
    return Embedded(embedder.name, embedder.embed(texts, purpose=purpose))


# -- A cache of vectors in this process


MEMORY_SIZE = 2_048  # vectors; 3 MB at 384 dimensions, and about 8 KB for the pieces of a question


class CachedEmbedder:
    """Asks another embedder only for vectors that are not cached.

    It can answer without the other embedder if all vectors of a call are cached.

    Args:
        inner: makes the missing vectors.
        size: how many vectors are kept; the least recently used go first.
    """

    def __init__(self, inner: Embedder, *, size: int = MEMORY_SIZE) -> None:
        self._inner = inner
        self._memory: LRUCache[tuple[Purpose, str], _Cached] = LRUCache(size)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's number of dimensions."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text. Queries and passages are cached separately.

        Raises:
            EmbeddingError: a vector is not cached and the inner embedder cannot make it.
        """
        return self.embed_pieces(texts, purpose=purpose)[0]

    def embed_pieces(
        self, texts: Sequence[str], *, purpose: Purpose = "passage"
    ) -> tuple[Vectors, Sequence[Pieces | PieceCodes]]:
        """As `embed`, with the pieces of each text; without them where the inner embedder tells none.

        Raises:
            EmbeddingError: as `embed`.
        """
        wanted = list(dict.fromkeys(texts))
        with self._lock:
            found = {text: self._memory[purpose, text] for text in wanted if (purpose, text) in self._memory}
        missing = [text for text in wanted if text not in found]
        if missing:
            made = self._make(missing, purpose)
            found.update(made)
            with self._lock:
                self._memory.update({(purpose, text): one for text, one in made.items()})
        rows = [found[text][0] for text in texts]
        pieces = [found[text][1] for text in texts]
        told = [one for one in pieces if one is not None]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32), told

    def _make(self, texts: Sequence[str], purpose: Purpose) -> dict[str, _Cached]:
        if isinstance(self._inner, PieceEmbedder):
            vectors, pieces = self._inner.embed_pieces(texts, purpose=purpose)
            if pieces:
                return dict(zip(texts, zip(vectors, pieces, strict=True), strict=True))
        else:
            vectors = self._inner.embed(texts, purpose=purpose)
        return {text: (vector, None) for text, vector in zip(texts, vectors, strict=True)}
