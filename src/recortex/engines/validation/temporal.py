"""Whether a memory's time is over: its validity, its last validation, its last use, changes of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.domain.validation import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.validation import Severity
    from recortex.engines.validation.subject import Subject

OVERDUE = 2
"""So many times the kind's span without validation is more than minor, as is less, if its files changed."""


def issues(subject: Subject) -> Iterator[Issue]:
    """What speaks against it by the calendar."""
    memory, now = subject.memory, subject.now
    if memory.valid_until is not None and memory.valid_until <= now:
        what = f"it was true until {memory.valid_until:%Y-%m-%d}"
        yield Issue("temporal", "moderate", what, "Put it away, or give it another end.")
    yield from _overdue(subject)
    half_life = KINDS[memory.kind].half_life_days
    idle = (now - max(memory.last_accessed_at or memory.recorded_at, memory.recorded_at)).days
    if half_life is not None and idle > half_life and not memory.pinned:
        yield Issue("temporal", "minor", f"nobody has used it for {idle} days")


def _overdue(subject: Subject) -> Iterator[Issue]:
    """That nobody has validated it for long, where its code does not do that by itself."""
    memory, every = subject.memory, KINDS[subject.memory.kind].revalidate_days
    days = (subject.now - max(memory.validated_at or memory.recorded_at, memory.recorded_at)).days
    compared = [one for one in subject.citations if one.state != "none"]
    if days <= every or (compared and all(one.standing == 1.0 for one in compared)):
        return
    severity: Severity = "moderate" if days > OVERDUE * every or subject.commits else "minor"
    what = f"nobody has validated it for {days} days"
    if subject.commits:
        path, count = max(subject.commits.items(), key=lambda one: one[1])
        what += f"; {count} {'commits have' if count > 1 else 'commit has'} changed {path} since"
    yield Issue("temporal", severity, what, _TODO)


_TODO = "`recortex review approve ID` says that it holds."
