"""What the person said holds until it is ended: a rule that is obeyed gives no sign of being used."""

from __future__ import annotations

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.vocabulary import Trust

_CATEGORIES = frozenset(("architecture", "gotcha", "pattern", "decision"))
"""Of kinds that say what holds; the others tell how far work is, or what was the case in passing."""
LASTING = frozenset(
    str(kind) for kind, content in KINDS.items() if content.category in _CATEGORIES and not content.event
)

_RULES = frozenset(("core", "preference", "feedback", "constraint_override")) | {
    str(kind) for kind, content in KINDS.items() if content.category == "pattern"
}
"""Kinds that say how work is done."""
_CORRECTIONS = frozenset(
    (
        "correction",
        "person_objected",
        "person_overstep",
        "person_repeated",
        "person_rule",
        "person_undid",
    )
)
"""The rules that find what the person corrects or wants every time."""


def is_lasting(kind: Kind | str, trust: Trust | str) -> bool:
    """Whether a memory stays however little it is used: what the person ruled, corrected or decided."""
    return str(trust) == Trust.TRUSTED and str(kind) in LASTING


def is_rule(kind: Kind | str, trust: Trust | str, found_by: str) -> bool:
    """Whether a memory is a rule, a limit or a correction of the person: it is used by being obeyed.

    Args:
        kind: of the memory.
        trust: in it.
        found_by: the rule that found it; empty where it was told on purpose.
    """
    return is_lasting(kind, trust) and (str(kind) in _RULES or found_by in _CORRECTIONS)
