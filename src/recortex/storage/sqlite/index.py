"""The keyword index.

What fails because it is damaged is done again once it has been made anew from the memories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.degradation import Degradation
from recortex.errors import CorruptStoreError
from recortex.storage.sqlite.maintenance import rebuild_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.sqlite.pool import Bindings, Pool


class KeywordIndex:
    """Runs what reads or writes the index, directly or through a trigger."""

    def __init__(self, pool: Pool, on_degradation: Callable[[Degradation], None] = lambda _: None) -> None:
        self._pool = pool
        self._on_degradation = on_degradation

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement.

        Raises:
            CorruptStoreError: more than the index is damaged.
        """
        try:
            return self._pool.rows(sql, bindings)
        except CorruptStoreError as error:
            rebuild_index(self._pool)
            event = Degradation("keyword index", error.message, "rebuilt from the memories", recovered=True)
            self._on_degradation(event)
            return self._pool.rows(sql, bindings)
