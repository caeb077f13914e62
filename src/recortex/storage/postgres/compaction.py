"""Measures the space of a workspace; making room is left to the server (autovacuum)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.maintenance import StoreSpace
from recortex.storage.database import Records

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.postgres.pool import PgDatabase


class PgCompaction(Records):
    """Says what the tables take and how much of them is dead; leaves the rest to the server.

    Args:
        size: about what the workspace takes, in bytes.
    """

    topic = "maintenance"

    def __init__(self, database: PgDatabase, size: Callable[[], int]) -> None:
        super().__init__(database)
        self._size = size

    def space(self) -> StoreSpace:
        """The workspace's share of all tables."""
        everything, vectors, index = map(int, self._rows("space")[0])
        own = self._size()
        share = min(own / everything, 1.0) if everything else 0.0
        return StoreSpace(total=own, vectors=int(vectors * share), keyword_index=int(index * share), free=0)

    def waste(self) -> int:
        """The workspace's share of what dead rows take; the server only counts them for all workspaces."""
        dead, rows = map(int, self._rows("dead")[0])
        return self._size() * dead // rows if rows else 0

    def tidy(self, left: Callable[[], float]) -> dict[str, int]:  # noqa: ARG002  nothing is left to do
        """Nothing: the server's autovacuum does it."""
        return {}

    def obstacle(self) -> str:
        """Why the tables are not rewritten from here."""
        return (
            "the server's autovacuum makes the room free for use;"
            " its administrator may VACUUM FULL or REINDEX CONCURRENTLY what stays large"
        )

    def rewrite(self) -> None:
        """Nothing: see `obstacle`."""
