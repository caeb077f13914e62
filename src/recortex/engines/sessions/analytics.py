"""Many sessions in figures: what was given and used, what was asked, and how long answers took."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.session import GivenMemory, Receipt, Session, Signal


MOST_LISTED = 5
OFTEN = 3
"""A memory that was given so often and never used is listed among the least useful."""
_MIDDLE, _SLOW = 0.5, 0.95
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What was given in one way: with the brief, for a prompt, with a file, or because the agent asked."""

    times: int = 0
    used: int = 0
    tokens: int = 0
    tokens_used: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """How often agents asked with an intent, and the milliseconds of their answers: median, and 95 in 100."""

    intent: str
    times: int
    ms: int
    slow_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A memory: how often it was given, in how many contexts of sessions, how often used, its tokens in all.

    Attributes:
        summary: empty where the memory is gone.
    """

    id: str
    given: int
    used: int
    tokens: int
    kind: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analytics:
    """Many sessions in figures.

    Attributes:
        sessions: how many were seen; `running` of them are not over.
        hours: median time from the start of a session to its last sign.
        tokens_given: cl100k_base tokens of all that was given; `tokens_used` of what was used.
        ratio: tokens used / tokens given, 0 to 1; 0 where nothing was given.
        tokens_saved: of what was not given again: warnings at later accesses to their file, and what
            `context` left out since the session had it.
        ways: by channel.
        questions: how often agents asked; `intents` says for what, the most frequent first.
        ms: median milliseconds of an answer; 95 in 100 take `slow_ms` at most.
        most_given, most_used: memories, by how often.
        least_useful: memories that were given three times at least and never used, by their tokens.
    """

    sessions: int = 0
    running: int = 0
    hours: float = 0.0
    tokens_given: int = 0
    tokens_used: int = 0
    ratio: float = 0.0
    tokens_saved: int = 0
    ways: dict[str, Way]
    questions: int = 0
    intents: tuple[AskedFor, ...] = ()
    ms: int = 0
    slow_ms: int = 0
    most_given: tuple[Standing, ...] = ()
    most_used: tuple[Standing, ...] = ()
    least_useful: tuple[Standing, ...] = ()


class Question(NamedTuple):
    """A question of an agent as its signal notes it: the milliseconds and tokens are in the digest."""

    intent: str
    ms: int
    tokens_saved: int


def noted(ms: int, tokens_saved: int) -> str:
    """The digest of a question's signal."""
    return f"{ms} {tokens_saved}"


def question(subject: str, digest: str) -> Question:
    """A question by its signal; what cannot be read counts as 0."""
    ms, _, saved = digest.partition(" ")
    return Question(subject, int(ms) if ms.isdecimal() else 0, int(saved) if saved.isdecimal() else 0)


def analytics(
    sessions: Sequence[Session],
    running: int,
    given: Sequence[GivenMemory],
    asked: Sequence[tuple[str, str]],
    repeats_saved: int,
) -> Analytics:
    """The figures.

    Args:
        sessions: that were seen.
        running: how many of them are not over.
        given: what they were given, by memory and channel.
        asked: subject and digest of each question's signal.
        repeats_saved: tokens of warnings that were not repeated.
    """
    questions = [question(*one) for one in asked]
    times = [one.ms for one in questions]
    tokens, used = sum(one.tokens for one in given), sum(one.tokens_used for one in given)
    memories = _memories(given)
    unused = [one for one in memories if one.given >= OFTEN and not one.used]
    hours = [(one.seen_at - one.started_at).total_seconds() / 3_600 for one in sessions]
    return Analytics(
        sessions=len(sessions),
        running=running,
        hours=round(_at(hours, _MIDDLE), 2),
        tokens_given=tokens,
        tokens_used=used,
        ratio=round(used / tokens, 4) if tokens else 0.0,
        tokens_saved=repeats_saved + sum(one.tokens_saved for one in questions),
        ways=_ways(given),
        questions=len(questions),
        intents=_intents(questions),
        ms=_at(times, _MIDDLE),
        slow_ms=_at(times, _SLOW),
        most_given=_first(memories, lambda one: (one.given, one.used)),
        most_used=_first([one for one in memories if one.used], lambda one: (one.used, one.given)),
        least_useful=_first(unused, lambda one: (one.tokens, one.given)),
    )


