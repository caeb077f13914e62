"""Pairs of description and code as they stand in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Origin, Status
from recortex.engines.pairing.pair import CODE, DESCRIPTION, IndexedPiece, linked_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.ports.store import Store


class Pairing:
    """Follows source_of in one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def code_of(self, memories: Sequence[Memory]) -> dict[str, tuple[Memory, ...]]:
        """The code that some memories describe, by their ids: active, or of the description's own status."""
        relations = self._store.relations.of([one.id for one in memories])
        ends = sorted({end for one in relations for end in (one.source_id, one.target_id)})
        codes = {one.id: one for one in self._store.memories.get(ends) if one.kind == CODE}
        linked = linked_code(relations, codes)
        return {
            one.id: tuple(
                code for code in linked.get(one.id, ()) if code.status in {Status.ACTIVE, one.status}
            )
            for one in memories
        }

    def of_file(self, path: str) -> list[IndexedPiece]:
        """What is indexed of a file now."""
        found = self._store.memories.find(
            MemoryQuery(kinds=(DESCRIPTION,), files=(path,), origins=(Origin.CODE_INDEX,))
        )
        codes = self.code_of(found)
        return [IndexedPiece(one, next(iter(codes[one.id]), None)) for one in found]
