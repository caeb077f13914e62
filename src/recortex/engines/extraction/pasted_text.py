"""Removes what a person pasted into a message: mails, issues, reviews, diffs, logs and documents.

A paste is recognised by its form. Its beginning is clearer than its end, so a paste without a clear end goes
to the end of the message: losing a statement is better than keeping somebody else's as the person's own.
"""

from __future__ import annotations

import re

from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

_LINES = 12
"""List items from which a paragraph was pasted, not typed."""


def typed(text: str) -> str:
    """The text without what was pasted into it."""
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
