"""How long an agent waits for the MCP server: first answers, first recall, then recall after recall.

Each start is a new process; what is measured begins before it is made. Prints a table; `--json FILE`
writes it.

    python bench/mcp_start.py [--runs 7] [--memories 1000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

SERVER = "import sys; from recortex.mcp.server import main; sys.exit(main(sys.argv[1:]))"
RESERVED = "io.modelcontextprotocol/"
CLIENT = {"name": "bench", "version": "1"}
ENVELOPE = {
    "_meta": {
        RESERVED + "protocolVersion": "2026-07-28",
        RESERVED + "clientInfo": CLIENT,
        RESERVED + "clientCapabilities": {},
    }
}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
RECALLS = 20


class Conversation:
    """One server process; `ask` gives the answer and the milliseconds since the process was started."""

    def __init__(self, era: str, project: Path, home: Path) -> None:
        self.begun = time.perf_counter()
        self._envelope = ENVELOPE if era == "2026-07-28" else {}
        self._number = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, "--project", str(project), "--tools", "full"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "RECORTEX_HOME": str(home)},
        )

    def ask(self, method: str, params: dict[str, Any] | None = None) -> tuple[dict[str, Any], float]:
        self._number += 1
        self._say({"id": self._number, "method": method, "params": {**(params or {}), **self._envelope}})
        answer = json.loads(_pipe(self._process.stdout).readline())
        return answer["result"], (time.perf_counter() - self.begun) * 1000

    def call(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], float]:
        result, at = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result["isError"]:
            raise SystemExit(result["content"][0]["text"])
        return result["structuredContent"], at

    def greet(self) -> float:
        if self._envelope:
            return self.ask("server/discover")[1]
        at = self.ask("initialize", HANDSHAKE)[1]
        self._say({"method": "notifications/initialized"})
        return at

    def end(self) -> float:
        begun = time.perf_counter()
        _pipe(self._process.stdin).close()
        self._process.wait()
        return (time.perf_counter() - begun) * 1000

    def _say(self, message: dict[str, Any]) -> None:
        pipe = _pipe(self._process.stdin)
        pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        pipe.flush()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def fill(project: Path, home: Path, memories: int) -> None:
    """Write the memories that are recalled."""
    conversation = Conversation("2026-07-28", project, home)
    nouns = ("queue", "cache", "login page", "report", "importer", "scheduler", "mailer", "search index")
    texts = [
        {"text": f"The {nouns[n % len(nouns)]} of service {n} is owned by team {n % 7}."}
        for n in range(memories)
    ]
    conversation.call("remember_many", memories=texts)
    conversation.end()


def start(era: str, project: Path, home: Path) -> dict[str, float]:
    """One cold start and a short session; milliseconds."""
    conversation = Conversation(era, project, home)
    greeted = conversation.greet()
    listed = conversation.ask("tools/list")[1]
    recalled = conversation.call("recall", query="who owns the scheduler of service 13?")[1]
    trips = []
    before = recalled
    for n in range(RECALLS):
        before = (time.perf_counter() - conversation.begun) * 1000
        trips.append(conversation.call("recall", query=f"which team owns service {n}?")[1] - before)
    return {
        "first answer": greeted,
        "tools/list": listed,
        "first recall": recalled,
        "recall round trip": statistics.median(trips),
        "end": conversation.end(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder) / "project", Path(folder) / "home"
        project.mkdir()
        fill(project, home, options.memories)
        for era in ("2025-11-25", "2026-07-28"):
            runs = [start(era, project, home) for _ in range(options.runs)]
            figures[era] = {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}
            figures[era]["tools/list, slowest"] = round(max(run["tools/list"] for run in runs), 1)
    print(f"Milliseconds, median of {options.runs} cold starts, {options.memories} memories")
    for name in figures["2025-11-25"]:
        print(f"{name:22}" + "".join(f"{figures[era][name]:>12}" for era in figures))
    print(f"{'':22}" + "".join(f"{era:>12}" for era in figures))
    if options.json:
        options.json.write_text(
            json.dumps({"runs": options.runs, "memories": options.memories, "ms": figures}, indent=2)
        )


if __name__ == "__main__":
    main()
