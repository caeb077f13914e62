"""A store in one SQLite file."""

from __future__ import annotations

from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from recortex.deadlines import seconds_left
from recortex.domain.maintenance import LOSING, LOST, Degradation
from recortex.domain.time import to_micros
from recortex.errors import BackupError, PermissionsError, RecortexError, StoreBusyError
from recortex.lean import lazy_module
from recortex.storage.records.keywords import INDEXED
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.sqlite.connection import MEMORY, LastChange, connect, is_full, load_vectors, reached
from recortex.storage.sqlite.migrations import applied, mend, migrate, newest, refuse_foreign, refuse_newer
from recortex.storage.sqlite.pool import Pool
from recortex.storage.sqlite.search import KeywordIndex, SqliteKeywords, SqliteSearch
from recortex.storage.sqlite.vector_index import SqliteVectors, VectorIndex, VectorsInMemory
from recortex.storage.store import EngineStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.maintenance import Integrity
    from recortex.storage.sqlite import backup, maintenance
    from recortex.storage.sqlite.backup import Backups
    from recortex.storage.sqlite.compaction import SqliteCompaction
    from recortex.storage.sqlite.recovery import SqliteFullCopy
else:
    backup = lazy_module("recortex.storage.sqlite.backup")
    maintenance = lazy_module("recortex.storage.sqlite.maintenance")


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
            self._migrate(former=refuse_foreign(self.pool))
        except BaseException:
            self.pool.close()
            raise
        self.pool.on_change_of_schema = lambda: refuse_newer(self.pool)
        self._follow(on_degradation)
        self.database: Pool = self.pool
        super().__init__(self.pool)
        index = KeywordIndex(self.pool, on_degradation)
        self.keywords = {name: SqliteKeywords(self.pool, index, one) for name, one in INDEXED.items()}
        words = self.keywords["memories"]
        self.memories = MemoryRecords(self.pool, words)
        self.vector_index = VectorIndex(self.pool, indexes, on_degradation)
        self.vectors: SqliteVectors = SqliteVectors(self.pool, self.vector_index)
        self._held = VectorsInMemory(self.pool)
        self.search = SqliteSearch(
            self.pool, words, self.memories, self.vectors, self.vector_index, self._held
        )

    @cached_property
    def backups(self) -> Backups:
        """The backups of the store."""
        folder, keep = self._backups
        return backup.Backups(folder, self._write_backup, keep=keep)

    def _migrate(self, *, former: bool) -> None:
        def back_up() -> None:
            self.backups.make(self._clock(), reason="before-migration")

        behind = former or applied(self.pool) < newest()
        if behind and self._bytes() / RENEWED_A_SECOND > seconds_left():
            # A hook's process would be ended in the middle of it, time after time, and leave half a backup.
            raise StoreBusyError(
                f"The store {self.path} is of an older version, and too large to be brought up to date now.",
                hint="The background process does it after the next turn, or any command: recortex status",
            )
        if self.pool.unwritable and behind:
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
        from recortex.storage.sqlite.compaction import SqliteCompaction

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
        self.vector_index.drop()
        self._held.drop()
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
        return applied(self.pool)

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
