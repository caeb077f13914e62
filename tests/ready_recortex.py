"""`recortex` in a process of its own that begins with its modules loaded.

Loading them is most of the time of a short command. Here one process loads them and forks another for each
command: with the streams, folder, environment and words that it would have been started with, and with the
same entry point. What is about the start itself (which modules a command loads, where they come from, how
text is encoded) starts the interpreter.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import patient_recortex
from patient_recortex import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OF_THE_INTERPRETER = ("PYTHON", "LC_", "LANG", "LD_", "OPENBLAS_", "OMP_")
"""Beginnings of variables that count when the interpreter starts."""
_LATE = ("anyio._backends._asyncio", "apsw", "numpy", "rich.console", "rich.table", "sqlite_vec", "tiktoken")
"""What our modules load when they need it."""
_ASK = """
import json, os, socket, sys
place, *words = sys.argv[1:]
asked = socket.socket(socket.AF_UNIX)
asked.connect(place)
given = {"words": words, "cwd": os.getcwd(), "environment": dict(os.environ), "patient": True}
reader, writer = os.pipe()
socket.send_fds(asked, [json.dumps(given).encode() + b"\\n"], [0, 1, 2, writer])
for number in (0, 1, 2, writer):
    os.close(number)
os._exit(int(os.read(reader, 9)) & 255)
"""
"""A program that has its streams served by the ready process, and ends as that one does."""
_AT_FIRST = {
    name: value for name, value in os.environ.items() if not name.startswith(("RECORTEX_", "COVERAGE_"))
}
"""The environment before a test changes it."""


def run(
    *words: str | bytes,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    patient: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """What `recortex` gives for these words; a patient one lets its hooks take as long as they need."""
    (reader, asked), (out, writer), (err, complainer) = (os.pipe() for _ in range(3))
    given: dict[int, bytes] = {}
    threads = [threading.Thread(target=_write, args=(asked, stdin))]
    threads += [threading.Thread(target=_read, args=(number, given)) for number in (out, err)]
    try:
        ended = start(words, (reader, writer, complainer), cwd=cwd, env=env, patient=patient)
    finally:
        for number in (reader, writer, complainer):
            os.close(number)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return subprocess.CompletedProcess(words, ended(), given[out], given[err])


def start(
    words: Sequence[str | bytes],
    streams: tuple[int, int, int],
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    patient: bool = False,
) -> Callable[[], int]:
    """Start `recortex` with these standard streams; returns what waits for its end and gives its exit code.

    It is killed after `SECONDS`.
    """
    environment = dict(os.environ if env is None else env)
    if hasattr(os, "fork") and _concerning(environment) == _concerning(_AT_FIRST):
        request = {
            "words": [os.fsdecode(word) for word in words],
            "cwd": str(cwd or Path.cwd()),
            "environment": environment,
            "patient": patient,
        }
        return _forked(request, streams)
    begin = patient_recortex.command() if patient else [sys.executable, "-m", "recortex"]
    stdin, stdout, stderr = streams
    running = subprocess.Popen(
        [*begin, *words], cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
    )
    return lambda: running.wait(SECONDS)


def command(*words: str) -> list[str]:
    """What a program is to start in place of `recortex` with these words; a signal does not reach it."""
    if not hasattr(os, "fork"):
        return [*patient_recortex.command(), *words]
    return [sys.executable, "-I", "-S", "-c", _ASK, _forking(), *words]


def _concerning(environment: Any) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_OF_THE_INTERPRETER)}


def _forked(request: dict[str, Any], streams: tuple[int, int, int]) -> Callable[[], int]:
    reader, writer = os.pipe()
    try:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.connect(_forking())
            socket.send_fds(asked, [json.dumps(request).encode() + b"\n"], [*streams, writer])
    finally:
        os.close(writer)

    def ended() -> int:
        with open(reader, "rb") as pipe:  # noqa: PTH123  a number, not a path
            return int(pipe.read())

    return ended


def _write(number: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(number, "wb") as pipe:  # it may end before it reads all
        pipe.write(data)


def _read(number: int, given: dict[int, bytes]) -> None:
    with open(number, "rb") as pipe:
        given[number] = pipe.read()


@cache
def _forking() -> str:
    """Where the process that has loaded everything takes requests: the path of a socket."""
    folder = tempfile.TemporaryDirectory(prefix="ready-")
    place = f"{folder.name}/socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        process = subprocess.Popen(
            [sys.executable, __file__, str(listening.fileno())],
            env=_AT_FIRST | {"OPENBLAS_NUM_THREADS": "1"},  # a thread would not live on in a fork
            pass_fds=[listening.fileno()],
            stdin=subprocess.PIPE,  # it ends when this does
            stdout=subprocess.PIPE,
        )

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    return place


def _load() -> None:
    """Load every module of the package, and what it needs."""
    import recortex
    from recortex.text import tokens

    for name in (one.name for one in pkgutil.walk_packages(recortex.__path__, "recortex.")):
        importlib.import_module(name)
    for name in _LATE:
        importlib.import_module(name)
    tokens.open_merges(tokens.VOCABULARY)
    tokens.open_encoding(tokens.VOCABULARY)
    gc.freeze()


def _requested(listening: socket.socket) -> dict[str, Any]:
    """Fork for each request until nobody is left to make one; returns in the process that is to do it."""
    waiting = selectors.DefaultSelector()
    woken, wake = os.pipe()
    for number in (woken, wake):
        os.set_blocking(number, False)
    for one in (listening, sys.stdin, woken):
        waiting.register(one, selectors.EVENT_READ)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    running: dict[int, tuple[int, float]] = {}  # where to say how a process ended, and when to kill it
    while True:
        ready = [key.fileobj for key, _ in waiting.select(_kill_late(running))]
        if sys.stdin in ready:
            os._exit(0)
        if woken in ready:
            os.read(woken, 1 << 12)
        _tell_ended(running)
        if listening not in ready:
            continue
        data, (*standard, end) = _received(listening)
        if child := os.fork():
            running[child] = end, time.monotonic() + SECONDS
            for number in standard:
                os.close(number)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        waiting.close()
        listening.close()
        for number in (woken, wake, end, *(number for number, _ in running.values())):
            os.close(number)
        _take(standard)
        request: dict[str, Any] = json.loads(data)
        return request


def _received(listening: socket.socket) -> tuple[bytes, list[int]]:
    """A request, and the streams that came with it."""
    requests, _ = listening.accept()
    with requests:
        data, streams, *_ = socket.recv_fds(requests, 1 << 20, 4)
        while data and not data.endswith(b"\n"):
            data += requests.recv(1 << 20)
    return data, streams


def _kill_late(running: dict[int, tuple[int, float]]) -> float | None:
    """End what takes too long; returns the seconds until one may have to be ended."""
    now = time.monotonic()
    for process in [process for process, (_, until) in running.items() if until <= now]:
        os.kill(process, signal.SIGKILL)
    return max(0.1, min(until for _, until in running.values()) - now) if running else None


def _tell_ended(running: dict[int, tuple[int, float]]) -> None:
    """Say of each process that ended how it did."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            number, _ = running.pop(ended[0])
            with suppress(BrokenPipeError):  # who asked was killed
                os.write(number, str(os.waitstatus_to_exitcode(ended[1])).encode())
            os.close(number)


def _take(streams: list[int]) -> None:
    """Have these standard streams from now on."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())


def _be_recortex(request: dict[str, Any]) -> int:
    """Take the place that was asked for, and be `recortex`; the exit code."""
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["cwd"])
    sys.argv = [sys.argv[0], *request["words"]]
    if request["patient"]:
        return patient_recortex.main()
    from recortex.__main__ import main as recortex

    return recortex()


def _end(code: int) -> None:
    """End as the interpreter does, but take no module apart: that would take longer than the command."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    """Load everything, then be `recortex` in each process that is made for a request."""
    requests = socket.socket(fileno=int(sys.argv[1]))
    _load()
    request = _requested(requests)
    try:
        code = _be_recortex(request)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  the interpreter shows whatever it is
        traceback.print_exc()
        code = 1
    _end(code)


if __name__ == "__main__":
    main()
