"""Regular upkeep: what was done when, and what is old enough to go."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.maintenance import AuditSummary, MaintenanceRun, OldAuditEntry, SizeSample, StoreContent
from recortex.domain.memory import AuditEntry
from recortex.domain.session import Receipt
from recortex.domain.text import from_micros, to_micros
from recortex.errors import CorruptStoreError
from recortex.plugins import capabilities, load
from recortex.ports.store import EVERY_VERSION
from recortex.storage.database import RECEIPTS, RELATIONS, Records, as_written, json, parse, read
from recortex.storage.records.exchanges import COLUMNS, exchange_of
from recortex.storage.records.ledger import AUDIT
from recortex.storage.records.memories import VERSION, version_of
from recortex.storage.records.relations import relation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from recortex.storage.database import Row


_MANY = 2**62  # more rows than any store holds: no limit


class MaintenanceRecords(Records):
    """What was done when, and what is old enough to go."""

    topic = "maintenance"

    # -- what was done

    def all(self) -> dict[str, MaintenanceRun]:
        """The last run of each job that ever ran, by the job's name."""
        return dict(map(run_of, self._rows("all")))

    def note(self, name: str, at: datetime, outcome: Mapping[str, int]) -> None:
        """Record that a job ran."""
        self._rows("note", name, to_micros(at), json(dict(outcome)))

    def sample(self, at: datetime, *, memories: int, size: int) -> None:
        """Note the store's size."""
        self._rows("sample", to_micros(at), memories, size)

    def samples(self, limit: int) -> list[SizeSample]:
        """The newest sizes, latest first."""
        return [SizeSample(*row) for row in self._rows("samples", limit)]

    def content(self) -> StoreContent:
        """How much there is."""
        return StoreContent(*map(int, self._rows("content")[0]))

    def archived(self) -> int:
        """How many memories are archived or pruned."""
        return self._number("archived")

    # -- the audit log

    def old_audit(self, before: datetime, limit: int) -> list[OldAuditEntry]:
        """The oldest entries before a time; never the log's last one, since the next is numbered after it."""
        return [OldAuditEntry(*row) for row in self._rows("old_audit", to_micros(before), limit)]

    def count_old_audit(self, before: datetime, *, more: bool = False) -> int:
        """How many there are; `more`: newer entries will follow before they go."""
        return self._number("count_old_audit", to_micros(before), int(more))

    def rotate(self, entries: Sequence[OldAuditEntry], summaries: Sequence[AuditSummary]) -> None:
        """Put summaries in the place of entries; inside a transaction."""
        self._each("add_summary", summaries)
        self._each("delete_audit", [(one.seq,) for one in entries])

    def summaries(self) -> list[AuditSummary]:
        """Every summary, the oldest month first."""
        return [AuditSummary(*row) for row in self._rows("summaries")]

    # -- memories, versions, vectors

    def expired(self, before: datetime, limit: int) -> list[str]:
        """Ids of pruned memories that nobody used or changed since, and that no living memory depends on."""
        return self._column("expired", to_micros(before), limit)

    def count_expired(self, before: datetime) -> tuple[int, int]:
        """How many there are, and how many more stay because a living memory depends on them."""
        old = self._number("count_old", to_micros(before))
        gone = len(self.expired(before, _MANY)) if old else 0
        return gone, old - gone

    def surplus_versions(
        self, keep: int, limit: int, *, without: Sequence[str] = ()
    ) -> list[tuple[int, int]]:
        """Former states beyond the newest `keep` of a memory: (key of the memory, version)."""
        return [
            (key, version)
            for key, version in self._rows("surplus_versions", keep, json(list(without)), limit)
        ]

    def drop_versions(self, versions: Sequence[tuple[int, int]]) -> None:
        """Delete former states; inside a transaction."""
        self._each("drop_version", versions)

    def unused_vectors(
        self, limit: int, *, without: Sequence[str] = (), keep: int = EVERY_VERSION
    ) -> list[int]:
        """Keys of vectors that no memory and no version has.

        Never the newest vector: its key would be given again, and an index would take the new vector for it.
        """
        return self._column("unused_vectors", json(list(without)), keep, limit)

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete vectors, but for those that a memory has by now; inside a transaction."""
        self._each("drop_vector", [(key,) for key in keys])

    def vector_sharing(self) -> tuple[int, int, int]:
        """Numbers of memories with a vector, of vectors, and of vectors that are kept twice."""
        having, vectors, twice = self._rows("vector_sharing")[0]
        return int(having), int(vectors), int(twice)

    # -- notes

    def old_degradations(self, before: datetime) -> int:
        """How many kinds of fall back were not seen since a time."""
        return self._number("old_degradations", to_micros(before))

    def forget_degradations(self, before: datetime) -> None:
        """Delete them."""
        self._rows("forget_degradations", to_micros(before))
        self._rows("forget_degradation_times", to_micros(before))

    def old_checkpoints(self, before: datetime) -> list[str]:
        """Transcripts that were last read before a time."""
        return self._column("old_checkpoints", to_micros(before))

    def forget_checkpoints(self, paths: Sequence[str]) -> None:
        """Forget how far transcripts were read."""
        with self._database.transaction():
            self._each("forget_checkpoint", [(path,) for path in paths])

    def old_sessions(self, before: datetime) -> int:
        """How many sessions were last seen before a time."""
        return self._number("old_sessions", to_micros(before))


def run_of(row: Row) -> tuple[str, MaintenanceRun]:
    """A job's name, and when it last ran with what outcome, of a row as stored.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written("What is noted of a job"):
        name, done_at, outcome = row
        return name, MaintenanceRun(from_micros(done_at), parse(outcome, None, dict[str, Any]))


# -- reads rows to find those whose values have the right types, but that Recortex cannot have written


class RowCheck(NamedTuple):
    """How the rows of a table are read.

    Attributes:
        read: makes a value of the columns, or raises `CorruptStoreError`.
        columns: what it takes, in order.
        owner: the column that holds the key of the row's memory; empty where there is none.
    """

    read: Callable[[tuple[Any, ...]], Any]
    columns: tuple[str, ...]
    owner: str = ""

    def flaw(self, row: tuple[Any, ...]) -> str:
        """Why a row cannot be read; empty where it can."""
        try:
            self.read(row)
        except CorruptStoreError as error:
            return error.message
        return ""


_ROW_CHECKS = {
    "versions": RowCheck(version_of, ("state", *VERSION[1:]), "memory_key"),
    "relations": RowCheck(relation_of, RELATIONS.names[:-1], "source_key"),
    "audit": RowCheck(partial(read, AuditEntry, AUDIT), ("memory_key", *AUDIT[1:]), "memory_key"),
    "exchanges": RowCheck(exchange_of, COLUMNS),
    "chores": RowCheck(run_of, ("name", "done_at", "outcome")),
    "receipts": RowCheck(partial(read, Receipt, RECEIPTS.names), RECEIPTS.names),
}


@cache
def row_checks() -> dict[str, RowCheck]:
    """How the rows of each table are read, those of capabilities included."""
    records = [load(name) for one in capabilities() for name in one.tables.values()]
    own = {name: RowCheck(*reader) for each in records for name, reader in each.readers.items()}
    return _ROW_CHECKS | own
