"""Finds values in the column of a password: in tables of Markdown, in CSV, and in rows that SQL inserts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.privacy.finders.judging import is_unknown
from recortex.engines.privacy.table import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.privacy.finders import Cue

PATTERNS = Patterns(__file__)
_LONGEST_LINE, _MOST_ROWS, _MOST_COLUMNS = 400, 20, 30


def password(cue: Cue) -> Iterator[tuple[int, int]]:
    """The values below, or in the place of, a column's name."""
    text, at = cue.text, cue.start
    begin = text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1
    before = text[begin:at]
    after = text[cue.end : cue.end + 2].lstrip("\"'` *_")
    if after[:1] not in ("|", ",", ";", "\t", "\r", "\n", ")", ""):
        return
    if "(" in before and (found := PATTERNS.insert.match(cue.folded, cue.end)):
        yield from _cell(
            text, found.start("row"), found.end("row"), ",", before.rpartition("(")[2].count(",")
        )
        return
    sign = next((one for one in "|\t;," if one in before or after.startswith(one)), "")
    if not sign or len(before) > _LONGEST_LINE or compiled(r"[(){}=:]").search(before):
        return
    yield from _below(text, text.find("\n", cue.end), sign, before.count(sign))


def _below(text: str, at: int, sign: str, column: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ROWS):
        if at < 0 or column > _MOST_COLUMNS:
            return
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end
        if end - at > _LONGEST_LINE or sign not in text[at + 1 : end]:
            return
        yield from _cell(text, at + 1, end, sign, column)
        at = end if end < len(text) else -1


def _cell(text: str, start: int, end: int, sign: str, column: int) -> Iterator[tuple[int, int]]:
    for _ in range(column):
        start = text.find(sign, start, end) + 1
        if not start:
            return
    stop = text.find(sign, start, end)
    raw = text[start : end if stop < 0 else stop]
    value = raw.strip(" \t\r\"'`*")
    if value and " " not in value and "\x00" not in value and is_unknown(value):
        begin = start + raw.index(value)
        yield begin, begin + len(value)
