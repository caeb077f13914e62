"""Maps offsets in a partly redacted text to the original text, through several rounds of replacement."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from recortex.engines.privacy.finding import RedactionFinding


class Edit(NamedTuple):
    """A placeholder at `start:end` of the current text that covers `finding` in the original."""

    start: int
    end: int
    finding: RedactionFinding


class Origins:
    """The replacements made so far, in the order of their offsets."""

    def __init__(self, edits: list[Edit]) -> None:
        self.edits = edits
        self._ends = [edit.end for edit in edits]

    def original(self, place: int) -> int:
        """The offset in the original text of an offset that is not inside a placeholder."""
        before = bisect_right(self._ends, place) - 1
        return place if before < 0 else place + self.edits[before].finding.end - self._ends[before]

    def outside(self, spans: list[tuple[int, int]]) -> list[Edit]:
        """The replacements that none of the spans (sorted, not overlapping) overlaps."""
        ends = [end for _, end in spans]
        kept: list[Edit] = []
        for edit in self.edits:
            near = bisect_right(ends, edit.start)
            if near == len(spans) or spans[near][0] >= edit.end:
                kept.append(edit)
        return kept


def widened(start: int, end: int, markers: list[tuple[int, int]]) -> tuple[int, int]:
    """The span, widened so that it contains each marker (sorted spans) as a whole or not at all."""
    if not markers:
        return start, end
    first = bisect_right(markers, start, key=lambda span: span[1])
    if first < len(markers):
        start = min(start, markers[first][0])
    last = bisect_left(markers, end, key=lambda span: span[0]) - 1
    return start, max(end, markers[last][1]) if last >= 0 else end
