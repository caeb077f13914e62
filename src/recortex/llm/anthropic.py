"""Anthropic's Messages API, with a JSON schema for the answer (`output_config.format`: Claude 4.5 on)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recortex.llm.wire import Protocol, Reading, typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request

_ENDINGS = {"max_tokens": "truncated", "model_context_window_exceeded": "truncated", "refusal": "declined"}


@dataclass(frozen=True, slots=True)
class _Block:
    type: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Usage:
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


def _headers(key: str) -> Mapping[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def _body(request: Request, model: str) -> Mapping[str, Any]:
    # No temperature: models since Haiku 5.5 refuse it.
    return {
        "model": model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.prompt}],
        "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
    }


def _read(data: Any) -> Reading:
    message = typed(data, _Message)
    usage = message.usage or _Usage()
    counted = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    return Reading(
        text="".join(block.text for block in message.content if block.type == "text"),
        input_tokens=None if usage.input_tokens is None else sum(tokens or 0 for tokens in counted),
        output_tokens=usage.output_tokens,
        ended=_ENDINGS.get(message.stop_reason or "", "complete"),
    )


PROTOCOL = Protocol(
    url="https://api.anthropic.com",
    model="claude-haiku-5-5",
    keyed=True,
    path=lambda _: "/v1/messages",
    headers=_headers,
    body=_body,
    read=_read,
)
