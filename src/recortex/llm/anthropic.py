"""Anthropic's Messages API, with a JSON schema for the answer (`output_config.format`: Claude 4.5 on)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from recortex.codec import convert
from recortex.llm.wire import AnthropicUsage, Protocol, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request

_ENDINGS = {"max_tokens": "truncated", "model_context_window_exceeded": "truncated", "refusal": "declined"}


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _Message(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None


def _body(request: Request, model: str) -> Mapping[str, Any]:
    # No temperature: models since Haiku 5.5 refuse it.
    return {
        "model": model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.prompt}],
        "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
    }


def _read(data: Any) -> Reply:
    message = convert(data, _Message)
    usage = message.usage or AnthropicUsage()
    return Reply(
        text="".join(block.text for block in message.content if block.type == "text"),
        input_tokens=usage.all_input,
        output_tokens=usage.output_tokens,
        ended=_ENDINGS.get(message.stop_reason or "", "complete"),
    )


PROTOCOL = Protocol(
    url="https://api.anthropic.com",
    model="claude-haiku-5-5",
    keyed=True,
    path=lambda _: "/v1/messages",
    headers=lambda key: {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})},
    body=_body,
    read=_read,
)
