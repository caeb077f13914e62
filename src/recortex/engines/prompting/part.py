"""The part of a transcript that is sent to a language model at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.prompting.prose import CODE, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.transcript import Turn

MAX_BYTES = 100 * 1024
"""Bytes of a transcript that are sent at once."""
HARMLESS = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_MARK = re.compile(r"<(?=/?turn\b)", re.IGNORECASE)
_FRAME = 60
"""Bytes that the marks around a turn take at most."""


class SentTurn(NamedTuple):
    """A turn, and what of it is sent."""

    turn: Turn
    text: str


class TranscriptPart(NamedTuple):
    """The turns that are sent at once.

    Attributes:
        said: those that say something.
        turns: how many of the given turns are done with; the others wait for another pass.
    """

    said: tuple[SentTurn, ...]
    turns: int

    def transcript(self) -> str:
        """The turns between marks that no turn can forge."""
        return "\n".join(
            f'<turn n="{number}" role="{one.turn.role}">\n{_harmless(one.text)}\n</turn>'
            for number, one in enumerate(self.said, 1)
        )


def part_of(turns: Sequence[Turn], limit: int = MAX_BYTES) -> TranscriptPart:
    """The first turns that fit into a pass; at least one, cut where it alone is too long.

    Left out: a sub-agent's instructions, which no person said, and turns without prose.
    """
    said: list[SentTurn] = []
    size = 0
    for done, turn in enumerate(turns):
        text = "" if turn.sidechain and turn.role == "user" else prose(turn.text, person=turn.role == "user")
        if not text.replace(CODE, "").strip():
            continue
        room = limit - size - _FRAME
        if (needed := len(text.encode("utf-8", "replace"))) > room:
            if said:
                return TranscriptPart(tuple(said), done)
            text = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            needed = room
        said.append(SentTurn(turn, text))
        size += needed + _FRAME
    return TranscriptPart(tuple(said), len(turns))


def _harmless(text: str) -> str:
    return _MARK.sub(HARMLESS, text)
