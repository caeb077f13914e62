"""Selects the part of a transcript that is sent to a language model at once."""

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
"""The most bytes of the tags around a turn."""


class SentTurn(NamedTuple):
    """A turn, and the text of it that is sent."""

    turn: Turn
    text: str


class TranscriptPart(NamedTuple):
    """The turns that are sent at once.

    Attributes:
        sent: those with text.
        turns: how many of the given turns are done; the others are left for another pass.
    """

    sent: tuple[SentTurn, ...]
    turns: int

    def transcript(self) -> str:
        """The turns between tags that no turn can forge."""
        return "\n".join(
            f'<turn n="{number}" role="{one.turn.role}">\n{_MARK.sub(HARMLESS, one.text)}\n</turn>'
            for number, one in enumerate(self.sent, 1)
        )


def part_of(turns: Sequence[Turn], limit: int = MAX_BYTES) -> TranscriptPart:
    """The first turns that fit into a pass; at least one, cut if it alone is too long.

    The instructions of sub-agents, which no person wrote, and turns without prose are left out.
    """
    sent: list[SentTurn] = []
    size = 0
    for done, turn in enumerate(turns):
        theirs = turn.by_person or turn.role != "user"
        text = prose(turn.text, person=turn.by_person) if theirs else ""
        if not text.replace(CODE, "").strip():
            continue
        room = limit - size - _FRAME
        if (needed := len(text.encode("utf-8", "replace"))) > room:
            if sent:
                return TranscriptPart(tuple(sent), done)
            text = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            needed = room
        sent.append(SentTurn(turn, text))
        size += needed + _FRAME
    return TranscriptPart(tuple(sent), len(turns))
