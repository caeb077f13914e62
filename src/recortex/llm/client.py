"""A language model with a budget: reserves the costs, asks with retries, and records the result."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from recortex.codec import dumps, loads, storable
from recortex.domain.model_call import Answer, Limit, ModelCall, Unavailable
from recortex.errors import InvalidInputError
from recortex.llm import agent, anthropic, gemini, ollama, openai
from recortex.llm.failure import CallError
from recortex.llm.prices import price_of
from recortex.llm.wire import MAX_ANSWER, Reply, envelope
from recortex.transport.deadline import Deadline
from recortex.transport.failure import PostError
from recortex.transport.post import objection, post

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from recortex.domain.model_call import Request
    from recortex.llm.settings import ModelSettings
    from recortex.llm.wire import Protocol
    from recortex.ports.model import LanguageModel, ModelCalls

PROTOCOLS: dict[str, Protocol] = {
    "anthropic": anthropic.PROTOCOL,
    "openai": openai.PROTOCOL,
    "gemini": gemini.PROTOCOL,
    "ollama": ollama.PROTOCOL,
}
AGENT = "agent"
PAUSES = (0.5, 2.0)
"""Seconds before the first and the second retry, where the provider names none."""
BYTES_PER_TOKEN = 2
"""Fewer than any tokenizer needs for prose, so that a call costs less than was reserved for it."""
_MICRO = 1_000_000


def build_model(
    settings: ModelSettings, key: str, ledger: ModelCalls, clock: Callable[[], datetime]
) -> LanguageModel | None:
    """The language model of the settings; None if none is set."""
    protocol = PROTOCOLS.get(settings.provider)
    if protocol is not None:
        ask = partial(_ask_http, settings, protocol, key)
    elif settings.provider == AGENT:
        ask = partial(agent.ask, model_of(settings), settings.environment)
    else:
        return None
    return Model(settings, ask, _obstacle(settings, protocol, key), ledger, clock)


def model_of(settings: ModelSettings) -> str:
    """The name of the model that is asked."""
    protocol = PROTOCOLS.get(settings.provider)
    return settings.model or (protocol.model if protocol else agent.MODEL)


class Model:
    """A `LanguageModel`.

    Args:
        ask: makes one call; raises `PostError`.
        obstacle: why nothing can be asked at all, or None.
        ledger: records each call and keeps the day's budget.
        clock: gives the time of each call.
        pauses: seconds before each retry.
    """

    def __init__(
        self,
        settings: ModelSettings,
        ask: Callable[[Request, Deadline], Reply],
        obstacle: Unavailable | None,
        ledger: ModelCalls,
        clock: Callable[[], datetime],
        *,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self._settings = settings
        self._ask = ask
        self._obstacle = obstacle
        self._ledger = ledger
        self._clock = clock
        self._pauses = pauses
        self._limit = Limit(tokens=settings.daily_tokens, micro_usd=round(settings.daily_usd * _MICRO))
        self._price, notice = price_of(settings, model_of(settings))
        self.notices: tuple[str, ...] = (notice,) if notice else ()

    def ask(self, request: Request) -> Answer | Unavailable:
        """Ask within the time and the budget that are set, with at most two retries if the provider is busy.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        if self._obstacle is not None:
            return self._obstacle
        deadline = Deadline(self._settings.timeout)
        for pause in (*self._pauses, None):
            result, error = self._attempt(request, deadline)
            if error is None or not error.retry or pause is None:
                break
            wait = pause if error.pause is None else error.pause
            if not deadline.leaves(wait):
                break
            time.sleep(wait)
        return result

    def _attempt(self, request: Request, deadline: Deadline) -> tuple[Answer | Unavailable, PostError | None]:
        reserve = self._reserve(request)
        number = self._ledger.reserve(reserve, self._limit)
        if number is None:
            refused = replace(reserve, input_tokens=0, output_tokens=0, micro_usd=0, outcome="refused")
            return Unavailable(
                "budget", "The day's budget for the language model has no room for this.", refused
            ), None
        started = time.monotonic()
        call = reserve
        try:
            reply = self._ask(request, deadline)
            call = self._counted(reserve, reply)
            items = _items(reply, request.items)
        except PostError as error:
            call = _timed(_failed(call, error, answered=call is not reserve), started)
            self._ledger.settle(number, call)
            return Unavailable(error.reason, error.message, call), error
        call = _timed(replace(call, outcome="ok"), started)
        self._ledger.settle(number, call)
        return Answer(items, call), None

    def _reserve(self, request: Request) -> ModelCall:
        """The call with the highest possible costs."""
        sent = len((request.system + request.prompt).encode("utf-8", "replace")) + len(dumps(request.schema))
        tokens = -(-sent // BYTES_PER_TOKEN) + (agent.OVERHEAD if self._settings.provider == AGENT else 0)
        return ModelCall(
            at=self._clock(),
            provider=self._settings.provider,
            model=model_of(self._settings),
            purpose=request.purpose,
            session=request.session,
            input_tokens=tokens,
            output_tokens=request.max_output,
            micro_usd=self._price.of(tokens, request.max_output),
        )

    def _counted(self, reserve: ModelCall, reply: Reply) -> ModelCall:
        """The call with its actual costs. Without the provider's counts they are estimated by bytes."""
        used = reserve.input_tokens if reply.input_tokens is None else reply.input_tokens
        written = -(-len(reply.text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        out = written if reply.output_tokens is None else reply.output_tokens
        price = self._price.of(used, out) if reply.micro_usd is None else reply.micro_usd
        return replace(reserve, input_tokens=used, output_tokens=out, micro_usd=price)


def _obstacle(settings: ModelSettings, protocol: Protocol | None, key: str) -> Unavailable | None:
    if settings.inside:
        return Unavailable(
            "inside", "This session was started by Recortex itself, which asks nothing from inside it."
        )
    if protocol is None:
        return None
    if protocol.keyed and not key and not settings.url:
        return Unavailable("not_configured", f"There is no key for {settings.provider} in the environment.")
    why = objection(settings.url or protocol.url, secret=bool(key), setting="llm.url")
    return Unavailable("not_configured", why) if why else None


def _ask_http(
    settings: ModelSettings, protocol: Protocol, key: str, request: Request, deadline: Deadline
) -> Reply:
    model = model_of(settings)
    url = (settings.url or protocol.url).rstrip("/") + protocol.path(model)
    body = dumps(storable(protocol.body(request, model)))  # without lone surrogates, which no JSON can hold
    return envelope(post(url, protocol.headers(key), body, deadline, most=MAX_ANSWER), protocol.read)


def _items(reply: Reply, name: str) -> tuple[Any, ...]:
    """The requested list from what the model wrote.

    Raises:
        CallError: there is none.
    """
    if reply.ended == "truncated":
        raise CallError("truncated", "The model's answer was cut off.")
    if reply.ended == "declined":
        raise CallError("declined", "The model declined to answer.")
    try:
        parsed = loads(_unfenced(reply.text))
    except InvalidInputError:
        raise CallError("not_json", "The model's answer is not JSON.") from None
    items = parsed.get(name) if isinstance(parsed, dict) else None
    if not isinstance(items, list):
        raise CallError("wrong_form", f"The model's answer has no list {name!r}.")
    return tuple(items)


def _unfenced(text: str) -> str:
    """The text without the code fence that models put around JSON where no schema binds them."""
    text = text.strip()
    fenced = text.startswith("```") and text.endswith("```")
    return text[:-3].partition("\n")[2] if fenced else text


def _failed(call: ModelCall, error: PostError, *, answered: bool) -> ModelCall:
    if answered:
        return replace(call, outcome="unusable")
    if error.paid:
        return replace(call, outcome="failed")
    return replace(call, input_tokens=0, output_tokens=0, micro_usd=0, outcome="failed")


def _timed(call: ModelCall, started: float) -> ModelCall:
    return replace(call, milliseconds=round((time.monotonic() - started) * 1_000))
