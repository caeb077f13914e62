"""Messages as `{"role", "content", "timestamp"}`: one, or a list of them, on each line or in a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from recortex.formats.transcripts.pieces import (
    MalformedLineError,
    Parsed,
    Piece,
    decode_any,
    moment,
    plain,
    spoken,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


_DEPTH = 4  # lists within lists
_NAMED = re.compile(r"\A(?:user|human|assistant|agent|ai):[ \t]+", re.IGNORECASE)
_PEOPLE = frozenset(("user", "human"))
_AGENTS = frozenset(("assistant", "model", "ai", "agent"))


class ChatParser:
    """Reads one line at a time; keeps nothing between lines."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        value = decode_any(raw)
        if not isinstance(value, list | dict):
            raise MalformedLineError("neither a message nor a list of them")
        parsed = [_message(message) for message in _messages(value)]
        pieces = tuple(piece for one in parsed for piece in one.pieces)
        reasons = [one.skipped for one in parsed if one.skipped]
        return Parsed(pieces, "" if pieces else (reasons or ["empty"])[0])


def _messages(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list) and depth < _DEPTH:
        for item in value:
            yield from _messages(item, depth + 1)


def _message(message: dict[str, Any]) -> Parsed:
    role, at = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _PEOPLE | _AGENTS:
        return Parsed(skipped=f"role/{role}"[:80])
    uuid = message.get("id") if isinstance(message.get("id"), str) else ""
    when = moment(at if isinstance(at, str | int | float) else None)
    piece = Piece("user" if role in _PEOPLE else "assistant", uuid=uuid or "", at=when)
    return spoken(piece, [_NAMED.sub("", plain(message.get("content")))])
