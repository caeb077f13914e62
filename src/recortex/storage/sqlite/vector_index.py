"""An approximate index of the vectors in a file beside the store.

Made of them, lost without loss, used only when whole.

A file counts only while the store names it with its length and checksum, so that one which is damaged, cut
short, another store's or of a state before a backup was put back is as good as none. Vectors that came
later are compared by their signs.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.degradation import Degradation
from recortex.storage.records.rows import json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from recortex.storage.records.filters import Clause
    from recortex.storage.sqlite.pool import Pool

LINKS, EFFORT, SEARCHED = 24, 128, 1_600
"""Neighbours of a vector in the graph, and how many are looked at to place one and to find some
(bench/scale.py)."""
ONCE = 1
"""A process that asks no more than so often does without a file that nobody has read whole yet: to read 500
MB for the checksum takes longer than to compare a million signs once (bench/scale.py)."""
_WIDER = (1.25, 10.0, 50.0)
"""So many times more is asked for than is wanted, one after the other, until enough are memories that pass
the filter; after the last, 4,500 vectors in 30 ms, what passes is looked at one by one (bench/scale.py)."""
SUFFIX, SEAL = ".usearch", ".whole"
EVERYTHING: Clause = ("1", ())


class Indexed(NamedTuple):
    """A file that the store names."""

    name: str
    last_key: int
    vectors: int
    size: int
    checksum: bytes


class VectorIndex:
    """Finds the nearest vectors through the file, where there is one.

    Args:
        folder: where the files are; None for a store that has none.
        on_degradation: told why a file that is there cannot be used.
    """

    def __init__(
        self, pool: Pool, folder: Path | None, on_degradation: Callable[[Degradation], None] = lambda _: None
    ) -> None:
        self._pool = pool
        self.folder = folder
        self._on_degradation = on_degradation
        self._sql = pool.queries("vectors")
        self._asked: dict[int, int] = {}
        self._opened: dict[int, tuple[str, Any]] = {}
        self._lock = threading.Lock()

    def registered(self, model: int) -> Indexed | None:
        """The file that the store names for an embedder."""
        rows = self._pool.rows(self._sql["index"], (model,)) if self.folder else ()
        return Indexed(*rows[0]) if rows else None

    def nearest(self, model: int, vector: bytes, limit: int, clause: Clause = EVERYTHING) -> list[int] | None:
        """Keys of the memories whose vectors are nearest, nearest first.

        Args:
            model: the embedder's key.
            vector: little-endian float32 values.
            limit: at most so many.
            clause: the condition on `memories m`, with its values.

        Returns:
            The keys; None where no file can be used, or too little of what is near passes the condition.
        """
        indexed = self.registered(model)
        graph = self._graph(indexed, model) if indexed else None
        codes = quantised(vector)
        if indexed is None or graph is None or graph.ndim != len(codes):
            return None
        later = limit if clause == EVERYTHING else int(limit * _WIDER[-1])
        tail = self._tail(model, indexed.last_key, codes, later)
        for wider in _WIDER:
            wanted = int(limit * wider)
            pairs = self._pairs(graph, codes, wanted)
            found = self._having([*pairs, *tail], clause)
            if len(found) >= limit or len(pairs) < wanted:
                return found[:limit]
        return None

    def _pairs(self, graph: Any, codes: bytes, wanted: int) -> list[tuple[int, float]]:
        """Keys of vectors by the file, with their distances."""
        import numpy as np

        with self._lock:
            graph.expansion_search = max(SEARCHED, wanted)
            matches = graph.search(np.frombuffer(codes, np.int8), wanted)
        return list(zip(matches.keys.tolist(), matches.distances.tolist(), strict=True))

    def _having(self, pairs: Sequence[tuple[int, float]], clause: Clause) -> list[int]:
        """The memories that have these vectors and pass the condition, nearest first."""
        keys = json([key for key, _ in sorted(pairs, key=lambda pair: (pair[1], pair[0]))])
        condition, values = clause
        sql = f"{self._sql['having']} WHERE {condition}"
        return [row[0] for row in self._pool.rows(sql, (keys, *values))]

    def _tail(self, model: int, last_key: int, codes: bytes, limit: int) -> list[tuple[int, float]]:
        """The nearest of those vectors that came after the file was made, with their distances."""
        rows = self._pool.rows(self._sql["tail"], (codes, model, last_key, codes, limit))
        return [(int(key), float(distance)) for key, distance in rows]

    def _graph(self, indexed: Indexed, model: int) -> Any | None:
        """The opened file; None where it cannot be used or the process has asked too little for it to pay."""
        asked = self._asked[model] = self._asked.get(model, 0) + 1
        name, graph = self._opened.get(model, ("", None))
        if name != indexed.name and (
            asked > ONCE or (self.folder and seen_whole(self.folder / indexed.name))
        ):
            name, graph = self._opened[model] = indexed.name, self._open(indexed)
        return graph if name == indexed.name else None

    def _open(self, indexed: Indexed) -> Any | None:
        assert self.folder is not None  # noqa: S101  `registered` looked
        path = self.folder / indexed.name
        why = "" if seen_whole(path) else damage(path, indexed)
        if not why:
            try:
                graph: Any = graphs().restore(path, view=True)
            except ImportError:
                why = "the package usearch is not installed"
            except (RuntimeError, ValueError, OSError) as error:
                why = f"the file cannot be opened: {error}"
            else:
                if graph is not None and len(graph) == indexed.vectors:
                    return graph
                why = "the file holds something else"
        self._on_degradation(Degradation("vector index", why, "every vector is compared by its signs"))
        return None

    def drop(self) -> None:
        """Forget every file and remove it: what was erased from the store is not to be in them either."""
        if self.folder is not None:
            self._opened = {}
            self._pool.rows(self._sql["index_drop"])
            remove_strays(self.folder, ())


def graphs() -> Any:
    """The class of usearch's graphs.

    onnxruntime is loaded first: after usearch, which makes its library's names visible to all others,
    loading it ends the process (usearch 2.26 with onnxruntime 1.31 on Linux).

    Raises:
        ImportError: usearch is not installed.
    """
    if find_spec("usearch") is None:
        raise ImportError("usearch is not installed")
    with suppress(ImportError):
        import onnxruntime  # noqa: F401
    from usearch.index import Index

    return Index


def quantised(vector: bytes) -> bytes:
    """Little-endian float32 values as the int8 codes in which vectors are kept: the largest becomes ±127."""
    import numpy as np

    values = np.frombuffer(vector, "<f4")
    scale = 127 / max(float(np.abs(values).max(initial=0.0)), 1e-12)
    return bytes(np.rint(values * scale).astype(np.int8).tobytes())


def damage(path: Path, indexed: Indexed) -> str:
    """Why a file is not the one that was made; empty where it is.

    Its whole content counts: a search trusts it blindly.
    """
    try:
        size = path.stat().st_size
        if size != indexed.size:
            return f"the file has {size} bytes instead of {indexed.size}"
        before = _state(path)
        if checksum(path) != indexed.checksum:
            _seal(path).unlink(missing_ok=True)
            return "the file is damaged"
        note_whole(path, before)
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    return ""


def seen_whole(path: Path) -> bool:
    """Whether a file was read whole and is, by its size, time and place on the disk, the same since.

    What a failing disk changes without a write is seen by `doctor` and by the job that keeps the index up:
    they read it.
    """
    try:
        return _seal(path).read_text(encoding="ascii") == _state(path)
    except (OSError, ValueError):
        return False


def note_whole(path: Path, state: str | None = None) -> None:
    """Note that a file was read whole in a state, or was just written.

    Where that cannot be noted, it is read again.
    """
    with suppress(OSError):
        seal = _seal(path)
        seal.unlink(missing_ok=True)
        with os.fdopen(os.open(seal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(state or _state(path))


def _seal(path: Path) -> Path:
    return path.with_name(f"{path.name}{SEAL}")


def _state(path: Path) -> str:
    found = path.stat()
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def checksum(path: Path) -> bytes:
    """BLAKE3 of a file's content."""
    from blake3 import blake3

    return bytes(blake3(max_threads=blake3.AUTO).update_mmap(path).digest())


def remove_strays(folder: Path, named: Sequence[str]) -> None:
    """Remove the files that the store does not name.

    One that another program holds open goes the next time.
    """
    for path in (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{SUFFIX}{SEAL}")):
        if path.name.removesuffix(SEAL) not in named:
            with suppress(OSError):
                path.unlink()
