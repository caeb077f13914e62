"""Where work was left: a line for each of the last sessions that left some, worded as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.brief.wording import plain
from recortex.engines.exchanges.leaving import FORMS, RELAYED, left_open, relays
from recortex.engines.exchanges.shortening import first_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.domain.exchange import Exchange

SESSIONS = 3
"""So many sessions are told of at most."""
MOST, FIRST = 90, 60
"""Tokens of all lines, and of the first where others follow."""
_TELLING = 20
"""Characters of a message that says what it is about; "go ahead" does not."""
_LENGTHS = (160, 120, 90, 70, 50, 36, 24)


class SessionLine(NamedTuple):
    """What is told of a session: a line with its line break, and the tokens of that."""

    session: str
    text: str
    tokens: int


def session_lines(
    sessions: Sequence[Sequence[Exchange]], short: Callable[[str], str], count: Callable[[str], int]
) -> tuple[SessionLine, ...]:
    """The lines on the last sessions, up to the first that left nothing; within `MOST` tokens.

    Args:
        sessions: of each its exchanges, the last one first; the latest session first.
        short: the beginning of an exchange's id by which it can be opened.
        count: tokens of a text.
    """
    left = list(_left(sessions))
    lines: list[SessionLine] = []
    for place, one in enumerate(left):
        room = MOST - sum(line.tokens for line in lines)
        room = min(room, FIRST) if place == 0 and len(left) > 1 else room
        tries = _tries("Earlier session" if place else "Last session", one, short(one.last.id))
        line = next((text for text in tries if count(text) <= room), "")
        if not line:
            break
        lines.append(SessionLine(one.last.session, line, count(line)))
    return tuple(lines)


class _Left(NamedTuple):
    """What a session left: its last exchange, what was asked, and what it left open."""

    last: Exchange
    asked: str
    open_end: str


def _left(sessions: Sequence[Sequence[Exchange]]) -> Iterator[_Left]:
    from recortex.engines.extraction.pasted_text import typed

    for exchanges in sessions[:SESSIONS]:
        last = exchanges[0]
        open_end = left_open(last)
        if not open_end:
            return
        asked = next((one.message for one in exchanges if len(one.message) >= _TELLING), last.message)
        yield _Left(last, typed(asked), open_end)


def _tries(title: str, left: _Left, short_id: str) -> Iterator[str]:
    """The line on a session, its texts cut more and more."""
    ended, open_end = first_sentence(left.last.conclusion), left.open_end
    if open_end not in FORMS and relays(left.last, open_end):
        open_end = RELAYED
    if ended == left.open_end or relays(left.last, ended):
        ended = ""
    parts = (("asked", left.asked), ("ended with", ended), ("open:", open_end))
    at = f" ({left.last.ended_at:%Y-%m-%d %H:%M} UTC)" if left.last.ended_at else ""
    for length in _LENGTHS:
        told = [f"{name} {_quoted(text, length)}" for name, text in parts if plain(text, length)]
        yield f"- {title}{at}: {'; '.join(told)} [{short_id}]\n"


def _quoted(text: str, length: int) -> str:
    return text if text in FORMS else f'"{plain(text, length)}"'
