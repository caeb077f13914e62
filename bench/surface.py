"""How long the brief and a lifecycle pass take: made anew, from the cache, in a process of its own.

With nothing due.

Memories of all kinds, four relations each on average, a tenth with a branch and a pattern, recorded over
two years and partly recalled. Times are wall-clock; `import` is `recortex.app.brief` above the interpreter
and apsw.

    python bench/surface.py [--sizes 1000,10000,100000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex import Cortex
from recortex.app.backends import generation_of
from recortex.app.brief import BUDGET, from_cache
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = """
auth token session cache queue worker retry batch index schema migration deploy build test config router
handler client server parser cursor lock pool stream event hook plugin report
""".split()
SHOWN = [name for name in KINDS if name != "code"]


def fill(cx: Cortex, count: int) -> None:
    random_ = random.Random(count)
    wishes = [
        {
            "text": f"The {' '.join(random_.choices(WORDS, k=18))} of part {place}.",
            "kind": SHOWN[place % len(SHOWN)],
            "tags": random_.sample(WORDS, 2),
            "files": [f"src/{random_.choice(WORDS)}.py"],
            "patterns": ["p1"] if place % 10 == 0 else [],
            "source": {"session": f"s{place // 20}", "branch": "main" if place % 10 == 0 else "old"},
            "priority": random_.randint(1, 10),
            "recorded_at": NOW - timedelta(days=random_.uniform(0, 700)),
        }
        for place in range(count)
    ]
    for start in range(0, count, 1000):
        cx.remember_many(wishes[start : start + 1000], embed=False, link=False)
    store: Any = cx._app.all_services()[0].store  # noqa: SLF001  there is no operation that relates many
    ids = [row[0] for row in store.pool.rows("SELECT id FROM memories")]
    with store.transaction():
        for source in ids:
            for _ in range(4):
                other = random_.choice(ids)
                if other != source:
                    store.relations.put(
                        Relation(source, other, RelationType.RELATED, NOW, bidirectional=True)
                    )
        for _ in range(20):
            store.memories.touch(random_.sample(ids, len(ids) // 20), NOW - timedelta(days=40))


def timed(act: Callable[[], Any], times: int) -> dict[str, float]:
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        spent.append(1e3 * (time.perf_counter() - began))
    return {"p50": round(statistics.median(spent), 2), "max": round(max(spent), 2)}


def cold(code: str, times: int = 7) -> dict[str, float]:
    return timed(lambda: subprocess.run([sys.executable, "-c", code], check=True), times)


def measure(size: int, folder: Path) -> dict[str, Any]:
    root = folder / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    row: dict[str, Any] = {"memories": size}
    with Cortex.open(root, clock=lambda: NOW) as cx:
        fill(cx, size)
        began = time.perf_counter()
        made = cx.surface()
        row["first_ms"] = round(1e3 * (time.perf_counter() - began))
        row["tokens"], row["lines"] = made.tokens, len(made.memories)
        row["anew"] = timed(lambda: cx.surface(fresh=True), 5)
        row["cached_operation"] = timed(cx.surface, 50)
        app = cx._app  # noqa: SLF001
        places = list(app.locations.values())
        cwd, budget = str(app.root), app.settings[BUDGET]

        def quick() -> None:
            assert from_cache(places, branch="main", cwd=cwd, now=NOW.timestamp() + 60, budget=budget)

        row["from_cache"] = timed(quick, 50)
        row["generation"] = timed(lambda: generation_of(places), 50)
        row["lifecycle_dry"] = timed(lambda: cx.lifecycle(dry_run=True), 7)
        began = time.perf_counter()
        aged = cx.lifecycle()
        row["lifecycle_first_ms"] = round(1e3 * (time.perf_counter() - began))
        row["archived"] = aged.archived
        row["lifecycle_again"] = timed(cx.lifecycle, 7)
        row["considered"] = cx.lifecycle().considered
    row["process_bare"] = cold("import apsw")
    row["process_import"] = cold("import apsw, recortex.app.brief")
    row["process_verb"] = cold(
        "from recortex.operations.context import Surfacing as S\n"
        f"with S.open({str(root)!r}) as cx: cx.surface(fresh=True)"
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(size, Path(folder)))
        print("\n".join(f"| {name} | {value} |" for name, value in rows[-1].items()), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
