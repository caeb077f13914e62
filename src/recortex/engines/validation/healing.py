"""What can be healed of a memory without a person, and what only a person can decide.

Each strategy gives the changed memory and says what it did; one that has nothing to do changes nothing.
Healing twice changes nothing more: what a memory was lowered or flagged for is kept in its metadata.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.relation import CONSENSUS
from recortex.domain.validation import FLAG
from recortex.domain.vocabulary import Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from recortex.domain.memory import FileLink, Memory
    from recortex.domain.validation import Issue, Severity, Verdict
    from recortex.engines.validation.judging import Subject

NOTE = "validation"
"""What a memory's metadata tells: `lowered` and `flagged`, each a list of issues in short; `raised`, by how
much."""
LEAST = 0.15
"""Below this confidence a memory is archived after a validation, and below its kind's own limit."""
CONFIRMED, AGREED = 0.1, 0.2
"""By how much a person's approval raises the confidence, and by how much three others that support it do."""
_FACTORS: dict[Severity, float] = {"moderate": 0.7, "severe": 0.7}
_MOST_FLAGGED = 0.3
"""The confidence of what a severe issue speaks against, at most."""
_DECAYED = frozenset({"citation", "temporal"})
"""Dimensions that decay reads by itself: the stored confidence is not lowered for them again."""


class Healed(NamedTuple):
    """A memory after healing, and what was done, in words without any of its text."""

    memory: Memory
    done: tuple[str, ...] = ()


class Remedy(NamedTuple):
    """What healing may use.

    Attributes:
        places: new citations for places that are elsewhere.
        bold: also lower confidence and archive, not only follow the code and flag.
        hub: the memory is central: it is never archived.
    """

    places: Mapping[FileLink, FileLink]
    bold: bool = False
    hub: bool = False


def heal(subject: Subject, verdict: Verdict, remedy: Remedy) -> Healed:
    """A memory with all that can be healed: citations, confidence, flag, archival."""
    healed = Healed(subject.memory)
    for strategy in (_citations, _confidence, _consensus, _flag, _archival):
        healed = strategy(healed, subject, verdict, remedy)
    return healed


def _citations(healed: Healed, subject: Subject, _: Verdict, remedy: Remedy) -> Healed:
    """Cite what is elsewhere where it is now."""
    moved = [one for one in subject.citations if one.link in remedy.places]
    if not moved:
        return healed
    files = tuple(dict.fromkeys(remedy.places.get(link, link) for link in healed.memory.files))
    return _did(healed, replace(healed.memory, files=files), *(one.told for one in moved))


def _confidence(healed: Healed, _: Subject, verdict: Verdict, remedy: Remedy) -> Healed:
    """Lower the stored confidence once for each issue that decay does not read by itself."""
    lowering = [one for one in verdict.issues if one.severity in _FACTORS and one.dimension not in _DECAYED]
    new = [one for one in lowering if _short(one) not in _noted(healed.memory, "lowered")]
    if not (remedy.bold and new) or healed.memory.pinned:
        return healed
    confidence = healed.memory.confidence
    for one in new:
        confidence *= _FACTORS[one.severity]
        if one.severity == "severe":
            confidence = min(confidence, _MOST_FLAGGED)
    confidence = round(confidence, 6)
    lowered = _noting(replace(healed.memory, confidence=confidence), "lowered", new)
    return _did(healed, lowered, f"confidence {healed.memory.confidence:.2f} -> {confidence:.2f}")


