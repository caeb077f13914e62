"""What happened: the audit log, degradations, extraction checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.checkpoint import Checkpoint
from recortex.domain.degradation import Degradation, DegradationRecord
from recortex.domain.history import AuditEntry, Tombstone
from recortex.domain.time import from_micros, to_micros
from recortex.domain.vocabulary import Actor
from recortex.storage.records.rows import as_written, json, parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.history import Gone
    from recortex.storage.database import Database
    from recortex.storage.records.rows import Row


_CHECKPOINT = ("path", "session_id", "client", "position", "turns")
"""The columns before the time, in the order of the queries."""


class LedgerRecords:
    """Append to the logs and read them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("ledger")

    def record(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit entries; the memories must still be there."""
        rows = [
            (
                entry.memory_id,
                entry.operation,
                entry.actor.value,
                to_micros(entry.at),
                json(entry.details) if entry.details else None,
            )
            for entry in entries
        ]
        self._database.run_many(self._sql["audit"], rows)

    def entries(self, memory_id: str) -> list[AuditEntry]:
        """What happened to a memory, oldest first; also of a purged one."""
        rows = self._database.rows(self._sql["audit_of"], (memory_id,))
        return [entry_of((memory_id, *row)) for row in rows]

    def recent(self, limit: int) -> list[AuditEntry]:
        """What happened last, newest first."""
        return [entry_of(row) for row in self._database.rows(self._sql["recent_audit"], (limit,))]

    def bury(self, key: int, memory_id: str, at: datetime, *, reason: Gone = "purge") -> None:
        """Note that a memory was removed from this store; one that came back and goes again has one note."""
        self._database.rows(self._sql["exhume"], (memory_id, key))
        self._database.rows(self._sql["tombstone"], (key, memory_id, to_micros(at), reason))

    def buried(self, memory_id: str) -> Tombstone | None:
        """When and why a memory was removed for good, if it was."""
        rows = self._database.rows(self._sql["buried"], (memory_id,))
        return Tombstone(from_micros(rows[0][0]), rows[0][1]) if rows else None

    def degrade(self, event: Degradation, at: datetime) -> None:
        """Record a fall back; the same one again only counts."""
        values = (event.component, event.failure, event.fallback, int(event.recovered), to_micros(at))
        self._database.rows(self._sql["degrade"], values)

    def works_again(self, component: str) -> None:
        """Note that a part that failed does its work again."""
        self._database.rows(self._sql["works_again"], (component,))

    def degradations(self) -> list[DegradationRecord]:
        """Every kind of fall back seen, latest first."""
        return [
            DegradationRecord(
                Degradation(component, failure, fallback, bool(recovered)),
                from_micros(first),
                from_micros(last),
                times,
            )
            for component, failure, fallback, recovered, first, last, times in self._database.rows(
                self._sql["degradations"]
            )
        ]

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far a transcript was read."""
        rows = self._database.rows(self._sql["checkpoint"], (path,))
        if not rows:
            return None
        *values, at = rows[0]
        fields = dict(zip(_CHECKPOINT, (path, *values), strict=True))
        return Checkpoint(**fields, extracted_at=from_micros(at))

    def save_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note how far a transcript was read."""
        values = (*(getattr(checkpoint, name) for name in _CHECKPOINT), to_micros(checkpoint.extracted_at))
        self._database.rows(self._sql["save_checkpoint"], values)


def entry_of(row: Row) -> AuditEntry:
    """The audit entry of a row's columns as stored, after the memory that it is about.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written("An entry of the audit log"):
        memory, operation, actor, at, details = row
        return AuditEntry(
            memory_id=memory,
            operation=operation,
            actor=Actor(actor),
            at=from_micros(at),
            details=parse(details, {}),
        )
