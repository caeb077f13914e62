"""A person who works with the client and with the memory's own command line, side by side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ready_recortex
from agents.claude import Claude
from agents.patience import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOKS = 3
"""Looks in a row that find no process: one that just becomes another program has no environment to read."""


class Person(Claude):
    """A `Claude` whose project has a memory."""

    def memory(self, *words: str) -> Any:
        """What a verb of the command line gives; it must succeed."""
        own = os.environ | {name: self.environment[name] for name in ("HOME", "RECORTEX_HOME")}
        own.pop("CLAUDE_CONFIG_DIR", None)  # of the tests' own, and no place of this person's client
        done = ready_recortex.run(*words, "--json", cwd=self.project, env=own)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return json.loads(done.stdout)["data"]

    def memories(self) -> list[dict[str, Any]]:
        """Every memory in every state."""
        every = "proposed,active,superseded,archived,pruned,quarantined"
        found: list[dict[str, Any]] = self.memory("list", "--statuses", every, "--limit", "500")["memories"]
        return found

    def about(self, word: str) -> list[dict[str, Any]]:
        """The memories whose text contains a word."""
        return [one for one in self.memories() if word in one["text"]]

    def heard(self) -> list[str]:
        """All that the person said, as the exchanges of this project keep it."""
        pages = [one["session"] for one in self.memory("sessions")["sessions"]]
        told = [one for page in pages for one in self.memory("sessions", "--session", page)["exchanges"]]
        return sorted(one["message"] for one in told if one["opener"] == "person")

    def hook(self, event: str, stdin: bytes, **more: str) -> subprocess.CompletedProcess[bytes]:
        """Call a hook as a client does."""
        return subprocess.run(
            ["recortex", "hook", event],
            input=stdin, cwd=self.project, env=self.environment | more, capture_output=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip

    @contextmanager
    def killing_jobs(self) -> Iterator[list[int]]:
        """Kill each detached job as soon as it is seen and return the ids. Without /proc there is none.

        The first one waits to be killed, so that no machine is too slow for it.
        """
        from patient_recortex import PROGRAM_FOR_JOBS

        killed: list[int] = []
        ended = threading.Event()
        waits = self.home / "waits"
        waits.touch()
        program = self.home / "python"
        lines = (
            "#!/bin/sh",
            f"while [ -e '{waits}' ]; do sleep 0.1; done",
            f"exec '{sys.executable}' \"$@\"",
        )
        program.write_text("\n".join(lines) + "\n")
        program.chmod(0o755)
        self.extra[PROGRAM_FOR_JOBS] = str(program)

        def kill() -> None:
            while not ended.wait(0.005):
                killed.extend(self._kill_jobs())
                if killed or not Path("/proc").exists():
                    waits.unlink(missing_ok=True)

        with ThreadPoolExecutor(1) as pool:
            killing = pool.submit(kill)
            try:
                yield killed
            finally:
                ended.set()
                waits.unlink(missing_ok=True)
                del self.extra[PROGRAM_FOR_JOBS]
            killing.result()

    def _kill_jobs(self) -> list[int]:
        killed = []
        for pid in self._working():
            with suppress(OSError):
                if "hook\0capture" in Path(f"/proc/{pid}/cmdline").read_text():
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
        return killed

    def settle(self, besides: tuple[str, ...] = ()) -> None:
        """Wait until no process that works for this person is left: detached jobs have ended.

        Those stay in whose command line one of these words stands: of a client that is not closed.
        """
        assert eventually(lambda: self._settled(besides)), [_command(pid) for pid in self._working()]

    def _settled(self, besides: tuple[str, ...]) -> bool:
        for _ in range(LOOKS):
            if any(not any(word in _command(pid) for word in besides) for pid in self._working()):
                return False
            time.sleep(0.05)
        return True

    def _working(self) -> list[int]:
        mark = f"HOME={self.home}"
        return [pid for pid, environment in _processes() if mark in environment]


def eventually(condition: Callable[[], Any]) -> Any:
    """What a condition gives when it holds, or what it gave last."""
    limit = time.monotonic() + SECONDS
    while not (held := condition()) and time.monotonic() < limit:
        time.sleep(0.1)
    return held


def _processes() -> list[tuple[int, str]]:
    if Path("/proc/self/environ").exists():
        return [(int(one.name), _environment(one)) for one in Path("/proc").iterdir() if one.name.isdigit()]
    listed = subprocess.run(
        ["ps", "-Aeww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 1) for line in listed.stdout.splitlines()]
    return [(int(row[0]), row[-1]) for row in rows if int(row[0]) != os.getpid()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:  # it ended now
        return str(pid)


def _environment(process: Path) -> str:
    try:
        return (process / "environ").read_bytes().decode(errors="replace")
    except OSError:  # it ended, or is someone else's
        return ""
