"""A language model with a budget: reserves the costs, asks with retries, and records the result."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from recortex.codec import convert, dumps, loads, storable
from recortex.domain.maintenance import Answer, Limit, ModelCall, Unavailable
from recortex.errors import InvalidInputError
from recortex.llm import wire
from recortex.llm.wire import MAX_ANSWER, AnthropicUsage, CallError, Reply, envelope
from recortex.transport import Deadline, PostError, objection, post

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from recortex.domain.maintenance import Request
    from recortex.llm.wire import Protocol
    from recortex.ports.model import LanguageModel, ModelCalls


# -- asks the agent's own command line in print mode, with the person's model and account


PROGRAM = "claude"
MODEL = "haiku"
INSIDE = "RECORTEX_INSIDE"
OVERHEAD = 4_000
"""Tokens that the command line adds: its preamble and the tool that takes the structured answer. For a prompt
of fifty tokens, Claude Code 2.1.330 added 1,500, and 2.1.100, which needs a second turn, 2,600."""
_SET = {
    INSIDE: "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "MAX_THINKING_TOKENS": "0",  # Claude Code 2.1.100 would use nearly all tokens of the answer for thinking
    # As a request allows; otherwise an answer that does not end may have 128,000.
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8192",
}
_AGENT_MICRO = 1_000_000
_GRACE = 1.0  # seconds
# Variables by which the client sees that it runs inside another one, or that belong to that one's session.
_OF_A_SESSION = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SSE_PORT CLAUDE_PROJECT_DIR CLAUDE_PLUGIN_ROOT"


class _Result(msgspec.Struct):
    type: str
    is_error: bool = False
    result: str | None = None
    structured_output: dict[str, Any] | None = None
    total_cost_usd: float | None = None
    usage: AnthropicUsage | None = None


def agent_ask(model: str, environment: Mapping[str, str], request: Request, deadline: Deadline) -> Reply:
    """Run the program once.

    Raises:
        CallError: it does not exist, failed, took too long, or wrote too much.
    """
    program = shutil.which(PROGRAM, path=environment.get("PATH", ""))
    if program is None:
        raise CallError("not_configured", f"There is no program {PROGRAM!r} on the path.")
    if program.lower().endswith((".cmd", ".bat")):
        raise CallError(
            "not_configured", f"{PROGRAM} is a batch file here, which cannot be given a prompt safely."
        )
    with tempfile.TemporaryDirectory(prefix="recortex-", ignore_cleanup_errors=True) as folder:
        child = _start([program, *_arguments(request, model)], environment, folder)
        try:
            output = _output(child, request.prompt.encode("utf-8", "replace"), deadline)
        finally:
            # End the program and its children, with a moment to clean up.
            if child.poll() is None:
                _signal(child, signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=_GRACE)
            _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=_GRACE)
    if child.returncode != 0 and not output.lstrip().startswith(b"{"):
        raise CallError("program", f"{PROGRAM} ended with status {child.returncode}.", paid=True)
    return envelope(output, _read)


def _arguments(request: Request, model: str) -> list[str]:
    return [
        "-p",
        "--output-format", "json",
        "--model", model,
        "--tools", "",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--settings", '{"disableAllHooks": true}',
        "--system-prompt", request.system,
        "--json-schema", dumps(request.schema).decode(),
    ]  # fmt: skip


def _start(command: list[str], environment: Mapping[str, str], folder: str) -> subprocess.Popen[bytes]:
    inherited = {name: value for name, value in environment.items() if name not in _OF_A_SESSION.split()}
    try:
        return subprocess.Popen(  # noqa: S603  found on the path, no shell, arguments of our own
            command,
            cwd=folder,
            env={**inherited, **_SET},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise CallError("program", f"{PROGRAM} could not be started.") from None


def _output(child: subprocess.Popen[bytes], prompt: bytes, deadline: Deadline) -> bytes:
    """Everything that the program writes, up to the limit."""
    results: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    for work in (lambda: _feed(child.stdin, prompt), lambda: results.put(_taken(child.stdout))):
        threading.Thread(target=work, name="recortex-agent", daemon=True).start()
    try:
        output = results.get(timeout=deadline.left)
    except queue.Empty:
        raise CallError("timeout", f"{PROGRAM} did not answer in time.", paid=True) from None
    if len(output) > MAX_ANSWER:
        raise CallError("too_large", f"{PROGRAM} wrote more than {MAX_ANSWER} bytes.", paid=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=min(deadline.left, _GRACE))
    return output


def _feed(pipe: IO[bytes] | None, prompt: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):  # the program ended, which the reader notices as well
        if pipe is not None:
            with pipe:
                pipe.write(prompt)


def _taken(pipe: IO[bytes] | None) -> bytes:
    """Read a pipe to its end or the limit. The thread that reads it must also close it."""
    with contextlib.suppress(OSError, ValueError):
        if pipe is not None:
            with pipe:
                return pipe.read(MAX_ANSWER + 1)
    return b""


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the process group, which lives as long as any child of the program does."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)


def _read(data: Any) -> Reply:
    result = convert(data, _Result)
    if result.is_error or result.type != "result":
        raise CallError("program", f"{PROGRAM} reported an error.", paid=True)
    usage = result.usage or AnthropicUsage()
    cost = result.total_cost_usd
    structured = result.structured_output
    return Reply(
        text=(result.result or "") if structured is None else dumps(structured).decode(),
        input_tokens=usage.all_input,
        output_tokens=usage.output_tokens,
        micro_usd=None if cost is None or not 0 <= cost < _AGENT_MICRO else round(cost * _AGENT_MICRO),
    )


# -- prices of models in US dollars per million tokens


class Price(NamedTuple):
    """US dollars for a million tokens, which is also micro-dollars for one."""

    input: float
    output: float

    def calculate(self, input_tokens: int, output_tokens: int) -> int:
        """Whole micro-dollars, rounded up."""
        return math.ceil(input_tokens * self.input + output_tokens * self.output - _ROUNDING)


@cache
def prices() -> dict[str, Price]:
    """The providers' public prices as of 2026-11-22, for prompts below 100,000 tokens, by model.

    If a promotion ends on 2026-12-31, the price after it is listed. Names of the agent's command line, such
    as `haiku`, have the price of the most expensive model that they stand for.
    """
    rows = json.loads((Path(__file__).parent / "prices.json").read_bytes())
    return {model: Price(*row) for model, row in rows.items()}


FREE = Price(0.0, 0.0)
_ROUNDING = 1e-9
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3})$")


def price_of(settings: ModelSettings, model: str) -> tuple[Price, str]:
    """The price of a model, and a notice if the price is unknown.

    A date at the end of the name does not matter. A name that only begins like a known one is unknown: its
    price may be twenty times higher.
    """
    known = prices().get(_DATE.sub("", model.rsplit("/", 1)[-1].lower()))
    if settings.provider == "ollama":
        return FREE, ""
    if known is not None:
        return known, ""
    configured = Price(settings.price_input, settings.price_output)
    if configured != FREE:
        return configured, ""
    return FREE, (
        f"The price of the model {model[:80]!r} is not known: its calls count as free, only the daily "
        "tokens stop them. Set llm.price_input and llm.price_output."
    )


# -- a language model with a budget: reserves the costs, asks with retries, and records the result


PROTOCOLS: dict[str, Protocol] = {
    "anthropic": wire.ANTHROPIC_PROTOCOL,
    "openai": wire.OPENAI_PROTOCOL,
    "gemini": wire.GEMINI_PROTOCOL,
    "ollama": wire.OLLAMA_PROTOCOL,
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
        ask = partial(agent_ask, model_of(settings), settings.environment)
    else:
        return None
    return Model(settings, ask, _obstacle(settings, protocol, key), ledger, clock)


def model_of(settings: ModelSettings) -> str:
    """The name of the model that is asked."""
    protocol = PROTOCOLS.get(settings.provider)
    return settings.model or (protocol.model if protocol else MODEL)


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
        # The call with the highest possible costs.
        sent = len((request.system + request.prompt).encode("utf-8", "replace")) + len(dumps(request.schema))
        tokens = -(-sent // BYTES_PER_TOKEN) + (OVERHEAD if self._settings.provider == AGENT else 0)
        reserve = ModelCall(
            at=self._clock(),
            provider=self._settings.provider,
            model=model_of(self._settings),
            purpose=request.purpose,
            session=request.session,
            input_tokens=tokens,
            output_tokens=request.max_output,
            micro_usd=self._price.calculate(tokens, request.max_output),
        )
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

    def _counted(self, reserve: ModelCall, reply: Reply) -> ModelCall:
        """The call with its actual costs. Without the provider's counts they are estimated by bytes."""
        used = reserve.input_tokens if reply.input_tokens is None else reply.input_tokens
        written = -(-len(reply.text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        out = written if reply.output_tokens is None else reply.output_tokens
        price = self._price.calculate(used, out) if reply.micro_usd is None else reply.micro_usd
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


# -- the settings of the language model, which `app/wiring.py` fills


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The rows `llm.*` of the settings, and what belongs to the process.

    Attributes:
        provider: anthropic, openai, gemini, ollama or agent; empty: none.
        model: empty: the provider's usual small one.
        url: the base URL; empty: the provider's own.
        timeout: seconds that one question may take, retries included.
        daily_usd, daily_tokens: what a UTC day may cost.
        price_input, price_output: US dollars for a million tokens, used where the model is not in our table.
        environment: of this process; the agent's command line is found and run with it, nothing else reads
            it.
        inside: this process belongs to an agent that Recortex itself runs, so nothing is asked.
    """

    provider: str = ""
    model: str = ""
    url: str = ""
    timeout: float = 30.0
    daily_usd: float = 0.10
    daily_tokens: int = 200_000
    price_input: float = 0.0
    price_output: float = 0.0
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    inside: bool = False
