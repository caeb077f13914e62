"""A person who works with the client and with the memory's own command line, side by side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.claude import Claude

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

PATIENCE = 30.0  # seconds; jobs are detached and the machine may be busy


class Person(Claude):
    """A `Claude` whose project has a memory."""

    def memory(self, *words: str) -> Any:
        """What a verb of the command line gives; it must succeed."""
        command = ["recortex", *words, "--json"]
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
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

    def hook(self, event: str, stdin: bytes, **more: str) -> subprocess.CompletedProcess[bytes]:
        """Call a hook as a client does."""
        return subprocess.run(
            ["recortex", "hook", event],
            input=stdin, cwd=self.project, env=self.environment | more, capture_output=True, timeout=60, check=False,
        )  # fmt: skip

    def killing_jobs(self, ended: threading.Event) -> int:
        """Kill each detached job as soon as it is seen, until `ended`; returns how many. Where there is no /proc, none."""
        killed = 0
        while not ended.wait(0.005):
            for pid in self._working():
                with suppress(OSError):
                    if "hook\0capture" in Path(f"/proc/{pid}/cmdline").read_text():
                        os.kill(pid, signal.SIGKILL)
                        killed += 1
        return killed

    def settle(self) -> None:
        """Wait until no process that works for this person is left: detached jobs have ended."""
        eventually(lambda: not self._working())

    def _working(self) -> list[int]:
        mark = f"HOME={self.home}"
        return [pid for pid, environment in _processes() if mark in environment]


def eventually(condition: Callable[[], Any]) -> Any:
    """What a condition gives when it holds, or what it gave last."""
    limit = time.monotonic() + PATIENCE
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


def _environment(process: Path) -> str:
    try:
        return (process / "environ").read_bytes().decode(errors="replace")
    except OSError:  # it ended, or is someone else's
        return ""
