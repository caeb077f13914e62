"""Whether the code patterns that a memory is linked to are still there, and as sure as they were.

A pattern is there while a memory that explains it is active. Of one that no memory ever explained nothing is
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.validation import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.validation.subject import Subject

SIGNIFICANT = 0.3
"""A fall of confidence by more than this is significant: as much as a direct contradiction takes."""


def issues(subject: Subject) -> Iterator[Issue]:
    """What was removed, and what nobody is sure of any more."""
    for id_, pattern in subject.patterns.items():
        if not pattern.there:
            todo = "Link it to the pattern that took its place, or put it away."
            yield Issue("pattern", "moderate", f"the pattern {id_} was removed", todo)
        elif pattern.base - pattern.confidence > SIGNIFICANT:
            fell = f"from {pattern.base:.2f} to {pattern.confidence:.2f}"
            yield Issue("pattern", "minor", f"the pattern {id_} is less sure than it was, {fell}")
