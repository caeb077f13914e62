"""What a person typed, without what they pasted: mails, issues, reviews, diffs, logs and documents.

A paste is told by its form. Where it begins is seen more surely than where it ends, so one that has no end of
its own reaches to the end of the message: what is lost is asked for again, what is taken wrongly speaks with
the person's word.
"""

from __future__ import annotations

import re

from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

_LINES = 12  # so many list items or lines in one message were not typed into a prompt


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
