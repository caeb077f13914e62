"""The verdict on a memory: the issues of all four dimensions, a score, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.citation import Citation, standing_of
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.relation import CONSENSUS
from recortex.domain.validation import DIMENSIONS, SEVERITIES, Issue, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.validation import Severity, State


# -- whether the code that a memory cites stands as it was cited


SLIGHT = 0.8
"""With so large a share of its lines standing, a place has only changed a little."""
MOST = 0.5
"""More than this share of the places gone is severe."""


def citation_issues(subject: Subject) -> Iterator[Issue]:
    """What moved, changed or went."""
    gone = sum(one.state == "gone" for one in subject.citations)
    compared = sum(one.state != "none" for one in subject.citations)
    mostly = gone > MOST * compared
    for one in subject.citations:
        if one.state not in {"fresh", "none"}:
            yield Issue("citation", _severity(one, mostly=mostly), one.told, _CITATION_TODO[one.state])


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


_CITATION_TODO = {
    "moved": "`recortex validate --heal` cites it where it is now.",
    "changed": "Read the code: edit the memory, or approve it as it is.",
    "gone": "Cite the code that took its place, or put the memory away.",
}


# -- whether other memories contradict a memory, and which of the two more of them support


def contradiction_issues(subject: Subject) -> Iterator[Issue]:
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


# -- whether the code patterns that a memory is linked to are still there, and as sure as they were


SIGNIFICANT = 0.3
"""A fall of confidence by more than this is significant: as much as a direct contradiction takes."""


def pattern_issues(subject: Subject) -> Iterator[Issue]:
    """What was removed, and what nobody is sure of any more."""
    for id_, pattern in subject.patterns.items():
        if not pattern.there:
            todo = "Link it to the pattern that took its place, or put it away."
            yield Issue("pattern", "moderate", f"the pattern {id_} was removed", todo)
        elif pattern.base - pattern.confidence > SIGNIFICANT:
            fell = f"from {pattern.base:.2f} to {pattern.confidence:.2f}"
            yield Issue("pattern", "minor", f"the pattern {id_} is less sure than it was, {fell}")


# -- whether a memory's time is over: its validity, its last validation, its last use, changes of its files


OVERDUE = 2
"""So many times the kind's span without validation is more than minor, as is less, if its files changed."""


def temporal_issues(subject: Subject) -> Iterator[Issue]:
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
    yield Issue("temporal", severity, what, _TEMPORAL_TODO)


_TEMPORAL_TODO = "`recortex review approve ID` says that it holds."


# -- the verdict on a memory: the issues of all four dimensions, a score, and what follows from them


SCORES: dict[Severity, float] = {"minor": 0.9, "moderate": 0.7, "severe": 0.3}
"""What an issue leaves of its dimension."""
_STATES: dict[Severity, State] = {"minor": "stale", "moderate": "stale", "severe": "flagged"}


def verdict(subject: Subject) -> Verdict:
    """What the four dimensions say of a memory."""
    found = [
        *citation_issues(subject),
        *temporal_issues(subject),
        *contradiction_issues(subject),
        *pattern_issues(subject),
    ]
    found.sort(key=lambda one: -SEVERITIES.index(one.severity))
    # What the gravest issue leaves of a dimension.
    scores = {
        name: min((SCORES[one.severity] for one in found if one.dimension == name), default=1.0)
        for name in DIMENSIONS
    }
    scores["citation"] = min(scores["citation"], score(subject)) if found else 1.0
    return Verdict(
        id=subject.memory.id,
        score=round(sum(scores.values()) / len(scores), 4),
        state=_STATES[found[0].severity] if found else "valid",
        issues=tuple(found),
        cited=standing_of(subject.citations),
    )


# -- what is known of a memory when it is validated


class Opposed(NamedTuple):
    """A memory that contradicts the one that is validated.

    Attributes:
        certain: not only suggested.
        supporters: how many others say the same as it does.
    """

    id: str
    certain: bool
    supporters: int = 0


class Pattern(NamedTuple):
    """A code pattern, as the memories that explain it tell.

    Attributes:
        there: whether one of them is active.
        confidence: the highest that is left of one of them.
        base: the highest that one was stored with.
    """

    there: bool
    confidence: float = 1.0
    base: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A memory with what its validation needs.

    Attributes:
        memory: as stored.
        confidence: what decay has left of it.
        citations: what became of the places that it cites.
        commits: how many commits changed each file since, of those that it cites and that cannot be compared.
        opposed: memories that contradict it.
        supporters: how many others say the same as it does.
        patterns: of the patterns that it is linked to, those that any memory explains.
    """

    memory: Memory
    now: datetime
    confidence: float
    citations: Sequence[Citation] = ()
    commits: Mapping[str, int] = field(default_factory=dict)
    opposed: Sequence[Opposed] = ()
    supporters: int = 0
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
