"""The shares of the budget: which memories each gathers, and how the text is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.cleaning import clean
from recortex.domain.generation import Provenance
from recortex.domain.kinds.base import shorten
from recortex.engines.compression.levels import BREAK, Level, Weighed, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.domain.generation import Influence, Outcome, Share
    from recortex.domain.memory import Memory
    from recortex.engines.compression.levels import Compressed


class Gatherer(NamedTuple):
    """What a share gathers.

    Attributes:
        part: of the budget; what a share leaves goes on to the next ones.
        kinds: of memories; those of no share are related knowledge.
        influence: what following one of them means.
    """

    part: float
    title: str
    kinds: frozenset[str]
    influence: Influence


SHARES: dict[Share, Gatherer] = {
    "patterns": Gatherer(
        0.30,
        "Patterns to follow",
        frozenset(("pattern_rationale", "procedural", "workflow")),
        "pattern_followed",
    ),
    "tribal": Gatherer(
        0.25, "What nobody wrote down", frozenset(("tribal", "incident", "feedback")), "tribal_applied"
    ),
    "constraints": Gatherer(
        0.20,
        "Rules that hold",
        frozenset(("constraint_override", "preference", "core", "decision", "decision_context")),
        "constraint_enforced",
    ),
    "antipatterns": Gatherer(0.15, "What to avoid", frozenset(("code_smell",)), "antipattern_avoided"),
    "related": Gatherer(0.10, "Related", frozenset(), "knowledge_used"),
}
_LABELS: dict[Share, str] = {
    "patterns": "pattern",
    "tribal": "tribal",
    "constraints": "constraint",
    "antipatterns": "avoid",
    "related": "memory",
}
_COMMENT_CHARACTERS = 100


class LaidOut(NamedTuple):
    """The text, its tokens with those of the comments, those of each share, and what it tells."""

    text: str
    tokens: int
    spent: dict[str, int]
    provenance: tuple[Provenance, ...]


def share_of(memory: Memory) -> Share:
    """The share that gathers a memory: by kind, or as a constraint where it is linked to one."""
    for name, share in SHARES.items():
        if memory.kind in share.kinds:
            return name
    return "constraints" if memory.constraints else "related"


def comment(memory: Memory, share: Share) -> str:
    """The inline comment that tells of a memory's influence, without the signs of a comment."""
    if share == "patterns":
        named = next((link.name or link.id for link in memory.patterns), "")
        name = getattr(memory.content, "pattern_name", "") or named or memory.summary or memory.text
        return f"[recortex:pattern] {_short(name)} (confidence: {memory.confidence:.2f})"
    return f"[recortex:{_LABELS[share]}] {_short(memory.summary or memory.text)}"


def _short(text: str) -> str:
    return shorten(clean(text), _COMMENT_CHARACTERS)


def lay_out(
    ranked: Sequence[Weighed], budget: int, count: Callable[[str], int], parts: Mapping[str, float]
) -> LaidOut:
    """The text by shares, each within its part of the budget and what the ones before it left.

    Args:
        ranked: each memory once, with its relevance.
        budget: the most tokens of the text and the comments.
        count: tokens of a text.
        parts: the share of the budget by name, where it differs from the usual one.
    """
    lines: list[str] = []
    spent: dict[str, int] = {}
    told: list[Provenance] = []
    left = 0
    for name, share in SHARES.items():
        heading = f"## {share.title}"
        own = [one for one in ranked if share_of(one.memory) == name]
        left += int(budget * parts.get(name, share.part))
        memories = {one.memory.id: one.memory for one in own}
        comments = {id_: comment(memory, name) for id_, memory in memories.items()}
        entries = _packed(own, comments, left - count(heading) - BREAK, count)
        if not entries:
            continue
        lines += [heading, *(one.text for one in entries)]
        cost = sum(one.tokens + BREAK + count(comments[one.id]) for one in entries)
        spent[name] = cost + count(heading) + BREAK
        left -= spent[name]
        told += [
            Provenance(
                id=one.id,
                kind=memories[one.id].kind,
                share=name,
                influence=share.influence,
                comment=comments[one.id],
                tokens=one.tokens,
            )
            for one in entries
        ]
    text = "\n".join(lines)
    tokens = count(text) + sum(count(one.comment) for one in told)
    return LaidOut(text, tokens, spent, tuple(told))


def _packed(
    own: Sequence[Weighed], comments: Mapping[str, str], room: int, count: Callable[[str], int]
) -> list[Compressed]:
    """What of a share is told: lines with their comments within the room; an id alone tells nothing."""
    first = [one for one in pack(own, room, count, Level.EXAMPLES).entries if one.level]
    lines = sum(one.tokens + BREAK for one in first)
    beside = sum(count(comments[one.id]) for one in first)
    rest = int(room * lines / (lines + beside)) if first else 0
    entries = [one for one in pack(own, rest, count, Level.EXAMPLES).entries if one.level]
    kept: list[Compressed] = []
    for one in entries:
        cost = one.tokens + BREAK + count(comments[one.id])
        if cost <= room:
            kept.append(one)
            room -= cost
    return kept


# -- how the outcome of what was written changes the confidence of what had influence


CHANGES: dict[Outcome, float] = {"accepted": 0.02, "modified": -0.01, "rejected": -0.05}
LOWEST, HIGHEST = 0.1, 0.98
"""Outcomes alone make nothing certain, and nothing worthless."""


def adjusted(confidence: float, outcome: Outcome) -> float:
    """The confidence after an outcome; one that is beyond the bounds already is not moved towards them."""
    changed = confidence + CHANGES[outcome]
    if CHANGES[outcome] > 0:
        return max(confidence, min(changed, HIGHEST))
    return min(confidence, max(changed, LOWEST))
