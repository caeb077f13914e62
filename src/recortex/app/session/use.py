"""Whether what an agent was given was of use: seen in the turns that follow, noted on the receipt, counted as an access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.sessions.usage import uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.session.loop import Loop
    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt
    from recortex.domain.transcript import Turn


def given(loop: Loop, session: str) -> tuple[list[Receipt], dict[str, Memory]]:
    """What was given in a session, and the memories that are still there, by id."""
    receipts = loop.sessions.receipts(session)
    ids = list(dict.fromkeys(one.memory for one in receipts))
    found = (
        [memory for bank in loop.app.sound_banks() for memory in bank.store.memories.get(ids)] if ids else []
    )
    return receipts, {memory.id: memory for memory in found}


def count_uses(
    loop: Loop, receipts: Sequence[Receipt], memories: dict[str, Memory], turns: Sequence[Turn]
) -> int:
    """Note each use that the turns show; returns how many. Being shown alone is no access, being used is."""
    counted = 0
    for used in uses(receipts, memories, turns) if receipts else ():
        if loop.sessions.mark_used(used.receipt, used.at, used.use):
            counted += 1
            bank = loop.app.bank(memories[used.receipt.memory].scope)
            with bank.store.transaction():
                bank.store.memories.touch([used.receipt.memory], used.at)
    return counted
