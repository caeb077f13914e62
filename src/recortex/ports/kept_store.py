"""What looking after a store needs: whether it is whole, its copies, and taking a text out of it for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from recortex.ports.search import SearchStore
from recortex.ports.store import Lookalikes, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.ports.maintenance import Compaction, MaintenanceRecords


class Integrity(NamedTuple):
    """What a check found: sentences about the store, and whether the keyword index is whole."""

    problems: tuple[str, ...]
    index_whole: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and self.index_whole


class Erasure(NamedTuple):
    """What was done to take a text out of a store, and the proof."""

    searched_bytes: int
    files: tuple[Path, ...]
    traces: tuple[Path, ...]
    backups: int


class Copies(Protocol):
    """The backups of one store."""

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file, readable by its owner alone; the oldest beyond the number to keep go.

        Raises:
            PermissionsError: the folder cannot be written.
        """

    def all(self) -> list[Path]:
        """Every backup, oldest first."""


class Findable(SearchStore, Lookalikes, Protocol):
    """A store's searching side."""


class KeptStore(Store, Protocol):
    """A store that is looked after."""

    @property
    def search(self) -> Findable:
        """Its searching side."""

    @property
    def shown(self) -> str:
        """Where it is, for people; no secret is in it."""

    @property
    def schema(self) -> int:
        """The newest migration applied."""

    @property
    def backups(self) -> Copies:
        """Its copies."""

    @property
    def chores(self) -> MaintenanceRecords:
        """What upkeep was done when, and what is old enough to go."""

    @property
    def compaction(self) -> Compaction:
        """Makes room."""

    def bytes(self) -> int:
        """The space that it takes."""

    def check(self) -> Integrity:
        """Look whether it is whole."""

    def holding(self, text: str) -> list[str]:
        """Ids of the memories that hold a text now or held it in a former version."""

    def erase(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        text: str = "",
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories everywhere, and look for the texts afterwards.

        Args:
            ids: of the memories.
            texts: what must not be found afterwards.
            text: what was asked for, if it was a text: it is taken out of relations and older backups too.
            files: lists the files to read afterwards.
            now: when it happened; a tombstone with the id stays.
        """

    def empty_in_memory(self) -> KeptStore:
        """A store of its own that is gone when it is no longer used."""
