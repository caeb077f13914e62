"""The text of which a memory's vector is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.engines.indexing.code import is_code
from recortex.engines.indexing.traits import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.memory import Memory


def embedded_text(memory: Memory, project: str = "") -> str:
    """A line of metadata, the text, and what it is linked to; empty for kinds that are never embedded.

    `[kind|importance|category] [project:name] who: text`, then `Files: …` and `Patterns: …`, each if there is
    one. Code has no such metadata: it costs half a point of MRR and a whole one of R@10 on CoSQA, and nothing
    on LoCoMo (bench/retrieval.py).
    Questions are embedded plainly: a prefix on them costs up to 12 points of R@10. The text is
    unchanged: with split identifiers, or only names and documentation, less was found on CoSQA.
    """
    return "\n".join(_lines(memory, project)) if KINDS[memory.kind].embedded else ""


def _lines(memory: Memory, project: str) -> Iterator[str]:
    label = f"[{memory.kind}|{memory.importance.value}|{KINDS[memory.kind].category}]"
    metadata = () if is_code(memory.text) else (label, project and f"[project:{project}]")
    speaker = memory.source.speaker.strip()
    who = f"{speaker}: " if speaker and speaker.lower() not in ROLES else ""
    yield " ".join(part for part in (*metadata, f"{who}{memory.text}") if part)
    if memory.files:
        yield f"Files: {', '.join(link.path for link in memory.files)}"
    if memory.patterns:
        yield f"Patterns: {', '.join(link.name or link.id for link in memory.patterns)}"