def _ways(given: Sequence[GivenMemory]) -> dict[str, Way]:
    by_channel: defaultdict[str, list[GivenMemory]] = defaultdict(list)
    for one in given:
        by_channel[one.channel].append(one)
    return {
        channel: Way(
            times=sum(one.times for one in some),
            used=sum(one.times_used for one in some),
            tokens=sum(one.tokens for one in some),
            tokens_used=sum(one.tokens_used for one in some),
        )
        for channel, some in sorted(by_channel.items())
    }


def _memories(given: Sequence[GivenMemory]) -> list[Standing]:
    """Each memory, over all channels."""
    found: dict[str, Standing] = {}
    for one in given:
        known = found.get(one.memory, Standing(id=one.memory, given=0, used=0, tokens=0))
        found[one.memory] = Standing(
            id=one.memory,
            given=known.given + one.times,
            used=known.used + one.times_used,
            tokens=known.tokens + one.tokens,
        )
    return list(found.values())


def _intents(questions: Sequence[Question]) -> tuple[AskedFor, ...]:
    by_intent: defaultdict[str, list[int]] = defaultdict(list)
    for one in questions:
        by_intent[one.intent].append(one.ms)
    found = (
        AskedFor(intent=intent, times=len(ms), ms=_at(ms, _MIDDLE), slow_ms=_at(ms, _SLOW))
        for intent, ms in by_intent.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.times, one.intent)))


def _at(values: Sequence[Number], share: float) -> Number | int:
    """The value that so large a share of them do not exceed; 0 where there are none."""
    return sorted(values)[ceil(share * len(values)) - 1] if values else 0


def _first(memories: Sequence[Standing], by: Callable[[Standing], tuple[int, int]]) -> tuple[Standing, ...]:
    return tuple(sorted(memories, key=lambda one: (*(-value for value in by(one)), one.id))[:MOST_LISTED])


# -- tokens of the memories given in a session, and the share that was used


TOUCHES = frozenset({"read", "written"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """The tokens of what was given in a session, and of what was used.

    Attributes:
        memories: how many different ones were given; `used` of them were used.
        tokens_given: of all that was given, in cl100k_base; what was given again counts again.
        tokens_used: of what was used.
        ratio: tokens used / tokens given, 0 to 1; 0 where nothing was given.
        tokens_saved: what the warnings about files would have cost in addition if they had been given with
            each later access to their file.
    """

    memories: int = 0
    used: int = 0
    tokens_given: int = 0
    tokens_used: int = 0
    ratio: float = 0.0
    tokens_saved: int = 0


def efficiency(receipts: Sequence[Receipt], signals: Sequence[Signal]) -> Efficiency:
    """The efficiency of one session."""
    given = sum(one.tokens for one in receipts)
    used = [one for one in receipts if one.used_as]
    worth = sum(one.tokens for one in used)
    return Efficiency(
        memories=len({one.memory for one in receipts}),
        used=len({one.memory for one in used}),
        tokens_given=given,
        tokens_used=worth,
        ratio=round(worth / given, 4) if given else 0.0,
        tokens_saved=sum(one.tokens * _later_touches(one, signals) for one in receipts),
    )


def _later_touches(receipt: Receipt, signals: Sequence[Signal]) -> int:
    """How often a warning's file was accessed again, after the access that caused the warning."""
    if receipt.channel != "file":
        return 0
    touches = sum(
        one.name in TOUCHES and one.subject == receipt.subject and one.at >= receipt.at for one in signals
    )
    return max(0, touches - 1)


def counts(signals: Sequence[Signal]) -> dict[str, int]:
    """How many signals of each name."""
    return dict(sorted(Counter(one.name for one in signals).items()))
