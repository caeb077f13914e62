"""The common parts of the providers' HTTP protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from recortex.codec import convert, loads
from recortex.errors import InvalidInputError
from recortex.transport import PostError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recortex.domain.maintenance import Request


# -- why a call of the language model got no answer


class CallError(PostError):
    """A call of the language model got no answer."""

    code = "model_unavailable"
    hint = "What was learned by rules stays; `recortex status` shows the calls."


# -- the common parts of the providers' HTTP protocols


MAX_ANSWER = 2_000_000
"""Bytes of an answer that are read; the longest that is asked for (8,192 tokens) has a fiftieth of it."""
MOST_TOKENS = 10_000_000
"""More than any model reads: a higher count of a provider is cut to it, so that sums do not overflow."""


class Reply(NamedTuple):
    """A provider's answer, without its envelope.

    Attributes:
        text: what the model wrote, which should be JSON.
        input_tokens, output_tokens: what the provider counted; None where it does not say.
        micro_usd: what the provider says that it cost, where it does.
        ended: why the model stopped: `complete`, `truncated` or `declined`.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    micro_usd: int | None = None
    ended: str = "complete"


class Protocol(NamedTuple):
    """How to ask a provider and read its response.

    Attributes:
        url: the base URL that is used where none is set.
        model: the model that is used where none is set.
        keyed: whether its own service wants a key.
        path: the path below the base URL, from the model's name.
        headers: from the key, which may be empty.
        body: the request as plain JSON values, from what is asked and the model's name.
        read: the envelope of a successful answer; raises `InvalidInputError` where it has another form.
    """

    url: str
    model: str
    keyed: bool
    path: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    body: Callable[[Request, str], Mapping[str, Any]]
    read: Callable[[Any], Reply]


def envelope(data: bytes, read: Callable[[Any], Reply]) -> Reply:
    """Parse what a provider sent.

    Raises:
        CallError: it is no JSON, or has another form than the protocol's.
    """
    try:
        parsed = loads(data)
    except InvalidInputError:
        raise CallError("not_json", "The provider's answer is not JSON.", paid=True) from None
    try:
        reply = read(parsed)
    except InvalidInputError:
        raise CallError(
            "wrong_form", "The provider's answer has another form than its protocol says.", paid=True
        ) from None
    return reply._replace(
        input_tokens=_bounded(reply.input_tokens), output_tokens=_bounded(reply.output_tokens)
    )


def bearer(key: str) -> Mapping[str, str]:
    """The headers with the key, as most services want it; none without a key."""
    return {"authorization": f"Bearer {key}"} if key else {}


def messages(request: Request) -> list[Mapping[str, str]]:
    """The request as a system message and a message of the user."""
    return [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}]


