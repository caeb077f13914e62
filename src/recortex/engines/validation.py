"""The verdict on a memory, and which memories a person should look at first.

A verdict has the issues of all four dimensions, a score, and what follows from them. What a person is asked
first is what one answer tells most about (active learning).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import CONSENSUS, Citation, Memory, importance_of, lowest_priority_of, mean_intact
from recortex.domain.reports import DIMENSIONS, FLAG, SEVERITIES, Factors, Issue, Question, Verdict
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Importance, Origin, Status
from recortex.engines.decay import VALIDATED, usage_factor
from recortex.engines.similarity import reinforced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.maintenance import MemoryStatistics
    from recortex.domain.memory import FileLink
    from recortex.domain.reports import Answer, Doubt, Severity, State


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
            yield Issue("citation", _severity(one, mostly=mostly), one.outcome, _CITATION_TODO[one.state])


def _severity(one: Citation, *, mostly: bool) -> Severity:
    if one.state == "moved":
        return "minor"
    if one.state == "gone":
        return "severe" if mostly else "moderate"
    return "minor" if (one.standing or 0.0) >= SLIGHT else "moderate"


def score(subject: Subject) -> float:
    """The mean share of the cited code that stands; 1 where none is cited."""
    standing = mean_intact(subject.citations)
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
    # The gravest first: the state of the memory is that of the first issue.
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
        cited=mean_intact(subject.citations),
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


# -- what can be healed of a memory without a person, and what only a person can decide


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
    # In this order: whether something is archived depends on the confidence that was lowered before.
    for strategy in (_citations, _confidence, _consensus, _flag, _archival):
        healed = strategy(healed, subject, verdict, remedy)
    return healed


def _citations(healed: Healed, subject: Subject, _: Verdict, remedy: Remedy) -> Healed:
    """Cite what is elsewhere where it is now."""
    moved = [one for one in subject.citations if one.link in remedy.places]
    if not moved:
        return healed
    # Two places that were cited apart may be one now.
    files = tuple(dict.fromkeys(remedy.places.get(link, link) for link in healed.memory.files))
    return _did(healed, replace(healed.memory, files=files), *(one.outcome for one in moved))


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
    # What was raised is noted, so that exactly as much can be taken back.
    notes = {**_notes(memory), "raised": [round(confidence - memory.confidence, 6)] if agreed else []}
    if confidence == memory.confidence:
        return healed
    changed = replace(memory, confidence=confidence, metadata={**memory.metadata, NOTE: notes})
    return _did(healed, changed, f"confidence {memory.confidence:.2f} -> {confidence:.2f}: {_AGREE[agreed]}")


_AGREE = {True: "three others support it", False: "fewer than three others support it now"}


def _flag(healed: Healed, _: Subject, verdict: Verdict, __: Remedy) -> Healed:
    """Let a person look at what is severe, once; lift what is not so any more, as on another branch."""
    severe = [one for one in verdict.issues if one.severity == "severe"]
    # A flag that no note explains was not set here, and stays.
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
    # Decay was computed from the confidence before it was lowered here.
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
        # Without the notes the same issue counts again, should a later validation find it.
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


DAY = 86_400_000_000
"""Microseconds."""
UNSURE = CONFIDENCE_WORDS["medium"]
"""Confidence below this is low."""
IMPORTANT = lowest_priority_of(Importance.HIGH)
HIGHEST = 10
_SAID: Mapping[Doubt, str] = {
    "uncertain": "Is this right? It is important, and only {sure:.0%} sure.",
    "never validated": "Does this still hold? It was learned on {day} and nobody has checked it since.",
    "contradicted": "Which of the two holds? They cannot both be true.",
}


class Doubted(NamedTuple):
    """A memory that is to be validated.

    Attributes:
        weight: its place among the others, highest first.
        against: the id of the memory that says otherwise; empty where none does.
    """

    id: str
    doubt: Doubt
    weight: float
    against: str = ""


def doubted(
    memories: Iterable[tuple[MemoryStatistics, float]], contradicted: Mapping[str, str], now: int
) -> list[Doubted]:
    """The memories to be validated, each once, the one that matters most first.

    The weight is the doubt by the importance, by how often the memory is recalled: those that are recalled
    often and least sure come first.

    Args:
        memories: active ones, each with its confidence as it is now.
        contradicted: for the id of each memory with an unresolved contradiction the id of the other one.
        now: microseconds since 1970 UTC.
    """
    found = [one for row, sure in memories for one in _doubts_about(row, sure, contradicted, now)]
    return sorted(found, key=lambda one: (-one.weight, one.id))


def _doubts_about(
    row: MemoryStatistics, sure: float, contradicted: Mapping[str, str], now: int
) -> Iterator[Doubted]:
    doubt = _doubt(row, sure, contradicted, now)
    if doubt is None:
        return
    # One of two that exclude each other is wrong, however sure both are.
    unsure = max(1.0 - sure, 0.5 if doubt == "contradicted" else 0.0)
    weight = unsure * row.priority / HIGHEST * (1.0 + math.log2(1 + row.access_count))
    yield Doubted(row.id, doubt, round(weight, 4), contradicted.get(row.id, ""))


def _doubt(row: MemoryStatistics, sure: float, contradicted: Mapping[str, str], now: int) -> Doubt | None:
    if row.id in contradicted:
        return "contradicted"
    if sure < UNSURE and row.priority >= IMPORTANT:
        return "uncertain"
    if row.validated_at is None and row.kind in KINDS:
        due = KINDS[Kind(row.kind)].revalidate_days * DAY
        return "never validated" if now - row.recorded_at > due else None
    return None


def question(one: Doubted, memory: Memory, against: Memory | None) -> Question:
    """What to ask a person about a memory."""
    said = _SAID[one.doubt].format(sure=memory.confidence, day=memory.recorded_at.date().isoformat())
    used = f" It was recalled {memory.access_count} times." if memory.access_count > 1 else ""
    rank = importance_of(memory.priority)
    weighs = one.doubt != "uncertain" and memory.priority >= IMPORTANT
    importance = f" Its importance is {rank.value}." if weighs else ""
    return Question(
        memory=memory,
        doubt=one.doubt,
        question=f"{said}{used}{importance}",
        weight=one.weight,
        against=against,
    )


# -- the confidence of what a correction taught, from five factors


REJECTED = 0.5
"""The share of its confidence that a rejected memory keeps, should it be restored."""
MOST_EVIDENCE = 16
"""Further places that are counted: after these nothing is left to add."""


def calibrated(
    base: float,
    *,
    evidence: int = 1,
    accesses: int = 0,
    age_days: float = 0.0,
    half_life_days: float | None = None,
    validated: bool = False,
    answer: Answer | None = None,
) -> Factors:
    """The confidence, from 0 to 1, with each factor.

    Args:
        base: what the words deserve, 0 to 1.
        evidence: places where it was learned, at least 1.
        accesses: how often it was recalled.
        age_days: since it was last recalled, or recorded.
        half_life_days: of its kind; None where it never fades.
        validated: a person approved of it, so that it fades more slowly.
        answer: what a person says of it now.
    """
    known = base
    for _ in range(min(evidence - 1, MOST_EVIDENCE)):
        known = reinforced(known, base)
    usage, slower = usage_factor(accesses), VALIDATED if validated else 1.0
    temporal = 1.0 if half_life_days is None else math.exp2(-max(0.0, age_days) / (half_life_days * slower))
    present = known * min(1.0, usage * temporal)
    final = present if answer is None else answered(present, answer)
    return Factors(
        base=base,
        evidence=known,
        usage=usage,
        temporal=temporal,
        validation=final / present if present else 1.0,
        confidence=final,
    )


def answered(confidence: float, answer: Answer) -> float:
    """The confidence after a person's answer.

    To confirm or to word it better removes half of the doubt, as full evidence does; to reject halves it.
    """
    return confidence * REJECTED if answer == "reject" else reinforced(confidence, 1.0)


# -- what waits for a person in the order in which it is best decided: by subject, what matters first


PAIR, TOO_MANY = 2, 5
"""A subject has two memories or more; what more than a fifth have in common tells nothing of any."""


def by_subject(memories: Sequence[Memory]) -> list[tuple[str, list[Memory]]]:
    """Groups of memories with what each is about, the group with what matters most first.

    A memory's subject is the file or tag that most of the others have too, but for what nearly all have; one
    that shares none stands under its kind.
    """
    counts = Counter(one for memory in memories for one in set(_subjects(memory)))
    most = max(PAIR, len(memories) // TOO_MANY)
    groups: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=_matters):
        shared = [one for one in _subjects(memory) if 1 < counts[one] <= most]
        subject = max(shared, key=lambda one: counts[one], default=memory.kind)
        groups.setdefault(subject, []).append(memory)
    return list(groups.items())


def _subjects(memory: Memory) -> Iterable[str]:
    return (*(link.path for link in memory.files), *memory.tags)


def _matters(memory: Memory) -> tuple[bool, int, float]:
    """What the person said comes before what others did, then what is important, then what is sure."""
    return memory.origin is not Origin.USER, -memory.priority, -memory.confidence
