"""Reads pairs of description and code from a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Origin, Status
from recortex.engines.pairing.pair import CODE, DESCRIPTION, IndexedPiece, linked_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.ports.store import Store


def code_of(store: Store, memories: Sequence[Memory]) -> dict[str, tuple[Memory, ...]]:
    """The code that each memory describes, by the memory's id: if active, or of the same status."""
    relations = store.relations.of([one.id for one in memories])
    ends = sorted({end for one in relations for end in (one.source_id, one.target_id)})
    linked = linked_code(relations, {one.id: one for one in store.memories.get(ends) if one.kind == CODE})
    return {
        one.id: tuple(code for code in linked.get(one.id, ()) if code.status in {Status.ACTIVE, one.status})
        for one in memories
    }


def pieces_of_file(store: Store, path: str) -> list[IndexedPiece]:
    """The indexed pieces of a file."""
    found = store.memories.find(
        MemoryQuery(kinds=(DESCRIPTION,), files=(path,), origins=(Origin.CODE_INDEX,))
    )
    codes = code_of(store, found)
    return [IndexedPiece(one, next(iter(codes[one.id]), None)) for one in found]
