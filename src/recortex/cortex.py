"""The facade: everything that Recortex can do, as methods of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from recortex.domain.vocabulary import Actor
from recortex.operations.exchange import Exchange
from recortex.operations.keeping import Keeping
from recortex.operations.learning import Learning
from recortex.operations.linking import Linking
from recortex.operations.recording import Recording
from recortex.operations.searching import Searching
from recortex.operations.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from recortex.app.application import Application


class Cortex(Recording, Searching, Linking, Learning, Exchange, Keeping, Upkeep):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
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

    def close(self) -> None:
        """Close the stores; the object can be used again and opens them anew."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
