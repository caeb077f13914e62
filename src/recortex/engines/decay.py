"""Ageing: the current confidence from the stored base, and the status that follows from it.

It is `base × 0.5 ** (age / half-life) × boosts`, from 0 to the base. Boosts delay the decay but never raise
the confidence above the base. No factor depends on the current time, so confidence falls along one half-life
(two, if a validation runs out), and the time at which it passes a threshold can be computed.
"""

from __future__ import annotations

import math
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import importance_of, is_lasting
from recortex.domain.text import from_micros
from recortex.domain.vocabulary import Importance, Status
from recortex.lean import NamedTuple, Value, lazy_module, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy as np

    from recortex.domain.maintenance import MemoryStatistics
    from recortex.domain.memory import Memory
    from recortex.domain.search import Facts
    from recortex.domain.session import Outcome
    from recortex.ports.store import KeptStore

    Fading = MemoryStatistics | Facts
    Numbers = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.int64]]
else:
    np = lazy_module("numpy")  # hooks ask for a few memories only, and must not wait until it is loaded


DAY = 86_400_000_000
"""Microseconds."""
HUB = 0.5
"""A memory of higher centrality is a hub."""
VALIDATED = 1.5
"""The factor of the half-life after a validation, until the kind is due for validation again."""
MANY_ACCESSES = 10
"""This many accesses a month double the half-life, and more than this in total double it again."""
DOUBLED = 2.0
MOST_USAGE = 1.5
USAGE_SLOPE = 0.2
MONTH = 30 * DAY
PER_PATTERN, MOST_LINKAGE, LINKED_BOOST = 0.1, 1.3, 1.3
LEAST_CITATION = 0.5
_ANCHORS = {Importance.LOW: 0.8, Importance.NORMAL: 1.0, Importance.HIGH: 1.5, Importance.CRITICAL: 2.0}
ANCHOR_OF_PRIORITY = {priority: _ANCHORS[importance_of(priority)] for priority in range(1, 11)}
"""Boost of the confidence by priority."""


_HALF_LIVES: dict[str, float | None] = {kind: one.half_life_days for kind, one in KINDS.items()}
"""By the kind as it is stored: it is asked for each candidate of a recall."""


class Curve(NamedTuple):
    """How one memory's confidence falls.

    Attributes:
        base: the stored confidence; nothing is above it.
        start: when decay begins, in microseconds since 1970: the last access, or the recording.
        lift: the product of the boosts.
        half_life: microseconds; None where the memory never decays.
        slowed_until: when the longer half-life after a validation ends.
    """

    base: float
    start: int
    lift: float
    half_life: float | None
    slowed_until: int


def half_life_days(one: Fading, centrality: float) -> float | None:
    """The kind's half-life in days, longer by frequency, linkage and doublings; None if it never decays."""
    days = _HALF_LIVES[one.kind]
    if one.pinned or days is None:
        return None
    linkage = min(MOST_LINKAGE, 1.0 + PER_PATTERN * one.patterns) if one.patterns else 1.0
    central = DOUBLED if centrality > HUB else 1.0
    if not one.access_count:  # most of what a search looks at: this is asked for each candidate
        return days * linkage * central
    last = one.recorded_at if one.last_accessed_at is None else one.last_accessed_at
    months = max(last - one.recorded_at, MONTH) / MONTH
    frequency = 1.0 + min(1.0, one.access_count / months / MANY_ACCESSES)
    often = DOUBLED if one.access_count > MANY_ACCESSES else 1.0
    return days * frequency * linkage * (often * central)


def validated_at(one: Fading) -> int | None:
    """When a memory was validated last: by a person, or by its code, where all that it cites stood."""
    if one.standing != 1.0 or one.checked_at is None:
        return one.validated_at
    return max(one.checked_at, one.validated_at or 0)


def curve(one: Fading, centrality: float) -> Curve:
    """The curve of a memory, with its statistics and its centrality, 0 to 1."""
    days = half_life_days(one, centrality)
    start = one.recorded_at if one.last_accessed_at is None else max(one.last_accessed_at, one.recorded_at)
    if one.pinned:
        return Curve(one.confidence, start, 1.0, None, start)
    lift = _lift(one.access_count, one.priority, bool(one.patterns), one.standing)
    slowed_until, validated = start, validated_at(one)
    if validated is not None:
        slowed_until = max(start, validated + KINDS[Kind(one.kind)].revalidate_days * DAY)
    return Curve(one.confidence, start, lift, None if days is None else days * DAY, slowed_until)


