"""The base class of all groups of operations, and what several of them use."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from recortex.app.naming import shown
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    from _typeshed import DataclassInstance

    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.memory import FileLink, Memory

Result = TypeVar("Result", bound="DataclassInstance")

MAX_LIMIT = 1000
MAX_OFFSET = 1_000_000_000
MAX_DEPTH = 10
"""Relations that a walk follows one after the other."""
MAX_LINE = 999_999_999
"""The highest line number of a cited file."""


class Operations:
    """Operations on an opened application.

    The facade is made of several such groups, and each can be opened alone.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        url: str | None = None,
        clock: Callable[[], datetime] | None = None,
        actor: Actor = Actor.USER,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Self:
        """Find the store of the project that `path` lies in; the working directory's, unless said.

        The store itself is opened, or made, when an operation needs it.

        Args:
            path: any folder in the project.
            url: a store instead of the project's own: sqlite:///FILE.
            clock: gives the current time, aware; a test can live through years with it.
            actor: on whose behalf changes are made, for the audit log.
            progress: told of long work: what, how much is done, how much there is.

        Raises:
            ConfigError: a setting or the URL cannot be used.
        """
        from recortex.app.wiring import application

        return cls(application(path, url=url, clock=clock, actor=actor, progress=progress))

    def warm(self) -> None:
        """Load the embedding model now, so that the first recall does not wait for it."""
        self._app.probe_embedder()

    def attend(self, event: HookEvent) -> str:
        """Do what a moment of an agent's session asks for.

        Returns the marked text for the agent, mostly empty.
        """
        from recortex.app.hooks.dispatch import handle
        from recortex.app.wiring import hook_context

        return handle(hook_context(self._app.root, app=self._app), event)

    @property
    def address(self) -> str:
        """What hooks know a server of this store by."""
        return next(iter(self._app.locations.values())).address

    @property
    def unwritten(self) -> list[str]:
        """A line on each open store that cannot be written, so that nothing new is kept in it."""
        return self._app.unwritten

    def _faded(self, services: StoreServices, memories: Sequence[Memory]) -> Sequence[Memory]:
        """The memories of a store with the confidence that is left now."""
        from recortex.engines.decay.present import faded

        return faded(memories, services.store, to_micros(self._app.clock()))

    def close(self) -> None:
        """Close the stores; the object can be used again and opens them anew."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def outside(path: str, app: Application) -> Path:
    """The file to write, if it is not a store's own.

    Raises:
        InvalidInputError: it is, or no file can have that name.
    """
    if "\0" in path:
        raise InvalidInputError("A path cannot have a NUL character.", hint="Give another path.")
    place = Path(path).absolute()
    if any(location.is_part(place) for location in app.locations.values()):
        raise InvalidInputError(f"{path} is the store itself.", hint="Give another path.")
    return place


def bounded(limit: int, *, most: int = MAX_LIMIT) -> int:
    """A limit that can be given.

    Raises:
        InvalidInputError: it is below 1 or above `most`.
    """
    if not 1 <= limit <= most:
        raise InvalidInputError(f"The limit must be from 1 to {most}, not {limit}.")
    return limit


def problems_of(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """A line for each file that was left out, by path and reason; secrets in names are not shown."""
    return tuple(f"{shown(path)}: {why}" for path, why in left_out.items())


def file_link(text: str, root: Path) -> FileLink:
    """The file of `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`, with a hash of its lines if it can be read.

    Raises:
        InvalidInputError: there is no path, or the lines run backwards.
    """
    path, first, last = _parts(text.strip())
    if not path or (first is not None and last is not None and not 1 <= first <= last <= MAX_LINE):
        raise InvalidInputError(
            f"{text[:80]!r} is not a file.", hint="Give PATH, PATH:LINE or PATH:FIRST-LAST."
        )
    from recortex.app.citations import cite
    from recortex.codebase.git import relative
    from recortex.codebase.project import branch_and_commit

    return cite(root, relative(path, root), first, last, branch_and_commit(root)[1])


def _parts(text: str) -> tuple[str, int | None, int | None]:
    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    if not first.isdecimal() or (last and not last.isdecimal()):
        return text, None, None
    most = MAX_LINE + 1  # a longer number is too large in any case, and is not computed
    start, end = (int(word) if len(word) < len(str(most)) else most for word in (first, last or first))
    return path, start, end


def filled(result: type[Result], source: object, **more: Any) -> Result:
    """A result with the given fields; the others are those of the same name of another value."""
    names = {field.name for field in fields(result)} - more.keys()
    return result(**{name: getattr(source, name) for name in names if hasattr(source, name)}, **more)


def scope_name(services: StoreServices) -> str:
    """The scope of a store's memories; `all` where it holds both."""
    return services.scope.value if services.scope else "all"


def embed_exchanges(app: Application) -> None:
    """Give the exchanges that wait their vectors; those that get none are found by their words."""
    from recortex.errors import EmbeddingError

    for services in app.all_services():
        waiting, done = services.store.exchange_vectors.count_waiting(), 0
        with suppress(EmbeddingError):
            while made := services.exchange_embedding.embed_batch():
                done += made
                app.progress("embedding exchanges", done, max(waiting, done))


def embed_all(app: Application, memories: Sequence[Memory], *, quiet: bool = False) -> None:
    """Give new memories their vectors, each in its own store."""
    for scope in dict.fromkeys(memory.scope for memory in memories):
        own = [memory for memory in memories if memory.scope is scope]
        told = {} if quiet else {"progress": app.progress}
        app.services(scope).embedding.embed(own, **told)
