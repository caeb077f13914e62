"""The memories of libraries and conventions, looked up together for all that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import kind_of
from recortex.domain.query import MemoryQuery
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.keeping.linking import OVERRIDE, Linked, ids_of_convention, ids_of_library, linked

if TYPE_CHECKING:
    from recortex.app.application import Application
    from recortex.app.code_patterns import Patterns
    from recortex.domain.memory import Memory


def linked_memories(app: Application, found: Patterns) -> dict[str, Linked]:
    """What memories say of libraries and conventions, by name or id, where one does."""
    ids = {one.name: ids_of_library(one) for one in found.used}
    ids |= {one.id: ids_of_convention(one) for one in found.conventions}
    every = tuple(dict.fromkeys(each for several in ids.values() for each in several))
    memories = _about(app, every) if every else []
    now = app.clock()
    each = {key: linked(several, memories, now) for key, several in ids.items()} if memories else {}
    return {key: one for key, one in each.items() if one.anything}


def _about(app: Application, ids: tuple[str, ...]) -> list[Memory]:
    """Memories that are linked to a pattern or constraint; and all exceptions, which name one in a field."""
    queries = (
        MemoryQuery(patterns=ids, statuses=()),
        MemoryQuery(constraints=ids, statuses=()),
        MemoryQuery(kinds=(kind_of(OVERRIDE),), statuses=()),
    )
    found = {
        one.id: one
        for services in app.all_services()
        for query in queries
        for one in services.store.memories.find(query)
    }
    return [output_redacted(one) for one in found.values()]
