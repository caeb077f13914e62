"""How long each verb takes in a fresh process, on a store of 1,000 memories.

    python bench/cold_start.py [--runs 15] [--memories 1000] [--json FILE] [--imports]

Every run is a new interpreter; bytecode and the file system's cache are warm, as they are on a machine in
use. The median of the wall clock counts; the least, and the processor time (of all threads), show what a
quiet machine would give. `bare` is an interpreter that does
nothing: no program can be faster.
`--imports` names the modules that cost most in each verb.
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
from collections import Counter
from pathlib import Path
from typing import Any

TARGETS = {"--help": 100.0, "get": 150.0}  # milliseconds, from the acceptance list
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \| +(\S+)")
_TOPICS = ("cache", "queue", "login", "invoice", "export", "search", "upload", "webhook", "report", "session")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="recortex-bench-") as folder:
        environment = os.environ | {
            "RECORTEX_HOME": str(Path(folder, "home")),
            "NO_COLOR": "1",
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
        }
        # Where it is set, each run would compile every module again, and that is what would be measured.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        project = Path(folder, "project")
        project.mkdir()
        ids = _fill(project, environment, options.memories)
        rows = [_measure(name, words, project, environment, options) for name, words in _verbs(ids, project)]
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
    return parser.parse_args()


def _recortex(*words: str) -> list[str]:
    return [sys.executable, "-m", "recortex", *words]


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
    """A command line for each verb that can run again and again; `bare` is the interpreter alone."""
    one, other = ids[0], ids[1]
    (project / "note.txt").write_text("User: Note that the nightly job needs the lock.\n")
    return [
        ("bare", []),
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


def _measure(
    name: str, words: list[str], project: Path, environment: dict[str, str], options: argparse.Namespace
) -> dict[str, Any]:
    command = _recortex(*words) if words else [sys.executable, "-c", "pass"]
    times, processor = [], []
    last = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    for _ in range(options.runs):
        started, before = time.perf_counter(), _processor_time()
        last = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
        times.append((time.perf_counter() - started) * 1000)
        processor.append((_processor_time() - before) * 1000)
    row: dict[str, Any] = {
        "verb": name,
        "median_ms": round(statistics.median(times), 1),
        "least_ms": round(min(times), 1),
        "processor_ms": round(statistics.median(processor), 1),
        "exit": last.returncode,
        "target_ms": TARGETS.get(name),
    }
    return row | ({"imports": _imports(command, project, environment)} if options.imports else {})


def _processor_time() -> float:
    """Seconds that all finished child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _imports(command: list[str], project: Path, environment: dict[str, str]) -> dict[str, int]:
    """The ten modules with the greatest own import time, in microseconds."""
    traced = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(traced, cwd=project, env=environment, capture_output=True, text=True, check=False)
    costs = Counter({module: int(cost) for cost, module in _IMPORT.findall(done.stderr)})
    return dict(costs.most_common(10))


def _line(row: dict[str, Any]) -> str:
    target = f"  target {row['target_ms']:.0f}" if row["target_ms"] else ""
    return (
        f"{row['verb']:<16}{row['median_ms']:8.1f} ms  least {row['least_ms']:7.1f}  "
        f"processor {row['processor_ms']:7.1f}  exit {row['exit']}{target}"
    )


if __name__ == "__main__":
    main()
