"""Bringing a store to the embedder that is wanted: vectors that are missing, then those of another model.

Memories come first, then exchanges, then chunks of documents.

A search goes by one model's vectors, the wanted one's, from the moment on that it is set: what has none of it
yet is found by its words. See bench/RESULTS.md for what was measured of that.
"""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

import math
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from recortex.domain.text import to_micros
from recortex.engines.ingestion import BATCH
from recortex.errors import EmbeddingError, PermissionsError, RateLimitedError
from recortex.filesystem import alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.engines.ingestion import RecordEmbedding


_Made = TypeVar("_Made")

PAUSE = 0.1
"""Seconds between batches where nobody waits for them."""
PAGE = 10_000
"""Ids fetched at once. Each fetch reads and sorts all that is left: 1.2 s for 300,000 memories on a busy
machine, while to embed a page takes minutes."""
SHARE = 20.0
"""Seconds that the job after a session takes for it: some thousand memories with the shipped model."""
PATIENCE = 1.0
"""Seconds between two looks whether a provider may be asked again."""
BUSY = "Another process is at it."
NOTHING = "Vectors are switched off."


class Renewed(NamedTuple):
    """What one run did.

    Attributes:
        model: the embedder that is wanted; empty where vectors are switched off.
        by: who made the vectors: another one where it had to stand in.
        done: memories that got a vector.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
        exchanges, chunks: that got their vectors.
    """

    model: str = ""
    by: str = ""
    done: int = 0
    stopped: str = ""
    exchanges: int = 0
    chunks: int = 0


class Outlook(NamedTuple):
    """How far a store is from the embedder that is wanted.

    Attributes:
        model: that one.
        former: the others that memories still have vectors of.
        missing: memories without any vector.
        outdated: memories with a vector of another embedder, found by their words until they have their own.
        made: memories with a vector of the wanted embedder; while nothing is outdated, the vectors that there
            are of it.
        per_second: memories brought to it in a second of this change so far, pauses included; 0 where it is
            not known.
        exchanges, chunks: without vectors of the wanted embedder.
    """

    model: str
    former: tuple[str, ...]
    missing: int
    outdated: int
    made: int = 0
    per_second: float = 0.0
    exchanges: int = 0
    chunks: int = 0

    @property
    def left(self) -> int:
        """Memories without a vector of the wanted embedder."""
        return self.missing + self.outdated

    @property
    def share(self) -> float:
        """The part of the memories, from 0 to 1, that has a vector of the wanted embedder."""
        return self.made / (self.made + self.left) if self.left else 1.0

    @property
    def seconds_left(self) -> float | None:
        """Of work, at the rate so far; None where none is known."""
        return self.left / self.per_second if self.per_second else None


def outlook(services: StoreServices) -> Outlook:
    """Look at a store; nothing is loaded or asked for it."""
    vectors, model = services.store.vectors, services.embedding.wanted
    missing = vectors.count_pending()
    others = vectors.others(model) if model else {}
    outdated = vectors.count_outdated(others)
    said, written = waiting_exchanges(services), waiting_chunks(services)
    if not outdated:
        return Outlook(model, (), missing, 0, vectors.made(model), exchanges=said, chunks=written)
    change = vectors.reembedding(model)
    if change is None or change.finished_at is not None or not change.milliseconds:
        rate = 0.0
    else:
        rate = 1e3 * change.done / change.milliseconds
    return Outlook(
        model, tuple(others.values()), missing, outdated, count_embedded(services), rate, said, written
    )


def waiting_exchanges(services: StoreServices) -> int:
    """Exchanges without vectors of the embedder that is wanted."""
    vectors, model = services.store.exchange_vectors, services.embedding.wanted
    return vectors.count_waiting() + (vectors.count_outdated(model) if model else 0)


def waiting_chunks(services: StoreServices) -> int:
    """Chunks of documents without vectors of the embedder that is wanted."""
    vectors, model = services.store.chunk_vectors, services.embedding.wanted
    return vectors.count_waiting() + (vectors.count_outdated(model) if model else 0)


def embed_chunks(services: StoreServices, *, seconds: float, progress: Callable[[int], None]) -> None:
    """Give the chunks that wait their vectors; what is not done is left to the job after a session.

    Args:
        services: the store.
        seconds: after so many no batch is begun; 0: until all is done.
        progress: told how many are done.
    """
    deadline = time.monotonic() + seconds if seconds else math.inf
    done = 0
    # A provider that does not answer now is asked again after the next session.
    with suppress(EmbeddingError):
        while time.monotonic() < deadline and (made := services.chunk_embedding.embed_batch()):
            done += made
            progress(done)


