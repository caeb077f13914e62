"""Vectors in SQLite, with an approximate index of them in a file beside the store.

The file can be made again at any time. It counts only while the store names it with its length and checksum:
one that is damaged, cut short, another store's or older than a restored backup is ignored. Vectors that came
later are compared by their signs.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Degradation, VectorIndexState
from recortex.lean import NamedTuple, lazy_module
from recortex.storage.database import json
from recortex.storage.records.rows import EVERYTHING
from recortex.storage.records.search import closest, packed_words, words_of
from recortex.storage.records.vectors import quantised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import blake3
    import numpy as np

    from recortex.storage.records.rows import Clause
    from recortex.storage.sqlite import Pool
else:
    blake3 = lazy_module("blake3")
    np = lazy_module("numpy")


LINKS, EFFORT, SEARCHED = 24, 128, 1_600
"""Neighbours of a vector in the graph, and how many are looked at to place one and to find some
(bench/scale.py)."""
ONCE = 1
"""Searches that a process makes without a file that is not verified yet: reading 500 MB for the checksum
takes longer than comparing a million signs once (bench/scale.py)."""
_WIDER = (1.25, 10.0, 50.0)
"""So many times more is asked for than is wanted, one after the other, until enough are memories that pass
the filter; after the last, 4,500 vectors in 30 ms, what passes is looked at one by one (bench/scale.py)."""
INSTALL = "pip install 'recortex[scale]'"
MAKE = "Run `recortex reembed`, or wait until after the next session: a job makes it then."
SUFFIX, SEAL = ".usearch", ".whole"
LEAST = 50_000
"""Fewer vectors are compared one by one: 8 ms for so many, against 2 ms through an index (bench/scale.py)."""
LATER_SHARE, LATER = 0.1, 20_000
"""When more vectors came since than this share of the file's, and than so many, they are put in: 2 ms of
each search."""
GONE_SHARE = 0.2
"""When more of the file's vectors are gone than that, it is made anew."""
SLICE = 10_000
"""Vectors that are read and added at a time."""


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
        tail = self._pool.rows(self._sql["tail"], (codes, model, indexed.last_key, codes, later))
        condition, values = clause
        having = f"{self._sql['having']} WHERE {condition}"
        for wider in _WIDER:
            wanted = int(limit * wider)
            with self._lock:
                graph.expansion_search = max(SEARCHED, wanted)
                matches = graph.search(np.frombuffer(codes, np.int8), wanted)
            pairs = zip(matches.keys.tolist(), matches.distances.tolist(), strict=True)
            nearest = sorted([*pairs, *tail], key=lambda pair: (pair[1], pair[0]))
            found = self._pool.rows(having, (json([key for key, _ in nearest]), *values))
            if len(found) >= limit or len(matches.keys) < wanted:
                return [row[0] for row in found[:limit]]
        return None

    def _graph(self, indexed: Indexed, model: int) -> Any | None:
        """The opened file; None where it cannot be used or the process has asked too little for it to pay."""
        asked = self._asked[model] = self._asked.get(model, 0) + 1
        name, graph = self._opened.get(model, ("", None))
        if name != indexed.name and (
            asked > ONCE or (self.folder and is_verified(self.folder / indexed.name))
        ):
            name, graph = self._opened[model] = indexed.name, self._open(indexed)
        return graph if name == indexed.name else None

    def _open(self, indexed: Indexed) -> Any | None:
        assert self.folder is not None  # noqa: S101  `registered` looked
        path = self.folder / indexed.name
        why = "" if is_verified(path) else damage(path, indexed)
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
        """Forget and remove every file: what was erased from the store must not stay in them."""
        if self.folder is not None:
            self._opened = {}
            self._pool.rows(self._sql["index_drop"])
            remove_strays(self.folder, ())

    def keep(self, *, threads: int = 1, least: int | None = None) -> int:
        """Make or extend the files of the index that are due; returns how many vectors were put in.

        Args:
            threads: cores to use.
            least: vectors from which on an index is made; as measured, where none is given.

        Raises:
            ImportError: usearch is not installed, and there is something to be done.
            OSError: the folder cannot be written.
        """
        return keep_up(self, self._pool, threads=threads, least=LEAST if least is None else least)

    def state(self, *, thorough: bool = True) -> VectorIndexState | None:
        """How the index of the embedder with the most vectors stands; None where they are too few for one.

        Args:
            thorough: look at all of its content, half a second for a million vectors.
        """
        if self.folder is None:
            return None
        found = [
            (VectorCounts(*self._pool.rows(self._sql["index_counts"], (model, 0))[0]), model)
            for model, _ in self._pool.rows(self._sql["models"])
        ]
        counts, model = max(found, key=lambda one: one[0].vectors, default=(VectorCounts(0, 0, 0), 0))
        indexed = self.registered(model)
        if counts.vectors < LEAST and indexed is None:
            return None
        if find_spec("usearch") is None:
            return VectorIndexState(counts.vectors, 0, "the package usearch is not installed", INSTALL)
        if indexed is None:
            return VectorIndexState(counts.vectors, 0, "it was not made yet", MAKE)
        wrong = damage(self.folder / indexed.name, indexed) if thorough else ""
        return VectorIndexState(counts.vectors, indexed.vectors, wrong, MAKE if wrong else "")


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


