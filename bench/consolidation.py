"""How long `consolidate list` takes, by its parts, and how many pairs it finds.

The ground of MOST_COMPARED and MOST_VECTORS.

The store holds statements of bench/latency.py's generator or, with --real, the turns of LoCoMo and the
functions of CoSQA in $RECORTEX_BENCH_DATA, each as a memory without a session; every fiftieth one is said
again with one word changed.

    python bench/consolidation.py [--size 10000] [--real] [--embedder onnx|hashed|none] [--keep FOLDER]
    [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from latency import Prose
from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.engines.consolidation.copies import overlapping
from recortex.engines.consolidation.duplicates import similar_vectors
from recortex.engines.words import bag_of_words
from retrieval_data import load

CHUNK = 1000
RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--embedder", default="onnx")
    parser.add_argument("--keep", type=Path, help="use the store in this folder again")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ["RECORTEX_EMBEDDER"] = options.embedder
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        figures = measure(place / "consolidation.db", texts(options.size, real=options.real))
    print("\n".join(f"| {name} | {value} |" for name, value in figures.items()))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def texts(size: int, *, real: bool) -> list[str]:
    said = _real(size) if real else _prose(size)
    for place in range(0, len(said) - 50, 50):
        said[place] = f"{said[place + 1].rsplit(' ', 1)[0]} changed"
    return said


def _prose(size: int) -> list[str]:
    source = Prose(7)
    return [source.statement() for _ in range(size)]


def _real(size: int) -> list[str]:
    stores = [store for name in ("locomo", "commits", "cosqa") for store in load(name, "all")]
    return list(dict.fromkeys(item.text for store in stores for item in store.items))[:size]


def measure(database: Path, said: list[str]) -> dict[str, Any]:
    with Cortex.open(url=f"sqlite:///{database}") as cx:
        if not cx.list(limit=1).total:
            for start in range(0, len(said), CHUNK):
                cx.remember_many([{"text": text} for text in said[start : start + CHUNK]])
    times: list[float] = []
    works: list[float] = []
    for _ in range(RUNS):
        with Cortex.open(url=f"sqlite:///{database}") as cx:
            started, work = time.perf_counter(), time.process_time()
            found = cx.consolidate("list", dry_run=True)
            times.append(time.perf_counter() - started)
            works.append(time.process_time() - work)
    with Cortex.open(url=f"sqlite:///{database}") as cx:
        parts = _parts(cx)
    return {
        "memories": len(said),
        "pairs": found.total,
        "complete": found.complete,
        "list, median s": round(statistics.median(times), 2),
        "list, most s": round(max(times), 2),
        "processor, median s": round(statistics.median(works), 2),
        **parts,
    }


def _parts(cx: Cortex) -> dict[str, Any]:
    app = cx._app  # noqa: SLF001  the parts are no operations
    services = app.all_services()[0]
    memories, read = _timed(lambda: services.store.memories.find(MemoryQuery()))
    words = {memory.id: bag_of_words(memory.text) for memory in memories}
    by_words, joined = _timed(lambda: overlapping(words))
    model, probed = _timed(app.probe_embedder)
    codes = services.store.vectors.codes_of(list(words), model)
    by_meaning, compared = _timed(lambda: similar_vectors(codes))
    return {
        "read s": read,
        "words s": joined,
        "pairs by words": len(by_words.pairs),
        "model s": probed,
        "meaning s": compared,
        "pairs by meaning": len(by_meaning.pairs),
    }


def _timed(act: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    done = act()
    return done, round(time.perf_counter() - started, 2)


if __name__ == "__main__":
    main()
