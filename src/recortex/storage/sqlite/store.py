"""A store in one SQLite file, and how it is searched: words through FTS5, likeness through sqlite-vec."""

from __future__ import annotations

import re
from bisect import bisect
from contextlib import closing, suppress
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recortex.deadlines import seconds_left
from recortex.domain.maintenance import LOSING, LOST, Degradation
from recortex.domain.search import MOST_SCORED, Facts
from recortex.domain.text import lazy, to_micros
from recortex.errors import BackupError, CorruptStoreError, PermissionsError, RecortexError, StoreBusyError
from recortex.lean import lazy_module
from recortex.storage.database import json
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.rows import EVERYTHING, INDEXED, MOST_FOUND, Keywords, rarest
from recortex.storage.records.search import LOOKALIKES, SearchRecords
from recortex.storage.records.vectors import VectorRecords, quantised
from recortex.storage.sqlite import Pool, digest, migrations, objects_of
from recortex.storage.sqlite.connection import MEMORY, LastChange, connect, is_full, load_vectors, reached
from recortex.storage.sqlite.migrations import DIGESTS, mend, migrate, refuse_foreign
from recortex.storage.store import EngineStore
from recortex.text.words import ANY_ENDING, begins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.maintenance import Integrity, VectorIndexState
    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Bindings, Row, Rows
    from recortex.storage.records.rows import Clause, Indexed
    from recortex.storage.sqlite import backup, maintenance, vector_index
    from recortex.storage.sqlite.backup import Backups
    from recortex.storage.sqlite.lookalikes import HeldWords
    from recortex.storage.sqlite.maintenance import SqliteCompaction
    from recortex.storage.sqlite.recovery import SqliteFullCopy
    from recortex.storage.sqlite.vector_index import VectorIndex, VectorsInMemory
else:
    vector_index = lazy_module("recortex.storage.sqlite.vector_index")
    maintenance = lazy_module("recortex.storage.sqlite.maintenance")
    backup = lazy_module("recortex.storage.sqlite.backup")


MANY_NEW = 32
"""From so many new memories on, known ones are found for all at once: NumPy takes longer to be loaded than
fewer searches take."""
MANY_ROWS = 20_000
"""In a store of more memories, those like a new one are found by its rarest words: BM25 of a common word
reads all rows that hold it, a quarter of a second among a million."""
MOST_ALIKE = 10_000
"""Rows that are scored there: as many take 10 ms."""
AT_ONCE = 50
"""Rows that one statement inserts: FTS5 writes what it holds with each statement that has a trigger, a part
of the index of its own, so that one by one takes 40 µs more a row; more values take longer to be bound."""
MOST_KEPT = 10_000
"""Words whose counts are kept: about a megabyte."""


_VALUES, _NAME = lazy(r"(?<=VALUES )(\(.*?\))", re.DOTALL), lazy(r":(\w+)")


@lru_cache
def _for_rows(sql: str, count: int) -> tuple[str, Callable[[Mapping[str, Any]], tuple[Any, ...]]]:
    """A statement that inserts a row as one that inserts so many, and what gives the values of each."""
    begin, values, end = _VALUES.split(sql)
    names = _NAME.findall(values)
    marks = f"({', '.join('?' * len(names))})"
    return f"{begin}{', '.join([marks] * count)}{end}", itemgetter(*names)


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
            # The index holds nothing that the memories do not: making it anew loses nothing, so a reader
            # repairs it and asks again. If the rows themselves are damaged, the second try raises.
            maintenance.rebuild_index(self._pool)
            event = Degradation("keyword index", error.message, "rebuilt from the memories", recovered=True)
            self._on_degradation(event)
            return self._pool.rows(sql, bindings)


