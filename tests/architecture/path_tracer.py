"""Runs acts on a project, each in a process of its own, and prints the files of the package that they enter.

The arguments are the project's folder and the names of the acts, in order.
"""

import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import Self

import recortex
from recortex import Cortex
from recortex.__main__ import main
from recortex.operations.registry import operations_of

_leave = os._exit
PACKAGE = f"{Path(recortex.__file__).parent}/"


class Trace:
    """The files in which a function is entered while it is active, without bodies of modules and classes."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}

    def __enter__(self) -> Self:
        """Begin, in all threads."""
        threading.setprofile(self._entered)
        sys.setprofile(self._entered)
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _entered(self, frame, event, _) -> None:
        code = frame.f_code
        named = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")  # no body of a class
        if event == "call" and named and code.co_filename.startswith(PACKAGE):
            self.files[code.co_filename.removeprefix(PACKAGE)] = None


def transcript(root: Path) -> Path:
    """A session of a client, with a rule, a question, a failure and its repair."""
    path = root.parent / "session.jsonl"
    said = [
        ("user", "Never push to main, always open a pull request."),
        ("assistant", "Understood, I will open one."),
        ("user", "Why does the nightly report fail?"),
        ("assistant", "The report fails because the connection pool is exhausted at midnight."),
        ("user", "We use Postgres as the job queue instead of Redis from now on."),
        ("assistant", "I changed the queue to Postgres."),
    ]
    lines = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "s",
            "cwd": str(root),
            "timestamp": f"2026-03-01T10:{number:02}:00Z",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(said)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def hook(name: str, root: Path, **more: str) -> None:
    """What a client does at a moment of a session."""
    event = root.parent / "event.json"
    event.write_text(json.dumps({"session_id": "s", "cwd": str(root), "hook_event_name": name, **more}))
    os.dup2(os.open(event, os.O_RDONLY), 0)
    os._exit = sys.exit  # a hook ends its process at once, and the trace would end with it
    sys.argv = ["recortex", "hook", name, "--client", "claude-code", "--project", str(root)]
    with suppress(SystemExit):
        main()


def filled(root: Path) -> None:
    """Some memories, and a file that git knows."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "queue.py").write_text("def take():\n    return 1\n")
    words = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*words, "add", "."], check=True)
    subprocess.run([*words, "commit", "-qm", "Take jobs one by one, since two at once lost some"], check=True)
    with Cortex.open(root) as cortex:
        cortex.remember("The job queue is Postgres, because operators know it.", files=["queue.py:1-2"])
        cortex.remember("Reports are made at midnight.")


def act(name: str, root: Path) -> list[str]:
    """The files that an act enters; of an operation, once the store is open."""
    trace = Trace()
    if name in {"user-prompt-submit", "stop"}:
        more = {"prompt": "which job queue do we use?", "transcript_path": str(transcript(root))}
        with trace:
            hook(name, root, **more)
        return list(trace.files)
    with Cortex.open(root) as cortex:
        cortex.list()
        operations_of(Cortex)  # imports them: what happens then is no part of an act
        with trace:
            match name:
                case "recall":
                    cortex.recall("which job queue do we use?")
                case "remember":
                    cortex.remember("The queue is emptied before a release.")
                case "why":
                    cortex.why("queue.py:1")
                case "transcript":
                    cortex.extract(str(transcript(root)))
    return list(trace.files)


def apart(work: Callable[[], object]) -> None:
    """Do something in a copy of this process, which has loaded no more than when it began.

    Raises:
        RuntimeError: it failed.
    """
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001  this process ends with whatever it is
            traceback.print_exc()
            _leave(1)
        _leave(0)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("an act failed")


if __name__ == "__main__":
    project, *names = sys.argv[1:]
    folder = Path(project)
    apart(partial(filled, folder))
    entered = {}
    for name in names:
        files = folder.with_name(f"{name}.json")
        apart(lambda name=name, files=files: files.write_text(json.dumps(act(name, folder))))
        entered[name] = json.loads(files.read_text())
    print(json.dumps(entered))  # noqa: T201  its answer
