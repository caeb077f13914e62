"""What happened: the audit log, degradations, extraction checkpoints; and statistics of memories."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from recortex.domain.maintenance import (
    Checkpoint,
    Daily,
    Degradation,
    DegradationRecord,
    Generation,
    Given,
    MemoryStatistics,
    Standing,
)
from recortex.domain.memory import AuditEntry, Tombstone
from recortex.domain.model_call import ModelCall, Spending
from recortex.domain.text import from_micros, to_micros
from recortex.lean import replace
from recortex.storage.database import MODEL_CALLS, Records, json, read, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recortex.domain.memory import Gone
    from recortex.domain.model_call import Limit


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


# -- statistics of memories: the columns that ageing and ranking need, without the texts


MOST_RANKED, MOST_TOLD, MOST_LATEST = 5_000, 3_000, 500
"""A store of at most so many memories is ranked whole; of a larger one so many that the person told, and so
many of the latest. Of some thousand a rank takes less time than git takes to tell what is being worked on."""


class StatisticsRecords(Records):
    """Reads the statistics of memories."""

    topic = "statistics"

    def fading(self, before: int) -> list[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant.

        What the project's own files say is none of them: it holds while it stands there.
        """
        return self._statistics("fading", before)

    def resting(self, before: int) -> list[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("resting", before)

    def unconfirmed(self, before: int) -> list[MemoryStatistics]:
        """Proposed memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("unconfirmed", before)

    def presentable(self, at: int) -> list[MemoryStatistics]:
        """Active memories that are true in the world at that instant.

        Of untrusted origin only those that the project's own instruction files say.
        """
        return self._statistics("presentable", at)

    def foremost(
        self, at: int, *, about: Sequence[int], ids: Sequence[str], sessions: Sequence[str]
    ) -> list[MemoryStatistics]:
        """Those of `presentable` that may come first: all, unless the store is large.

        Of a large one the latest of each kind and priority that the person told or approved; of all memories
        the latest, those recalled most, and those that most relations point at; and those that are named.

        Args:
            at: the instant.
            about: keys of memories about what is being worked on.
            ids: of memories that proved useful.
            sessions: in which what is at hand was worked on.
        """
        if self._number("more_than", MOST_RANKED + 1) <= MOST_RANKED:
            return self.presentable(at)
        told = self._column("told", _share(self._column("told_of_each"), MOST_TOLD))
        named = json([*told, *about]), json(list(ids)), json(list(sessions))
        return self._statistics("foremost", at, MOST_LATEST, *named)

    def find_by_ids(self, ids: Sequence[str]) -> list[MemoryStatistics]:
        """Those memories, whatever their status."""
        return self._statistics("named", json(list(ids)))

    def paths(self) -> list[str]:
        """Every path that a memory is linked to."""
        return self._column("paths")

    def about(self, paths: Sequence[str]) -> list[int]:
        """The keys of memories that are linked to one of these paths, in their order."""
        return self._column("about", json(list(paths))) if paths else []

    def find_active(self) -> list[Standing]:
        """What tells how important each active memory is that is not pinned, but for what was given of it."""
        return [Standing(*row) for row in self._rows("standing")]

    def given(self, since: int, until: int) -> dict[str, Given]:
        """What sessions got of each memory from an instant to another, by its id."""
        return {id_: Given(times, int(places)) for id_, times, places in self._rows("given", since, until)}

    def daily(self, since: int) -> Daily:
        """What happened on each day; what was given only from an instant on."""
        added, contradicted = self._rows("added_by_day"), self._rows("contradictions_by_day")
        given = self._rows("given_by_day", since)
        return Daily(
            {int(day): int(times) for day, times in added},
            {int(day): int(times) for day, times in contradicted},
            {int(day): (int(times), int(used), int(tokens)) for day, times, used, tokens in given},
        )

    def generation(self) -> Generation:
        """What tells whether anything changed."""
        return Generation(*self._rows("generation")[0])

    def _statistics(self, condition: str, *values: int | str) -> list[MemoryStatistics]:
        sql = f"{self._sql['columns']} {self._sql[condition]}"
        return list(map(MemoryStatistics._make, self._database.rows(sql, values)))


def _share(sizes: Sequence[int], wanted: int) -> int:
    """How many to take of each group, so that it is as many as are wanted in all, or a few more."""
    left, share = wanted, 0
    for place, size in enumerate(sorted(sizes)):
        share = -(-left // (len(sizes) - place))
        if size >= share:
            break
        left -= size  # what a small group has not is taken of the others
    return max(share, 1)


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
