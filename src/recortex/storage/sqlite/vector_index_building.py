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
"""Vectors that are read and added at a time."""


class VectorCounts(NamedTuple):
    """How many vectors an embedder has, the newest one's key, and how many came after the file was made."""

    newest: int
    vectors: int
    later: int


def keep_up(index: VectorIndex, pool: Pool, *, threads: int, least: int) -> int:
    """Make or extend the files that are due; nobody else may do so at the same time.

    Args:
        index: the store's.
        pool: the store's database.
        threads: cores to use.
        least: vectors from which on an index is made.

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
            graph = graphs()(
                ndim=dimensions, metric="cos", dtype="i8", connectivity=LINKS, expansion_add=EFFORT
            )
            if keep:
                graph.load(index.folder / keep.name)
            after = keep.last_key if keep else 0
            made += _build(index.folder, pool, model, graph, after, counts.newest, threads)
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


def _build(folder: Path, pool: Pool, model: int, graph: Any, after: int, newest: int, threads: int) -> int:
    """Put the vectors after a key into a graph, write its file and let the store name it.

    The store notes the file's name before it is written, and drops the note when the newest vector is deleted
    meanwhile: its key may be given again. Returns how many vectors were put in.
    """
    import numpy as np

    sql, name = pool.queries("vectors"), f"{secrets.token_hex(8)}{SUFFIX}"
    pool.rows(sql["index_begin"], (name, model, newest))
    had = len(graph)
    while rows := pool.rows(sql["slice"], (model, after, newest, SLICE)):
        whole = [(key, vector) for key, vector in rows if len(vector) == graph.ndim]
        codes = np.frombuffer(b"".join(vector for _, vector in whole), np.int8)
        if whole:
            keys = np.array([key for key, _ in whole], dtype=np.uint64)
            graph.add(keys, codes.reshape(len(whole), graph.ndim), threads=threads)
        after = rows[-1][0]
    path = folder / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    graph.save(path)
    with path.open("rb+") as written:
        os.fsync(written.fileno())
    facts = (name, len(graph), path.stat().st_size, checksum(path))
    note_whole(path)
    with pool.transaction():
        if pool.rows(sql["index_done"], facts):
            pool.rows(sql["index_others"], (model, name))
    return len(graph) - had
