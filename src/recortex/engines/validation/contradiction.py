"""Whether other memories contradict a memory, and which of the two more of them support.

The contradictions themselves are found when a memory is written, and kept as relations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.relation import CONSENSUS
from recortex.domain.validation import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.validation import Severity
    from recortex.engines.validation.subject import Subject


def issues(subject: Subject) -> Iterator[Issue]:
    """Each memory that contradicts it; a consensus resists a single contradiction."""
    agreed = subject.supporters >= CONSENSUS
    for one in subject.opposed:
        resisted = agreed and len(subject.opposed) == 1 and one.supporters < CONSENSUS
        severity: Severity = "severe" if one.certain or one.supporters >= CONSENSUS else "moderate"
        what = f"it and {one.id[:8]} cannot both hold"
        if resisted:
            yield Issue("contradiction", "minor", f"{what}; {subject.supporters} others support it")
        else:
            yield Issue("contradiction", severity, what, f"`recortex review replace` {_PAIR}.")


_PAIR = "with the one that holds and the other"