class WordCounts:
    """Counts the rows of one keyword index.

    A count holds while FTS5's record of its segments, which counts what was ever written, and its totals
    of rows and words are the same: every change by whatever process changes one of the two.

    Args:
        pool: tells whether this thread is in a transaction, whose words may yet be gone.
        index: runs what reads the keyword index.
        sql: the query of a topic that counts.
        name: of the index.
        counted: rows with a word are counted up to this number, and estimated above by the latest.
        size: gives about how many rows there are.
    """

    def __init__(
        self, pool: Pool, index: Rows, sql: str, name: str, counted: int, size: Callable[[], int]
    ) -> None:
        self._pool, self._index, self._sql = pool, index, sql
        self._state = f"SELECT block FROM {name}_data WHERE id IN (1, 10)"  # totals, and the segments
        self._counted, self._size = counted, size
        self._kept: tuple[object, dict[str, int]] = (None, {})

    def count_rows(self, words: Sequence[str]) -> list[int]:
        """How many rows hold each word; above what is counted, as if all were like the latest."""
        # A transaction sees its own words, and may be rolled back: a count from within it must not be kept.
        if self._pool.in_transaction:
            return self._count(words)
        state = self._index.rows(self._state)
        before, kept = self._kept
        # A write by any process makes all counts doubtful: which words it touched, FTS5 does not tell.
        if before != state or len(kept) > MOST_KEPT:
            kept = {}
            self._kept = state, kept
        if missing := [word for word in words if word not in kept]:
            kept.update(zip(missing, self._count(missing), strict=True))
        return [kept[word] for word in words]

    def _count(self, words: Sequence[str]) -> list[int]:
        found = self._index.rows(self._sql, (json([literally(word) for word in words]), self._counted))
        return [self._estimated(*map(int, row[0].split())) for row in found]

    def _estimated(self, count: int, oldest: int) -> int:
        if count < self._counted:
            return count
        # FTS5 is read from the newest row on, so the oldest row that was counted says over which part of the
        # store the limit was reached; the share is taken to hold in the rest. BM25 takes only its logarithm.
        size = self._size()
        return max(self._counted, self._counted * size // max(size - oldest + 1, self._counted))


def literally(word: str) -> str:
    """A word as a full-text expression, taken literally but for `ANY_ENDING`."""
    if begins(word):
        return f'"{word.removesuffix(ANY_ENDING)}" *'
    # NUL ends a statement's text for FTS5, and a quote inside quotes is written twice.
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


class SqliteKeywords(Keywords):
    """The keyword index of one table, by FTS5.

    Args:
        index: runs what reads or writes the index.
    """

    def __init__(self, pool: Pool, index: Rows, indexed: Indexed) -> None:
        super().__init__(pool, indexed)
        self._index = index
        name = f"{indexed.table}_fts"
        self._counts = WordCounts(pool, index, self._sql["frequencies"], name, indexed.counted, self.size)

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """All rows of a statement that reads or writes the index, directly or through a trigger."""
        return self._index.rows(sql, bindings)

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Write new rows by a statement that returns the key of one; returns theirs, in the same order."""
        keys: list[int] = []
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            together, values_of = _for_rows(sql, len(some))
            values = list(chain.from_iterable(map(values_of, some)))
            keys += sorted(key for (key,) in self.rows(together, values))  # the order is not promised
        return keys

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one, estimated by the latest."""
        return self._counts.count_rows(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the keys whose rows contain it."""
        sql, among = self._sql["holding"], json(list(keys))
        return {word: frozenset(row[0] for row in self.rows(sql, (literally(word), among))) for word in words}

    def match(
        self,
        words: Sequence[str],
        limit: int,
        clause: Clause,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of rows with any of the words, or all, best first; of equals the oldest first."""
        if not words:
            return []
        wanted = " AND ".join(map(literally, words)) if all_required else any_of(words)
        found = self._matching(wanted, limit, clause, MOST_SCORED)
        if score_only:  # in one expression, the words would stand twice and count twice
            found += self._matching(f"({wanted}) AND ({any_of(score_only)})", limit, clause, MOST_SCORED)
        return _best_of(found, limit)

    def match_rarest(self, words: Mapping[str, int], limit: int, clause: Clause) -> list[tuple[int, float]]:
        """The same; the rarest words find, and as many score as can be read in time."""
        known = sorted((word for word, count in words.items() if count), key=words.__getitem__)
        if not known:
            return []
        finding, read = rarest([words[word] for word in known])
        wanted, also = any_of(known[:finding]), any_of(known[finding:read])
        found = self._matching(wanted, limit, clause, MOST_FOUND)
        # A row's score is summed over the words of its expression: rows found by the rare words are asked a
        # second time together with the others, so that these count without being searched for on their own.
        if also:
            found += self._matching(f"({wanted}) AND ({also})", limit, clause, MOST_FOUND)
        if len(dict(found)) < limit and finding < len(known):
            found += self._matching(any_of(known[: max(read, finding + 1)]), limit, clause, MOST_FOUND)
        return _best_of(found, limit)

    def _matching(self, expression: str, limit: int, clause: Clause, most: int) -> list[tuple[int, float]]:
        condition, values = clause
        sql, (table, alias, *_) = self._sql["match"], self._indexed
        if clause != EVERYTHING:
            passing = f"{alias}.key = {table}_fts.rowid AND {condition}"
            sql = sql.replace(
                "MATCH ?", f"MATCH ? AND EXISTS (SELECT 1 FROM {table} {alias} WHERE {passing})"
            )
        return [(key, score) for key, score in self.rows(sql, (expression, *values, most, limit))]


class SqliteVectors(VectorRecords):
    """Vectors of memories.

    Args:
        folder: of the approximate index; None for a store that has none.
        on_degradation: told why an index that is there cannot be used.
    """

    def __init__(
        self, pool: Pool, folder: Path | None, on_degradation: Callable[[Degradation], None]
    ) -> None:
        super().__init__(pool)
        self._pool = pool
        self._folder = folder
        self._on_degradation = on_degradation

    @cached_property
    def index(self) -> VectorIndex:
        """The approximate index."""
        return vector_index.VectorIndex(self._pool, self._folder, self._on_degradation)

    @cached_property
    def held(self) -> VectorsInMemory:
        """Those that this process has in memory."""
        return vector_index.VectorsInMemory(self._pool)

    def nearest(self, model: int, vector: bytes, limit: int, clause: Clause = EVERYTHING) -> list[int] | None:
        """Keys of the memories with the nearest vectors, by the index."""
        return self.index.nearest(model, vector, limit, clause)

    def keep_index(self, *, threads: int = 1, least: int | None = None) -> int:
        """Make or extend the files of the index that are due; returns how many vectors were put in."""
        return self.index.keep(threads=threads, least=least)

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:
        """How the index of the embedder with the most vectors stands; None where they are too few for one."""
        return self.index.state(thorough=thorough)


class SqliteSearch(SearchRecords):
    """The `SearchStore` of a SQLite database."""

    def __init__(
        self,
        pool: Pool,
        keywords: Keywords,
        memories: MemoryRecords,
        vectors: Callable[[], SqliteVectors],
    ) -> None:
        super().__init__(pool, keywords, memories, vectors)
        self._opened = vectors
        self._pool = pool
        self._near = pool.queries("vectors")

    def _by_signs(self, model_key: int, vector: bytes, limit: int, only: MemoryQuery | None) -> list[int]:
        coarse = self._coarse(limit)
        keys = self._opened().held.nearest(model_key, vector, coarse or limit) if only is None else None
        if keys is None:
            return super()._by_signs(model_key, vector, limit, only)
        if coarse:
            rows = self._database.rows(self._near["nearest_of"], (json(keys), quantised(vector), limit))
        else:
            rows = self._database.rows(self._near["having"], (json(keys),))
        return [row[0] for row in rows]

    def _facts_with_vectors(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Facts]:
        # A row has the fields as they are; `_make` would take half as long again for hundreds of them.
        return [tuple.__new__(Facts, row) for row in self._vector_rows(keys, only, model_key)]

    @cached_property
    def _words(self) -> HeldWords:
        from recortex.storage.sqlite.lookalikes import HeldWords  # hooks never write so many

        return HeldWords(self._keywords, self._sql, lambda: self._keywords.changes, literally)

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        if not words:
            return []
        # In a small store all words may find. In a large one only as many rare words as read few rows
        # together; the common ones then only fill up what is missing, by the latest rows.
        rare, common = list(words), list[str]()
        if self._keywords.size() > MANY_ROWS:
            counts = dict(zip(words, self._keywords.frequencies(words), strict=True))
            known = sorted(filter(counts.get, words), key=counts.__getitem__)
            few = bisect(list(accumulate(counts[word] for word in known)), MOST_ALIKE)
            rare, common = known[:few], known[few:]
        found: dict[str, str] = {}
        if rare:
            sql = self._sql["lookalikes"]
            found |= dict(self._keywords.rows(sql, (any_of(rare), LOOKALIKES, terms)))
        while common and len(found) < LOOKALIKES:  # the latest, with ever fewer of the common words together
            both = " AND ".join(map(literally, common))
            found |= dict(self._keywords.rows(self._sql["latest_with"], (both, LOOKALIKES)))
            common.pop()
        return list(found.items())[:LOOKALIKES]

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for each of many new memories: words that they share are looked up once."""
        if len(asked) < MANY_NEW or self._pool.in_transaction:  # which is not held
            return [self.candidates(words) for words in asked]
        found = self._words.most_alike(asked)
        rows = self._rows("living", json(sorted({key for keys in found for key in keys})))
        living = {key: (id_, text) for key, id_, text in rows}
        return [[living[key] for key in keys if key in living] for keys in found]


def _best_of(found: Sequence[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    """Each key with its best score, best first; of equals the oldest first."""
    best = dict(sorted(found, key=lambda entry: entry[1]))
    return sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]


def any_of(words: Sequence[str]) -> str:
    """A full-text expression: any of the words, each taken literally but for `ANY_ENDING`."""
    return " OR ".join(map(literally, words))


RENEWED_A_SECOND = 30_000_000
"""Bytes of a store of an older version that are surely backed up and migrated in a second; 55 million were
measured."""


class SqliteStore(EngineStore):
    """Memories, relations, logs, vectors and search on one database.

    Args:
        path: the database's file, made when it is not there.
        backups: the folder for backups.
        indexes: the folder for approximate indexes of the vectors; None for a store that has none.
        clock: the time to record for migrations and fall backs.
        on_degradation: told when sqlite-vec cannot be loaded.
        vectors: False to do without sqlite-vec.

    Raises:
        NewerSchemaError: a newer program wrote the file.
        CorruptStoreError: the file is damaged.
    """

    def __init__(
        self,
        path: Path,
        *,
        backups: Path,
        clock: Callable[[], datetime],
        keep_backups: int = 5,
        indexes: Path | None = None,
        on_degradation: Callable[[Degradation], None] = lambda _: None,
        vectors: bool = True,
    ) -> None:
        self.path = path
        self._clock = clock
        self._backups = backups, keep_backups
        # Before anything opens the path: SQLite would make an empty store where one was lost.
        if str(path) != MEMORY and not self._bytes():
            backup.missing(path, backups)
        self.pool = Pool(path, vectors=vectors)
        if vectors and not self.pool.vectors:
            why = f"the extension cannot be loaded: {load_vectors(self.pool.exclusive())}"
            on_degradation(Degradation("sqlite-vec", why, "keyword search alone"))
        try:
            ours = digest(objects_of(self.pool.rows)) in DIGESTS
            self._migrate(former=not ours and refuse_foreign(self.pool))
        except BaseException:
            self.pool.close()
            raise
        self.pool.on_change_of_schema = lambda: self.pool.known_schema(migrations.newest())
        self._follow(on_degradation)
        self.database: Pool = self.pool
        super().__init__(self.pool)
        index = KeywordIndex(self.pool, on_degradation)
        self.keywords = {name: SqliteKeywords(self.pool, index, one) for name, one in INDEXED.items()}
        words = self.keywords["memories"]
        self.memories = MemoryRecords(self.pool, words)
        self.search = SqliteSearch(self.pool, words, self.memories, lambda: self.vectors)
        self._indexes = indexes, on_degradation

    @cached_property
    def backups(self) -> Backups:
        """The backups of the store."""
        folder, keep = self._backups
        return backup.Backups(folder, self._write_backup, keep=keep)

    @cached_property
    def vectors(self) -> SqliteVectors:
        """The vectors of the memories."""
        return SqliteVectors(self.pool, *self._indexes)

    def _migrate(self, *, former: bool) -> None:
        def back_up() -> None:
            self.backups.make(self._clock(), reason="before-migration")

        if not former and self.pool.known_schema(migrations.newest()) == migrations.newest():
            return
        if self._bytes() / RENEWED_A_SECOND > seconds_left():
            # A hook's process would be ended in the middle of it, time after time, and leave half a backup.
            raise StoreBusyError(
                f"The store {self.path} is of an older version, and too large to be brought up to date now.",
                hint="The background process does it after the next turn, or any command: recortex status",
            )
        if self.pool.unwritable:
            raise PermissionsError(
                f"The store {self.path} is of an older version and cannot be brought up to date, since it "
                f"cannot be written: {self.pool.unwritable}.",
                hint=f"Make room or give the right to write. To read it meanwhile, copy it with its log to "
                f"where there is room, and name the copy: --url sqlite:////FOLDER/{self.path.name}",
            )
        now = to_micros(self._clock())
        if former:
            mend(self.pool, now=now, before_change=back_up)
        migrate(self.pool, now=now, before_change=back_up)

    def _bytes(self) -> int:
        return self.path.stat().st_size if str(self.path) != MEMORY and self.path.exists() else 0

    def _follow(self, on_degradation: Callable[[Degradation], None]) -> None:
        """Note the last change beside the store from now on; tell where it lacks what was noted."""
        if str(self.path) == MEMORY:
            return
        self.pool.last_change = last = LastChange(self.path)
        if behind := self.behind():
            on_degradation(Degradation(LOSING, f"{LOST} {behind}", "what was there before"))
        elif not last.noted:
            with suppress(apsw.CorruptError), self.pool.lock_writer() as connection:
                last.note(reached(connection))

    def back_up_first(self) -> None:
        """Make the first backup as soon as there is something to lose; where it fails, a job makes one."""

        def back_up() -> None:
            with suppress(RecortexError):
                if not self.backups.all():
                    self.backups.make(self._clock(), reason="first")

        self.pool.on_first_change = back_up

    def behind(self) -> str:
        """What the store lacks of what was acknowledged, in words; empty where it lacks nothing."""
        last = self.pool.last_change
        if last is None:
            return ""
        with suppress(apsw.CorruptError), self.pool.lock_writer() as connection:
            return reached(connection).behind(last.noted)
        return ""  # whoever reads the damaged part says what is wrong

    def _write_backup(self, part: Path, _: datetime) -> None:
        with closing(connect(self.path, vectors=False)) as source:
            if why := backup.copy_checked(source, part):
                raise BackupError(f"The backup was not kept: {why}.")

    def empty_in_memory(self) -> SqliteStore:
        """A store of its own that is gone when it is no longer used."""
        return SqliteStore(Path(":memory:"), backups=self.path.parent, clock=self._clock)

    @cached_property
    def full_copy(self) -> SqliteFullCopy:
        """Every table as rows, for a whole copy."""
        from recortex.storage.sqlite.recovery import SqliteFullCopy

        return SqliteFullCopy(self.pool, self.vectors)

    @cached_property
    def compaction(self) -> SqliteCompaction:
        """Makes room in the file."""
        from recortex.storage.sqlite.maintenance import SqliteCompaction

        return SqliteCompaction(self.pool)

    @property
    def shown(self) -> str:
        """Where it is, for people."""
        return str(self.path)

    @property
    def unwritable(self) -> str:
        """Why nothing can be written now; empty where nothing is known to be in the way."""
        full = str(self.path) != MEMORY and is_full(self.path.parent)
        return self.pool.unwritable or ("the disk is full" if full else "")

    def check(self) -> Integrity:
        """SQLite's integrity check, foreign keys, and the keyword index against the memories."""
        return maintenance.check(self.pool)

    def compact(self) -> None:
        """Rewrite the file without what was deleted, and forget the vectors' index, which holds it too."""
        self.vectors.index.drop()
        self.vectors.held.drop()
        maintenance.compact(self.pool)

    def says(self, part: str) -> bool:
        """Whether a memory, an exchange or a chunk holds a part of a text that was erased."""
        columns = "folded(text || char(10) || coalesce(content, ''))"
        sql = f"SELECT 1 FROM memories WHERE instr({columns}, folded(?1)) LIMIT 1"
        return self.pool.value(sql, (part,)) is not None or bool(
            self.exchanges_holding(part) or self.chunks_holding(part)
        )

    def apart(self) -> AbstractContextManager[None]:
        """While inside, no connection is open: closing a file would take their locks away."""
        return self.pool.apart()

    @property
    def schema(self) -> int:
        """The newest migration applied."""
        return self.pool.schema()

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""
        return self.pool.transaction(patience=patience)

    def bytes(self) -> int:
        """The size of the database's files."""
        names = (self.path.name, f"{self.path.name}-wal")
        return sum(place.stat().st_size for name in names if (place := self.path.with_name(name)).exists())

    def close(self) -> None:
        """Close all connections."""
        self.pool.close()
