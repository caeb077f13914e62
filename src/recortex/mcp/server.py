"""`recortex mcp`: a Model Context Protocol server on standard input and output."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import recortex
from recortex.codec import dumps
from recortex.domain.vocabulary import Actor
from recortex.errors import RecortexError
from recortex.mcp.greeting import Greeting, Wire
from recortex.operations import manifest
from recortex.settings import CLAUDE_PROJECT, project_of_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from recortex.mcp.session import ToolDispatcher

    Tools = list[dict[str, Any]]
    AtWork = tuple[ToolDispatcher, Executor]

# Calls at work at the same time; the others wait. More would only queue up for the store's one writer.
THREADS = 4
_INTERRUPTED = 130
LEAVING = 10.0
"""Seconds in which the server ends once its client has closed the stream, whatever is still at work."""
QUIET = 2.0
"""Seconds after the opening before more is loaded unasked: it takes a core for two seconds, in which the
client starts and the first prompts are answered by hooks (bench/session_latency.py)."""


def main(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Serve until the client closes the stream, and return the exit code.

    Args:
        arguments: those after `recortex mcp`.
        environment: in place of the process's own; names the project where no option does.
    """
    options = _options(arguments, project_of_agent(environment))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tools = manifest.tools(options.tools)
    try:
        serve(
            Wire.claim(),
            tools,
            lambda: _dispatcher(options, tools),
            beside=attending,
            leaving=partial(_end_within, LEAVING),
        )
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return 0
    return 0


def _dispatcher(options: argparse.Namespace, tools: Tools) -> ToolDispatcher:
    from recortex.cortex import Cortex
    from recortex.mcp.session import READING, ToolDispatcher
    from recortex.operations.registry import find_operation

    def open_at(folder: str | Path) -> Cortex:
        return Cortex.open(folder, url=options.url, actor=Actor.AGENT)

    return ToolDispatcher(
        {tool["name"]: find_operation(tool["name"]) for tool in tools},
        lambda: open_at(options.project or "."),
        warm=Cortex.warm,
        reading={name: find_operation(name) for name in READING},
        open_at=None if options.project or options.url or _in_checkout(Path.cwd()) else open_at,
    )


def _in_checkout(folder: Path) -> bool:
    """Whether a folder says by itself which project is meant."""
    from recortex.codebase.git import find_checkout

    return find_checkout(folder).git is not None


def serve(
    wire: Wire,
    tools: Tools,
    open_dispatcher: Callable[[], ToolDispatcher],
    *,
    beside: Callable[[ToolDispatcher], AbstractContextManager[object]] = nullcontext,
    leaving: Callable[[], object] = lambda: None,
) -> None:
    """Answer the opening requests at once; load the SDK when more is asked, or when the client has started.

    Args:
        wire: to the client.
        tools: their descriptions.
        open_dispatcher: makes what carries out the calls; it is closed at the end.
        beside: what else is done from then on to the end.
        leaving: called once the client has closed the stream, before calls at work are waited for.
    """
    greeting = Greeting(server=about(), instructions=instructions(), tools=tools)
    lines = wire.lines()
    lead: list[bytes] = []
    sent: set[Any] = set()
    with ExitStack() as stack:
        opening: _Opening | None = None
        for line in lines:
            lead.append(line)
            answer = greeting.answer(line)
            if answer is not None:
                sent.add(answer["id"])
                wire.send(dumps(answer))
            if (greeting.begun or greeting.done) and opening is None:
                opening = _Opening(_at_work(open_dispatcher, beside))
                stack.callback(opening.leave)
                stack.callback(leaving)
            if greeting.done:
                break
        if opening is None or not greeting.done:  # the client has left
            return
        desk, workers = opening.opened()
        from recortex.mcp import session

        server = session.build(about(), instructions(), tools, desk, workers)
        session.serve(server, wire, lines, lead=lead, sent=sent)


