"""The composition root: the only place that knows which implementation stands behind which port."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.app.projects import (
    GLOBAL_DATABASE,
    Location,
    Locations,
    Project,
    find_project,
    of_project,
    of_url,
    of_user,
    prepare,
    url_of,
)
from recortex.domain.vocabulary import Actor, Scope
from recortex.errors import ConfigError
from recortex.lean import lazy_module
from recortex.plugins import capability, load
from recortex.settings import Settings, home_folder, inside, key_variable, read
from recortex.telemetry import ToFile, span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex import llm
    from recortex.app import application as application_module
    from recortex.app import backends, hooks
    from recortex.app.application import Application
    from recortex.app.hooks import HookContext
    from recortex.domain import text as instants
    from recortex.domain.maintenance import Degradation
    from recortex.domain.memory import Chances
    from recortex.embeddings import building, folder, multilingual, providers
    from recortex.engines import privacy
    from recortex.engines.prompting import service as prompting
    from recortex.ports.model import ChangeReader, Embedder, Named, NamedEmbedder, Purpose, Reranker
    from recortex.ports.search import Sessions
else:
    building = lazy_module("recortex.embeddings.building")
    folder = lazy_module("recortex.embeddings.folder")
    backends = lazy_module("recortex.app.backends")
    application_module = lazy_module("recortex.app.application")
    llm = lazy_module("recortex.llm")
    hooks = lazy_module("recortex.app.hooks")
    multilingual = lazy_module("recortex.embeddings.multilingual")
    privacy = lazy_module("recortex.engines.privacy")
    providers = lazy_module("recortex.embeddings.providers")
    prompting = lazy_module("recortex.engines.prompting.service")
    instants = lazy_module("recortex.domain.text")

MOST_THREADS = 4
"""Threads of the embedding model."""


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
    project = find_project(home_folder(), start)
    settings = read(project.root)
    locations = _locations(project, url or settings["url"], settings)
    app = _application(project, settings, locations, clock=clock, actor=actor, progress=progress)
    app.start = start
    if settings["metrics.keep_days"]:
        app.metered = ToFile(lambda: next(iter(locations.values())).timings, app.clock)
    if settings["otel"]:
        load(capability("metrics").tracer)()
    return app


def _application(
    project: Project,
    settings: Settings,
    locations: Locations,
    *,
    clock: Callable[[], datetime] | None = None,
    actor: Actor = Actor.SYSTEM,
    progress: Callable[[str, int, int], None] | None = None,
    new_id: Callable[[], str] | None = None,
) -> application_module.Application:
    # Imported here: a hook that a server answers for does not need them.
    events: list[Callable[[Degradation], None]] = []  # filled below: the application records them

    def degraded(event: Degradation) -> None:
        for tell in events:
            tell(event)

    switched_off = settings["embedder"] == "none"
    embedder = None if switched_off else _LaterEmbedder(lambda: _chain(settings, degraded))
    # Most verbs compare nothing: the model is loaded when something is.
    reader = None if switched_off or not settings["changes.model"] else _LaterReader()
    folder = settings["recall.reranker"]
    reranker = _LaterReranker(Path(folder).expanduser()) if folder else None
    clock = clock or _clock(settings)

    def open_services(scope: Scope | None, location: Location) -> application_module.StoreServices:
        location = prepare(location)
        store = backends.open_store(location, clock=clock, settings=settings, degraded=degraded)
        return application_module.StoreServices(
            scope=scope,
            root=project.root,
            location=location,
            store=store,
            settings=settings,
            embedder=embedder,
            count_tokens=app.count_tokens,
            new_id=new_id,
            change_reader=reader,
            reranker=reranker,
            facts=None if scope is Scope.GLOBAL else project.facts,
        )

    app = application_module.Application(
        settings=settings,
        project=project,
        locations=locations,
        open_services=open_services,
        clock=clock,
        actor=actor,
        embedder=embedder,
        progress=progress or (lambda *_: None),
        open_adviser=_adviser if settings["llm.provider"] else None,
    )
    events.append(app.degraded)
    return app


def hook_context(start: Path, *, url: str | None = None, app: Application | None = None) -> hooks.HookContext:
    """What the hooks of a project work with.

    Args:
        start: a folder in the project.
        url: a store instead of the project's own.
        app: one that is open already, whose model may be loaded.

    Raises:
        ConfigError: a setting or the URL cannot be used.
    """
    project = app.project if app else find_project(home_folder(), start)
    settings = app.settings if app else read(project.root)
    locations = app.locations if app else _locations(project, url or settings["url"], settings)

    @cache
    def open_app() -> Application:
        return app or _application(project, settings, locations)

    return hooks.HookContext(
        project=project,
        stores=locations,
        settings=settings,
        clock=app.clock if app else _clock(settings),
        open_sessions=lambda: _sessions(next(iter(locations.values())), open_app),
        open_app=open_app,
        ready=lambda: app is not None and app.warm,
    )


def replay_context(
    app: Application,
    folder: Path,
    clock: Callable[[], datetime],
    *,
    new_id: Callable[[], str] | None = None,
    meaning: bool = False,
) -> HookContext:
    """What the hooks of a project work with in a replay: its settings, empty stores, nothing of the person's.

    Nothing is asked of a language model, and nothing is written outside `folder`.

    Args:
        app: of the project; its stores are not opened.
        folder: where the stores are made.
        clock: gives the time that is replayed.
        new_id: makes the ids of memories, so that every replay of the same gives the same.
        meaning: make vectors with the embedder of the settings, which is loaded now.

    Raises:
        EmbeddingError: no embedder can make any.
    """
    settings = app.settings.with_values(_IN_REPLAY | ({} if meaning else {"embedder": "none"}))
    files = {Scope.PROJECT: "project.db", Scope.GLOBAL: GLOBAL_DATABASE}
    locations = Locations(
        {scope: of_url(url_of(str(folder / name)), app.project) for scope, name in files.items()}
    )
    replayed = _application(app.project, settings, locations, clock=clock, new_id=new_id)
    if meaning:
        replayed.probe_embedder()
    return hook_context(folder, app=replayed)


_IN_REPLAY = {
    "llm.provider": "",
    "hooks.capture": False,
    "surface.file": False,
    "backups.every_days": 0,
}
"""Settings of a replay: it learns by itself, and starts and asks nobody."""


def server_of(start: Path, *, url: str = "") -> Location:
    """The store on a server that a URL or the settings name, which a worker may look after.

    Raises:
        ConfigError: they name none.
    """
    project = find_project(home_folder(), start)
    settings = read(project.root)
    location, *_ = _locations(project, url or settings["url"], settings).values()
    if not location.remote:
        raise ConfigError(
            "A worker needs a store on a server: on SQLite the same is done after each session.",
            hint="Give --url postgresql://USER@HOST/DATABASE, or set RECORTEX_URL.",
        )
    return location


def _sessions(location: Location, open_app: Callable[[], Application]) -> Sessions:
    """The sessions of a store; without the rest of it where it is of today's schema."""
    return backends.open_sessions(location) or open_app().services(Scope.PROJECT).store.sessions