def damage(path: Path, indexed: Indexed) -> str:
    """Why a file is not the one that was made; empty where it is. All of it is read: searches trust it."""
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


def is_verified(path: Path) -> bool:
    """Whether a file was verified before and is unchanged since, by its size, time and place on the disk.

    What a failing disk changes without a write is noticed by `doctor` and by the job that extends the index:
    they read the file.
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
    return bytes(blake3.blake3(max_threads=blake3.blake3.AUTO).update_mmap(path).digest())


def remove_strays(folder: Path, named: Sequence[str]) -> None:
    """Remove the files that the store does not name.

    One that another program holds open goes the next time.
    """
    for path in (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{SUFFIX}{SEAL}")):
        if path.name.removesuffix(SEAL) not in named:
            with suppress(OSError):
                path.unlink()


# -- making


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
    sql, name = pool.queries("vectors"), f"{os.urandom(8).hex()}{SUFFIX}"
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


# -- the signs of memories' vectors, held by a process that asks more than once


MOST = 2_000_000
"""With more vectors nothing is held: so many take 110 MB."""
_CHUNK = 5_000
"""Vectors that are read by one statement."""
_GROWTH = 1.2
_ONCE = 1
"""Searches that a process makes without: a command that asks one question would read all for nothing."""


class _Held(NamedTuple):
    """The signs of an embedder's vectors, in arrays that have room for more.

    Attributes:
        changes: what the database had counted when they were read.
        seen: the newest key of any vector then.
        size: how many there are.
        keys: int64, ascending.
        words: uint64, an array for each 64 signs of every vector.
        length: bytes of the signs of each.
    """

    changes: int
    seen: int
    size: int = 0
    keys: Any = ()
    words: Sequence[Any] = ()
    length: int = 0

    @property
    def last(self) -> int:
        """The newest key; 0 before there is one."""
        return int(self.keys[self.size - 1]) if self.size else 0


class VectorsInMemory:
    """Finds vectors by their signs.

    Their codes, eight times as long, are read where they are compared: holding those of 100,000 would take
    38 MB and spare a recall less than a millisecond (bench/RESULTS.md).

    Args:
        pool: the database.
        most: with more vectors of an embedder, none are held.
    """

    def __init__(self, pool: Pool, *, most: int = MOST) -> None:
        self._pool = pool
        self._most = most
        self._sql = pool.queries("vectors")
        self._asked: dict[int, int] = {}
        self._held: dict[int, _Held] = {}
        self._lock = threading.Lock()

    def hold(self, model: int) -> None:
        """Read the signs now: the process is going to ask."""
        self._asked[model] = _ONCE
        self._up_to_date(model)

    def drop(self) -> None:
        """Hold nothing: vectors of what was erased are gone at once."""
        with self._lock:
            self._held.clear()

    def nearest(self, model: int, vector: bytes, limit: int) -> list[int] | None:
        """Keys of the vectors whose signs differ least, those first; of equally near ones the oldest first.

        Args:
            model: the embedder's key.
            vector: little-endian float32 values, as long as the held ones.
            limit: at most so many.

        Returns:
            The keys; None where nothing is held, or vectors of another length.
        """
        self._asked[model] = self._asked.get(model, 0) + 1
        held = self._up_to_date(model) if self._asked[model] > _ONCE else None
        if held is None:
            return None
        asked = [column[0] for column in words_of((np.frombuffer(vector, "<f4") > 0)[np.newaxis])]
        if len(asked) != len(held.words):
            return None
        size = held.size
        keys: list[int] = held.keys[closest([column[:size] for column in held.words], asked, limit)].tolist()
        return keys

    def _up_to_date(self, model: int) -> _Held | None:
        """What is held, with what came since.

        None where there is nothing, too much, or a transaction whose rows may yet be gone.
        """
        if self._pool.in_transaction:
            return None
        with self._lock:
            held = self._held.pop(model, None)
            counted = self._pool.rows(self._sql["changes"])
            if not counted:  # by damage
                return None
            changes, newest = counted[0]
            if held is None or held.changes != changes:
                held = self._extended(model, _Held(changes, newest)) if newest <= self._most else None
            elif held.seen < newest:
                held = self._extended(model, held._replace(seen=newest))
            if held is not None:
                self._held[model] = held
            return held

    def _extended(self, model: int, held: _Held) -> _Held | None:
        """What is held with later vectors.

        None where earlier ones were changed since, or there are none or too many.
        """
        for changes, rows in self._read(model, held):
            lengths = {len(signs) for _, signs in rows} | ({held.length} - {0})
            if changes != held.changes or len(lengths) > 1:  # the latter by damage alone
                return None
            held = _with(held, rows)
        return held if 0 < held.size <= self._most else None

    def _read(self, model: int, held: _Held) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
        """Keys and signs of later vectors in chunks, with what the database counted of changes."""
        first, more = held.last + 1, True
        while more:
            found = self._pool.rows(self._sql["held_signs"], (model, first, _CHUNK))
            rows = [(key, signs) for _, key, signs in found if key is not None]
            yield found[0][0], rows
            more = len(rows) == _CHUNK
            first = rows[-1][0] + 1 if rows else first


def _with(held: _Held, rows: Sequence[tuple[int, bytes]]) -> _Held:
    """The same with later vectors, in the same arrays as far as these have room.

    Who reads meanwhile goes by the former size.
    """
    if not rows:
        return held
    signs = packed_words([one for _, one in rows])
    start, end = held.size, held.size + len(rows)
    if end > len(held.keys):
        # At first for all that may come: what is copied again and again leaves holes in the memory.
        room = max(int(end * _GROWTH) if start else end, end + min(held.seen - rows[-1][0], MOST))
        held = held._replace(
            keys=_longer(held.keys, room, "int64"),
            words=[_longer(column, room, "uint64") for column in held.words or [()] * len(signs)],
        )
    held.keys[start:end] = [key for key, _ in rows]
    for column, added in zip(held.words, signs, strict=True):
        column[start:end] = added
    return held._replace(size=end, length=len(rows[0][1]))


def _longer(array: Any, room: int, of: str) -> Any:
    """A longer array; what is not used of it takes no memory yet."""
    longer = np.empty(room, of)
    longer[: len(array)] = array
    return longer
