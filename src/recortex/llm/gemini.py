"""Gemini's generateContent, with a response schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from recortex.llm.wire import Protocol, Reading, typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request


@dataclass(frozen=True, slots=True)
class _Part:
    text: str = ""
    thought: bool = False


@dataclass(frozen=True, slots=True)
class _Content:
    parts: list[_Part] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    content: _Content = field(default_factory=_Content)
    finishReason: str = ""  # noqa: N815  the protocol's spelling


@dataclass(frozen=True, slots=True)
class _Usage:
    promptTokenCount: int | None = None  # noqa: N815  the protocol's spelling
    candidatesTokenCount: int | None = None  # noqa: N815
    thoughtsTokenCount: int | None = None  # noqa: N815


@dataclass(frozen=True, slots=True)
class _Response:
    candidates: list[_Candidate] = field(default_factory=list)
    usageMetadata: _Usage | None = None  # noqa: N815  the protocol's spelling


def _path(model: str) -> str:
    return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:generateContent"


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


def _read(data: Any) -> Reading:
    response = typed(data, _Response)
    usage = response.usageMetadata or _Usage()
    written = (usage.candidatesTokenCount, usage.thoughtsTokenCount)
    known = any(tokens is not None for tokens in written)
    first = response.candidates[0] if response.candidates else _Candidate(finishReason="SAFETY")
    return Reading(
        text="".join(part.text for part in first.content.parts if not part.thought),
        input_tokens=usage.promptTokenCount,
        output_tokens=sum(tokens or 0 for tokens in written) if known else None,
        ended={"STOP": "complete", "": "complete", "MAX_TOKENS": "truncated"}.get(
            first.finishReason, "declined"
        ),
    )


PROTOCOL = Protocol(
    url="https://generativelanguage.googleapis.com",
    model="gemini-3.5-flash-lite",
    keyed=True,
    path=_path,
    headers=lambda key: {"x-goog-api-key": key} if key else {},
    body=_body,
    read=_read,
)
