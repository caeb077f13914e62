"""What the hooks of one project work with: as light as the moment allows."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.project import branch_and_commit, working_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from recortex.app.application import Application
    from recortex.app.location import Location
    from recortex.ports.sessions import Sessions
    from recortex.settings import Settings


class Loop:
    """A project's session loop.

    Args:
        root: of the project.
        locations: of the stores, the project's own first.
        open_notes: opens the store's sessions alone, which takes a tenth of opening all; the store must be there.
        open_app: opens everything.
        ready: whether the embedding model is loaded, so that meaning may be asked for without a wait.

    Attributes:
        location: of the project's store.
        settings, clock: of the project.
    """

    def __init__(
        self,
        *,
        root: Path,
        locations: Sequence[Location],
        settings: Settings,
        clock: Callable[[], datetime],
        open_notes: Callable[[], Sessions],
        open_app: Callable[[], Application],
        ready: Callable[[], bool] = lambda: False,
    ) -> None:
        self.root = root
        self.locations = locations
        self.location = locations[0]
        self.settings = settings
        self.clock = clock
        self.ready = ready
        self._open_notes = open_notes
        self._open_app = open_app

    @cached_property
    def app(self) -> Application:
        """Everything: stores, retrieval, models."""
        return self._open_app()

    @cached_property
    def sessions(self) -> Sessions:
        """What is noted of sessions."""
        return self._open_notes()

    @property
    def homeless(self) -> bool:
        """Whether there is no store, and no project that one may be made for: the home folder and the root are none."""
        return not self.exists and self.root in {Path.home().resolve(), Path(self.root.anchor)}

    @property
    def exists(self) -> bool:
        """Whether the project has a store."""
        return self.location.exists

    @property
    def store(self) -> str:
        """What a server of this store is known by."""
        return str(self.location.database.absolute())

    def branch(self, cwd: str) -> str:
        """The branch that is checked out where a session works: a linked worktree has its own."""
        folder = Path(cwd) if cwd else self.root
        return branch_and_commit(working_tree(folder) if folder.is_dir() else self.root)[0]

    @property
    def capture_lock(self) -> Path:
        """Held by the one process that learns from the project's sessions."""
        return self.location.place("locks") / "capture.lock"

    @property
    def queue(self) -> Path:
        """Where sessions wait to be learned from."""
        return self.location.place("queue")
