"""Asks the agent's own command line in print mode, with the person's model and account.

The program runs without tools, servers, hooks and stored sessions, in an empty folder, and with the variable
`RECORTEX_INSIDE`, with which Recortex's own hooks do nothing. The prompt goes through its standard input, so
that no process list shows it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from typing import IO, TYPE_CHECKING, Any

import msgspec

from recortex.codec import convert, dumps
from recortex.llm.failure import CallError
from recortex.llm.wire import MAX_ANSWER, AnthropicUsage, Reply, envelope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.model_call import Request
    from recortex.transport.deadline import Deadline

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
_MICRO = 1_000_000
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


def ask(model: str, environment: Mapping[str, str], request: Request, deadline: Deadline) -> Reply:
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
            _end(child)
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


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the program and its children, with a moment to clean up."""
    if child.poll() is None:
        _signal(child, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=_GRACE)
    _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=_GRACE)


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
        micro_usd=None if cost is None or not 0 <= cost < _MICRO else round(cost * _MICRO),
    )
