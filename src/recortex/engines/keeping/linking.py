"""The memories of a pattern: why it is so, what nobody wrote down, decisions, approved exceptions.

A pattern is a library or a convention; a memory is about it by an id or a name, of a pattern or a constraint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Status
from recortex.engines.code.conventions.identity import ids_of
from recortex.engines.keeping.standing import is_kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recortex.domain.code_patterns import Convention, Detected
    from recortex.domain.memory import Memory

OVERRIDE, EXPLAINING = "constraint_override", "pattern_rationale"
DECIDING = frozenset({"decision", "decision_context"})
_GRAVE = frozenset({"critical", "warning"})
_WAITING = frozenset({Status.PROPOSED, Status.QUARANTINED})


class Linked(NamedTuple):
    """The memories of a pattern, each once and the newest first.

    Attributes:
        why: those that explain it; others of its kinds are not among them.
        warnings: those of what nobody wrote down that are grave.
        overrides, expired: approved exceptions that hold now, and that ended.
    """

    why: tuple[Memory, ...] = ()
    tribal: tuple[Memory, ...] = ()
    warnings: tuple[Memory, ...] = ()
    decisions: tuple[Memory, ...] = ()
    overrides: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    others: tuple[Memory, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether any memory knows of the pattern."""
        return any(self)


def ids_of_library(one: Detected) -> tuple[str, ...]:
    """The ids and names that a memory may know a library by."""
    lowered = one.name.lower()
    forms = (one.name, lowered, lowered.replace(" ", "-"), lowered.replace(".", ""), lowered.replace(" ", ""))
    return tuple(dict.fromkeys(forms))


def ids_of_convention(one: Convention) -> tuple[str, ...]:
    """The ids and names that a memory may know a convention by."""
    return tuple(dict.fromkeys((*ids_of(one), one.name, one.name[:200])))


def linked(ids: Iterable[str], memories: Sequence[Memory], now: datetime) -> Linked:
    """What memories say of the pattern with these ids.

    Args:
        ids: and names of it.
        memories: those that may be about it, whatever their status.
        now: the time by which an exception has ended.
    """
    wanted = set(ids)
    about = [one for one in memories if not _about(one).isdisjoint(wanted)]
    active = [one for one in about if one.status is Status.ACTIVE and one.was_valid_at(now)]
    tribal = tuple(one for one in active if one.kind == "tribal")
    overrides = [one for one in about if one.kind == OVERRIDE and one.status not in _WAITING]
    told = {EXPLAINING, OVERRIDE, "tribal"} | DECIDING
    return Linked(
        why=tuple(one for one in active if one.kind == EXPLAINING),
        tribal=tribal,
        warnings=tuple(one for one in tribal if getattr(one.content, "severity", "") in _GRAVE),
        decisions=tuple(one for one in active if one.kind in DECIDING),
        overrides=tuple(one for one in overrides if one in active),
        expired=tuple(one for one in overrides if one.valid_until is not None and one.valid_until <= now),
        others=tuple(one for one in active if one.kind not in told and not is_kept(one)),
    )


def _about(memory: Memory) -> set[str]:
    """The ids and names of patterns and constraints that a memory refers to."""
    found = {text for link in memory.patterns for text in (link.id, link.name)}
    found |= {text for link in memory.constraints for text in (link.id, link.name)}
    content = memory.content
    for name in ("pattern_id", "pattern_name", "constraint_id", "constraint_name", "decision_id"):
        found.add(str(getattr(content, name, "")))
    if getattr(content, "scope_type", "") == "pattern":
        found.add(str(getattr(content, "scope_target", "")))
    return found - {""}