# Few combinations occur in a store, and a search asks for the factor of each candidate.
@lru_cache(4096)
def _lift(accesses: int, priority: int, patterns: bool, standing: float | None) -> float:
    """The product of the boosts: by use, by priority, by patterns, and by the cited code that stands."""
    stands = 1.0 if standing is None else min(1.0, max(0.0, standing))
    citation = LEAST_CITATION + (1.0 - LEAST_CITATION) * stands
    return (
        usage_factor(accesses) * ANCHOR_OF_PRIORITY[priority] * (LINKED_BOOST if patterns else 1.0) * citation
    )


@lru_cache(1024)
def usage_factor(accesses: int) -> float:
    """The boost by the number of accesses, from 1 to 1.5."""
    return min(MOST_USAGE, 1.0 + math.log10(accesses + 1) * USAGE_SLOPE)


def confidence(fall: Curve, now: int) -> float:
    """The confidence at an instant (microseconds since 1970); before decay begins, that of its beginning.

    It never rises with time and is never above the base. When a validation has run out, the usual half-life
    applies to the whole age again.
    """
    base, start, lift, half_life, slowed_until = fall
    if half_life is not None and now > start:
        lift *= math.exp2((start - now) / (half_life * VALIDATED if now < slowed_until else half_life))
    return base * lift if lift < 1.0 else base


def below_since(fall: Curve, threshold: float) -> float | None:
    """The instant at which the confidence falls below a threshold; None if it never does.

    It is the exact inverse of `confidence`, so "below the threshold for 14 days" needs no stored state.
    """
    if fall.base * min(1.0, fall.lift) < threshold:
        return fall.start
    if fall.half_life is None or threshold <= 0.0:
        return None
    age = fall.half_life * math.log2(fall.base * fall.lift / threshold)
    # The slower fall holds only until the validation runs out. After that the usual half-life applies to the
    # whole age, so that the confidence may drop below the threshold at that very instant.
    slow = fall.start + age * VALIDATED
    return slow if slow < fall.slowed_until else max(fall.start + age, fall.slowed_until)


# -- changes the status of faded memories: active or only proposed to archived, archived to pruned


class Rules(Value, frozen=True, kw_only=True):
    """When faded memories are archived and pruned.

    Attributes:
        archive_after_days: days below the kind's threshold.
        prune_after_days: days in the archive without an access.
        proposal_days: days after which a proposal that nothing has confirmed is archived; 0: never.
        hub: memories of higher centrality are never archived.
    """

    archive_after_days: int = 14
    prune_after_days: int = 30
    proposal_days: int = 60
    hub: float = 0.5


class Transition(Value, frozen=True, kw_only=True):
    """A memory's next status, and a reason that does not quote its text."""

    id: str
    kind: str
    status: Status
    reason: str


def transition(one: MemoryStatistics, centrality: float, now: int, rules: Rules) -> Transition | None:
    """The transition that is due for a memory; None if there is none.

    What the person said that holds until it is ended never fades for want of use.
    Time below the threshold counts from the last change at the earliest: a memory that a person restored or
    corrected gets the full time again, as does one whose code went.
    """
    if one.pinned or one.kind not in KINDS:  # a kind of a newer program
        return None
    if one.status == Status.ACTIVE:
        return _archival(one, centrality, now, rules)
    if one.status == Status.PROPOSED:
        # The end of a proposal that was not said again, used, changed or approved for long.
        since = max(one.updated_at, one.last_accessed_at or 0)
        if not rules.proposal_days or now - since < rules.proposal_days * DAY:
            return None
        return _to(Status.ARCHIVED, one, f"proposed, and nothing confirmed it since {_day(since)}")
    return _pruning(one, now, rules) if one.status == Status.ARCHIVED else None


