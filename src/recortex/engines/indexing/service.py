"""The search text of a memory, with what is read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.indexing.document import PrecedingTurn, search_text

if TYPE_CHECKING:
    from recortex.domain.memory import Memory
    from recortex.domain.search import SearchText
    from recortex.ports.store import Store


def search_text_in(store: Store, memory: Memory) -> SearchText:
    """As `search_text`, with what the store knows around the memory.

    In a dialogue that is the preceding turn of its session. A memory that replaced another one is found by
    the words of that one too: "no more squash merges" answers what "pull requests are squash merged" did.
    """
    return search_text(memory, _preceding(store, memory), _replaced(store, memory))


def _preceding(store: Store, memory: Memory) -> PrecedingTurn | None:
    source = memory.source
    if not source.session or not source.turn:
        return None
    found = store.memories.neighbours(source.session, source.turn - 1, source.turn - 1)
    return PrecedingTurn(found[0].speaker, found[0].text) if found else None


def _replaced(store: Store, memory: Memory) -> str:
    found = store.memories.get([memory.supersedes]) if memory.supersedes else ()
    return found[0].text if found else ""
