"""How grave what a memory warns of is, in which order warnings stand, and which say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.context import SEVERITIES
from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Importance
from recortex.engines.similarity.jaccard import SIMILAR, jaccard
from recortex.engines.words import topic_stems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.context import Severity, Warned
    from recortex.domain.memory import Memory

WARNING_KINDS = tuple(
    kind
    for kind, content in KINDS.items()
    if content.category == "gotcha" or content.kind == "constraint_override"
)
_BY_IMPORTANCE: dict[Importance, Severity] = {
    Importance.CRITICAL: "critical",
    Importance.HIGH: "error",
    Importance.NORMAL: "warning",
    Importance.LOW: "info",
}


def severity(memory: Memory) -> Severity:
    """The graver of what its fields say and what its importance says.

    A field that holds its kind's usual value says nothing.
    """
    said = getattr(memory.content, "severity", None)
    usual = memory.content.usual.get("severity")
    found = [_BY_IMPORTANCE[memory.importance]]
    if said in SEVERITIES and said != usual:
        found.append(said)
    return min(found, key=SEVERITIES.index)


def advice(memory: Memory) -> str:
    """What happens otherwise, and what to do instead, by its fields; empty where they say nothing."""
    content = memory.content
    parts = (
        *getattr(content, "warnings", ()),
        *getattr(content, "consequences", ()),
        *getattr(content, "prevention", ()),
        getattr(content, "suggestion", ""),
    )
    return "; ".join(part for part in parts if part and part not in memory.text)


def ordered(found: Iterable[Warned]) -> list[Warned]:
    """The gravest first, those about files in view before others; of those that say the same the first."""
    kept: list[tuple[Warned, frozenset[str]]] = []
    for one in sorted(found, key=lambda one: (SEVERITIES.index(one.severity), not one.about)):
        said = topic_stems(one.text)
        if not any(one.id == other.id or jaccard(said, before) > SIMILAR for other, before in kept):
            kept.append((one, said))
    return [one for one, _ in kept]
