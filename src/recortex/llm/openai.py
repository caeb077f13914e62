"""OpenAI's chat completions, which many other services and servers speak, with a strict JSON schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from recortex.codec import convert
from recortex.errors import InvalidInputError
from recortex.llm.wire import Protocol, Reply, bearer, messages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request

_ENDINGS = {"length": "truncated", "content_filter": "declined"}


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


def _body(request: Request, model: str) -> Mapping[str, Any]:
    # `max_tokens` is refused by OpenAI's reasoning models; servers that do not know the newer name ignore it.
    return {
        "model": model,
        "max_completion_tokens": request.max_output,
        "messages": messages(request),
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": request.items, "strict": True, "schema": request.schema},
        },
    }


def _read(data: Any) -> Reply:
    completion = convert(data, _Completion)
    if not completion.choices:
        raise InvalidInputError("There is no choice in the answer.")
    choice, usage = completion.choices[0], completion.usage or _Usage()
    declined = choice.message.refusal is not None
    return Reply(
        text=choice.message.content or "",
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        ended="declined" if declined else _ENDINGS.get(choice.finish_reason or "", "complete"),
    )


PROTOCOL = Protocol(
    url="https://api.openai.com/v1",
    model="gpt-6-luna",
    keyed=True,
    path=lambda _: "/chat/completions",
    headers=bearer,
    body=_body,
    read=_read,
)
