"""Making the approximate index of the vectors: anew, or from the file that is there and what came since."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.storage.sqlite.vector_index import (
    EFFORT,
    LINKS,
    SUFFIX,
    Indexed,
    checksum,
    damage,
    graphs,
    note_whole,
    remove_strays,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recortex.storage.sqlite.pool import Pool
    from recortex.storage.sqlite.vector_index import VectorIndex

LEAST = 50_000
"""Fewer vectors are compared one by one: 8 ms for so many, against 2 ms through an index (bench/scale.py)."""
LATER_SHARE, LATER = 0.1, 20_000
"""When more vectors came since than this share of the file's, and than so many, they are put in: 2 ms of
each search."""
GONE_SHARE = 0.2
"""When more of the file's vectors are gone than that, it is made anew."""
SLICE = 10_000


class VectorCounts(NamedTuple):
    """How many vectors an embedder has, the newest one's key, and how many came after the file was made."""

    newest: int
    vectors: int
    later: int


def keep_up(
    index: VectorIndex,
    pool: Pool,
    *,
    threads: int = 1,
    least: int = LEAST,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> int:
    """Make or extend the files that are due; nobody else may do so at the same time.

    Args:
        index: the store's.
        pool: the store's database.
        threads: cores to use.
        least: vectors from which on an index is made.
        progress: told (what, done, of how many).

    Returns:
        How many vectors were put into files.

    Raises:
        ImportError: usearch is not installed, and there is something to be done.
        OSError: the folder cannot be written.
    """
    sql = pool.queries("vectors")
    if index.folder is None:
        return 0
    pool.rows(sql["index_unfinished"])
    remove_strays(index.folder, [row[0] for row in pool.rows(sql["index_names"])])
    made = 0
    for model, dimensions in pool.rows(sql["models"]):
        old = _usable(index, model)
        counts = VectorCounts(*pool.rows(sql["index_counts"], (model, old.last_key if old else 0))[0])
        if _due(counts, old, least):
            keep = old if old and not _mostly_gone(counts, old) else None
            build = _Building(pool, index.folder, model, threads)
            made += build.run(dimensions, counts, keep, progress)
        elif counts.vectors < least:
            pool.rows(sql["index_others"], (model, ""))
    remove_strays(index.folder, [row[0] for row in pool.rows(sql["index_names"])])
    return made


def _usable(index: VectorIndex, model: int) -> Indexed | None:
    old = index.registered(model)
    return None if old is None or not index.folder or damage(index.folder / old.name, old) else old


def _due(counts: VectorCounts, old: Indexed | None, least: int) -> bool:
    if counts.vectors < least:
        return False
    later = max(min(LATER, least), LATER_SHARE * (old.vectors if old else 0))
    return old is None or counts.later > later or _mostly_gone(counts, old)


def _mostly_gone(counts: VectorCounts, old: Indexed) -> bool:
    return old.vectors - (counts.vectors - counts.later) > GONE_SHARE * old.vectors


class _Building:
    """One file on its way."""

    def __init__(self, pool: Pool, folder: Path, model: int, threads: int) -> None:
        self._pool = pool
        self._sql = pool.queries("vectors")
        self._folder = folder
        self._model = model
        self._threads = threads
        self._name = f"{secrets.token_hex(8)}{SUFFIX}"

    def run(
        self,
        dimensions: int,
        counts: VectorCounts,
        old: Indexed | None,
        progress: Callable[[str, int, int], None],
    ) -> int:
        """Make the file and let the store name it; returns how many vectors were put in.

        It is named before it is begun, so that the store takes the name back when the newest vector goes
        meanwhile.
        """
        graph = self._graph(dimensions, old)
        had = len(graph)
        self._pool.rows(self._sql["index_begin"], (self._name, self._model, counts.newest))
        first = old.last_key if old else 0
        done, of = 0, counts.later if old else counts.vectors
        while rows := self._pool.rows(self._sql["slice"], (self._model, first, counts.newest, SLICE)):
            self._add(graph, rows)
            first, done = rows[-1][0], done + len(rows)
            progress("indexing vectors", done, of)
        self._save(graph)
        return len(graph) - had

    def _graph(self, dimensions: int, old: Indexed | None) -> Any:
        graph = graphs()(ndim=dimensions, metric="cos", dtype="i8", connectivity=LINKS, expansion_add=EFFORT)
        if old is not None:
            graph.load(self._folder / old.name)
        return graph

    def _add(self, graph: Any, rows: list[tuple[Any, ...]]) -> None:
        import numpy as np

        whole = [(key, vector) for key, vector in rows if len(vector) == graph.ndim]
        keys = np.array([key for key, _ in whole], dtype=np.uint64)
        codes = np.frombuffer(b"".join(vector for _, vector in whole), np.int8).reshape(
            len(whole), graph.ndim
        )
        if whole:
            graph.add(keys, codes, threads=self._threads)

    def _save(self, graph: Any) -> None:
        path = self._folder / self._name
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
        graph.save(path)
        with path.open("rb+") as written:
            os.fsync(written.fileno())
        done = (self._name, len(graph), path.stat().st_size, checksum(path))
        note_whole(path)
        with self._pool.transaction():
            if self._pool.rows(self._sql["index_done"], done):
                self._pool.rows(self._sql["index_others"], (self._model, self._name))
