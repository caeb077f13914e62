"""OpenAI's chat completions, which many other services and servers speak, with a strict JSON schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recortex.errors import InvalidInputError
from recortex.llm.wire import Protocol, Reading, typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request

_ENDINGS = {"length": "truncated", "content_filter": "declined"}


@dataclass(frozen=True, slots=True)
class _Message:
    content: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class _Choice:
    message: _Message
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Completion:
    choices: list[_Choice]
    usage: _Usage | None = None


def _body(request: Request, model: str) -> Mapping[str, Any]:
    # `max_tokens` is refused by OpenAI's reasoning models; servers that do not know the newer name ignore it.
    return {
        "model": model,
        "max_completion_tokens": request.max_output,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.prompt},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": request.items, "strict": True, "schema": request.schema},
        },
    }


def _read(data: Any) -> Reading:
    completion = typed(data, _Completion)
    if not completion.choices:
        raise InvalidInputError("There is no choice in the answer.")
    choice, usage = completion.choices[0], completion.usage or _Usage()
    declined = choice.message.refusal is not None
    return Reading(
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
    headers=lambda key: {"authorization": f"Bearer {key}"} if key else {},
    body=_body,
    read=_read,
)
