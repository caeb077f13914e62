"""`recortex` and `python -m recortex`: the one place that knows all of its faces."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.cli import Command, Invocation


def main() -> int:
    """Run the command line and return its exit code."""
    # Nearly all that a start creates lives to the end; searching it for rubbish, on the way and once more at
    # the end, is a tenth of the time of a short command (bench/cold_start.py).
    gc.set_threshold(50_000, 10, 10)
    # Before the command line is imported: a hook runs at every prompt, and the agent waits for its start.
    if sys.argv[1:2] == ["hook"]:
        return _hook(sys.argv[2:])
    try:
        from recortex.cli import Command
        from recortex.cli.main import run

        programs = {
            "tour": Command(
                "Show how it works on an example: learn from a session, then ask.",
                _tour,
                ("--json", "--debug"),
            ),
            "hook": Command(
                "Answer an event of an agent's session; only agents call it.",
                lambda line: _hook(line.arguments),
                ("--client=", "--project=", "--url="),
            ),
            "worker": Command(
                "Do the background jobs of a PostgreSQL store.",
                _worker,
                ("--once", "--project=", "--url="),
            ),
            "mcp": Command(
                "Serve this project's memory to an agent over standard input and output.",
                _mcp,
                ("--tools=default|full", "--project=", "--url="),
            ),
            "serve": Command(
                "See and correct what is remembered, in a browser; serve programs over HTTP.",
                _serve,
                (
                    "--port=",
                    "--host=",
                    "--name=",
                    "--read-only",
                    "--no-open",
                    "--idle=",
                    "--tools=default|full",
                    "--project=",
                    "--url=",
                    "--team=",
                    "--workspace=",
                    "--admin=",
                    "--workers=",
                    "--issuer=",
                    "--client=",
                    "--most-versions=",
                    "--most-bytes=",
                    "--rate=",
                ),
            ),
            "completion": Command(
                "Print the completion script for bash, zsh or fish.",
                lambda line: _completion(line, programs),
                ("bash", "zsh", "fish"),
            ),
        }
        return run(commands=programs)
    except KeyboardInterrupt:  # while the first modules are loading
        return 1
    finally:
        gc.freeze()


def _tour(line: Invocation) -> int:
    from recortex.cli.programs import tour

    return tour(line)


def _hook(words: Sequence[str]) -> int:
    import os
    import signal

    import recortex.lean  # noqa: F401  before all that imports `pathlib`

    def leave(*_: object) -> None:
        os._exit(0)  # a hook that is told to end has nothing to say, and does so from its first import on

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)
    from recortex.hooks import main as hook

    return hook(words)


def _worker(line: Invocation) -> int:
    from recortex.cli.programs import worker

    return worker(line.arguments)


def _serve(line: Invocation) -> int:
    from recortex.web.serving import serve

    return serve(line.arguments)


def _completion(line: Invocation, programs: Mapping[str, Command]) -> int:
    from recortex.cli.programs import completion

    return completion(line, programs)


def _mcp(line: Invocation) -> int:
    from recortex.mcp.server import main as serve

    return serve(line.arguments)


if __name__ == "__main__":
    raise SystemExit(main())