def _consensus(healed: Healed, subject: Subject, _: Verdict, remedy: Remedy) -> Healed:
    """Raise the confidence of what three others support, once; take it back where they do so no more."""
    memory, agreed = healed.memory, subject.supporters >= CONSENSUS
    raised = sum(one for one in _noted(memory, "raised") if isinstance(one, float))
    if not remedy.bold or memory.pinned or agreed == bool(raised):
        return healed
    confidence = min(1.0, memory.confidence + AGREED) if agreed else max(0.0, memory.confidence - raised)
    notes = {**_notes(memory), "raised": [round(confidence - memory.confidence, 6)] if agreed else []}
    if confidence == memory.confidence:
        return healed
    changed = replace(memory, confidence=confidence, metadata={**memory.metadata, NOTE: notes})
    return _did(healed, changed, f"confidence {memory.confidence:.2f} -> {confidence:.2f}: {_AGREE[agreed]}")


_AGREE = {True: "three others support it", False: "fewer than three others support it now"}


def _flag(healed: Healed, _: Subject, verdict: Verdict, __: Remedy) -> Healed:
    """Let a person look at what is severe, once; lift what is not so any more, as on another branch."""
    severe = [one for one in verdict.issues if one.severity == "severe"]
    if not severe and FLAG in healed.memory.tags and _noted(healed.memory, "flagged"):
        tags = tuple(tag for tag in healed.memory.tags if tag != FLAG)
        lifted = _noting(replace(healed.memory, tags=tags), "flagged", None)
        return _did(healed, lifted, "no longer flagged: what was severe is not so any more")
    new = [one for one in severe if _short(one) not in _noted(healed.memory, "flagged")]
    if not new:
        return healed
    tags = tuple(dict.fromkeys((*healed.memory.tags, FLAG)))
    flagged = _noting(replace(healed.memory, tags=tags), "flagged", new)
    return _did(healed, flagged, f"flagged for review: {new[0].what}")


def _archival(healed: Healed, subject: Subject, verdict: Verdict, remedy: Remedy) -> Healed:
    """Archive what is stale and of which too little confidence is left."""
    memory, stored = healed.memory, subject.memory.confidence
    least = KINDS[memory.kind].archive_below
    left = subject.confidence * (memory.confidence / stored if stored else 1.0)
    kept = memory.pinned or remedy.hub or not least or memory.status is not Status.ACTIVE
    if not remedy.bold or kept or not verdict.issues or left >= max(least, LEAST):
        return healed
    archived = replace(memory, status=Status.ARCHIVED)
    return _did(healed, archived, f"archived: confidence {left:.2f}, below {max(least, LEAST):g}")


def approved(memory: Memory, files: tuple[FileLink, ...], now: datetime) -> Memory:
    """A memory of which a person says that it holds: validated, surer, and no longer flagged.

    Args:
        memory: as it is.
        files: what it cites, as the code is now.
        now: when it is validated.
    """
    return replace(
        memory,
        validated_at=now,
        confidence=min(1.0, memory.confidence + CONFIRMED),
        files=files,
        tags=tuple(tag for tag in memory.tags if tag != FLAG),
        metadata={name: value for name, value in memory.metadata.items() if name != NOTE},
    )


def _did(healed: Healed, memory: Memory, *done: str) -> Healed:
    return Healed(memory, (*healed.done, *done))


def _short(issue: Issue) -> str:
    return f"{issue.dimension}: {issue.what}"


def _notes(memory: Memory) -> dict[str, Any]:
    notes = memory.metadata.get(NOTE)
    return dict(notes) if isinstance(notes, dict) else {}


def _noted(memory: Memory, name: str) -> list[Any]:
    noted = _notes(memory).get(name)
    return noted if isinstance(noted, list) else []


def _noting(memory: Memory, name: str, issues: list[Issue] | None) -> Memory:
    """The memory with more issues noted; with none at all where `issues` is None."""
    noted = [] if issues is None else [*_noted(memory, name), *map(_short, issues)]
    return replace(memory, metadata={**memory.metadata, NOTE: {**_notes(memory), name: noted}})


def flagged_for(memory: Memory) -> list[str]:
    """What a memory is flagged for, in sentences."""
    return [str(one) for one in _noted(memory, "flagged")] if FLAG in memory.tags else []
