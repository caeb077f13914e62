"""Counts what replayed sessions were given, and draws examples of it."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from recortex.domain.replay import Given, GivenOften, ReplayedSession, ReplayFigures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def figures(sessions: Iterable[ReplayedSession]) -> ReplayFigures:
    """The counts of some sessions together."""
    lived = [one for one in sessions if one.prompts]
    prompts, answered = sum(one.prompts for one in lived), sum(one.answered for one in lived)
    by_channel: dict[str, list[Given]] = defaultdict(list)
    for one in _all_given(lived):
        by_channel[one.channel].append(one)
    asked, shown, touched = by_channel["prompt"], by_channel["surface"], by_channel["file"]
    briefs = {one.session for one in shown}
    briefs_used = {one.session for one in shown if one.used}
    tokens = sum(one.tokens for one in lived)
    again = [said for one in lived for said in one.again]
    return ReplayFigures(
        sessions=len(lived),
        prompts=prompts,
        answered=answered,
        answered_percent=percent(answered, prompts),
        given=len(asked),
        different=len({one.memory for one in asked}),
        own=sum(one.learned_in == one.session for one in asked),
        used=_used(asked),
        used_percent=percent(_used(asked), len(asked)),
        came_up=_came_up(asked),
        came_up_percent=percent(_came_up(asked), len(asked)),
        brief_lines=len(shown),
        brief_used=_used(shown),
        brief_came_up=_came_up(shown),
        briefs=len(briefs),
        briefs_used=len(briefs_used),
        briefs_used_percent=percent(len(briefs_used), len(briefs)),
        briefs_told=len({one.session for one in shown if one.used not in {"", "command"}}),
        file_lines=len(touched),
        file_used=_used(touched),
        file_came_up=_came_up(touched),
        tokens=tokens,
        tokens_per_session=round(tokens / len(lived), 1) if lived else 0.0,
        learned=sum(one.learned for one in lived),
        again=len(again),
        again_known=sum(bool(one.memory) for one in again),
        again_given=sum(one.given for one in again),
    )


def thirds(sessions: Sequence[ReplayedSession]) -> tuple[ReplayFigures, ...]:
    """The counts of the first, second and last third of a history; empty for fewer than three sessions."""
    lived = [one for one in sessions if one.prompts]
    borders = [round(part * len(lived) / 3) for part in range(4)]
    if len(lived) < len(borders) - 1:
        return ()
    return tuple(figures(lived[first:end]) for first, end in pairwise(borders))


def most_given(sessions: Iterable[ReplayedSession], limit: int) -> tuple[GivenOften, ...]:
    """The memories that came most often, by whichever way."""
    times: dict[str, list[Given]] = defaultdict(list)
    for one in _all_given(sessions):
        times[one.memory].append(one)
    ranked = sorted(times.values(), key=lambda each: (-len(each), each[0].at, each[0].text))
    return tuple(
        GivenOften(
            memory=each[0].memory,
            kind=each[0].kind,
            text=each[0].text,
            times=len(each),
            used=_used(each),
            came_up=_came_up(each),
        )
        for each in ranked[:limit]
    )


def sample(sessions: Iterable[ReplayedSession], size: int, seed: int) -> tuple[Given, ...]:
    """Some of what was given, drawn at random but the same for a seed, in order of time.

    Half of it are lines of briefs, as far as there are enough.
    """
    found = sorted(_all_given(sessions), key=lambda one: (one.at, one.channel, one.text))
    shown = [one for one in found if one.channel == "surface"]
    others = [one for one in found if one.channel != "surface"]
    lines = min(len(shown), max(size // 2, size - len(others)))
    # The same seed has to draw the same ones: nothing depends on nobody's guessing it.
    draw = Random(seed).sample  # noqa: S311
    drawn = [*draw(shown, lines), *draw(others, min(size - lines, len(others)))]
    return tuple(sorted(drawn, key=lambda one: (one.at, one.channel, one.text)))


def percent(part: int, whole: int) -> float:
    """A share from 0 to 100 with one decimal; 0 of nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def _all_given(sessions: Iterable[ReplayedSession]) -> Iterable[Given]:
    return (given for one in sessions for given in one.given)


def _used(given: Iterable[Given]) -> int:
    return sum(bool(one.used) for one in given)


def _came_up(given: Iterable[Given]) -> int:
    return sum(one.came_up for one in given)
