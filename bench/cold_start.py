"""How long each verb takes in a fresh process, on a store of 1,000 memories.

    python bench/cold_start.py [--runs 15] [--memories 1000] [--json FILE] [--imports] [--beside SRC]

Every run is a new interpreter; bytecode and the file system's cache are warm, as they are on a machine in
use. The median of the wall clock counts; the least, and the processor time (of all threads), show what a
quiet machine would give. `bare` is an interpreter that does
nothing: no program can be faster.
`--imports` names the modules that cost most in each verb. `--beside` runs the package of another checkout by
turns with this one, each on a store of its own, and tells the ratio of the processor times.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

TARGETS = {"--help": 100.0, "get": 150.0}  # milliseconds, from the acceptance list
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \| +(\S+)")
_TOPICS = ("cache", "queue", "login", "invoice", "export", "search", "upload", "webhook", "report", "session")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="recortex-bench-") as folder:
        sides = {"now": _side(Path(folder, "now"), "", options.memories)}
        if options.beside:
            sides["before"] = _side(Path(folder, "before"), options.beside, options.memories)
        rows = [_measure(name, sides, options) for name in sides["now"].commands]
    for row in rows:
        print(_line(row))
        for module, cost in row.get("imports", {}).items():
            print(f"{'':16}{cost / 1000:8.1f} ms  {module}")
    if options.json:
        Path(options.json).write_text(
            json.dumps({"memories": options.memories, "rows": rows}, indent=1) + "\n"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--imports", action="store_true")
    parser.add_argument(
        "--beside", metavar="SRC", default="", help="Sources to measure beside these, by turns."
    )
    return parser.parse_args()


def _recortex(*words: str) -> list[str]:
    return [sys.executable, "-m", "recortex", *words]


class _Side(NamedTuple):
    """One version of the package on a store of its own: the command of each row, and what it reads."""

    project: Path
    environment: dict[str, str]
    commands: dict[str, tuple[list[str], str]]


def _side(folder: Path, source: str, memories: int) -> _Side:
    environment = os.environ | {
        "RECORTEX_HOME": str(folder / "home"),
        "NO_COLOR": "1",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    if source:
        environment["PYTHONPATH"] = str(Path(source).resolve())
    # Where it is set, each run would compile every module again, and that is what would be measured.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    (project := folder / "project").mkdir(parents=True)
    ids = _fill(project, environment, memories)
    commands = {name: (_recortex(*words), "") for name, words in _verbs(ids, project)}
    commands["bare"] = [sys.executable, "-c", "pass"], ""
    commands["import"] = [sys.executable, "-c", "from recortex import Cortex"], ""
    for event, more in (("UserPromptSubmit", {"prompt": "what is the weather like?"}), ("Stop", {})):
        said = {"hook_event_name": event, "session_id": "cold", "cwd": str(project), **more}
        name = "user-prompt-submit" if more else "stop"
        commands[f"hook {name}"] = _recortex("hook", name), json.dumps(said)
    return _Side(project, environment, commands)


def _fill(project: Path, environment: dict[str, str], count: int) -> list[str]:
    rows = [
        {
            "text": f"The {_TOPICS[n % 10]} of module {n} retries {n % 7} times, because part {n * 7} may be "
            "slow to answer.",
            "kind": ("tribal", "decision", "procedural")[n % 3],
            "tags": [_TOPICS[n % 10]],
        }
        for n in range(count)
    ]
    (project / "rows.json").write_text(json.dumps(rows))
    words = ("remember_many", "@rows.json", "--json")
    done = subprocess.run(_recortex(*words), cwd=project, env=environment, capture_output=True, check=True)
    ids: list[str] = json.loads(done.stdout)["data"]["ids"]
    return ids


def _verbs(ids: list[str], project: Path) -> list[tuple[str, list[str]]]:
    """A command line for each verb that can run again and again."""
    one, other = ids[0], ids[1]
    (project / "note.txt").write_text("User: Note that the nightly job needs the lock.\n")
    return [
        ("--help", ["--help"]),
        ("--version", ["--version"]),
        ("get --help", ["get", "--help"]),
        ("get", ["get", one, "--json"]),
        ("list", ["list", "--json"]),
        ("recall", ["recall", "which part is slow to answer?", "--json"]),
        ("recall keyword", ["recall", "module 12 retries", "--recipe", "keyword", "--json"]),
        ("related", ["related", one, "--json"]),
        ("history", ["history", one, "--json"]),
        ("remember", ["remember", "A sentence that is kept again and again.", "--json"]),
        ("edit", ["edit", one, "--tags", "edited", "--json"]),
        ("link", ["link", one, other, "--json"]),
        ("unlink", ["unlink", one, other, "--yes", "--json"]),
        ("forget", ["forget", other, "--yes", "--json"]),
        ("restore", ["restore", other, "--json"]),
        ("review", ["review", "--json"]),
        ("export", ["export", "--json"]),
        ("status", ["status", "--json"]),
        ("doctor", ["doctor", "--json"]),
        ("unknown verb", ["recal"]),
    ]


def _measure(name: str, sides: dict[str, _Side], options: argparse.Namespace) -> dict[str, Any]:
    times, processor = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    ended: dict[str, int] = {}
    for run in range(options.runs + 1):
        for which, side in sides.items():
            started, before = time.perf_counter(), _processor_time()
            ended[which] = _run(side, name)
            if run:  # the first one fills caches
                times[which].append((time.perf_counter() - started) * 1000)
                processor[which].append((_processor_time() - before) * 1000)
    medians = {which: statistics.median(each) for which, each in processor.items()}
    row: dict[str, Any] = {
        "verb": name,
        "median_ms": round(statistics.median(times["now"]), 1),
        "least_ms": round(min(times["now"]), 1),
        "processor_ms": round(medians["now"], 1),
        "exit": ended["now"],
        "target_ms": TARGETS.get(name),
    }
    if "before" in medians:
        row |= {
            "before_ms": round(medians["before"], 1),
            "ratio": round(medians["now"] / medians["before"], 2),
        }
    return row | ({"imports": _imports(sides["now"], name)} if options.imports else {})


def _run(side: _Side, name: str) -> int:
    command, said = side.commands[name]
    done = subprocess.run(
        command, cwd=side.project, env=side.environment, input=said.encode(), capture_output=True, check=False
    )
    return done.returncode


def _processor_time() -> float:
    """Seconds that all finished child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _imports(side: _Side, name: str) -> dict[str, int]:
    """The ten modules with the greatest own import time, in microseconds."""
    command, said = side.commands[name]
    traced = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(
        traced,
        cwd=side.project,
        env=side.environment,
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )
    costs = Counter({module: int(cost) for cost, module in _IMPORT.findall(done.stderr)})
    return dict(costs.most_common(10))


def _line(row: dict[str, Any]) -> str:
    target = f"  target {row['target_ms']:.0f}" if row["target_ms"] else ""
    beside = f"  before {row['before_ms']:7.1f}  ratio {row['ratio']:.2f}" if "ratio" in row else ""
    return (
        f"{row['verb']:<24}{row['median_ms']:8.1f} ms  least {row['least_ms']:7.1f}  "
        f"processor {row['processor_ms']:7.1f}  exit {row['exit']}{target}{beside}"
    )


if __name__ == "__main__":
    main()
