"""Gemini's generateContent, with a response schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from recortex.codec import convert
from recortex.llm.wire import Protocol, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request


_ENDINGS = {"STOP": "complete", "": "complete", "MAX_TOKENS": "truncated"}


class _Part(msgspec.Struct):
    text: str = ""
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content = msgspec.field(default_factory=_Content)
    finish_reason: str = ""


class _Usage(msgspec.Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None


class _Response(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    usage_metadata: _Usage | None = None


def _body(request: Request, _model: str) -> Mapping[str, Any]:
    return {
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": [{"role": "user", "parts": [{"text": request.prompt}]}],
        "generationConfig": {
            "maxOutputTokens": request.max_output,
            "responseMimeType": "application/json",
            "responseSchema": _open(request.schema),
        },
    }


def _open(node: Any) -> Any:
    """The schema without `additionalProperties`, which `responseSchema` does not know."""
    if isinstance(node, list | tuple):
        return [_open(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _open(value) for key, value in node.items() if key != "additionalProperties"}


def _read(data: Any) -> Reply:
    response = convert(data, _Response)
    usage = response.usage_metadata or _Usage()
    written = (usage.candidates_token_count, usage.thoughts_token_count)
    known = any(tokens is not None for tokens in written)
    first = response.candidates[0] if response.candidates else _Candidate(finish_reason="SAFETY")
    return Reply(
        text="".join(part.text for part in first.content.parts if not part.thought),
        input_tokens=usage.prompt_token_count,
        output_tokens=sum(tokens or 0 for tokens in written) if known else None,
        ended=_ENDINGS.get(first.finish_reason, "declined"),
    )


PROTOCOL = Protocol(
    url="https://generativelanguage.googleapis.com",
    model="gemini-3.5-flash-lite",
    keyed=True,
    path=lambda model: f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:generateContent",
    headers=lambda key: {"x-goog-api-key": key} if key else {},
    body=_body,
    read=_read,
)
