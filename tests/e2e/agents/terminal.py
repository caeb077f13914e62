"""The interactive client on a pseudo-terminal, for what a headless session cannot do, such as `/clear`."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING

from agents.claude import KEY, LIMIT
from agents.model import Model
from patient_recortex import HOOKS_ENDED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from agents.claude import Claude
    from agents.model import Spec

READY = "\u276f".encode()  # the mark before the line that is typed
IDLE = "\x1b]0;\u2733".encode()  # the window's title when an answer and its hooks have ended
CLEAR = "/clear"
QUIET = 0.7  # seconds without a change of the screen
LEAD = (  # makes the terminal that of the program, as for a person
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
SIZE = struct.pack("HHHH", 40, 110, 0, 0)


def typed(claude: Claude, prompts: Sequence[str], turns: Sequence[Spec]) -> int:
    """Type prompts and commands of the client one after the other, then leave; returns the exit code."""
    _answer_first_questions(claude)
    ended = claude.home / "hooks-ended"
    claude.extra[HOOKS_ENDED] = str(ended)
    with Model(turns) as model:
        screen = _Screen(claude, model.url)
        try:
            screen.until(lambda: READY in screen.shown)
            for prompt in prompts:
                begun = _begun(ended)
                screen.type(prompt)
                if prompt == CLEAR:  # what is typed before the next session has begun may be swept away
                    screen.until(lambda begun=begun: _begun(ended) > begun)
                else:
                    screen.until_shown(IDLE)
                screen.rest()
            screen.type("/exit")
            screen.until(lambda: screen.process.poll() is not None)
        finally:
            screen.close()
        return screen.process.returncode


def _begun(ended: Path) -> int:
    """How many sessions have begun, as far as hooks are concerned."""
    return ended.read_text(encoding="utf-8").split().count("session-start") if ended.exists() else 0


def _answer_first_questions(claude: Claude) -> None:
    """Theme, key and trust, as a person has answered them before."""
    file = claude.home / ".claude.json"
    said = json.loads(file.read_text()) if file.exists() else {}
    keys = {"approved": [KEY[-20:]], "rejected": []}
    said |= {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": keys}
    said.setdefault("projects", {}).setdefault(str(claude.project), {})["hasTrustDialogAccepted"] = True
    file.write_text(json.dumps(said))


class _Screen:
    def __init__(self, claude: Claude, url: str) -> None:
        self.shown = b""
        self._seen = 0
        self._limit = time.monotonic() + LIMIT
        self._terminal, other = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, SIZE)
        words = [word for plugin in claude.plugins for word in ("--plugin-dir", str(plugin))]
        environment = {**claude.environment, "ANTHROPIC_BASE_URL": url, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", LEAD, str(claude.program), *words],
            cwd=claude.project, env=environment, stdin=other, stdout=other, stderr=other,
        )  # fmt: skip
        os.close(other)

    def type(self, text: str) -> None:
        """Type a line, and end it once the client shows it: sent with its end it is taken for pasted text."""
        self._mark()
        os.write(self._terminal, text.encode())
        self.until_shown(text.rsplit(maxsplit=1)[-1].encode())
        self.rest()
        self._mark()
        os.write(self._terminal, b"\r")

    def until_shown(self, what: bytes) -> None:
        """Wait for something that was not there before what was typed last."""
        self.until(lambda: what in self.shown[self._seen :])

    def _mark(self) -> None:
        self._seen = len(self.shown)

    def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert time.monotonic() < self._limit, self.shown[-2000:]
            self._read(0.1)

    def rest(self) -> None:
        while self._read(QUIET):
            assert time.monotonic() < self._limit, self.shown[-2000:]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._terminal)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            self.shown += os.read(self._terminal, 65536)
        except OSError:  # the client has gone
            return False
        return True