class AnthropicUsage(msgspec.Struct):
    """Tokens as Anthropic's API and its agent report them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def all_input(self) -> int | None:
        """All tokens that were read, cached or not; None if the provider does not say."""
        if self.input_tokens is None:
            return None
        return (
            self.input_tokens + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        )


def _bounded(tokens: int | None) -> int | None:
    return None if tokens is None else min(max(tokens, 0), MOST_TOKENS)


# -- Anthropic's Messages API, with a JSON schema for the answer (`output_config.format`: Claude 4.5 on)


_ANTHROPIC_ENDINGS = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "declined",
}


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _AnthropicMessage(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None


def _anthropic_body(request: Request, model: str) -> Mapping[str, Any]:
    # No temperature: models since Haiku 5.5 refuse it.
    return {
        "model": model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.prompt}],
        "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
    }


def _anthropic_read(data: Any) -> Reply:
    message = convert(data, _AnthropicMessage)
    usage = message.usage or AnthropicUsage()
    return Reply(
        text="".join(block.text for block in message.content if block.type == "text"),
        input_tokens=usage.all_input,
        output_tokens=usage.output_tokens,
        ended=_ANTHROPIC_ENDINGS.get(message.stop_reason or "", "complete"),
    )


ANTHROPIC_PROTOCOL = Protocol(
    url="https://api.anthropic.com",
    model="claude-haiku-5-5",
    keyed=True,
    path=lambda _: "/v1/messages",
    headers=lambda key: {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})},
    body=_anthropic_body,
    read=_anthropic_read,
)


# -- Gemini's generateContent, with a response schema


_GEMINI_ENDINGS = {"STOP": "complete", "": "complete", "MAX_TOKENS": "truncated"}


class _Part(msgspec.Struct):
    text: str = ""
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content = msgspec.field(default_factory=_Content)
    finish_reason: str = ""


class _GeminiUsage(msgspec.Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None


class _Response(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    usage_metadata: _GeminiUsage | None = None


def _gemini_body(request: Request, _model: str) -> Mapping[str, Any]:
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


def _gemini_read(data: Any) -> Reply:
    response = convert(data, _Response)
    usage = response.usage_metadata or _GeminiUsage()
    written = (usage.candidates_token_count, usage.thoughts_token_count)
    known = any(tokens is not None for tokens in written)
    first = response.candidates[0] if response.candidates else _Candidate(finish_reason="SAFETY")
    return Reply(
        text="".join(part.text for part in first.content.parts if not part.thought),
        input_tokens=usage.prompt_token_count,
        output_tokens=sum(tokens or 0 for tokens in written) if known else None,
        ended=_GEMINI_ENDINGS.get(first.finish_reason, "declined"),
    )


GEMINI_PROTOCOL = Protocol(
    url="https://generativelanguage.googleapis.com",
    model="gemini-3.5-flash-lite",
    keyed=True,
    path=lambda model: f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:generateContent",
    headers=lambda key: {"x-goog-api-key": key} if key else {},
    body=_gemini_body,
    read=_gemini_read,
)


# -- Ollama's /api/chat, with a JSON schema as `format`


_BYTES_PER_TOKEN = 2  # fewer than any tokenizer needs for prose, so that the window is never too small
_WINDOW_STEP = 4_096  # another window makes Ollama load the model anew


class _OllamaMessage(msgspec.Struct):
    content: str = ""


class _Chat(msgspec.Struct):
    message: _OllamaMessage
    done: bool
    done_reason: str = ""
    prompt_eval_count: int | None = None
    eval_count: int | None = None


def _ollama_body(request: Request, model: str) -> Mapping[str, Any]:
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


def _ollama_read(data: Any) -> Reply:
    chat = convert(data, _Chat)
    whole = chat.done and chat.done_reason in {"", "stop"}
    return Reply(
        text=chat.message.content,
        input_tokens=chat.prompt_eval_count,
        output_tokens=chat.eval_count,
        ended="complete" if whole else "truncated",
    )


OLLAMA_PROTOCOL = Protocol(
    url="http://127.0.0.1:11434",
    model="llama3.2",
    keyed=False,
    path=lambda _: "/api/chat",
    headers=bearer,
    body=_ollama_body,
    read=_ollama_read,
)


# -- OpenAI's chat completions, which many other services and servers speak, with a strict JSON schema


_OPENAI_ENDINGS = {"length": "truncated", "content_filter": "declined"}


class _OpenaiMessage(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _OpenaiMessage
    finish_reason: str | None = None


class _OpenaiUsage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _OpenaiUsage | None = None


def _openai_body(request: Request, model: str) -> Mapping[str, Any]:
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


def _openai_read(data: Any) -> Reply:
    completion = convert(data, _Completion)
    if not completion.choices:
        raise InvalidInputError("There is no choice in the answer.")
    choice, usage = completion.choices[0], completion.usage or _OpenaiUsage()
    declined = choice.message.refusal is not None
    return Reply(
        text=choice.message.content or "",
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        ended="declined" if declined else _OPENAI_ENDINGS.get(choice.finish_reason or "", "complete"),
    )


OPENAI_PROTOCOL = Protocol(
    url="https://api.openai.com/v1",
    model="gpt-6-luna",
    keyed=True,
    path=lambda _: "/chat/completions",
    headers=bearer,
    body=_openai_body,
    read=_openai_read,
)
