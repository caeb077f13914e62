"""One headless session of Claude Code after another, in a throw-away home, against a scripted model."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.model import Model
from agents.patience import SECONDS
from agents.script import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents.model import Spec

KEY = "sk-dummy-of-a-test-not-a-key"
LIMIT = 2 * SECONDS  # for one session


@dataclass(frozen=True)
class Session:
    """What became of a session: requests of its main conversation, events that the client printed."""

    code: int
    requests: list[Request]
    compactions: list[Request]
    events: list[dict[str, Any]]
    errors: str
    prompted: list[float]  # when each prompt was written, on the clock of `Request.at`

    @property
    def ids(self) -> list[str]:
        """The session's ids in order: `/clear` begins a new one."""
        return list(dict.fromkeys(one["session_id"] for one in self.events if one.get("session_id")))

    @property
    def results(self) -> list[dict[str, Any]]:
        return [one for one in self.events if one.get("type") == "result"]

    @property
    def hooks(self) -> list[dict[str, Any]]:
        """What each hook gave: `hook_event`, `exit_code`, `stdout`, `outcome`."""
        return [one for one in self.events if one.get("subtype") == "hook_response"]

    def given(self, event: str = "") -> list[str]:
        """What hooks put before the model, in order; of one event or of all."""
        return [
            _given(one["stdout"]) for one in self.hooks if one["stdout"] and event in {"", one["hook_event"]}
        ]

    @property
    def servers(self) -> dict[str, str]:
        """The state of each tool server when the session began."""
        begun = next((one for one in self.events if one.get("subtype") == "init"), {})
        return {one["name"]: one["status"] for one in begun.get("mcp_servers", [])}

    @property
    def unharmed(self) -> bool:
        """It ended by itself, every prompt was answered, and no hook was counted as failed."""
        failed = [
            one for one in self.hooks if one.get("exit_code") or one.get("outcome") not in {None, "success"}
        ]
        return self.code == 0 and not failed and not any(one["is_error"] for one in self.results)


def _given(printed: str) -> str:
    text: str = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    return text


@dataclass
class Claude:
    """A person with a project, their own home and one version of the client."""

    program: Path
    home: Path
    project: Path
    plugins: tuple[Path, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    entrypoint: str = "claude-desktop"  # through which a person types; `sdk-cli` is a program

    def __post_init__(self) -> None:
        for folder in (self.home, self.project):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the caller's own settings; the `recortex` beside the running interpreter comes first."""
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb", "SHELL": "/bin/sh",
            "TMPDIR": tempfile.gettempdir(), "RECORTEX_HOME": str(self.home / "memory"),
            "ANTHROPIC_API_KEY": KEY, "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_ENTRYPOINT": self.entrypoint,
            "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "NO_PROXY": "127.0.0.1,localhost", **self.extra,
        }  # fmt: skip

    def session(
        self,
        prompts: Sequence[str],
        turns: Sequence[Spec] = (),
        *,
        words: Sequence[str] = (),
        end: signal.Signals | None = None,
        at_request: int = 0,
        prefix: Sequence[str] = (),
        pause: float = 0.0,
    ) -> Session:
        """Give each prompt when the one before was answered, then close the input, or send the signal `end`.

        With `at_request` the signal is sent when the model was asked so many times, before it has answered.
        `words` are more words of the command line, `prefix` a program that runs it; a person thinks for
        `pause` seconds before each prompt.
        """
        with Model(turns) as model:
            command = [*prefix, str(self.program), "-p", "--input-format", "stream-json"]
            command += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
            command += [word for plugin in self.plugins for word in ("--plugin-dir", str(plugin))]
            running = _Running(
                [*command, *words], self.project, {**self.environment, "ANTHROPIC_BASE_URL": model.url}
            )
            try:
                for prompt in prompts:
                    time.sleep(pause)
                    running.say(prompt)
                    if at_request and prompt is prompts[-1]:
                        running.until(lambda: len(model.main) >= at_request)
                    else:
                        running.answered()
                code = running.end(end)
            finally:
                running.remove()
            summaries = [one for one in model.requests if one.kind == "compaction"]
            return Session(code, model.main, summaries, running.events, running.errors, running.prompted)


class _Running:
    """The client's process: lines in, events out."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.events: list[dict[str, Any]] = []
        self.prompted: list[float] = []
        self._limit = time.monotonic() + LIMIT
        self._results: queue.Queue[None] = queue.Queue()
        self._errors: list[bytes] = []
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        self._threads = [threading.Thread(target=one, daemon=True) for one in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    @property
    def errors(self) -> str:
        return b"".join(self._errors).decode(errors="replace")

    @property
    def _left(self) -> float:
        return max(1.0, self._limit - time.monotonic())

    def say(self, prompt: str) -> None:
        said = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": prompt}]}}
        assert self._process.stdin
        self.prompted.append(time.monotonic())
        self._process.stdin.write(json.dumps(said).encode() + b"\n")
        self._process.stdin.flush()

    def answered(self) -> None:
        """Wait for the result of a prompt."""
        self.until(lambda: not self._results.empty())
        self._results.get()

    def until(self, condition: Any) -> None:
        while not condition():
            if time.monotonic() > self._limit or self._process.poll() is not None:
                raise AssertionError(f"exit {self._process.poll()}: {self.errors[-2000:]} {self.events[-3:]}")
            time.sleep(0.01)

    def end(self, sent: signal.Signals | None) -> int:
        assert self._process.stdin
        if sent:
            self._process.send_signal(sent)
        else:
            self._process.stdin.close()
        code = self._process.wait(self._left)
        for thread in self._threads:  # what it printed is read to the end
            thread.join(self._left)
        return code

    def remove(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):  # the client ended before it had read all
                if pipe:
                    pipe.close()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            event = json.loads(line)
            self.events.append(event)
            if event.get("type") == "result":
                self._results.put(None)

    def _read_errors(self) -> None:
        assert self._process.stderr
        self._errors.extend(self._process.stderr)