def _archival(one: MemoryStatistics, centrality: float, now: int, rules: Rules) -> Transition | None:
    if centrality > rules.hub or is_lasting(one.kind, one.trust):
        return None
    threshold = KINDS[Kind(one.kind)].archive_below
    fall = curve(one, centrality)
    since = below_since(fall, threshold)
    if since is None:
        return None
    # Whoever restored or corrected it wants it to stay for the full time.
    since = max(since, one.updated_at, one.standing_since or 0)
    if now - since < rules.archive_after_days * DAY:
        return None
    reason = f"confidence {confidence(fall, now):.2f}, below {threshold:g} since "
    return _to(Status.ARCHIVED, one, reason + _day(int(since)))


def _pruning(one: MemoryStatistics, now: int, rules: Rules) -> Transition | None:
    unused_since = max(one.updated_at, one.last_accessed_at or 0)
    if now - unused_since < rules.prune_after_days * DAY:
        return None
    return _to(Status.PRUNED, one, f"in the archive, not used since {_day(unused_since)}")


def _to(status: Status, one: MemoryStatistics, reason: str) -> Transition:
    return Transition(id=one.id, kind=one.kind, status=status, reason=reason)


def _day(micros: int) -> str:
    return from_micros(micros).date().isoformat()


# -- of many memories at once: the same formulas by column, which a property test holds equal to those above


NEVER = -1.0
_PLACES = {str(kind): place for place, kind in enumerate(KINDS)}


class _Columns:
    """The statistics of many memories by column; what is missing is not a number."""

    def __init__(self, memories: Sequence[Fading]) -> None:
        self._memories = memories

    def column(self, name: str) -> Numbers:
        """A column that is never empty."""
        return np.fromiter(map(attrgetter(name), self._memories), np.float64, len(self._memories))

    def maybe(self, name: str) -> Numbers:
        """One that may be."""
        found = [np.nan if one is None else one for one in map(attrgetter(name), self._memories)]
        return np.fromiter(found, np.float64, len(found))

    def places(self, name: str, table: dict[str, int]) -> Places:
        """A column of words as places in a table."""
        found = map(table.__getitem__, map(attrgetter(name), self._memories))
        return np.fromiter(found, np.int64, len(self._memories))


def confidences(memories: Sequence[Fading], centralities: Sequence[float], now: int) -> list[float]:
    """The current confidence of each, 0 to 1.

    Args:
        memories: their statistics, of kinds that this program knows.
        centralities: of each, 0 to 1.
        now: microseconds since 1970 UTC.
    """
    columns = _Columns(memories)
    base, pinned = columns.column("confidence"), columns.column("pinned") != 0
    kinds, patterns, count = (
        columns.places("kind", _PLACES),
        columns.column("patterns"),
        columns.column("access_count"),
    )
    recorded, standing = columns.column("recorded_at"), columns.maybe("standing")
    # `fmax` takes the other value where one is not a number: here, where nobody ever opened the memory.
    start = np.fmax(columns.maybe("last_accessed_at"), recorded)
    age = np.maximum(0.0, now - start)
    # A number and not NaN, which would pass through all formulas below; these places are overwritten.
    days = np.array([NEVER if one.half_life_days is None else one.half_life_days for one in KINDS.values()])
    checked_every = np.array([float(one.revalidate_days) for one in KINDS.values()])
    # Priorities begin at 1; the first place is only there so that they can be the index.
    anchors = np.array([0.0, *(ANCHOR_OF_PRIORITY[priority] for priority in range(1, 11))])
    half_life = _half_lives(days[kinds], count, patterns, start - recorded, np.asarray(centralities))
    # Until when a validation slows the decay of each, by a person or by its code.
    by_code = np.where(standing == 1.0, columns.maybe("checked_at"), np.nan)
    validated = np.fmax(columns.maybe("validated_at"), by_code)
    slow = np.where(
        now < np.fmax(start, validated + checked_every[kinds] * DAY),
        VALIDATED,
        1.0,
    )
    part = np.exp2(-age / (half_life * (DAY * slow)))
    part[pinned | (days[kinds] == NEVER)] = 1.0
    lift = (
        np.asarray(np.minimum(MOST_USAGE, 1.0 + np.log10(count + 1) * USAGE_SLOPE))
        * anchors[columns.column("priority").astype(np.int64)]
        * _links(patterns, standing)
    )
    lift[pinned] = 1.0
    found: list[float] = (base * np.minimum(1.0, lift * part)).tolist()
    return found


