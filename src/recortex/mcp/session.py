"""A connection served by the protocol SDK, and where its tool calls are carried out.

Importing this module loads the SDK, which takes most of a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sys
import threading
import traceback
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
import mcp_types as types
from anyio.from_thread import BlockingPortal
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from recortex import codec
from recortex.domain.text import clean, cleaned, sealed, wrap
from recortex.engines.retrieval.question import question
from recortex.errors import InvalidInputError, RecortexError
from recortex.mcp.arguments import BUDGET, bounded, budgeted, converted, is_true, takes
from recortex.mcp.greeting import BRIEF, LISTS, MEMORY, MODERN_VERSION, TEXT, WORDS, listed_prompts
from recortex.mcp.projection import CONFIRM, lean
from recortex.telemetry import part_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Executor

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext

    from recortex.mcp.greeting import Wire
    from recortex.operations.base import Operations
    from recortex.operations.registry import Operation


# -- where tool calls are carried out: JSON arguments in, a JSON object out, never an exception


_DISPATCHER_LOG = logging.getLogger(__name__)
_LONGEST_MESSAGE = 1_000


class UnknownToolError(RecortexError):
    """There is no such tool."""

    code = "unknown_tool"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call gave: the result's object, or an error as `code`, `message` and `hint`."""

    data: dict[str, Any]
    failed: bool = False


