"""The composition root: the only place that knows which implementation stands behind which port."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.application import Application
from recortex.app.bank import Bank
from recortex.app.location import Location, of_project, of_url, of_user, prepare
from recortex.codebase.project import project_root
from recortex.domain.time import parse_instant
from recortex.domain.vocabulary import Actor, Scope
from recortex.engines.tokens.counter import TokenCounter
from recortex.errors import ConfigError
from recortex.settings import Settings, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.degradation import Degradation
    from recortex.domain.memory import Memory
    from recortex.engines.retrieval.service import Retrieval
    from recortex.ports.embedding import NamedEmbedder

MOST_THREADS = 4


def application(
    path: str | Path | None,
    *,
    url: str | None,
    clock: Callable[[], datetime] | None,
    actor: Actor,
    progress: Callable[[str, int, int], None] | None,
) -> Application:
    """An application for the project that `path` lies in, or for the store that `url` names.

    Raises:
        ConfigError: a setting or the URL cannot be used.
    """
    start = Path(path) if path is not None else Path.cwd()
    if not start.is_dir():
        raise ConfigError(f"There is no folder {start}.", hint="Give a folder of the project.")
    root = project_root(start)
    settings = read(root)
    events: list[Callable[[Degradation], None]] = []

    def degraded(event: Degradation) -> None:
        for tell in events:
            tell(event)

    embedder = _embedder(settings, degraded)
    tokens = TokenCounter(on_degradation=degraded)
    clock = clock or _clock(settings)

    def open_bank(scope: Scope | None, location: Location) -> Bank:
        return _bank(
            scope,
            location,
            root,
            settings=settings,
            clock=clock,
            tokens=tokens,
            embedder=embedder,
            degraded=degraded,
        )

    app = Application(
        settings=settings, locations=_locations(start, url or settings["url"], settings), open_bank=open_bank,
        clock=clock, actor=actor, embedder=embedder, root=root, progress=progress or _silent,
    )  # fmt: skip
    events.append(app.degraded)
    return app


def _locations(start: Path, url: str, settings: Settings) -> dict[Scope | None, Location]:
    if url:
        return {None: of_url(url)}
    return {Scope.PROJECT: of_project(start), Scope.GLOBAL: of_user(settings)}


def _bank(
    scope: Scope | None,
    location: Location,
    root: Path,
    *,
    settings: Settings,
    clock: Callable[[], datetime],
    tokens: TokenCounter,
    embedder: NamedEmbedder | None,
    degraded: Callable[[Degradation], None],
) -> Bank:
    from recortex.engines.intake.embedding import Embedding
    from recortex.engines.intake.service import Intake
    from recortex.engines.retrieval.service import Retrieval
    from recortex.storage.sqlite.store import SqliteStore

    prepare(location)
    store = SqliteStore(
        location.database,
        backups=location.backups,
        clock=clock,
        keep_backups=settings["backups.keep"],
        on_degradation=degraded,
    )
    return Bank(
        scope=scope,
        root=root,
        location=location,
        store=store,
        intake=Intake(store, store.search, count=tokens.count),
        retrieval=Retrieval(store.search, embedder if store.vectors.available else None),
        embedding=Embedding(store, embedder),
        past=lambda states: _past(states, clock=clock, embedder=embedder),
    )


def _past(
    states: Sequence[Memory], *, clock: Callable[[], datetime], embedder: NamedEmbedder | None
) -> Retrieval:
    """An index in memory over former states: they are few, and the store's own index holds what is said now."""
    from recortex.engines.indexing.document import search_text
    from recortex.engines.intake.embedding import Embedding
    from recortex.engines.retrieval.service import Retrieval
    from recortex.storage.sqlite.store import SqliteStore

    store = SqliteStore(Path(":memory:"), backups=Path(), clock=clock)
    with store.transaction():
        for state in states:
            store.memories.insert(state, search_text(state), actor=Actor.SYSTEM)
    Embedding(store, embedder).embed(states)
    return Retrieval(store.search, embedder if store.vectors.available else None)


def _embedder(settings: Settings, degraded: Callable[[Degradation], None]) -> NamedEmbedder | None:
    if settings["embedder"] == "none":
        return None
    from recortex.embeddings.cache import CachedEmbedder
    from recortex.embeddings.chain import EmbedderChain
    from recortex.embeddings.hashed import HashedEmbedder
    from recortex.embeddings.onnx import OnnxEmbedder

    threads = settings["threads"] or min(os.cpu_count() or 1, MOST_THREADS)
    hashed = HashedEmbedder()
    if settings["embedder"] == "hashed":
        return EmbedderChain([hashed], on_degradation=degraded)
    return EmbedderChain([CachedEmbedder(OnnxEmbedder(threads=threads)), hashed], on_degradation=degraded)


def _clock(settings: Settings) -> Callable[[], datetime]:
    if settings["now"]:
        fixed = parse_instant(settings["now"])
        return lambda: fixed
    return lambda: datetime.now(UTC)


def _silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""
