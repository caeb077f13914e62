"""What happened: the audit log, degradations, extraction checkpoints, calls of a language model."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from recortex.domain.maintenance import (
    Checkpoint,
    Degradation,
    DegradationRecord,
    ModelCall,
    Spending,
)
from recortex.domain.memory import AuditEntry, Tombstone
from recortex.domain.text import from_micros, to_micros
from recortex.lean import replace
from recortex.storage.database import MODEL_CALLS, Records, read, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recortex.domain.maintenance import Limit
    from recortex.domain.memory import Gone


AUDIT = ("memory_id", "operation", "actor", "at", "details")
_DEGRADATION = ("component", "failure", "fallback", "recovered")
_CHECKPOINT = ("path", "session_id", "client", "position", "turns", "extracted_at")


class LedgerRecords(Records):
    """Append to the logs and read them."""

    topic = "ledger"

    def record(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit entries; the memories must still be there."""
        self._each("audit", [tuple(stored(entry, AUDIT).values()) for entry in entries])

    def entries(self, memory_id: str) -> list[AuditEntry]:
        """What happened to a memory, oldest first; also of a purged one."""
        return [read(AuditEntry, AUDIT, (memory_id, *row)) for row in self._rows("audit_of", memory_id)]

    def recent(self, limit: int) -> list[AuditEntry]:
        """What happened last, newest first."""
        return [read(AuditEntry, AUDIT, row) for row in self._rows("recent_audit", limit)]

    def of_generation(self, generation: str) -> list[AuditEntry]:
        """Which memories were given to a generation of code, and whether its outcome was told, in order."""
        return [read(AuditEntry, AUDIT, row) for row in self._rows("of_generation", f'"{generation}"')]

    def note_changed(self, keys: Iterable[int]) -> None:
        """Let the next sync look at memories and their relations; nothing where the store has no team.

        Inside the transaction that writes them.
        """
        self._each("note_changed", [(key,) for key in keys])

    def bury(self, key: int, memory_id: str, at: datetime, *, reason: Gone = "purge") -> None:
        """Note that a memory was removed from this store; one that came back and goes again has one note."""
        self._rows("exhume", memory_id, key)
        self._rows("tombstone", key, memory_id, to_micros(at), reason)
        self.note_changed([key])

    def buried(self, memory_id: str) -> Tombstone | None:
        """When and why a memory was removed for good, if it was."""
        rows = self._rows("buried", memory_id)
        return Tombstone(from_micros(rows[0][0]), rows[0][1]) if rows else None

    def degrade(self, event: Degradation, at: datetime) -> None:
        """Record a fall back; the same one again only counts."""
        with self._database.transaction():
            self._rows("degrade", *stored(event, _DEGRADATION).values(), to_micros(at))
            self._rows("degrade_once", event.component, to_micros(at))

    def degraded_since(self, at: datetime) -> dict[str, int]:
        """How often each part failed since a time."""
        return dict(self._rows("degraded_since", to_micros(at)))

    def works_again(self, component: str) -> None:
        """Note that a part that failed does its work again."""
        self._rows("works_again", component)

    def degradations(self) -> list[DegradationRecord]:
        """Every kind of fall back seen, latest first."""
        return [
            DegradationRecord(
                read(Degradation, _DEGRADATION, event), from_micros(first), from_micros(last), times
            )
            for *event, first, last, times in self._rows("degradations")
        ]

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far a transcript was read."""
        rows = self._rows("checkpoint", path)
        return read(Checkpoint, _CHECKPOINT, rows[0]) if rows else None

    def save_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note how far a transcript was read."""
        self._rows("save_checkpoint", *stored(checkpoint, _CHECKPOINT).values())


# -- calls of a language model: what they cost and what came of them


class ModelCallRecords(Records):
    """The ledger of a store. Several processes share one budget through it."""

    topic = "model_calls"

    def reserve(self, call: ModelCall, limit: Limit) -> int | None:
        """Note a call with the most that it can cost.

        None (and noted as refused) where the UTC day has no room.

        The sum and the row are one write transaction, so two processes cannot both take the last of a budget.
        """
        with self._database.transaction():
            spent = self.total_today(call.at)
            fits = (
                spent.tokens + call.input_tokens + call.output_tokens <= limit.tokens
                and spent.micro_usd + call.micro_usd <= limit.micro_usd
            )
            if not fits:
                call = replace(call, input_tokens=0, output_tokens=0, micro_usd=0, outcome="refused")
            number: int = self._named("reserve", stored(call, MODEL_CALLS.written))[0][0]
        return number if fits else None

    def settle(self, number: int, call: ModelCall) -> None:
        """Put what a call really cost, and what came of it, in place of the reserve."""
        with self._database.transaction():
            self._named("settle", {**stored(call, MODEL_CALLS.written), "seq": number})

    def total_today(self, now: datetime) -> Spending:
        """What was spent on the UTC day of `now`."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        spent = self._rows("spent", to_micros(day), to_micros(day + timedelta(days=1)))[0]
        calls, tokens, micro_usd, refused, failed = spent
        return Spending(calls=calls, tokens=tokens, micro_usd=micro_usd, refused=refused, failed=failed)

    def recent(self, limit: int) -> list[ModelCall]:
        """The last calls, newest first."""
        return [read(ModelCall, MODEL_CALLS.written, row) for row in self._rows("recent", limit)]
