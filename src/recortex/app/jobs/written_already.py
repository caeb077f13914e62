"""What a session teaches that an instruction file says already: it is not learned again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Origin, Status
from recortex.domain.written_in import RULE
from recortex.engines.ingestion.draft import Draft
from recortex.engines.instructions.said_already import Written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory

COMMAND_RULES = frozenset(("command_habit", "how_to"))
"""Rules that make statements of commands alone: another name for the command's purpose says nothing new."""


def not_learned_again(services: StoreServices, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of a session; what a file says already is only evidence for the memory of that."""
    if not drafts:
        return []
    speakers = (Origin.REPOSITORY, Origin.USER)
    query = MemoryQuery(origins=speakers, statuses=(Status.ACTIVE, Status.PROPOSED))
    known = {one.id: one for one in services.store.memories.find(query) if _of_file(one)}
    if not known:
        return list(drafts)
    written = Written((id_, one.text, one.metadata.get("commands", ())) for id_, one in known.items())
    return [_as_evidence(draft, known.get(_standing(written, draft))) for draft in drafts]


def _of_file(memory: Memory) -> bool:
    """Whether a file says it: of what the person said, only what stands in the person's own file."""
    return memory.origin is Origin.REPOSITORY or memory.source.rule == RULE


def _standing(written: Written, draft: Draft) -> str:
    commands = draft.metadata.get("commands", ()) if draft.source.rule in COMMAND_RULES else ()
    return written.saying(draft.text) or written.running(commands)


def _as_evidence(draft: Draft, known: Memory | None) -> Draft:
    """A draft that ingestion merges with the known memory, and that changes nothing else of it."""
    if known is None:
        return draft
    return Draft(
        kind=known.kind,
        text=known.text,
        confidence=draft.confidence,
        priority=known.priority,
        domain=known.domain,
        source=draft.source,
        origin=Origin.EXTRACTION,
        status=Status.PROPOSED,
        valid_from=draft.valid_from,
    )
