"""What a change of the embedding model costs while it goes on.

Quality by the share that is done, latency, kills.

    RECORTEX_BENCH_DATA=… python bench/model_swap.py [--curve] [--latency] [--kills N] [--memories N]
    [--stores N] [--json FILE]

The curve asks the questions of LoCoMo (development half) and of the developer notes at growing shares of
memories that have a vector of the new model, once by the new model and once by the former one. Memories
without a vector of the model that is asked by are found by their words. Nothing is counted as accessed, so
that no question prepares the store for the next one. Latency is of whole recalls, before, while another
process re-embeds, and after. Kills are SIGKILLs of that process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from latency import Prose
from recortex import Cortex
from recortex.app.jobs.reembedding import PAUSE, outlook, reembed
from recortex.domain.search import MemoryQuery
from recortex.embeddings.onnx import MODEL_NAME as SHIPPED_NAME
from recortex.engines.ingestion.embedding import BATCH
from retrieval import APART, measures
from retrieval_adapters import _wish
from retrieval_data import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.app.store_services import StoreServices
    from retrieval_items import Query, Store

SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
SHIPPED, HASHED, SHORT = {"EMBEDDER": "onnx"}, {"EMBEDDER": "hashed"}, {"EMBEDDING_DIMENSIONS": "192"}
SWAPS: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "hashed -> shipped": (HASHED, SHIPPED),
    "shipped -> hashed": (SHIPPED, HASHED),
    "shipped -> its first 192 dimensions": (SHIPPED, SHORT),
}


@contextmanager
def opened(folder: Path, model: Mapping[str, str]) -> Iterator[Cortex]:
    """A store under the settings that choose a model."""
    names = {f"RECORTEX_{name}": value for name, value in model.items()}
    for name in ("RECORTEX_EMBEDDER", "RECORTEX_EMBEDDING_DIMENSIONS"):
        os.environ.pop(name, None)
    os.environ.update(names)
    with Cortex.open(url=f"sqlite:///{folder / 'cortex.db'}") as cortex:
        yield cortex


def services_of(cortex: Cortex) -> StoreServices:
    return cortex._app.all_services()[0]  # noqa: SLF001


def now() -> datetime:
    return datetime.now(UTC)


def found(
    services: StoreServices, queries: Sequence[Query], items: Mapping[str, list[str]], *, floor: bool
) -> float:
    """The mean recall at 10, in per cent; no access is counted and no vector made."""
    values = []
    for query in queries:
        answer = services.retrieval.recall(query.text, limit=20, now=now(), only=MemoryQuery(), floor=floor)
        ranked = list(dict.fromkeys(item for hit in answer.hits for item in items[hit.memory.id]))
        values.append(measures(ranked, query)["recall@10"])
    return 100 * fmean(values)


def curve(
    store: Store, swap: tuple[Mapping[str, str], Mapping[str, str]], *, floor: bool
) -> list[tuple[float, float, int]]:
    """For each share: recall by the new model and by the former one, and the number of questions."""
    folder = Path(tempfile.mkdtemp(prefix="recortex-bench-"))
    items: dict[str, list[str]] = {}
    queries = [query for query in store.queries if query.category not in APART]
    points = []
    try:
        with opened(folder, swap[0]) as former:
            kept = former.remember_many([_wish(item) for item in store.items], link=False)
            for memory_id, item in zip(kept.ids, store.items, strict=True):
                items.setdefault(memory_id, []).append(item.id)
            with opened(folder, swap[1]) as new:
                old_bank, services = services_of(former), services_of(new)
                total = outlook(services).left
                for share in SHARES:
                    missing = round(share * total) - (total - outlook(services).left)
                    if missing > 0:
                        reembed(services, now=now, limit=missing)
                    points.append(
                        (
                            found(services, queries, items, floor=floor),
                            found(old_bank, queries, items, floor=floor),
                            len(queries),
                        )
                    )
    finally:
        shutil.rmtree(folder)
    return points


def show_curve(stores: Sequence[Store], name: str, *, floor: bool) -> dict[str, Any]:
    each = [curve(store, SWAPS[name], floor=floor) for store in stores]
    rows = []
    for place, share in enumerate(SHARES):
        at = [points[place] for points in each]
        count = sum(number for *_, number in at)
        new, old = (sum(point[which] * point[2] for point in at) / count for which in (0, 1))
        rows.append({"share": share, "new": new, "former": old})
    print(f"\n{name}: recall@10 by the share that is done ({count} questions{'' if floor else ', no floor'})")
    print(f"{'done':>6s}{'asked by the new':>18s}{'by the former':>15s}")
    for row in rows:
        print(f"{row['share']:6.0%}{row['new']:18.1f}{row['former']:15.1f}", flush=True)
    return {"swap": name, "floor": floor, "rows": rows}


class Counted:
    """An embedder that writes down how many texts it was given, so that a kill does not take that away."""

    def __init__(self, inner: Any, log: Path) -> None:
        self._inner, self._log = inner, log

    @property
    def preferred_name(self) -> str:
        return self._inner.preferred_name  # type: ignore[no-any-return]

    @property
    def active_name(self) -> str:
        return self._inner.active_name  # type: ignore[no-any-return]

    def embed_named(self, texts: Sequence[str], *, purpose: str = "passage") -> Any:
        with self._log.open("a") as log:
            log.write(f"{len(texts)}\n")
        return self._inner.embed_named(texts, purpose=purpose)

    def begin(self, texts: Sequence[str], *, purpose: str = "passage") -> Any:
        return lambda: self.embed_named(texts, purpose=purpose)


def work(folder: Path, *, pause: float) -> None:
    """Re-embed to the shipped model until all is done: what the measured process does."""
    with opened(folder, SHIPPED) as cortex:
        services = services_of(cortex)
        services.embedding._embedder = Counted(services.embedding._embedder, folder / "asked")  # noqa: SLF001
        reembed(services, now=now, pause=pause)


def started(folder: Path, *, pause: float = 0.0) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, "--work", str(folder), "--pause", str(pause)])


@contextmanager
def of_hashed(count: int) -> Iterator[tuple[Path, list[str]]]:
    """A store of so many statements with hashed vectors, and questions about them."""
    folder = Path(tempfile.mkdtemp(prefix="recortex-bench-"))
    prose = Prose(7)
    texts = [prose.statement() for _ in range(count)]
    try:
        with opened(folder, HASHED) as cortex:
            for start in range(0, count, 1000):
                cortex.remember_many([{"text": text} for text in texts[start : start + 1000]], link=False)
        yield folder, [prose.question(text) for text in prose.random.sample(texts, 40)]
    finally:
        shutil.rmtree(folder)


def recalls(cortex: Cortex, questions: Sequence[str], until: Any) -> list[float]:
    """Milliseconds of whole recalls, the questions over and over until told to stop."""
    times: list[float] = []
    while not until(times):
        start = time.perf_counter()
        cortex.recall(questions[len(times) % len(questions)])
        times.append(1e3 * (time.perf_counter() - start))
    return times


def latency(count: int) -> list[dict[str, Any]]:
    """Recall before a change, in it, and after, by a process that asks while another one re-embeds."""
    rows: list[dict[str, Any]] = []
    for how, pause in (("a person's run", 0.0), ("in the background", PAUSE)):
        with of_hashed(count) as (folder, questions), opened(folder, SHIPPED) as cortex:
            recalls(
                cortex, questions, lambda times: len(times) >= len(questions)
            )  # the questions' vectors are made
            before = recalls(cortex, questions, lambda times: len(times) >= 3 * len(questions))
            size = services_of(cortex).store.bytes()
            began, job = time.perf_counter(), started(folder, pause=pause)
            while outlook(services_of(cortex)).left == count:
                time.sleep(0.05)
            during = recalls(cortex, questions, lambda _, job=job: job.poll() is not None)
            took, most = time.perf_counter() - began, services_of(cortex).store.bytes()
            after = recalls(cortex, questions, lambda times: len(times) >= 3 * len(questions))
            rows.append(
                {"how": how, "memories": count, "seconds": took, "bytes_before": size, "bytes_after": most}
                | {
                    f"{name}_{part}": value
                    for name, times in (("before", before), ("during", during), ("after", after))
                    for part, value in (
                        ("p50", median(times)),
                        ("p95", sorted(times)[int(0.95 * len(times))]),
                        ("n", len(times)),
                    )
                }
            )
    print(f"\nrecall while {count:,} memories are re-embedded by the shipped model, ms")
    print(
        f"{'':20s}{'before':>8s}{'p95':>8s}{'during':>8s}{'p95':>8s}{'after':>8s}{'p95':>8s}"
        f"{'seconds':>9s}{'MB':>12s}"
    )
    for row in rows:
        cells = "".join(
            f"{row[f'{name}_{part}']:8.1f}"
            for name in ("before", "during", "after")
            for part in ("p50", "p95")
        )
        space = f"{row['bytes_before'] / 1e6:.1f}->{row['bytes_after'] / 1e6:.1f}"
        print(f"{row['how']:20s}{cells}{row['seconds']:9.1f}{space:>12s}")
    return rows


def kills(count: int, times: int) -> dict[str, Any]:
    """SIGKILL at random moments, then one run to the end.

    What was kept after each, and how many texts were embedded twice.
    """
    chosen = random.Random(11)
    kept: list[int] = []
    with of_hashed(count) as (folder, _):
        for _ in range(times):
            job = started(folder)
            with opened(folder, SHIPPED) as cortex:
                services = services_of(cortex)
                until = (kept[-1] if kept else 0) + chosen.randrange(1, max(count // times, 2))
                while job.poll() is None and services.store.vectors.made(SHIPPED_NAME) < until:
                    time.sleep(chosen.random() / 20)
                job.send_signal(signal.SIGKILL)
                job.wait()
                kept.append(services.store.vectors.made(SHIPPED_NAME))
        started(folder).wait()
        with opened(folder, SHIPPED) as cortex:
            left, made = (
                outlook(services_of(cortex)).left,
                services_of(cortex).store.vectors.made(SHIPPED_NAME),
            )
        asked = sum(map(int, (folder / "asked").read_text().split()))
    result = {
        "memories": count,
        "kept": kept,
        "left": left,
        "made": made,
        "embedded": asked,
        "twice": asked - count,
    }
    print(f"\n{times} kills while {count:,} memories are re-embedded: kept after each {kept}")
    print(
        f"left at the end {left}, vectors {made}, texts embedded {asked}: {asked - count} twice, "
        f"of a batch of {BATCH} for each kill"
    )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--no-floor", action="store_true", help="take the best hits however weak")
    parser.add_argument("--stores", type=int, default=5, help="conversations of LoCoMo")
    parser.add_argument("--swap", action="append", choices=sorted(SWAPS))
    parser.add_argument("--latency", action="store_true")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--memories", type=int, default=3_000, help="for latency and kills")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--pause", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, pause=options.pause)
        return
    result: dict[str, Any] = {}
    if options.curve:
        for dataset in ("locomo", "notes"):
            stores = load(dataset, "dev")[: options.stores]
            print(f"\n{dataset}")
            result[dataset] = [
                show_curve(stores, name, floor=not options.no_floor) for name in options.swap or SWAPS
            ]
    if options.latency:
        result["latency"] = latency(options.memories)
    if options.kills:
        result["kills"] = kills(options.memories, options.kills)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
