"""Bounds the length of answers, since they take an agent's context.

Long texts are shortened first, then long lists, and the answer says so.
"""

from __future__ import annotations

from typing import Any

from recortex import codec
from recortex.errors import RecortexError

# Claude Code puts a result of more than 50,000 characters into a file and shows a preview only.
LONGEST_ANSWER = 40_000
_TEXT_LENGTHS = (30_000, 8_000, 2_000, 500, 200)
"""Lengths to which texts are cut, one after the other, until the answer fits."""
_MORE = "Ask for less at once, or for one with `get`; `recortex get ID` in a shell shows a memory whole."


class AnswerTooLongError(RecortexError):
    """The answer is too long for a tool."""

    code = "answer_too_long"
    hint = "Ask for less: a smaller `limit`, or a filter. `recortex … --json` in a shell gives all of it."


def bounded(data: dict[str, Any], longest: int = LONGEST_ANSWER) -> dict[str, Any]:
    """The same answer in at most `longest` characters of compact JSON (and a little more for the note).

    Raises:
        AnswerTooLongError: it cannot be shortened to that.
    """
    if _length(data) <= longest:
        return data
    for most in _TEXT_LENGTHS:
        cut = _shortened(data, most)
        if _length(cut) <= longest:
            return {
                **cut,
                "shortened": f"Texts are cut at {most} characters. {_MORE}",
            }
    return _fewer(cut, longest)


def _length(data: Any) -> int:
    return len(codec.dumps(data).decode())


def _shortened(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= most else f"{value[: most - 1]}…"
    if isinstance(value, list):
        return [_shortened(item, most) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item, most) for key, item in value.items()}
    return value


def _fewer(data: dict[str, Any], longest: int) -> dict[str, Any]:
    lists = [name for name, value in data.items() if isinstance(value, list)]
    before = {name: len(data[name]) for name in lists}
    while _length(data) > longest:
        name = max(lists, key=lambda name: len(data[name]), default="")
        if not name or not data[name]:
            raise AnswerTooLongError
        data = {**data, name: data[name][: len(data[name]) // 2]}
    left = [f"{len(data[name])} of {before[name]} {name}" for name in lists if len(data[name]) < before[name]]
    note = f"Only {', '.join(left)} are here, with texts cut at {_TEXT_LENGTHS[-1]} characters. {_MORE}"
    return {**data, "shortened": note}
