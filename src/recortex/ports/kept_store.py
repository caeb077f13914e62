"""A store with its maintenance: checks, backups, compaction and purge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recortex.ports.documents import DocumentStore
from recortex.ports.exchanges import ExchangeStore
from recortex.ports.search import SearchStore
from recortex.ports.store import Lookalikes, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.maintenance import Erasure, Integrity
    from recortex.ports.maintenance import Compaction, MaintenanceRecords
    from recortex.ports.store import Symbols


class Copies(Protocol):
    """The backups of one store."""

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file that its owner alone can read.

        Delete the oldest beyond the number to keep.

        Raises:
            PermissionsError: the folder cannot be written.
        """

    def all(self) -> list[Path]:
        """Every backup, oldest first."""

    def erase(
        self, ids: Sequence[str], texts: Sequence[str], *, text: str = "", exchanges: Sequence[str] = ()
    ) -> int:
        """Take memories and exchanges out of every backup, with what else holds the texts.

        Returns:
            How many backups there are.
        """


class Findable(SearchStore, Lookalikes, Protocol):
    """A store's search index."""


class Placed(Protocol):
    """Where a store is, and whether it can be worked with."""

    @property
    def shown(self) -> str:
        """Where it is, as shown to people, without a password."""

    @property
    def unwritable(self) -> str:
        """Why nothing can be written now; empty where nothing is known to be in the way."""

    @property
    def schema(self) -> int:
        """The newest migration applied."""


class KeptStore(Placed, Store, ExchangeStore, DocumentStore, Protocol):
    """A store with its exchanges, documents and symbols, and its maintenance."""

    @property
    def search(self) -> Findable:
        """Its search index."""

    @property
    def symbols(self) -> Symbols:
        """The symbols that memories hang on."""

    @property
    def backups(self) -> Copies:
        """Its backups."""

    @property
    def maintenance(self) -> MaintenanceRecords:
        """Which maintenance ran when, and what is old enough to delete."""

    @property
    def compaction(self) -> Compaction:
        """Gives unused space back."""

    def bytes(self) -> int:
        """Its size in bytes."""

    def check(self) -> Integrity:
        """Look for damage."""

    def holding(self, text: str) -> list[str]:
        """Ids of the memories with a text in their current state or in a former version."""

    def exchanges_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the exchanges that erasing these texts takes along.

        A short text is no proof that an exchange speaks of it, unless it is `text`, which was asked for.
        """

    def erase(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        text: str = "",
        exchanges: Sequence[str] = (),
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories everywhere, with the exchanges that hold the texts, and look for these afterwards.

        Args:
            ids: of the memories.
            texts: that must not be found afterwards.
            text: the text that was asked for, if any: it is removed from relations and older backups too.
            exchanges: ids of exchanges that go too.
            files: lists the files to search afterwards.
            now: the time on the tombstones that stay.
        """

    def empty_in_memory(self) -> KeptStore:
        """A new store in memory, gone when it is no longer used."""
