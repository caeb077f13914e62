"""Writes memories for an agent: one line each, as records and never as instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.cleaning import clean
from recortex.domain.injection import wrap
from recortex.domain.kinds.base import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.citation import Citation
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory

LINE = 480
"""Characters of a memory that are shown; `get` shows it whole."""
SAID = 240
"""Characters of what was said in a session."""
ID = 8
MOST = 9_000
"""Characters of one answer: clients replace answers of more than 10,000 by a preview."""

_SINCE = {"changed": ", which has changed since: ", "gone": ", which is gone: "}


def line(memory: Memory, cited: Citation | None = None) -> str:
    """The line of a memory: kind, date, file, text, id; of a cited place that does not stand, what became."""
    about = clean(cited.path if cited else memory.files[0].path if memory.files else "")
    since = _SINCE[cited.state] + clean(cited.what) if cited and cited.state in _SINCE else ""
    place = f" ({shorten(about, 120)}{since})" if about else ""
    return (
        f"- {memory.kind}, {memory.valid_from:%Y-%m-%d}{place}: {shorten(clean(memory.text), LINE)} "
        f"[{memory.id[:ID]}]"
    )


def said_line(exchange: Exchange, said: str) -> str:
    """The line of what a person said in a session: a record, which nobody checked."""
    at = f"{exchange.started_at:%Y-%m-%d}, " if exchange.started_at else ""
    return f'- {at}said in a session, unchecked: "{shorten(clean(said), SAID)}" [{exchange.id[:ID]}]'


def block(title: str, lines: Sequence[str]) -> str:
    """The marked text for the agent, with as many lines as fit; empty without lines."""
    kept: list[str] = []
    room = MOST - len(title)
    for one in lines:
        room -= len(one) + 1
        if room < 0:
            break
        kept.append(one)
    return wrap("\n".join([title, *kept])) if kept else ""


FOR_PROMPT = "Recortex recorded this in earlier sessions; it may bear on the prompt:"


def for_file(path: str) -> str:
    """The title over what was recorded about a file."""
    return f"Recortex recorded this about {shorten(clean(path), 200)} in earlier sessions:"


def calling(name: str) -> str:
    """What stands after the line of a memory about a function that calls the touched one."""
    return f"(about a caller of {shorten(clean(name), 120)})"
