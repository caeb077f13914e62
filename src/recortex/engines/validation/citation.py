"""Whether the code that a memory cites stands as it was cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.citation import standing_of
from recortex.domain.validation import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.citation import Citation
    from recortex.domain.validation import Severity
    from recortex.engines.validation.subject import Subject

SLIGHT = 0.8
"""With so large a share of its lines standing, a place has only changed a little."""
MOST = 0.5
"""More than this share of the places gone is severe."""


def issues(subject: Subject) -> Iterator[Issue]:
    """What moved, changed or went."""
    gone = sum(one.state == "gone" for one in subject.citations)
    compared = sum(one.state != "none" for one in subject.citations)
    mostly = gone > MOST * compared
    for one in subject.citations:
        if one.state not in {"fresh", "none"}:
            yield Issue("citation", _severity(one, mostly=mostly), one.told, _TODO[one.state])


def _severity(one: Citation, *, mostly: bool) -> Severity:
    if one.state == "moved":
        return "minor"
    if one.state == "gone":
        return "severe" if mostly else "moderate"
    return "minor" if (one.standing or 0.0) >= SLIGHT else "moderate"


def score(subject: Subject) -> float:
    """The mean share of the cited code that stands; 1 where none is cited."""
    standing = standing_of(subject.citations)
    return 1.0 if standing is None else standing


_TODO = {
    "moved": "`recortex validate --heal` cites it where it is now.",
    "changed": "Read the code: edit the memory, or approve it as it is.",
    "gone": "Cite the code that took its place, or put the memory away.",
}
