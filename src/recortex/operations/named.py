"""What stands behind the ids of receipts: memories, and exchanges that were given with a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.exchanges.ranking import decision
from recortex.engines.ingestion.output_redaction import output_redacted, record_redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.store_services import StoreServices


class Named(NamedTuple):
    """The kind of a memory, or "exchange", and one line of what it says; both empty where it is gone."""

    kind: str = ""
    summary: str = ""


def named(all_services: Sequence[StoreServices], ids: Sequence[str]) -> dict[str, Named]:
    """Those of the ids that are still there, without secrets."""
    return dict(_found(all_services, list(dict.fromkeys(ids))))


def _found(all_services: Sequence[StoreServices], ids: list[str]) -> Iterator[tuple[str, Named]]:
    for services in all_services:
        for memory in map(output_redacted, services.store.memories.get(ids)):
            yield memory.id, Named(memory.kind, memory.summary or memory.text)
        for said in map(record_redacted, services.store.exchanges.get(ids)):
            yield said.id, Named("exchange", " ".join((decision(said) or said.message).split()))
