"""Vectors in SQLite, with the approximate index beside the store."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from recortex.domain.embedding import VectorIndexState
from recortex.storage.records.vectors import VectorRecords
from recortex.storage.sqlite.vector_index import damage

if TYPE_CHECKING:
    from recortex.storage.sqlite.pool import Pool
    from recortex.storage.sqlite.vector_index import VectorIndex

INSTALL = "pip install 'recortex[scale]'"
MAKE = "Run `recortex reembed`, or wait for the job that follows each session: it is made then."


class SqliteVectors(VectorRecords):
    """Vectors of memories.

    Args:
        index: the store's approximate index.
    """

    def __init__(self, pool: Pool, index: VectorIndex) -> None:
        super().__init__(pool)
        self._pool = pool
        self._index = index

    def keep_index(self, *, threads: int = 1, least: int | None = None) -> int:
        """Make or extend the files of the index that are due; returns how many vectors were put in.

        Args:
            threads: cores to use.
            least: vectors from which on an index is made; as measured, where none is given.

        Raises:
            ImportError: usearch is not installed, and there is something to be done.
            OSError: the folder cannot be written.
        """
        from recortex.storage.sqlite.vector_index_building import LEAST, keep_up

        return keep_up(self._index, self._pool, threads=threads, least=LEAST if least is None else least)

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:
        """How the index of the embedder with the most vectors stands; None where they are too few for one.

        Args:
            thorough: look at all of its content, half a second for a million vectors.
        """
        from recortex.storage.sqlite.vector_index_building import LEAST, VectorCounts

        if self._index.folder is None:
            return None
        found = [
            (VectorCounts(*self._pool.rows(self._sql["index_counts"], (model, 0))[0]), model)
            for model, _ in self._pool.rows(self._sql["models"])
        ]
        counts, model = max(found, key=lambda one: one[0].vectors, default=(VectorCounts(0, 0, 0), 0))
        indexed = self._index.registered(model)
        if counts.vectors < LEAST and indexed is None:
            return None
        if find_spec("usearch") is None:
            return VectorIndexState(counts.vectors, 0, "the package usearch is not installed", INSTALL)
        if indexed is None:
            return VectorIndexState(counts.vectors, 0, "it was not made yet", MAKE)
        wrong = damage(self._index.folder / indexed.name, indexed) if thorough else ""
        return VectorIndexState(counts.vectors, indexed.vectors, wrong, MAKE if wrong else "")
