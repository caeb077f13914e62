"""What the plug-in costs a session.

The client's time from a prompt to the request of the model, with and without it.

    python bench/session_latency.py [--sessions 10] [--prompts 11] [--pause 2] [--memories 1000] [--client
    PROGRAM] [--json FILE]

A real Claude Code (2.1.330 from npm, unless `--client` names one) is driven headless against a scripted
model, in sessions with and without the plug-in by turns. `first` is a session's first prompt, which waits
for the client's own start and for `session-start`; `later` are the others. The store holds memories that
answer the prompts. A prompt comes `--pause` seconds after the answer before it, as a person's does: what
learns from the turn before has then ended. With `--pause 0` it is still at work.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from latency import Prose

ROOT = Path(__file__).resolve().parent.parent
TARGET = 150.0  # milliseconds by which the 95th percentile of later prompts may grow


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--prompts", type=int, default=11)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--client", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))  # the harness is the one of the end-to-end tests
    times: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="recortex-bench-") as folder:
        people = _people(Path(folder), options.client, options.memories)
        prose = Prose(1)
        for _ in range(options.sessions):
            prompts = [prose.question(prose.statement()) for _ in range(options.prompts)]
            for name, person in people.items():
                _add(
                    times.setdefault(name, {"first": [], "later": []}),
                    person.session(prompts, pause=options.pause),
                )
                person.settle()
    rows = [_row(when, times) for when in ("first", "later")]
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    print(f"later, p95: +{rows[1]['growth_p95']} ms, at most {TARGET:.0f}")
    if options.json:
        options.json.write_text(json.dumps({"memories": options.memories, "rows": rows}, indent=1) + "\n")


def _people(folder: Path, client: Path | None, memories: int) -> dict[str, Any]:
    install, people = (importlib.import_module(f"agents.{name}") for name in ("install", "person"))
    program = client or install.program("claude", install.CLAUDE, install.NEWEST)
    found = {}
    for name, plugins in (("without", ()), ("with", (ROOT / "plugin",))):
        person = people.Person(program.absolute(), folder / name / "home", folder / name / "project", plugins)
        subprocess.run(["git", "init", "-q"], cwd=person.project, check=True)
        prose = Prose(1)
        rows = [{"text": prose.statement(), "kind": "tribal"} for _ in range(memories)]
        (person.home / "rows.json").write_text(json.dumps(rows))
        person.memory("remember_many", f"@{person.home}/rows.json")
        found[name] = person
    return found


def _add(times: dict[str, list[float]], session: Any) -> None:
    """A scripted turn without tools is one request, so requests and prompts go in step."""
    if not session.unharmed or len(session.requests) != len(session.prompted):
        raise SystemExit(f"a session went wrong: {session}")
    waited = [
        (request.at - prompted) * 1000
        for request, prompted in zip(session.requests, session.prompted, strict=True)
    ]
    times["first"].append(waited[0])
    times["later"] += waited[1:]


def _row(when: str, times: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    row: dict[str, Any] = {"prompt": when, "count": len(times["with"][when])}
    for name in ("without", "with"):
        row[f"{name}_p50"] = round(statistics.median(times[name][when]), 1)
        row[f"{name}_p95"] = round(statistics.quantiles(times[name][when], n=20)[18], 1)
    row["growth_p50"] = round(row["with_p50"] - row["without_p50"], 1)
    row["growth_p95"] = round(row["with_p95"] - row["without_p95"], 1)
    return row


if __name__ == "__main__":
    main()
