"""How long validation and decay take: 10,000 memories with 20,000 citations of 5,000 files; 1,000 and 100,000
memories that fade.

    python bench/validation.py [--memories 10000] [--files 5000] [--json FILE]

A project under git is made, memories are kept that cite two ranges each, then one file in twenty is edited,
one in a hundred renamed (half of these committed) and one in two hundred deleted. Told are the time of
`validate` over everything, the same again, `validate --heal`, the longest that another writer had to wait,
and the memory of the process; and the time of the engine alone to compute decayed confidence, by column and
one by one, as the median of seven runs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


LINES = 120


def main() -> None:
    """Make, spoil, validate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    figures: dict[str, Any] = decay()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"RECORTEX_HOME": f"{folder}/home", "RECORTEX_EMBEDDER": "none"}
        figures |= validation(Path(folder) / "project", chosen.memories, chosen.files)
    figures["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(figures, indent=1))
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))


def validation(root: Path, memories: int, files: int) -> dict[str, Any]:
    """The figures of validation."""
    from recortex import Cortex

    chance = random.Random(1)
    paths = made(root, files, chance)
    with Cortex.open(root) as cortex:
        began = time.perf_counter()
        for first in range(0, memories, 1_000):
            cortex.remember_many(
                [remembered(number, paths, chance) for number in range(first, first + 1_000)],
                embed=False,
                link=False,
            )
        figures: dict[str, Any] = {
            "remember_ms_each": round(1e3 * (time.perf_counter() - began) / memories, 3)
        }
        figures["validate_fresh"] = timed(cortex.validate)
        spoiled(root, paths, chance)
        figures["validate"] = timed(cortex.validate)
        figures["validate_again"] = timed(cortex.validate)
        waits: list[float] = []
        figures["heal"] = beside(lambda: cortex.validate(heal=True), root, waits)
        figures["others_wait_ms"] = {
            "median": round(1e3 * statistics.median(waits), 1),
            "longest": round(1e3 * max(waits), 1),
        }
        done = cortex.validate()
        figures |= {"valid": done.valid, "stale": done.stale, "flagged": done.flagged}
        figures["list_by_confidence"] = timed(lambda: cortex.list(min_confidence=0.5, order="confidence"))
    return figures


def made(root: Path, files: int, chance: random.Random) -> list[Path]:
    """A project under git with so many files of about so many lines."""
    paths = []
    for number in range(files):
        path = root / f"package_{number % 50}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"name_{number}_{n} = {chance.randrange(10**9)}\n" for n in range(LINES)))
        paths.append(path)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return paths


def git(root: Path, *words: str) -> None:
    """Run git."""
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], cwd=root, check=True
    )


def remembered(number: int, paths: list[Path], chance: random.Random) -> dict[str, Any]:
    """A memory that cites two ranges."""
    cited = []
    for path in chance.sample(paths, 2):
        first = chance.randrange(1, LINES - 20)
        cited.append(f"{path.parent.name}/{path.name}:{first}-{first + chance.randrange(3, 20)}")
    return {"text": f"Fact {number} about {chance.getrandbits(64):x}", "kind": "tribal", "files": cited}


def spoiled(root: Path, paths: list[Path], chance: random.Random) -> None:
    """Edit, rename and delete some files."""
    shuffled = chance.sample(paths, len(paths))
    edited, renamed = shuffled[: len(paths) // 20], shuffled[len(paths) // 20 :][: len(paths) // 100]
    deleted = shuffled[len(paths) // 2 :][: len(paths) // 200]
    for path in edited:
        lines = path.read_text().splitlines(keepends=True)
        lines[chance.randrange(LINES)] = "edited = 1\n"
        path.write_text("".join(["# above\n"] * chance.randrange(5) + lines))
    for place, path in enumerate(renamed):
        path.rename(path.with_name(f"renamed_{path.name}"))
        if place == len(renamed) // 2:
            git(root, "add", "-A")
            git(root, "commit", "-q", "-m", "renamed")
    for path in deleted:
        path.unlink()


def beside(work: Callable[[], object], root: Path, waits: list[float]) -> str:
    """The time of some work, while another connection writes again and again."""
    from recortex import Cortex

    ended = threading.Event()

    def write() -> None:
        with Cortex.open(root) as other:
            number = 0
            while not ended.is_set():
                began = time.perf_counter()
                other.remember(f"Written meanwhile {number}")
                waits.append(time.perf_counter() - began)
                number += 1
                time.sleep(0.02)

    thread = threading.Thread(target=write)
    thread.start()
    took = timed(work)
    ended.set()
    thread.join()
    return took


def timed(work: Callable[[], object]) -> str:
    """Seconds by the clock, and of the processor, programs that were run included."""
    began, cpu = time.perf_counter(), used()
    work()
    return f"{time.perf_counter() - began:.2f} s, {used() - cpu:.2f} s of the processor"


def used() -> float:
    """Seconds of the processor so far."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def decay() -> dict[str, float]:
    """Milliseconds of the engine, by wall clock and by processor time."""
    from recortex.domain.kinds import KINDS
    from recortex.domain.maintenance import MemoryStatistics
    from recortex.engines.decay import DAY, confidence, confidences, curve

    chance = random.Random(1)
    kinds = sorted(KINDS)
    rows = [
        MemoryStatistics(
            key=number, id=str(number), kind=chance.choice(kinds), status="active",
            confidence=chance.random(), priority=chance.randint(1, 10), pinned=0,
            recorded_at=chance.randint(0, 300) * DAY, updated_at=0,
            validated_at=None, last_accessed_at=chance.choice([None, 400 * DAY]),
            access_count=chance.randint(0, 20), patterns=0, standing=chance.choice([None, 1.0, 0.5]),
            checked_at=chance.choice([None, 390 * DAY]),
        )
        for number in range(100_000)
    ]  # fmt: skip
    now, central = 500 * DAY, [0.0] * len(rows)
    found = {}
    for count in (1_000, 100_000):
        some, of_some = rows[:count], central[:count]
        runs = [spent(partial(confidences, some, of_some, now)) for _ in range(7)]
        found[f"decay_{count}_ms"] = round(statistics.median(wall for wall, _ in runs), 2)
        found[f"decay_{count}_cpu_ms"] = round(statistics.median(cpu for _, cpu in runs), 2)
    alone = [spent(lambda: [confidence(curve(one, 0.0), now) for one in rows[:1_000]]) for _ in range(7)]
    found["decay_1000_one_by_one_cpu_ms"] = round(statistics.median(cpu for _, cpu in alone), 2)
    return found


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)


if __name__ == "__main__":
    main()
