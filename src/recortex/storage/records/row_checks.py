"""Tables whose rows can be of the right types and yet be none that we wrote: how a row of each is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.errors import CorruptStoreError
from recortex.storage.records.ledger import entry_of
from recortex.storage.records.maintenance import run_of
from recortex.storage.records.memories import version_of
from recortex.storage.records.relations import relation_of
from recortex.storage.records.sessions import receipt_of
from recortex.storage.tables import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Callable


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


ROW_CHECKS = {
    "versions": RowCheck(
        version_of, ("state", "version", "recorded_from", "recorded_to", "changed_by", "reason"), "memory_key"
    ),
    "relations": RowCheck(relation_of, RELATIONS.names[:-1], "source_key"),
    "audit": RowCheck(entry_of, ("memory_key", "operation", "actor", "at", "details"), "memory_key"),
    "chores": RowCheck(run_of, ("name", "done_at", "outcome")),
    "receipts": RowCheck(
        receipt_of,
        (
            "session",
            "context",
            "memory",
            "scope",
            "channel",
            "at",
            "subject",
            "score",
            "tokens",
            "used_at",
            "used_as",
        ),
    ),
}
