"""Whether what an agent was given was used: seen in later turns, noted on the receipt, counted as access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.sessions.usage import uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.hooks.context import HookContext
    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt
    from recortex.domain.transcript import Turn


def given(context: HookContext, session: str) -> tuple[list[Receipt], dict[str, Memory]]:
    """What was given in a session, and the memories that are still there, by id."""
    receipts = context.sessions.receipts(session)
    ids = list(dict.fromkeys(one.memory for one in receipts))
    found = (
        [
            memory
            for services in context.app.readable_services()
            for memory in services.store.memories.get(ids)
        ]
        if ids
        else []
    )
    return receipts, {memory.id: memory for memory in found}


def count_uses(
    context: HookContext, receipts: Sequence[Receipt], memories: dict[str, Memory], turns: Sequence[Turn]
) -> int:
    """Note each use that the turns show; returns how many. Being shown alone is no access, being used is."""
    counted = 0
    for used in uses(receipts, memories, turns) if receipts else ():
        if context.sessions.mark_used(used.receipt, used.at, used.use):
            counted += 1
            services = context.app.services(memories[used.receipt.memory].scope)
            with services.store.transaction():
                services.store.memories.touch([used.receipt.memory], used.at)
    return counted
