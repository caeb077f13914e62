"""The text that a memory's vector is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.engines.indexing.traits import ROLES

if TYPE_CHECKING:
    from recortex.domain.memory import Memory


def embedded_text(memory: Memory) -> str:
    """`[kind|importance|category] ` and the text; of a dialogue, with who spoke. Empty for kinds that are never embedded.

    The prefix is A's (CX3). It costs 1.7 points of MRR on CoSQA and nothing on LoCoMo (bench/retrieval.py). The text is
    left as it is: splitting identifiers, or names and documentation without the body, found less on CoSQA.
    """
    kind = KINDS[memory.kind]
    if not kind.embedded:
        return ""
    speaker = memory.source.speaker.strip()
    who = f"{speaker}: " if speaker and speaker.lower() not in ROLES else ""
    return f"[{memory.kind}|{memory.importance.value}|{kind.category}] {who}{memory.text}"
