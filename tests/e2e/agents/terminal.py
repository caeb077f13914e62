"""Interactive clients on a pseudo-terminal, for what a headless session cannot do, such as `/clear`."""

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
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agents.claude import KEY, LIMIT
from agents.model import Model
from agents.others import Answered
from patient_recortex import HOOKS_ENDED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from agents.claude import Claude
    from agents.model import Spec
    from agents.others import Host

READY = "\u276f".encode()  # the mark before the line that is typed
IDLE = "\x1b]0;\u2733".encode()  # the window's title when an answer and its hooks have ended
CLEAR = "/clear"
REWIND = "/rewind"  # goes back to before the prompt that was typed last
UP, ENTER, CLEAR_LINE = b"\x1b[A", b"\r", b"\x15"
CODEX_READY, CODEX_IDLE = b"state=idle:app=codex", b"state=done:app=codex"
CODEX_ASKS = {  # Codex asks what the terminal can do before it reads a key
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[?1007$p": b"\x1b[?1007;2$y",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}
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
    words = [word for plugin in claude.plugins for word in ("--plugin-dir", str(plugin))]
    with Model(turns) as model:
        environment = {**claude.environment, "ANTHROPIC_BASE_URL": model.url, "TERM": "xterm-256color"}
        screen = Screen([str(claude.program), *words], claude.project, environment)
        try:
            screen.until(lambda: READY in screen.shown)
            for prompt in prompts:
                begun = _begun(ended)
                screen.type(prompt)
                if prompt == REWIND:
                    # Which prompt, then what of it; after that the prompt stands on the line again.
                    for key in (UP, ENTER, ENTER, CLEAR_LINE):
                        screen.rest()
                        screen.press(key)
                elif prompt == CLEAR:  # what is typed before the next session has begun may be swept away
                    screen.until(lambda begun=begun: _begun(ended) > begun)
                else:
                    screen.until_shown(IDLE)
                screen.rest()
            screen.type("/exit")
            screen.until(lambda: screen.process.poll() is not None)
        finally:
            screen.close()
        return screen.process.returncode


def typed_in_codex(codex: Host, prompts: Sequence[str], turns: Sequence[Spec]) -> Answered:
    """Type prompts into an interactive Codex one after the other, then leave."""
    file = codex.home / ".codex" / "config.toml"
    table = f"[projects.{json.dumps(str(codex.project))}]"
    said = file.read_text(encoding="utf-8")
    if table not in said:  # the person has said before that they trust this folder
        file.write_text(f'{said}\n{table}\ntrust_level = "trusted"\n', encoding="utf-8")
    with Model(turns) as model:
        environment = codex.environment(model.url) | {"TERM": "xterm-256color"}
        screen = Screen([*codex.interactive(model.url)], codex.project, environment, CODEX_ASKS)
        try:
            screen.until(lambda: CODEX_READY in screen.shown)
            screen.rest()
            for prompt in prompts:
                screen.type(prompt)
                screen.until_shown(CODEX_IDLE)
                screen.rest()
            screen.type("/quit")
            screen.until(lambda: screen.process.poll() is not None)
        finally:
            screen.close()
        return Answered(screen.process.returncode, model.main, screen.shown.decode(errors="replace"))


def begun_with(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], model: Model, leave: str
) -> None:
    """Start a client with a prompt, as with `-i`, read the answer, and leave with a command of the client."""
    with opened(words, folder, environment, leave) as screen:
        screen.until(lambda: not model.left)


@contextmanager
def opened(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], leave: str
) -> Iterator[Screen]:
    """Start a client, and leave it with a command of its own."""
    screen = Screen(words, folder, {**environment, "TERM": "xterm-256color"}, CODEX_ASKS)
    try:
        yield screen
        screen.rest()
        screen.spell(leave)
        screen.press(ENTER)
        screen.until(lambda: screen.process.poll() is not None)
    finally:
        screen.close()


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


class Screen:
    """A program on a terminal of its own, which answers what the program asks of the terminal."""

    def __init__(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str],
        asks: Mapping[bytes, bytes] | None = None,
    ) -> None:  # fmt: skip
        self.shown = b""
        self._asks = asks or {}
        self._seen = 0
        self._limit = time.monotonic() + LIMIT
        self._terminal, other = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, SIZE)
        self.process = subprocess.Popen(
            [sys.executable, "-c", LEAD, *words],
            cwd=folder, env=environment, stdin=other, stdout=other, stderr=other,
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

    def spell(self, text: str) -> None:
        """Type a line key by key: at once it would be taken for pasted text."""
        for key in text:
            self.press(key.encode())
            self.read(0.05)
        self.rest()

    def press(self, key: bytes) -> None:
        os.write(self._terminal, key)

    def press_until(self, key: bytes, what: bytes) -> None:
        """Press a key, and wait for what it has the client show."""
        self._mark()
        self.press(key)
        self.until_shown(what)
        self.rest()

    def until_shown(self, what: bytes) -> None:
        """Wait for something that was not there before what was typed last."""
        self.until(lambda: what in self.shown[self._seen :])

    def _mark(self) -> None:
        self._seen = len(self.shown)

    def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert time.monotonic() < self._limit, self.shown[-2000:]
            self.read(0.1)

    def rest(self) -> None:
        while self.read(QUIET):
            assert time.monotonic() < self._limit, self.shown[-2000:]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._terminal)

    def read(self, seconds: float) -> bool:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            said = os.read(self._terminal, 65536)
        except OSError:  # the client has gone
            return False
        self.shown += said
        for ask, answer in self._asks.items():
            if ask in said:
                os.write(self._terminal, answer)
        return True
