"""How long a client waits for each hook: cold, measured around the process, on a store of 10,000 memories.

    python bench/hooks.py [--runs 40] [--memories 10000] [--exchanges 2000] [--only NAME] [--json FILE]

Each call is a new process that gets what Claude Code sends and is over when its output has ended. `bare`
is an interpreter that does nothing: no hook in Python can be faster. Rows with `server` run beside the
project's own `recortex mcp`, which has answered one recall, as in a session that goes on. Vectors are
random (as dear to search as real ones); prompts are made from words of stored memories. Past sessions are
kept beside them, all of the project's folder and branch, every other one with work left; in one of them a
file's rule was said (`decided`). The detached jobs that `stop` starts end before the next call is
measured.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latency import Prose, fill, give_vectors
from mcp_start import Conversation
from recortex import Cortex
from recortex.domain.exchange import Exchange
from recortex.domain.text import word_of_file
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TARGETS = {"session-start, cached": 120.0, "user-prompt-submit": 200.0, "user-prompt-submit, server": 100.0}
EACH, DECIDED = 10, "src/queue.py"  # exchanges of a session; the file that they were about
JOB_LIMIT = 60.0  # seconds that a detached job may take
CLIENT = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}


class Desk:
    """A project with a store, and how its hooks are called."""

    def __init__(self, folder: Path, memories: int, exchanges: int) -> None:
        self.project, self.home = folder / "project", folder / "home"
        (self.project / ".git").mkdir(parents=True)
        os.environ.update(RECORTEX_HOME=str(self.home), PYTHONPYCACHEPREFIX=str(folder / "bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        self.prose = Prose(memories)
        with Cortex.open(self.project) as cx:
            self.texts, _ = fill(cx, self.prose, memories)
            give_vectors(cx, memories)
            self._put_exchanges(cx, exchanges)
        self.calls = 0

    def _put_exchanges(self, cx: Cortex, count: int) -> None:
        """Exchanges of past sessions, ten each, an hour apart."""
        store = cx._app.services(Scope.PROJECT).store  # noqa: SLF001  the facade takes whole sessions alone
        now = datetime.now(UTC)
        for first in range(0, count, EACH):
            at = now - timedelta(hours=first // EACH + 1)
            said = [self._exchange(first + place, at) for place in range(EACH)]
            with store.transaction():
                store.exchanges.put([(one, word_of_file(DECIDED) if not first else "") for one in said], at)

    def _exchange(self, number: int, at: datetime) -> Exchange:
        session, place = divmod(number, EACH)
        asks = "Should I go on?" if session % 2 == 0 else "That is all of it."
        return Exchange(
            id=f"{number:032x}", session=f"past{session}", client="claude-code", opener="person",
            first_turn=2 * place, last_turn=2 * place + 1, root_turn=2 * place, started_at=at, ended_at=at,
            message=f"Use {self.prose.random.choice(self.texts)[:200]} instead of the old queue.",
            conclusion=f"{self.prose.random.choice(self.texts)} {asks}", files=(DECIDED,),
            folder=str(self.project),
        )  # fmt: skip

    def call(self, event: str, **more: Any) -> tuple[float, float, bool]:
        """Milliseconds on the wall and of the processor, and whether something was printed."""
        self.calls += 1
        session = more.pop("session_id", str(uuid.UUID(int=self.calls, version=4)))
        said = {
            "session_id": session,
            "transcript_path": str(self._transcript(session)),
            "cwd": str(self.project),
        }
        data = json.dumps({**said, "hook_event_name": CLIENT[event], **more}).encode()
        before, began = _processor_time(), time.perf_counter()
        done = subprocess.run(
            [str(Path(sys.executable).with_name("recortex")), "hook", event],
            input=data,
            cwd=self.project,
            capture_output=True,
            check=False,
        )
        took = (time.perf_counter() - began) * 1000
        if done.returncode or done.stderr:
            raise SystemExit(f"{event}: exit {done.returncode}: {done.stderr.decode()}")
        return took, (_processor_time() - before) * 1000, bool(done.stdout)

    def prompt(self) -> str:
        return self.prose.question(self.prose.random.choice(self.texts))

    def rest(self) -> None:
        """Wait for the jobs that were detached."""
        mark, limit = f"RECORTEX_HOME={self.home}".encode(), time.monotonic() + JOB_LIMIT
        while time.monotonic() < limit and any(mark in _environment(one) for one in _others()):
            time.sleep(0.05)

    def forget_surface(self) -> None:
        for file in (self.home / "projects").glob("*/surface-cache/*"):
            file.unlink()

    def _transcript(self, session: str) -> Path:
        file = self.project.parent / f"{session}.jsonl"
        if not file.exists():
            line = {
                "type": "user",
                "uuid": session,
                "parentUuid": None,
                "sessionId": session,
                "cwd": str(self.project),
                "message": {
                    "role": "user",
                    "content": f"We always run `make {session}`, because the other way is slow.",
                },
                "timestamp": "2026-11-22T10:00:00.000Z",
                "version": "2.1.330",
                "isSidechain": False,
                "userType": "external",
            }
            file.write_text(json.dumps(line) + "\n")
        return file


def _others() -> list[Path]:
    return [one for one in Path("/proc").glob("[0-9]*") if one.name != str(os.getpid())]


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it ended, or is someone else's
        return b""


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bare(desk: Desk) -> tuple[float, float, bool]:
    before, began = _processor_time(), time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], cwd=desk.project, capture_output=True, check=True)
    return (time.perf_counter() - began) * 1000, (_processor_time() - before) * 1000, False


def _start_afresh(desk: Desk) -> tuple[float, float, bool]:
    desk.forget_surface()
    return desk.call("session-start", source="startup")


def _stop(desk: Desk) -> tuple[float, float, bool]:
    desk.rest()
    return desk.call("stop", stop_hook_active=False, last_assistant_message="Done.")


def _touch(desk: Desk, event: str, name: str = "src/auth.py") -> tuple[float, float, bool]:
    file = {"file_path": str(desk.project / name), "old_string": "1", "new_string": "2"}
    more = {"tool_response": {"filePath": file["file_path"]}} if event == "post-tool-use" else {}
    return desk.call(event, tool_name="Edit", tool_input=file, **more)


def cases() -> dict[str, Callable[[Desk], tuple[float, float, bool]]]:
    """Every row of the table, in the order in which it is measured."""
    return {
        "bare": _bare,
        "session-start, afresh": _start_afresh,
        "session-start, cached": lambda desk: desk.call("session-start", source="startup"),
        "user-prompt-submit": lambda desk: desk.call("user-prompt-submit", prompt=desk.prompt()),
        "user-prompt-submit, irrelevant": lambda desk: desk.call(
            "user-prompt-submit", prompt="what is seven times eight?"
        ),
        "user-prompt-submit, empty": lambda desk: desk.call("user-prompt-submit", prompt=""),
        "pre-tool-use": lambda desk: _touch(desk, "pre-tool-use"),
        "pre-tool-use, decided": lambda desk: _touch(desk, "pre-tool-use", DECIDED),
        "post-tool-use": lambda desk: _touch(desk, "post-tool-use"),
        "pre-compact": lambda desk: desk.call("pre-compact", trigger="auto"),
        "stop": _stop,
        "user-prompt-submit, server": lambda desk: desk.call("user-prompt-submit", prompt=desk.prompt()),
        "user-prompt-submit, irrelevant, server": lambda desk: desk.call(
            "user-prompt-submit", prompt="what is seven times eight?"
        ),
    }


@contextmanager
def _serving(desk: Desk, *, wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    conversation = Conversation("2025-11-25", desk.project, desk.home)
    conversation.greet()
    conversation.call("recall", query=desk.prompt())
    yield
    conversation.end()


def measure(
    name: str, act: Callable[[Desk], tuple[float, float, bool]], desk: Desk, runs: int
) -> dict[str, Any]:
    with _serving(desk, wanted=name.endswith("server")):
        act(desk)
        rows = [act(desk) for _ in range(runs)]
    desk.rest()
    times = sorted(row[0] for row in rows)
    return {
        "hook": name,
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles(times, n=20)[18], 1),
        "least_ms": round(times[0], 1),
        "processor_ms": round(statistics.median(row[1] for row in rows), 1),
        "answered": sum(row[2] for row in rows),
        "target_ms": TARGETS.get(name),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--exchanges", type=int, default=2_000)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recortex-bench-") as folder:
        desk = Desk(Path(folder), options.memories, options.exchanges)
        print(f"{'hook':40}{'p50':>8}{'p95':>8}{'least':>8}{'processor':>11}{'answered':>10}")
        rows = []
        for name, act in cases().items():
            if options.only in name:
                rows.append(measure(name, act, desk, options.runs))
                print(_line(rows[-1], options.runs), flush=True)
    if options.json:
        options.json.write_text(
            json.dumps({"memories": options.memories, "runs": options.runs, "rows": rows}, indent=1) + "\n"
        )


def _line(row: dict[str, Any], runs: int) -> str:
    target = f"   p95 at most {row['target_ms']:.0f}" if row["target_ms"] else ""
    numbers = "".join(f"{row[name]:8.1f}" for name in ("p50_ms", "p95_ms", "least_ms"))
    return f"{row['hook']:40}{numbers}{row['processor_ms']:11.1f}{row['answered']:6}/{runs}{target}"


if __name__ == "__main__":
    main()
