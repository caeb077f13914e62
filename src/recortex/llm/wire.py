"""The common parts of the providers' HTTP protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recortex.codec import loads
from recortex.errors import InvalidInputError
from recortex.llm.failure import CallError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recortex.domain.model_call import Request

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
