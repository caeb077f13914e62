"""Ollama's /api/chat, with a JSON schema as `format`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from recortex.codec import convert
from recortex.llm.wire import Protocol, Reply, bearer, messages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request

_BYTES_PER_TOKEN = 2  # fewer than any tokenizer needs for prose, so that the window is never too small
_WINDOW_STEP = 4_096  # another window makes Ollama load the model anew


class _Message(msgspec.Struct):
    content: str = ""


class _Chat(msgspec.Struct):
    message: _Message
    done: bool
    done_reason: str = ""
    prompt_eval_count: int | None = None
    eval_count: int | None = None


def _body(request: Request, model: str) -> Mapping[str, Any]:
    # A context that has room for everything: with its usual one Ollama cuts the prompt without an error.
    prompt = len((request.system + request.prompt).encode("utf-8", "replace")) // _BYTES_PER_TOKEN
    window = -(-(prompt + request.max_output) // _WINDOW_STEP) * _WINDOW_STEP
    return {
        "model": model,
        "stream": False,
        "format": request.schema,
        "messages": messages(request),
        "options": {"temperature": 0, "num_predict": request.max_output, "num_ctx": window},
    }


def _read(data: Any) -> Reply:
    chat = convert(data, _Chat)
    whole = chat.done and chat.done_reason in {"", "stop"}
    return Reply(
        text=chat.message.content,
        input_tokens=chat.prompt_eval_count,
        output_tokens=chat.eval_count,
        ended="complete" if whole else "truncated",
    )


PROTOCOL = Protocol(
    url="http://127.0.0.1:11434",
    model="llama3.2",
    keyed=False,
    path=lambda _: "/api/chat",
    headers=bearer,
    body=_body,
    read=_read,
)
