"""Hostile input for hooks, and a process that gives it to the real program again and again.

    python tests/properties/hook_fuzz.py [--count 10000] [--seed 1] [--capture]

Each call runs `recortex hook EVENT` in a fork of a process that has imported the program once, with a real
standard input and output, so that ten thousand take less than a minute on most machines. What breaks the
contract is printed, with the input.
"""

import argparse
import contextlib
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

EVENTS = (
    "session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use",
    "pre-compact", "stop", "subagent-stop", "session-end",
)  # fmt: skip
CLIENT = {
    "session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit", "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse", "pre-compact": "PreCompact", "stop": "Stop",
    "subagent-stop": "SubagentStop", "session-end": "SessionEnd",
}  # fmt: skip
MOST = 10_000  # characters of an answer
DEADLINE = 60.0  # seconds; a hook's own deadline is far below, and a busy machine may hold it up
WEIRD = (
    None, True, False, 0, -1, 1.5, 10**40, [], {}, [[]], [None], "", " ", "\x00", "\ud800", "\udfff\ud800",
    "\u202e", "\ufeff", "../" * 50, "/dev/zero", "/dev/stdin", "/proc/self/mem", "/", "C:\\Users\\x\\y.jsonl",
    "\\\\server\\share", "~", "$HOME", "-rf", "--help", "a\nb", "%s%n", "' OR 1=1 --", '" NEAR "', "*",
    "x" * 5_000, "日本語" * 50, "file:///etc/passwd", "startup", "compact",
)  # fmt: skip


def sample(event: str, project: str) -> dict[str, object]:
    """What a client sends for an event, in our own words."""
    more: dict[str, dict[str, object]] = {
        "session-start": {"source": "startup"},
        "user-prompt-submit": {"prompt": "How do we deploy the gateway?", "permission_mode": "default"},
        "pre-tool-use": {"tool_name": "Edit",
                         "tool_input": {"file_path": f"{project}/src/a.py", "old_string": "1",
                                        "new_string": "2"}},
        "post-tool-use": {
            "tool_name": "Bash", "tool_input": {"command": "make test", "description": "Run"},
            "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False}, "tool_use_id": "toolu_1",
            "duration_ms": 5,
        },
        "pre-compact": {"trigger": "auto", "custom_instructions": ""},
        "stop": {"stop_hook_active": False, "last_assistant_message": "Done.", "background_tasks": []},
        "subagent-stop": {
            "agent_id": "a1", "agent_type": "general-purpose",
            "agent_transcript_path": f"{project}/agent.jsonl", "last_assistant_message": "Found it.",
        },
        "session-end": {"reason": "other"},
    }  # fmt: skip
    head = {"session_id": "fuzz", "transcript_path": f"{project}/session.jsonl", "cwd": project}
    return {**head, "hook_event_name": CLIENT[event], **more[event]}


