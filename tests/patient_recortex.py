"""`recortex` as it is installed, except that its hooks may take as long as a slow machine needs.

No client may wait long for a hook, so that each of them ends with nothing said after a second or two. Where
a test asks what a hook says, not how soon, this one is started instead: as a script, or by the name
`recortex` in a folder of PATH.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import NoReturn

SECONDS = 300
"""For what takes one second on a machine at rest. A test that waits for so long fails for another reason."""
PROGRAM_FOR_JOBS = "PROGRAM_FOR_JOBS"
"""A variable that names what hooks start their jobs with, in place of the interpreter."""
HOOKS_ENDED = "HOOKS_ENDED"
"""A variable that names a file to which each hook adds its event as it ends."""
_OWN_NAME = "PATIENT_RECORTEX"


def command() -> list[str]:
    """The words that start it."""
    return [sys.executable, "-P", __file__]


def on_path(folder: Path) -> Path:
    """Make `recortex` in a folder, which is to come first on PATH; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "recortex"
    line = f'{_OWN_NAME}={shlex.quote(str(program))} exec {shlex.join(command())} "$@"'
    program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


def main() -> int:
    """Be patient, and then `recortex`."""
    own_name = os.environ.pop(_OWN_NAME, "")
    if sys.argv[1:2] == ["hook"]:
        _let_hooks_take_their_time()
        _let_hooks_say_that_they_end()
    elif sys.argv[1:2] == ["install"]:
        _let_clients_wait(own_name)
    elif sys.argv[1:2] == ["mcp"] and not own_name:
        _let_servers_answer_to_the_end()
    from recortex.__main__ import main as recortex

    return recortex()


def _let_hooks_take_their_time() -> None:
    from recortex import hooks as entry

    entry.SECONDS = dict.fromkeys(entry.SECONDS, float(SECONDS))
    entry.WRITING = float(SECONDS)
    sys.executable = os.environ.get(PROGRAM_FOR_JOBS, sys.executable)


def _let_hooks_say_that_they_end() -> None:
    if HOOKS_ENDED not in os.environ:
        return
    event, leave = " ".join(sys.argv[2:]), os._exit

    def say_and_leave(code: int) -> NoReturn:
        with open(os.environ[HOOKS_ENDED], "a", encoding="utf-8") as file:  # noqa: PTH123  no more to load
            file.write(f"{event}\n")
        leave(code)

    os._exit = say_and_leave


def _let_clients_wait(own_name: str) -> None:
    """Let a client's settings start this program and name its time; Codex allows at most 3 s at the end."""
    from recortex.clients import hooks

    hooks.SECONDS = {name: SECONDS if name != "session-end" else few for name, few in hooks.SECONDS.items()}
    if own_name:
        hooks.program = lambda *_: hooks.Program((own_name,))


def _let_servers_answer_to_the_end() -> None:
    """Answer all that was asked before the input ends, however long it takes: no client ends it earlier."""
    from recortex.mcp import session

    session._LAST_ANSWERS = float(SECONDS)


if __name__ == "__main__":
    sys.exit(main())
