"""Whose word a sentence of the person's message is: the one place that all who learn from messages ask.

Pastes of clear form (mails, issues, diffs, logs, documents) are cut off by rules. A paste's beginning is
clearer than its end, so one without a clear end goes to the end of the message: losing a statement is better
than keeping somebody else's as the person's own. What is quoted, listed after a colon, in another register or
given to be worked on is told by what was learned of many projects (`authorship.py`): surely material is left
out, and what may be material is at most proposed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.extraction.authorship import pieces, plain_words
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Callable

PATTERNS = Patterns(__file__)

_LINES = 12
"""List items from which a paragraph was pasted, not typed."""


SURE, DOUBT, DOUBT_OF_ORDER = 0.9, 0.55, 0.8
"""The probabilities from which a sentence is material, from which it may be, and from which one may be that
says itself that it is to be remembered. Of sentences of projects that the weights had not seen, 2.2 % of
what was typed are above the first and 9.6 % above 0.5; of material 66 % and 80 % (bench/authorship.py)."""
HOLD = "may be quoted or pasted"
"""Why a statement waits that may be material."""


def typed(text: str) -> str:
    """The text without what is surely not the person's word."""
    said = _cut_off(text)
    for piece in pieces(text):
        if piece.chance >= SURE:
            said = said.replace(text[piece.start : piece.end], "", 1)
    return said.strip()


def doubtful(text: str) -> Callable[[str], float]:
    """Gives the chance that a sentence of a message is material; from `DOUBT` on it is at most proposed."""
    chances = [(plain_words(text[one.start : one.end]), one.chance) for one in pieces(text)]

    def chance(sentence: str) -> float:
        said = plain_words(sentence)
        return max((likely for one, likely in chances if said in one or one in said), default=0.0)

    return chance


def _cut_off(text: str) -> str:
    """The text without pastes of a clear form."""
    kept: list[str] = []
    for paragraph in re.split(r"\n[^\S\n]*\n", text):
        lines = paragraph.split("\n")
        cut = next((place for place, line in enumerate(lines) if PATTERNS.begins.match(line)), None)
        told = next(
            (place for place, line in enumerate(lines) if PATTERNS.announces.search(line[-200:])), None
        )
        end = min((place for place in (cut, told) if place is not None), default=None)
        said = lines if end is None else lines[:end]
        if (
            not any(PATTERNS.machine.match(line) for line in said)
            and sum(map(bool, map(PATTERNS.item.match, said))) < _LINES
        ):
            kept.append("\n".join(said))
        if end is not None:
            break
    return "\n\n".join(kept).strip()