class ToolDispatcher:
    """Carries out operations on a facade that is opened when it is first needed.

    Args:
        operations: those that can be called, by name.
        reading: those that resources and prompts are read by.
        open_facade: opens it.
        warm: gets it ready for the first call.
        open_at: opens that of another folder: `place` may name one.
    """

    def __init__(
        self,
        operations: Mapping[str, Operation],
        open_facade: Callable[[], Operations],
        warm: Callable[[Any], object] = lambda _: None,
        reading: Mapping[str, Operation] = MappingProxyType({}),
        open_at: Callable[[Path], Operations] | None = None,
    ) -> None:
        self.operations = operations
        self._reading = reading
        self._warm = warm
        self._open = open_facade
        self._open_at = open_at
        self._facade: Operations | None = None
        self._lock = threading.Lock()

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Do what a tool says."""

        def work() -> dict[str, Any]:
            operation = self._operation(name)
            asking = operation.traits.asks
            given = {key: value for key, value in arguments.items() if key != CONFIRM or not asking}
            budget, rest = budgeted(operation, given)
            done = self._done(operation, rest)
            if hasattr(done, "degraded"):  # stores that cannot be written are part of what could not be used
                done = replace(done, degraded=(*done.degraded, *self.facade().unwritten))
            told = cleaned(lean(done))
            return bounded(told | {BUDGET: budget} if BUDGET in told else told, budget)

        return self.answered(name, work)

    def read(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What an operation gives that resources and prompts are read by.

        Raises:
            RecortexError: it cannot be read.
        """
        return self._done(self._reading[name], arguments)

    def _done(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        given = converted(operation, arguments)
        return getattr(self.facade(), operation.method)(**given)

    def answered(self, name: str, work: Callable[[], dict[str, Any]]) -> ToolAnswer:
        """What `work` gives, or why it gives nothing."""
        try:
            return ToolAnswer(work())
        except RecortexError as error:
            return _failure(error.code, error.message, self._hint(name, error))
        except Exception as error:  # noqa: BLE001  whatever goes wrong, the client gets a clear error
            traceback.print_exception(error, file=sys.stderr)
            return _failure(
                "internal_error",
                f"`{name[:40]}` failed inside Recortex ({type(error).__name__}).",
                "Nothing you can mend: go on without it. The server's log has the details; `recortex "
                "doctor` checks the store.",
            )

    def question(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What the person is to be asked before a call is carried out; empty where nothing is."""
        operation = self.operations.get(name)
        if operation is None or not operation.traits.asks or not operation.traits.removes(arguments):
            return ""
        if is_true(arguments.get("dry_run")):
            return ""
        said = {key: value for key, value in arguments.items() if key != CONFIRM}
        told = clean(codec.dumps(said).decode(errors="replace"))[:_LONGEST_MESSAGE]
        return f"The agent wants to `{name}` {told}. {clean(operation.summary)} Go on?"

    @property
    def unplaced(self) -> bool:
        """Whether the client is yet to say which project is meant."""
        return self._open_at is not None

    def place(self, folder: Path | None) -> None:
        """Serve the project of a folder from now on; None: where the server was started."""
        with self._lock:
            if self._open_at is None:
                return  # another call was told so before
            opened, self._open_at = self._open_at, None
            if folder is not None:
                former, self._facade = self._facade, None
                self._open = partial(opened, folder)
                if former is not None:
                    former.close()

    def facade(self) -> Operations:
        """The opened facade.

        Raises:
            RecortexError: it cannot be opened now; the next call tries again.
        """
        with self._lock:
            if self._facade is None:
                self._facade = self._open()
            return self._facade

    def warm(self) -> None:
        """Get ready for the first call. Nobody waits for it: if it fails, that call says why."""
        try:
            self._warm(self.facade())
        except Exception:  # noqa: BLE001  it runs in a thread of its own, where an error could only be lost
            _DISPATCHER_LOG.debug("Could not get ready beforehand.", exc_info=True)

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._lock:
            if self._facade is not None:
                self._facade.close()
                self._facade = None

    def _hint(self, name: str, error: RecortexError) -> str:
        """What an agent can do; the general hint of bad input speaks of the command line."""
        if error.hint == InvalidInputError.hint and name in self.operations:
            return takes(self.operations[name])
        return error.hint

    def _operation(self, name: str) -> Operation:
        try:
            return self.operations[name]
        except KeyError:
            shown = name[:40].encode(errors="replace").decode()
            raise UnknownToolError(
                f"There is no tool {shown!r}.", hint=f"Tools: {', '.join(self.operations)}."
            ) from None


def unconfirmed(name: str, *, asked: bool) -> ToolAnswer:
    """The answer where the person did not agree, or was not asked."""
    if asked:
        return _failure(
            "declined",
            f"The person did not agree to `{name[:40]}`; nothing was changed.",
            "Ask what they want.",
        )
    return _failure(
        "not_confirmed",
        f"`{name[:40]}` removes something for good; nothing was changed.",
        "Ask the person, show them a `dry_run` where there is one, then call again with `confirm`: true.",
    )


def _failure(code: str, message: str, hint: str) -> ToolAnswer:
    texts = {"code": code, "message": message, "hint": hint}
    return ToolAnswer(
        {
            key: clean(text[:_LONGEST_MESSAGE].encode(errors="replace").decode())
            for key, text in texts.items()
        },
        failed=True,
    )


# -- which project a server serves that its client started outside of any: the client's roots say


KEY = "roots"
"""Of the question and its answer in the stateless protocol."""
_OFFERED = types.ClientCapabilities(roots=types.RootsCapability())


async def settle(
    desk: ToolDispatcher,
    context: ServerRequestContext[Any],
    answers: Mapping[str, Any] | None,
) -> types.InputRequiredResult | None:
    """Let the client say, once, which project is meant; gives the question where it is to be asked anew.

    Args:
        desk: that is to serve the project.
        context: of the request that needs it.
        answers: to what was asked in the stateless protocol.
    """
    if not desk.unplaced or not context.session.check_client_capability(_OFFERED):
        return None
    if context.protocol_version >= MODERN_VERSION:
        given = (answers or {}).get(KEY)
        if given is None:
            return types.InputRequiredResult(input_requests={KEY: types.ListRootsRequest()})
        desk.place(folder_of(given.roots) if isinstance(given, types.ListRootsResult) else None)
        return None
    try:
        listed = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except MCPError:  # it offers what it does not do
        desk.place(None)
    else:
        desk.place(folder_of(listed.roots))
    return None


def folder_of(roots: Iterable[types.Root]) -> Path | None:
    """The first root that is a folder of this machine."""
    for root in roots:
        parts = urlsplit(str(root.uri))
        if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
            folder = Path(url2pathname(parts.path))
            if folder.is_absolute() and folder.is_dir():
                return folder
    return None


# -- what is in resources and prompts


READING = ("surface", "get", "recall", "context")
"""The operations that these are read by; none changes what is remembered."""
_ASKED = {"recall": ("question", "query"), "context": ("task", "task")}
"""The main argument of each prompt, and that of the operation of its name."""
_NOTHING = "Nothing is known yet."
_MORE = tuple(f"word{number}" for number in range(2, WORDS + 1))


def resource(desk: ToolDispatcher, uri: str) -> str:
    """The text of a resource. Raises RecortexError."""
    if uri == BRIEF:
        return sealed(desk.read("surface", {}).text) or wrap(_NOTHING)
    if uri.startswith(MEMORY):
        return _whole(desk.read("get", {"id": uri.removeprefix(MEMORY)}))
    raise InvalidInputError(
        f"There is no resource {uri[:80]!r}.", hint=f"There are {BRIEF} and {MEMORY}ID of a memory."
    )


def prompt(desk: ToolDispatcher, name: str, arguments: Mapping[str, str]) -> str:
    """The text of a prompt: what the person asks, and what memory knows of it. Raises RecortexError."""
    wanted, taken = _ASKED.get(name, ("", ""))
    asked = " ".join(arguments.get(one, "").strip() for one in (wanted, *_MORE)).strip()
    if not asked:
        needs = f"The prompt `{name}` needs `{wanted}`." if wanted else f"There is no prompt {name[:40]!r}."
        raise InvalidInputError(needs, hint="There are `recall` with a question and `context` with a task.")
    files = question(asked).paths if name == "context" else ()
    found = desk.read(name, {taken: asked} | ({"files": list(files)} if files else {}))
    return f"{asked}\n\n{_whole(found)}"


def _whole(found: Any) -> str:
    """What a tool would answer, between our markers."""
    return wrap(codec.dumps(bounded(cleaned(lean(found)), copies=1)).decode())


# -- a connection served by the protocol SDK


_LOG = logging.getLogger(__name__)
_Listed = TypeVar("_Listed", bound=types.Result)

# A client that closes its end still gets what it asked for before, if that takes no longer (seconds; clients
# give 2).
_LAST_ANSWERS = 1.5
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {CONFIRM: {"type": "boolean", "title": "Go on", "default": False}},
    "required": [CONFIRM],
}


def build(
    about: Mapping[str, str],
    instructions: str,
    tools: list[dict[str, Any]],
    desk: ToolDispatcher,
    workers: Executor,
) -> Server[Any]:
    """The SDK's server over our tools.

    Args:
        about: name, title and version of the server.
        instructions: for the agent.
        tools: of `tools.described`.
        desk: carries out the calls.
        workers: where it does. Threads that stay: the store keeps a connection for each thread that ever read
            from it.
    """

    async def _run(work: Callable[..., ToolAnswer], *given: Any) -> ToolAnswer:
        return await asyncio.get_running_loop().run_in_executor(workers, work, *given)

    async def on_read_resource(
        context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        if asked := await settle(desk, context, params.input_responses):
            return asked
        text = _text(await _run(desk.answered, "resource", lambda: {"text": resource(desk, params.uri)}))
        found = types.TextResourceContents(uri=params.uri, mime_type=TEXT, text=text)
        return types.ReadResourceResult(contents=[found])

    async def on_get_prompt(
        context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if asked := await settle(desk, context, params.input_responses):
            return asked
        given = params.arguments or {}
        text = _text(await _run(desk.answered, "prompt", lambda: {"text": prompt(desk, params.name, given)}))
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[said])

    async def on_list_prompts(context: ServerRequestContext[Any], _params: object) -> types.ListPromptsResult:
        asking = context.session.client_params
        listed = listed_prompts(asking.client_info.name if asking else "")
        return types.ListPromptsResult.model_validate(listed, by_name=False)

    async def on_call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        held = await settle(desk, context, params.input_responses) or await _confirmed(desk, context, params)
        if held is not None:
            return held
        return _result(await _run(_called, desk, params, dict(params.meta or {})))

    server = Server[Any](
        about["name"],
        version=about["version"],
        title=about["title"],
        instructions=instructions,
        on_list_tools=_listing(types.ListToolsResult, {"tools": tools}),
        on_call_tool=on_call_tool,
        on_list_resources=_listing(types.ListResourcesResult, LISTS["resources/list"]),
        on_list_resource_templates=_listing(
            types.ListResourceTemplatesResult, LISTS["resources/templates/list"]
        ),
        on_read_resource=on_read_resource,
        on_list_prompts=on_list_prompts,
        on_get_prompt=on_get_prompt,
    )
    server.middleware.clear()  # the SDK's tracing: nothing here is ever reported to anyone
    return server


def _called(desk: ToolDispatcher, params: types.CallToolRequestParams, meta: Mapping[str, Any]) -> ToolAnswer:
    """Carry out a call, as part of the trace that the client says it belongs to."""
    carrier = {name: str(meta[name]) for name in ("traceparent", "tracestate") if meta.get(name)}
    with part_of(carrier) if carrier else nullcontext():
        return desk.call(params.name, params.arguments or {})


def _text(answer: ToolAnswer) -> str:
    """The text of a resource or prompt. Raises MCPError, which says why there is none."""
    if answer.failed:
        raise MCPError(types.INVALID_PARAMS, f"{answer.data['message']} {answer.data['hint']}".strip())
    return str(answer.data["text"])


def _listing(of: type[_Listed], listed: dict[str, Any]) -> Callable[..., Awaitable[_Listed]]:
    """A handler that always gives the same list."""
    result = of.model_validate(listed, by_name=False)

    async def give(_context: object, _params: object) -> _Listed:
        return result

    return give


async def _confirmed(
    desk: ToolDispatcher, context: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult | None:
    """Ask the person about what cannot be brought back, through the client; None where the call may go on."""
    arguments = params.arguments or {}
    question = desk.question(params.name, arguments)
    if not question:
        return None
    form = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if not context.session.check_client_capability(form):
        agreed = is_true(arguments.get(CONFIRM))
        return None if agreed else _result(unconfirmed(params.name, asked=False))
    if context.protocol_version >= MODERN_VERSION:
        return _asked_anew(params, question)
    answer = await context.session.elicit_form(question, _FORM, related_request_id=context.request_id)
    return None if _agrees(answer) else _result(unconfirmed(params.name, asked=True))


def _asked_anew(
    params: types.CallToolRequestParams, question: str
) -> types.CallToolResult | types.InputRequiredResult | None:
    """Ask in the stateless protocol: the result is the question, and the call comes again with the answer."""
    state = hashlib.sha256(question.encode()).hexdigest()  # what was agreed to is this call and no other
    answer = (params.input_responses or {}).get(CONFIRM)
    if answer is None or params.request_state != state:
        asked = types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=question, requested_schema=_FORM)
        )
        return types.InputRequiredResult(input_requests={CONFIRM: asked}, request_state=state)
    return None if _agrees(answer) else _result(unconfirmed(params.name, asked=True))


def _agrees(answer: Any) -> bool:
    return (
        isinstance(answer, types.ElicitResult)
        and answer.action == "accept"
        and (answer.content or {}).get(CONFIRM) is True
    )


def _result(answer: ToolAnswer) -> types.CallToolResult:
    text = types.TextContent(type="text", text=codec.dumps(answer.data).decode())
    if answer.failed:
        return types.CallToolResult(content=[text], is_error=True)
    return types.CallToolResult(content=[text], structured_content=answer.data)


def serve(
    server: Server[Any], wire: Wire, lines: Iterator[bytes], *, lead: Iterable[bytes], sent: set[Any]
) -> None:
    """Serve the connection until the client closes it.

    Args:
        server: of `build`.
        wire: where answers go.
        lines: what the client is yet to say.
        lead: what it said before.
        sent: ids of requests in `lead` that were answered; what the server answers to them is not sent.
    """
    anyio.run(_Connection(server, wire, sent).run, lines, tuple(lead))


class _Connection:
    def __init__(self, server: Server[Any], wire: Wire, sent: set[Any]) -> None:
        self._server = server
        self._wire = wire
        self._sent = sent
        self._open: set[Any] = set()
        self._idle = anyio.Event()

    async def run(self, lines: Iterator[bytes], lead: tuple[bytes, ...]) -> None:
        """Connect the wire and the server."""
        # An interruption by a signal is reported in one line, without a traceback.
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: _LOG.warning("%s", context.get("message"))
        )
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
        write, out = anyio.create_memory_object_stream[SessionMessage]()
        async with BlockingPortal() as portal, anyio.create_task_group() as group:
            group.start_soon(self._write, out)
            group.start_soon(self._replay, lead, lines, into, portal)
            await self._server.run(read, write, self._server.create_initialization_options())
            group.cancel_scope.cancel()

    async def _replay(
        self,
        lead: tuple[bytes, ...],
        lines: Iterator[bytes],
        into: MemoryObjectSendStream[SessionMessage | Exception],
        portal: BlockingPortal,
    ) -> None:
        for line in lead:
            await self._take(into, line)
        # a thread of its own, never waited for: a read of standard input cannot be interrupted
        threading.Thread(target=self._read, args=(lines, into, portal), name="stdin", daemon=True).start()

    def _read(
        self,
        lines: Iterator[bytes],
        into: MemoryObjectSendStream[SessionMessage | Exception],
        portal: BlockingPortal,
    ) -> None:
        try:
            for line in lines:
                portal.call(self._take, into, line)
            portal.call(self._end, into)
        except (RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the server ended first

    async def _take(self, into: MemoryObjectSendStream[SessionMessage | Exception], line: bytes) -> None:
        try:
            message = _parsed(line)
        except (ValueError, RecursionError):
            _LOG.warning("A message of %d bytes was not understood.", len(line))
            self._refuse(line)
            return
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
            # Read the arguments of a call that came as a text of JSON; others are the SDK's to judge.
            params = message.params if message.method == "tools/call" else None
            if params and isinstance(params.get("arguments"), str):
                with suppress(InvalidInputError):
                    params["arguments"] = codec.loads(params["arguments"])
        await into.send(SessionMessage(message))

    def _refuse(self, line: bytes) -> None:
        """Answer a message that cannot be read with an error, where its id is known, so that nobody waits."""
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(given, dict) and isinstance(given.get("id"), str | int) and "method" in given:
            self._wire.refuse(given["id"], "Invalid request")

    async def _end(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        with anyio.move_on_after(_LAST_ANSWERS):
            while self._open:
                self._idle = anyio.Event()
                await self._idle.wait()
        await into.aclose()

    async def _write(self, out: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with out:
            async for item in out:
                try:
                    await self._send(item.message)
                except OSError:
                    return  # the client is gone; what the server has still to say goes nowhere

    async def _send(self, message: types.JSONRPCMessage) -> None:
        request = message.id if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        if request in self._sent:
            self._sent.discard(request)
        else:
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            await anyio.to_thread.run_sync(self._wire.send, line)
        self._open.discard(request)
        if not self._open:
            self._idle.set()


def _parsed(line: bytes) -> types.JSONRPCMessage:
    """A message. Python's own parser takes what the strict one refuses (half of a surrogate pair).

    The tool says it better.

    Raises:
        ValueError: it is no message.
    """
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return types.jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
