"""The search text of a memory, with the preceding turn read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.indexing.document import PrecedingTurn, search_text

if TYPE_CHECKING:
    from recortex.domain.memory import Memory
    from recortex.domain.search import SearchText
    from recortex.ports.store import Store


def search_text_in(store: Store, memory: Memory) -> SearchText:
    """As `search_text`, with the preceding turn of the memory's session if the store has it."""
    source = memory.source
    if not source.session or not source.turn:
        return search_text(memory)
    found = store.memories.neighbours(source.session, source.turn - 1, source.turn - 1)
    return search_text(memory, PrecedingTurn(found[0].speaker, found[0].text) if found else None)