def _locations(project: Project, url: str, settings: Settings) -> Locations:
    if url:
        # One store for both scopes, as a URL names a single one.
        return Locations({None: of_url(url, project, workspace=settings["workspace"])})
    return Locations({Scope.PROJECT: of_project(project), Scope.GLOBAL: of_user(project.home)})


def _adviser(app: Application) -> prompting.Adviser:
    settings = app.settings
    chosen = llm.ModelSettings(
        **_named(settings, llm.ModelSettings, "llm"), environment=settings.environment, inside=inside()
    )
    ledger = app.services(Scope.GLOBAL).store.model_calls  # one budget for all projects
    return prompting.Adviser(llm.build_model(chosen, settings.key, ledger, app.clock))


class _LaterEmbedder:
    """An embedder that is made when something is to be embedded: most verbs need none."""

    def __init__(self, make: Callable[[], NamedEmbedder]) -> None:
        self._make = cache(make)

    @property
    def preferred_name(self) -> str:
        return self._make().preferred_name

    @property
    def active_name(self) -> str:
        return self._make().active_name

    def embed_named(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Named:
        with span("embed", texts=len(texts)):
            return self._make().embed_named(texts, purpose=purpose)

    def begin(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Callable[[], Named]:
        made = self._make().begin(texts, purpose=purpose)

        def waited() -> Named:
            with span("embed", texts=len(texts)):
                return made()

        return waited


class _LaterReader:
    """A reader of two statements that is made when there are some."""

    def __init__(self) -> None:
        self._made: ChangeReader | None = None

    def chances(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Chances]:
        if self._made is None:
            self._made = folder.ChangeModel()
        return self._made.chances(pairs)


class _LaterReranker:
    """A cross-encoder that is made when there is something to order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: Reranker | None = None

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        if self._made is None:
            self._made = folder.CrossEncoder(self._folder)
        with span("rerank", texts=len(texts)):
            return self._made.scores(question, texts)


def _chain(settings: Settings, degraded: Callable[[Degradation], None]) -> NamedEmbedder:
    return building.EmbedderChain(_embedders(settings), on_degradation=degraded)


def _embedders(settings: Settings) -> list[Embedder]:
    chosen = providers.EmbedderSettings(
        **_named(settings, providers.EmbedderSettings, "embedding"),
        embedder=settings["embedder"],
        models=str(_models(settings)),
        threads=settings["threads"] or min(os.cpu_count() or 1, MOST_THREADS),
        variable=key_variable(settings["embedder"]),
    )
    return building.build_embedders(chosen, key=settings.embedder_key, clean=_without_secrets)


def _models(settings: Settings) -> Path:
    """The folder of models that were built on this machine."""
    return settings.home / "models"


def multilingual_model(settings: Settings) -> Path:
    """The folder of the multilingual model, whether it is built or not."""
    return _models(settings) / multilingual.FOLDER


def build_multilingual_model(settings: Settings, weights: Path | None) -> None:
    """Build the multilingual model.

    Args:
        settings: say where.
        weights: a file with its weights; None: the package that carries them.

    Raises:
        EmbeddingError: the weights are not there or cannot be read.
    """
    multilingual.build(multilingual.find_weights(weights), multilingual_model(settings))


def _named(settings: Settings, wanted: type, group: str) -> dict[str, Any]:
    """The settings of a group that a class has fields for, by the fields' names."""
    values = {one.name: one.value for one in settings}
    return {name: values[f"{group}.{name}"] for name in wanted.__annotations__ if f"{group}.{name}" in values}


def _without_secrets(text: str) -> str:
    """A text as it may leave this machine: a memory is clean already, a question may not be."""
    return privacy.redact(text).text


def _clock(settings: Settings) -> Callable[[], datetime]:
    if not settings["now"]:
        return partial(datetime.now, UTC)
    fixed = instants.parse_instant(settings["now"])
    # Not the time since the start: a test or a bench has the same instant in every process.
    return lambda: fixed
