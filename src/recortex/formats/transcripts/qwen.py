"""Qwen Code's `.jsonl`.

Claude-like lines (`uuid`, `parentUuid`, `sessionId`) around Gemini's content parts.
"""

from __future__ import annotations

from typing import Any

import msgspec

from recortex.formats.transcripts.decoding import Raw, decode, decode_optional
from recortex.formats.transcripts.gemini import response, typed
from recortex.formats.transcripts.pieces import Parsed, Result, SessionLine
from recortex.formats.transcripts.tools import tool_call


class _Line(SessionLine, rename="camel", gc=False):
    tool_call_result: Raw = Raw()


class _Message(msgspec.Struct, gc=False):
    parts: list[dict[str, Any]] | None = None


class _Outcome(msgspec.Struct, rename="camel", gc=False):
    status: str | None = None


class QwenParser:
    """Reads one line at a time; keeps nothing between lines."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        header = line.header(line.session_id or "")
        if line.type not in {"user", "assistant", "tool_result"}:
            return Parsed(skipped=line.label).under(header)
        return _message(line, decode(line.message, _Message).parts or []).under(header, line.uuid or "")


def _message(line: _Line, parts: list[dict[str, Any]]) -> Parsed:
    answers = [answer for part in parts if isinstance(answer := part.get("functionResponse"), dict)]
    asked = [call for part in parts if isinstance(call := part.get("functionCall"), dict)]
    results = tuple(_result(line, answer) for answer in answers)
    piece = line.piece(
        "results" if results else "user" if line.type == "user" else "assistant",
        group=line.uuid or "",
        calls=tuple(
            tool_call(str(call.get("id") or ""), str(call.get("name") or ""), call.get("args"))
            for call in asked
        ),
        results=results,
        ends_calls=line.type == "user" and not results,
    )
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    return typed(piece, texts)


def _result(line: _Line, answer: dict[str, Any]) -> Result:
    result = response(answer)
    status = decode_optional(line.tool_call_result, _Outcome).status
    return Result(result.call, bool(result.ok) and status in {None, "success"}, result.output)
