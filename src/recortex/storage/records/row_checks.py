"""Reads rows to find those whose values have the right types, but that Recortex cannot have written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.relation import AuditEntry
from recortex.domain.session import Receipt
from recortex.errors import CorruptStoreError
from recortex.storage.records import documents
from recortex.storage.records.exchanges import COLUMNS, exchange_of
from recortex.storage.records.ledger import AUDIT
from recortex.storage.records.maintenance import run_of
from recortex.storage.records.memories import VERSION, version_of
from recortex.storage.records.relations import relation_of
from recortex.storage.records.values import read
from recortex.storage.tables import RECEIPTS, RELATIONS

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
    "versions": RowCheck(version_of, ("state", *VERSION[1:]), "memory_key"),
    "relations": RowCheck(relation_of, RELATIONS.names[:-1], "source_key"),
    "audit": RowCheck(partial(read, AuditEntry, AUDIT), ("memory_key", *AUDIT[1:]), "memory_key"),
    "exchanges": RowCheck(exchange_of, COLUMNS),
    "documents": RowCheck(documents.document_of, documents.OF_DOCUMENT),
    "chunks": RowCheck(documents.chunk_of, documents.COLUMNS),
    "chores": RowCheck(run_of, ("name", "done_at", "outcome")),
    "receipts": RowCheck(partial(read, Receipt, RECEIPTS.names), RECEIPTS.names),
}