def _half_lives(
    days: Numbers, count: Numbers, patterns: Numbers, used_for: Numbers, central: Numbers
) -> Numbers:
    frequency = 1.0 + np.minimum(1.0, count * MONTH / np.maximum(used_for, MONTH) / MANY_ACCESSES)
    linkage = np.minimum(MOST_LINKAGE, 1.0 + PER_PATTERN * patterns)
    doubled = np.exp2((count > MANY_ACCESSES).astype(float) + (central > HUB))
    # The number that stands for "never" is negative, and would make confidence grow with age.
    return np.asarray(np.abs(days) * frequency * linkage * doubled)


def _links(patterns: Numbers, standing: Numbers) -> Numbers:
    """The boost of patterns, times the factor of the code that is cited."""
    stands = np.clip(np.nan_to_num(standing, nan=1.0), 0.0, 1.0)
    citation = LEAST_CITATION + (1.0 - LEAST_CITATION) * stands
    return np.asarray(np.where(patterns > 0, LINKED_BOOST, 1.0) * citation)


# -- the current confidence of memories, for whatever shows or compares it


MANY = 500
"""From so many memories on they are computed by column: NumPy takes longer to be loaded than fewer take."""


def remaining(one: Fading, now: int, central: float = 0.0) -> float:
    """The current, decayed confidence of a memory.

    Args:
        one: the memory's statistics; one of a kind that only a newer program knows does not decay.
        now: microseconds since 1970 UTC.
        central: its centrality, 0 to 1.
    """
    return confidence(curve(one, central), now) if one.kind in KINDS else one.confidence


def faded(memories: Sequence[Memory], store: KeptStore, now: int) -> list[Memory]:
    """The memories with their current confidence.

    Args:
        memories: of that store.
        store: holds their statistics and relations.
        now: microseconds since 1970 UTC.
    """
    if not memories:
        return []
    standings = {one.id: one for one in store.statistics.find_by_ids([memory.id for memory in memories])}
    hubs = store.search.centralities([one.key for one in standings.values()])
    current = remaining_of_all(list(standings.values()), now, hubs)
    return [
        replace(memory, confidence=current[memory.id]) if memory.id in current else memory
        for memory in memories
    ]


def remaining_of_all(
    memories: Sequence[MemoryStatistics], now: int, hubs: Mapping[int, float]
) -> dict[str, float]:
    """The current confidence of memories, by id; `hubs` has the centrality of those above a half, by key."""
    known = [one for one in memories if one.kind in KINDS]
    others = {one.id: one.confidence for one in memories if one.kind not in KINDS}
    central = [hubs.get(one.key, 0.0) for one in known]
    if len(known) < MANY:
        each = [remaining(one, now, value) for one, value in zip(known, central, strict=True)]
    else:
        each = confidences(known, central, now)
    return others | {one.id: value for one, value in zip(known, each, strict=True)}


# -- how much use a memory was in a project, by what became of it each time it was given


USUAL = 0.2
"""The share of sessions in which a memory that is given is used, as expected before anything is known."""
KNOWN = 3
"""Sessions that this expectation counts for."""
UNUSED, MOST_UNUSED = 3, 9
"""Sessions in which a memory may be given without use before it is given no more; each use allows as many
again, up to the most."""


def usefulness(outcome: Outcome) -> float:
    """How much likelier a memory is to be used than one that was never given: 1 for such a one.

    The mean of a Beta posterior by the expected share; never given and unused is below 1, used above.
    """
    return (outcome.used / USUAL + KNOWN) / (outcome.given + KNOWN)


def is_exhausted(outcome: Outcome, unused: int = UNUSED) -> bool:
    """Whether a memory was given so often without use that it is given no more unless it is asked for."""
    return outcome.given - outcome.used >= min(unused * (1 + outcome.used), MOST_UNUSED)


def risen(chance: float, outcome: Outcome) -> float:
    """A probability that a memory helps, with what became of it before: 0 for one that is spent."""
    if is_exhausted(outcome):
        return 0.0
    # The factor is applied to the odds, so that the result stays a probability.
    odds = chance * usefulness(outcome)
    return odds / (odds + 1.0 - chance) if chance < 1.0 else 1.0