def count_embedded(services: StoreServices) -> int:
    """Memories that have a vector of the embedder that is wanted.

    Of former states, and of those left behind, are more.
    """
    vectors, model = services.store.vectors, services.embedding.wanted
    ours = {key: name for key, name in vectors.others("").items() if name == model}
    return vectors.count_outdated(ours) if ours else 0


def reembed(
    services: StoreServices,
    *,
    now: Callable[[], datetime],
    limit: int = 0,
    seconds: float = 0.0,
    pause: float = 0.0,
    missing_only: bool = False,
    afresh: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Renewed:
    """Give memories their vectors, the most important and most used first; then exchanges; then chunks.

    What is done is kept after each batch.

    It may be killed at any moment and goes on where it stopped: what has its vector no longer waits. It stops
    at the first failure: the next run, or the job after the next session, tries again.

    Args:
        services: the store.
        now: the time.
        limit: at most so many memories and exchanges; 0: all.
        seconds: after so many no batch is begun; 0: until all is done.
        pause: seconds between two batches.
        missing_only: leave alone what has a vector of another embedder.
        afresh: first delete the vectors of the wanted embedder: another model has its name now.
        progress: told how many memories and exchanges are done.

    Raises:
        PermissionsError: the store's folder cannot be written.
        StorageError: the store cannot.
    """
    model = services.embedding.wanted
    if not model:
        return Renewed(stopped=NOTHING)
    with _alone(services) as held:
        if not held:
            return Renewed(model, stopped=BUSY)
        # Only with the lock held: another process may be putting vectors of this model in.
        if afresh:
            services.store.vectors.forget(model)
        run = _Run(
            services=services,
            model=model,
            now=now,
            limit=limit,
            seconds=seconds,
            pause=pause,
            progress=progress,
        )
        run.work(missing_only=missing_only)
        return Renewed(model, run.by, run.done, run.stopped, run.exchanges, run.chunks)


@contextmanager
def _alone(services: StoreServices) -> Iterator[bool]:
    """Keep others from making the same vectors: a lock beside the store's file, and a claim on its server."""
    folder = services.location.place("locks")
    with ExitStack() as stack:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            here = stack.enter_context(alone(folder / "reembed.lock"))
        except OSError as error:
            raise PermissionsError(f"The folder {folder} cannot be written: {error}.") from error
        yield here and stack.enter_context(services.store.vectors.claimed())


@dataclass(kw_only=True, eq=False, repr=False)
class _Run:
    """One run over a store that is ours alone to re-embed."""

    services: StoreServices
    model: str
    now: Callable[[], datetime]
    limit: int
    seconds: float
    pause: float
    progress: Callable[[int], None]
    by: str = ""
    done: int = 0
    exchanges: int = 0
    chunks: int = 0
    stopped: str = ""

    def __post_init__(self) -> None:
        """Look at the clock and at the other models' vectors."""
        self._at = time.monotonic()
        self._deadline = self._at + self.seconds if self.seconds else None
        self._others = self.services.store.vectors.others(self.model)

    @property
    def all(self) -> int:
        """Everything that got its vectors."""
        return self.done + self.exchanges + self.chunks

    def work(self, *, missing_only: bool) -> None:
        """Give memories their vectors, then exchanges, then chunks of documents."""
        self._memories(missing_only=missing_only)
        services = self.services
        for made in self._batches(services.exchange_embedding, missing_only=missing_only):
            self.exchanges += made
            self.progress(self.all)
        for made in self._batches(services.chunk_embedding, missing_only=missing_only):
            self.chunks += made
            self.progress(self.all)

    def _batches(self, embedding: RecordEmbedding[Any], *, missing_only: bool) -> Iterator[int]:
        """How many records got their vectors in each batch.

        They have vectors of one embedder alone; those of another are given up at once.
        """
        if self.stopped or self._over():
            return
        if not missing_only:
            embedding.release_others()
        while not self._over():
            room = self.limit - self.all if self.limit else PAGE
            if not (made := self._tried(partial(embedding.embed_batch, room))):
                return
            yield made

    def _memories(self, *, missing_only: bool) -> None:
        """Those without a vector, then those of another model.

        At last the vectors that nobody has any more go.
        """
        vectors = self.services.store.vectors
        # What has no vector is made first, by another model if need be: the rest still has its former
        # vectors.
        complete = self._through(lambda limit: vectors.pending(limit, best_first=True), stand_in=True)
        if missing_only or not complete or not self._others:
            return
        # A model that only stands in must not replace vectors of the one that is wanted.
        if self.by not in {"", self.model}:
            self.stopped = f"{self.model} makes no vectors now; {self.by} stands in for it."
            return
        if self._through(lambda limit: vectors.outdated(self._others, limit), stand_in=False):
            self._finish()

    def _through(self, page: Callable[[int], Sequence[str]], *, stand_in: bool) -> bool:
        """Go through pages of ids until none is left; False where it was stopped before."""
        before: Sequence[str] = ()
        while not self._over():
            room = self.limit - self.done if self.limit else PAGE
            ids = page(min(PAGE, room))
            # What a page before could not embed is still pending: it is tried once in a run.
            fresh = iter([id_ for id_ in ids if id_ not in set(before)] if before else ids)
            if not (batch := list(islice(fresh, BATCH))):
                return True
            before = ids
            while batch:
                if self._over() or not self._batch(batch, stand_in=stand_in):
                    return False
                batch = list(islice(fresh, BATCH))
        return False

    def _over(self) -> bool:
        late = self._deadline is not None and time.monotonic() >= self._deadline
        return late or bool(self.limit and self.all >= self.limit)

    def _batch(self, ids: Sequence[str], *, stand_in: bool) -> bool:
        renew = self.services.embedding.renew
        by = self._tried(lambda: renew(ids, stand_in=stand_in, kept=self._kept))
        if by is None:
            return False
        self.by = by
        self.progress(self.done)
        return True

    def _tried(self, make: Callable[[], _Made]) -> _Made | None:
        """What making a batch returns; None where it fails: `stopped` then says why."""
        if self.pause and self.all:
            time.sleep(self.pause)
        try:
            return self._patiently(make)
        except EmbeddingError as error:
            said = error.hint != type(error).hint  # the general hint is in the documents
            self.stopped = f"{error.message} {error.hint}" if said else error.message
            return None

    def _patiently(self, make: Callable[[], _Made]) -> _Made:
        """Where a run may take as long as it takes, it waits for a provider's next minute.

        A short one leaves that.
        """
        while True:
            try:
                return make()
            except RateLimitedError:
                if self._deadline is not None:
                    raise
                time.sleep(PATIENCE)

    def _kept(self, model: str, count: int) -> None:
        """Count a batch inside of the transaction that keeps it, so that both or neither hold."""
        self.done += count
        if self._others and model == self.model:
            # From the end of one batch to the end of the next: the pauses count for whoever waits, too.
            since, self._at = self._at, time.monotonic()
            self.services.store.vectors.reembedded(
                model, to_micros(self.now()), done=count, milliseconds=round(1e3 * (self._at - since))
            )

    def _finish(self) -> None:
        """The former vectors were kept until now, so that going back to their model would have been free."""
        vectors = self.services.store.vectors
        if vectors.count_outdated(self._others) or vectors.pending(1):
            return  # another process edited or restored one meanwhile: the next run takes it up
        vectors.finish_reembedding(self.model, to_micros(self.now()))
        vectors.drop_left_behind(self._others)


# -- the approximate index of many vectors: extending it in the background, and saying what it lacks


def keep_vector_index(services: StoreServices, *, threads: int = 1) -> int:
    """Make or extend a store's approximate index, unless another process is at it.

    Returns how many vectors were put in.

    Where it cannot be made, because its package is missing or the folder cannot be written, every vector is
    compared as before, and `doctor` says so.
    """
    folder = services.location.place("locks")
    with suppress(ImportError, OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        # Two processes that extend the same index file would lose each other's vectors.
        with alone(folder / "vectors.lock") as held:
            return services.store.vectors.keep_index(threads=threads) if held else 0
    return 0


def index_notice(services: StoreServices, *, thorough: bool = False) -> tuple[str, str] | None:
    """Why the search of many vectors is slow, and what to do; None where it is not.

    Args:
        services: the store.
        thorough: look at all of the index's content.
    """
    index = services.store.vectors.index_state(thorough=thorough)
    if index is None or not index.problem:
        return None
    said = (
        f"The index of {index.vectors:,} vectors cannot be used: {index.problem}. Every vector is compared."
    )
    return said, index.todo