class _Opening:
    """Enters a context in a thread of its own, so that more lists are answered meanwhile."""

    def __init__(self, context: AbstractContextManager[AtWork]) -> None:
        self._context = context
        self._entered: AtWork | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._enter, name="open", daemon=True)
        self._thread.start()

    def _enter(self) -> None:
        try:
            self._entered = self._context.__enter__()
        except BaseException as error:  # noqa: BLE001  raised again where somebody waits for it
            self._error = error

    def opened(self) -> AtWork:
        """What was entered, once it is."""
        self._thread.join()
        if self._entered is None:
            raise self._error or RuntimeError
        return self._entered

    def leave(self) -> None:
        """Leave the context, where it was entered."""
        self._thread.join()
        if self._entered is not None:
            self._context.__exit__(None, None, None)


def _end_within(seconds: float) -> None:
    """Let the system end the process: a call may be at work that takes minutes, for nobody.

    A timer of a thread would wait for whatever holds the interpreter. What is committed stays; a write that
    is cut off leaves no trace.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
    else:  # Windows has no such alarm
        timer = threading.Timer(seconds, os._exit, [0])
        timer.daemon = True
        timer.start()


@contextmanager
def _at_work(
    open_dispatcher: Callable[[], ToolDispatcher],
    beside: Callable[[ToolDispatcher], AbstractContextManager[object]],
) -> Iterator[AtWork]:
    """What carries out the calls, and the threads that it does that in."""
    from concurrent.futures import ThreadPoolExecutor

    with closing(open_dispatcher()) as desk:
        threading.Thread(target=_prepare, args=(desk,), name="warm", daemon=True).start()
        with beside(desk), ThreadPoolExecutor(THREADS, thread_name_prefix="call") as workers:
            yield desk, workers


def _prepare(desk: ToolDispatcher) -> None:
    """Load the SDK and the model once the client has started: the first call does not wait for them."""
    time.sleep(QUIET)
    from recortex.mcp import session

    del session
    desk.warm()


@contextmanager
def attending(desk: ToolDispatcher) -> Iterator[None]:
    """Let the hooks of the same store ask this server, whose model is loaded."""
    from recortex.app.hooks.reminders import Relay

    relay = None
    with suppress(RecortexError):  # a store that cannot be opened: each call says why
        relay = (
            None if desk.unplaced else Relay(desk.facade().address, lambda event: desk.facade().attend(event))
        )
    try:
        yield
    finally:
        if relay:
            relay.close()


def about() -> dict[str, str]:
    """Who the server says it is."""
    return {"name": "recortex", "title": "Recortex", "version": recortex.__version__}


def instructions() -> str:
    """What an agent is told about memory as a whole."""
    return files("recortex.mcp").joinpath("instructions.md").read_text(encoding="utf-8").strip()


class _Options(argparse.ArgumentParser):
    """Says what is wrong in one line with a hint, as every verb does."""

    def error(self, message: str) -> NoReturn:
        """Write the message to standard error and exit with 2."""
        self.exit(2, f"recortex mcp: {message}\nHint: see `recortex mcp --help`.\n")


def _options(arguments: Sequence[str], agent_folder: str) -> argparse.Namespace:
    parser = _Options(
        prog="recortex mcp",
        description="Serve this project's memory to an agent over standard input and output.",
    )
    parser.add_argument(
        "--tools",
        choices=("default", "full"),
        default="default",
        help="which tools to offer: a few by default, or all of them",
    )
    parser.add_argument(
        "--project",
        type=_folder,
        default=agent_folder or None,
        help=f"a folder in the project; by default ${CLAUDE_PROJECT}, the current one, or the client's root",
    )
    parser.add_argument("--url", default=None, help="the store: sqlite:///FILE or postgresql://HOST/DATABASE")
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    """A folder that is there: a store is never made in one that was mistyped."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text[:200]!r}")
    return Path(text)
