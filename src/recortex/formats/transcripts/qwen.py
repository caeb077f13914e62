"""Qwen Code's `.jsonl`.

Claude-like lines (`uuid`, `parentUuid`, `sessionId`) around Gemini's content parts.
"""

from __future__ import annotations

from typing import Any

import msgspec

from recortex.formats.transcripts.decoding import Raw, decode
from recortex.formats.transcripts.gemini import response, typed
from recortex.formats.transcripts.pieces import Header, Parsed, Piece, Result, moment
from recortex.formats.transcripts.tools import tool_call


class _Line(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    is_sidechain: bool | None = None
    message: Raw = Raw()
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
        header = Header(
            line.session_id or "",
            line.version or "",
            line.cwd or "",
            line.git_branch or "",
            "",
            moment(line.timestamp),
        )
        if line.type not in {"user", "assistant", "tool_result"}:
            kind = line.type or "untyped"
            return Parsed(skipped=f"{kind}/{line.subtype}" if line.subtype else kind).under(header)
        return _message(line, decode(line.message, _Message).parts or []).under(header, line.uuid or "")


def _message(line: _Line, parts: list[dict[str, Any]]) -> Parsed:
    results = tuple(
        _result(line, part["functionResponse"]) for part in parts if _is_object(part, "functionResponse")
    )
    calls = tuple(
        tool_call(str(asked.get("id") or ""), str(asked.get("name") or ""), asked.get("args"))
        for asked in (part["functionCall"] for part in parts if _is_object(part, "functionCall"))
    )
    piece = Piece(
        "results" if results else "user" if line.type == "user" else "assistant",
        uuid=line.uuid or "",
        group=line.uuid or "",
        at=moment(line.timestamp),
        calls=calls,
        results=results,
        cwd=line.cwd or "",
        branch=line.git_branch or "",
        sidechain=bool(line.is_sidechain),
        ends_calls=line.type == "user" and not results,
    )
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    return typed(piece, texts)


def _is_object(part: dict[str, Any], key: str) -> bool:
    return isinstance(part.get(key), dict)


def _result(line: _Line, answer: dict[str, Any]) -> Result:
    result = response(answer)
    outcome = (
        decode(line.tool_call_result, _Outcome) if bytes(line.tool_call_result)[:1] == b"{" else _Outcome()
    )
    return Result(result.call, bool(result.ok) and outcome.status in {None, "success"}, result.output)