def inputs(seed: int, project: str) -> Iterator[tuple[str, bytes]]:
    """Events and what is on their standard input, without end."""
    chance = random.Random(seed)  # noqa: S311  the same inputs again for the same seed
    while True:
        event = chance.choice(EVENTS)
        origin = sample(chance.choice(EVENTS) if chance.random() < 0.1 else event, project)
        origin["session_id"] = f"fuzz-{chance.randrange(1_000_000)}"
        for _ in range(chance.randrange(1, 4)):
            _bend(origin, chance)
        data = json.dumps(origin, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")
        yield event, _broken(data, chance) if chance.random() < 0.5 else data


def _bend(origin: dict[str, object], chance: random.Random) -> None:
    """Change one value, one name, or the depth of what a client sends."""
    name = chance.choice(list(origin) or [""])
    way = chance.randrange(6)
    if way == 0:
        origin.pop(name, None)
    elif way == 1:
        origin[str(chance.choice(WEIRD))] = origin.get(name)
    elif way == 2:
        origin[name] = _deep(chance.choice(WEIRD), chance.randrange(1, 300))
    elif way == 3 and isinstance(origin.get(name), dict):
        _bend(origin[name], chance)  # type: ignore[arg-type]  # a part of JSON
    elif way == 4:
        origin[name] = "".join(chr(chance.randrange(1, 0x3000)) for _ in range(chance.randrange(400)))
    else:
        origin[name] = chance.choice(WEIRD)


def _deep(value: object, depth: int) -> object:
    for turn in range(depth):
        value = [value] if turn % 2 else {"tool_input": value}
    return value


def _broken(data: bytes, chance: random.Random) -> bytes:
    """Bytes that may no longer be JSON, or not in UTF-8."""
    at = chance.randrange(len(data) + 1)
    noise = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 40)))
    return chance.choice((
        lambda: data[:at], lambda: data[:at] + noise + data[at:],
        lambda: data[:at] + noise + data[at + len(noise) :], lambda: noise, lambda: b"",
        lambda: b"\xef\xbb\xbf" + data, lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: data.decode("utf-8", "replace").encode("latin-1", "replace"), lambda: data + data,
        lambda: data + b"\x00" * 9, lambda: b"[" * 50_000, lambda: b'{"a":' * 20_000,
        lambda: b'{"session_id": 1e999999, "cwd": NaN}', lambda: data.replace(b"fuzz", b"\\ud800"),
        lambda: data.replace(b"fuzz", b"\\u0000"), lambda: b'"' + data, lambda: b"null",
    ))()  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a hook did."""

    code: int
    printed: bytes
    errors: bytes
    seconds: float

    @property
    def wrong(self) -> str:
        """How the contract is broken, or nothing."""
        if self.code:
            return f"exit {self.code}"
        if self.seconds > DEADLINE:
            return f"{self.seconds:.1f} s"
        if b"Traceback" in self.errors:
            return "a traceback on standard error"
        return _unfit(self.printed) if self.printed else ""


def _unfit(printed: bytes) -> str:
    try:
        said = json.loads(printed.decode())
    except ValueError:
        return "neither nothing nor JSON"
    if not isinstance(said, dict) or len(printed.decode()) >= MOST:
        return "no JSON object of less than 10,000 characters"
    return "it decides for the client" if "decision" in said or said.get("continue") is False else ""


def call(event: str, data: bytes, folder: Path, *, listed: bool = False) -> Answer:
    """Run a hook in a fork of this process; `listed` writes down what it imported."""
    files = [folder / name for name in ("in", "out", "err")]
    files[0].write_bytes(data)
    begun = time.monotonic()
    pid = os.fork()
    if pid == 0:
        if listed:
            _list_at_end(folder / "modules")
        _hook(event, files)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return Answer(code, files[1].read_bytes(), files[2].read_bytes(), time.monotonic() - begun)


def _hook(event: str, files: list[Path]) -> None:
    """Become the hook's process; never returns."""
    code = 99
    try:
        for number, file in enumerate(files):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(file, flags), number)
        # a process's own streams stay open
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        sys.argv = ["recortex", "hook", event]
        from recortex.__main__ import main

        code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001  whatever it is, it is what the client would see
        with contextlib.suppress(OSError):
            os.write(2, f"Traceback: {error!r}".encode())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)


def _list_at_end(file: Path) -> None:
    leave = os._exit

    def listing(code: int) -> NoReturn:
        file.write_text("\n".join(sys.modules))
        leave(code)

    os._exit = listing


def _import_all(folder: Path, project: str) -> None:
    """Import here what a hook imports, so that no fork has to."""
    for event in EVENTS:
        call(event, json.dumps(sample(event, project)).encode(), folder, listed=True)
        for name in (folder / "modules").read_text().split():
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _project(folder: Path) -> Path:
    """A project that has something to say."""
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    os.chdir(project)
    known = [
        {
            "text": "We deploy the gateway with `make ship`, because the migrations have to run first.",
            "kind": "decision",
        },
        {
            "text": "Never cache the rate here: it changes at midnight.",
            "kind": "tribal",
            "files": ["src/a.py"],
        },
    ]
    (folder / "known.json").write_text(json.dumps(known))
    words = [sys.executable, "-m", "recortex", "remember_many", f"@{folder}/known.json"]
    subprocess.run(words, check=True, capture_output=True)
    return project


def run(count: int, seed: int, folder: Path) -> tuple[list[tuple[str, str, bytes]], int]:
    """How the contract was broken, with event and input; and how many inputs were answered at all."""
    project = _project(folder)
    found, answered = [], 0
    _import_all(folder, str(project))
    for _, (event, data) in zip(range(count), inputs(seed, str(project)), strict=False):
        answer = call(event, data, folder)
        answered += bool(answer.printed)
        if answer.wrong:
            found.append((answer.wrong, event, data))
    return found, answered


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--capture", action="store_true", help="let the hooks start their detached jobs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recortex-fuzz-") as name:
        os.environ.update(RECORTEX_HOME=f"{name}/home", HOME=name)
        if not options.capture:
            os.environ["RECORTEX_HOOKS_CAPTURE"] = "false"
        begun = time.monotonic()
        found, answered = run(options.count, options.seed, Path(name))
        os.chdir("/")
    lines = [f"{event}: {wrong}: {data[:300]!r}" for wrong, event, data in found[:20]]
    took = f"{time.monotonic() - begun:.0f} s"
    lines.append(f"{options.count} inputs, {answered} answered, {len(found)} broke the contract, {took}")
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
