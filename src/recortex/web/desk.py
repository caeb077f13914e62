"""Where operations are carried out: one opened facade for each project that somebody looks at."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recortex.app.projects import DATABASE, project_folders, read_record, url_of
from recortex.cortex import Cortex
from recortex.domain.vocabulary import Actor
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = "here"
"""The project that the server was started in."""
THREADS = 4
"""Requests at work at the same time; the others wait."""
_KEPT_SECONDS = 60.0
"""Answers that take long and change with time are kept for so long while nothing is written."""
Result = TypeVar("Result")


class KnownProject(Value, frozen=True):
    """A project of this person on this machine.

    Attributes:
        key: the name of its folder.
        name: of the checkout.
        path: of the checkout; it may be gone.
        database: its store's file.
    """

    key: str
    name: str
    path: Path
    database: Path


def known_projects(home: Path) -> list[KnownProject]:
    """The projects that have a folder with a store, by name."""
    found = [
        KnownProject(folder.name, Path(record.path).name, Path(record.path), folder / DATABASE)
        for folder in project_folders(home)
        if (record := read_record(folder)) and (folder / DATABASE).is_file()
    ]
    return sorted(found, key=lambda one: (one.name.lower(), one.key))


class Desk:
    """Opens projects when they are asked for, and does in threads what blocks.

    Args:
        start: a folder in the project that is served first.
        url: a store instead of that project's own.

    Attributes:
        slow: held by what takes seconds, so that it never has more than one of the threads.
    """

    def __init__(self, start: Path, url: str | None = None) -> None:
        self._opened: dict[str, Cortex] = {}
        # Requests are carried out in several threads, and two of them must not open the same project twice.
        self._lock = threading.Lock()
        self._workers = ThreadPoolExecutor(THREADS, thread_name_prefix="web")
        here = Cortex.open(start, url=url, actor=Actor.USER)
        self._opened[HERE] = here
        self._given: Cortex | None = None
        # Waited for in the event loop, so that no thread is held meanwhile.
        self.slow = asyncio.Semaphore(1)
        self._kept: dict[tuple[str, str], tuple[object, float, Any]] = {}
        self._agents = partial(Cortex.open, start, url=url, actor=Actor.AGENT)
        self.home = here.home
        self.name = here.project_name

    def projects(self) -> Sequence[KnownProject]:
        """The person's projects on this machine."""
        return known_projects(self.home)

    def name_of(self, project: str) -> str:
        """What people call a project."""
        return self.facade(project).project_name

    def facade(self, project: str = HERE) -> Cortex:
        """The facade of a project by its key.

        Raises:
            InvalidInputError: there is no such project.
        """
        with self._lock:
            if project not in self._opened:
                self._opened[project] = self._open(project)
            return self._opened[project]

    def for_agents(self) -> Cortex:
        """The first project's facade as agents have it: what they do is limited, and logged as theirs."""
        with self._lock:
            if self._given is None:
                self._given = self._agents()
            return self._given

    def _open(self, key: str) -> Cortex:
        found = next((one for one in self.projects() if one.key == key), None)
        if found is None:
            raise InvalidInputError(
                f"There is no project {key[:60]!r}.", hint="The page of projects lists them."
            )
        # Of a checkout that is gone the memory is still there: it is opened by its file.
        if found.path.is_dir():
            return Cortex.open(found.path, actor=Actor.USER)
        return Cortex.open(Path.home(), url=url_of(str(found.database)), actor=Actor.USER)

    def kept(self, project: str, name: str, make: Callable[[Cortex], Result]) -> Result:
        """What `make` gives of a project, made anew once its memory has changed, or after a minute."""
        cortex = self.facade(project)
        # Asked before it is made: after a write in between, the next look makes it anew.
        state, now = cortex.changes(), time.monotonic()
        found = self._kept.get((project, name))
        if found is None or found[0] != state or found[1] < now:
            found = self._kept[project, name] = (state, now + _KEPT_SECONDS, make(cortex))
        value: Result = found[2]
        return value

    async def do(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """What `work` gives, done in a thread."""
        call = partial(work, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._workers, call)

    def warm(self) -> None:
        """Load the embedding model, so that the first search does not wait for it."""
        with suppress(RecortexError):  # the search says what is wrong
            self.facade().warm()

    def close(self) -> None:
        """Wait for what is at work, then close all stores."""
        # First what is at work, which uses the stores.
        self._workers.shutdown(cancel_futures=True)
        for one in (*self._opened.values(), self._given):
            if one is not None:
                one.close()
