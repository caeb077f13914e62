"""How well recall finds what answers a question, and whether it is silent when nothing does.

    RECORTEX_BENCH_DATA=… python bench/retrieval.py [--dataset NAME …] [--split dev] [--recipe hybrid]
    [--no-floor]
        [--no-model] [--floor-curve] [--adapter module:Class] [--json FILE]

Data sets: locomo (dialogue turns; adversarial questions are reported apart), cosqa (functions for web
queries), commits (files for commit subjects), notes (a developer's memory, with questions that it cannot
answer), small (stores of 12 memories, the same), languages (100 memories and questions in five languages),
across (the same memories, asked in the other languages). Recall at k is |gold and top k| / |gold|, MRR is 1
/ rank of the first gold within 20; both are means over questions. The floor curve asks the questions of
each LoCoMo conversation of the other conversations as well, where nobody can answer them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from retrieval_data import LOADERS, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retrieval_items import Query, Store

MOST = 20
FLOORS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
APART = frozenset({"adversarial"})
COLUMNS = ("recall@5", "recall@10", "recall@20", "mrr", "empty")


def measures(ranked: Sequence[str], query: Query) -> dict[str, float]:
    """The measures of one answer."""
    gold, enough = query.gold, query.enough or len(query.gold)
    first = next((rank for rank, one in enumerate(ranked, 1) if one in gold), None)
    found = {f"recall@{k}": min(len(gold.intersection(ranked[:k])) / enough, 1.0) for k in (5, 10, 20)}
    return {**found, "mrr": 1.0 / first if first else 0.0, "empty": float(not ranked)}


def ask(
    stores: Iterable[Store], make: Callable[[], Any]
) -> tuple[list[tuple[str, dict[str, float]]], list[float], float]:
    """Measures and milliseconds of each question, and the share of unanswerable ones left empty."""
    rows, times, silent = [], [], []
    for store in stores:
        system = make()
        system.add(store.items)
        for query in store.queries:
            start = time.perf_counter()
            ranked = list(dict.fromkeys(system.search(query.text, MOST)))[:MOST]
            times.append(1e3 * (time.perf_counter() - start))
            rows.append((query.category, measures(ranked, query)))
        silent += [not system.search(text, MOST) for text in store.unanswerable]
        system.close()
    return rows, times, fmean(silent) if silent else 0.0


def summary(rows: Sequence[tuple[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Means in per cent, over all but the categories that stand apart, and by category."""
    groups: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for category, row in rows:
        groups[category].append(row)
        if category not in APART:
            groups["overall"].append(row)
    return {
        name: {"n": len(group), **{column: 100 * fmean(row[column] for row in group) for column in COLUMNS}}
        for name, group in sorted(groups.items(), key=lambda entry: entry[0] != "overall")
    }


def show(title: str, result: dict[str, dict[str, float]]) -> None:
    print(f"\n{title}\n{'':14s}{'n':>6s}" + "".join(f"{column:>11s}" for column in COLUMNS))
    for name, row in result.items():
        print(f"{name[:14]:14s}{row['n']:6.0f}" + "".join(f"{row[column]:11.1f}" for column in COLUMNS))


def floor_curve(split: str, make: Callable[[], Any]) -> list[dict[str, float]]:
    """For each floor.

    What answerable questions lose of their recall@10, and how many unanswerable ones get no hit.
    """
    stores = load("locomo", split)
    own: list[tuple[float, float]] = []
    strange: list[float] = []
    for store in stores:
        system = make()
        system.add(store.items)
        for query in _answerable(store):
            ranked = list(dict.fromkeys(system.search(query.text, 10)))[:10]
            own.append((system.best(query.text), measures(ranked, query)["recall@10"]))
        for other in stores:
            if other is not store:
                strange += [system.best(query.text) for query in _answerable(other)]
        system.close()
    return [_at(floor, own, strange) for floor in FLOORS]


def _answerable(store: Store) -> list[Query]:
    return [query for query in store.queries if query.category not in APART]


def _at(floor: float, own: Sequence[tuple[float, float]], strange: Sequence[float]) -> dict[str, float]:
    whole = sum(recall for _, recall in own)
    kept = sum(recall for best, recall in own if best >= floor)
    return {
        "floor": floor,
        "recall@10": 100 * kept / len(own),
        "lost": 100 * (1 - kept / whole),
        "empty": 100 * fmean(best < floor for best in strange),
    }


def show_curve(title: str, points: Sequence[dict[str, float]]) -> None:
    print(f"\n{title}\n{'floor':>8s}{'recall@10':>11s}{'lost %':>9s}{'strangers empty %':>19s}")
    for point in points:
        print(f"{point['floor']:8.2f}{point['recall@10']:11.1f}{point['lost']:9.1f}{point['empty']:19.1f}")


def adapter(name: str, **options: Any) -> Callable[[], Any]:
    """A maker of the system `module:Class`; options go to the default adapter alone."""
    module, _, class_ = name.partition(":")
    found = getattr(importlib.import_module(module), class_)
    return lambda: found(**options) if name == DEFAULT else found()


DEFAULT = "retrieval_adapters:RecortexAdapter"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", action="append", choices=sorted(LOADERS))
    parser.add_argument("--split", default="dev", choices=("dev", "held", "all"))
    parser.add_argument("--recipe", default="hybrid", choices=("hybrid", "keyword", "semantic"))
    parser.add_argument("--no-floor", action="store_true", help="take the best hits however weak")
    parser.add_argument("--no-model", action="store_true", help="as on a machine that cannot make vectors")
    parser.add_argument("--floor-curve", action="store_true")
    parser.add_argument("--adapter", default=DEFAULT)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.no_model:
        os.environ["RECORTEX_EMBEDDER"] = "none"
    setup = {"recipe": options.recipe, "embed": not options.no_model}
    found: dict[str, Any] = {}
    if options.floor_curve:
        found["floor_curve"] = floor_curve(options.split, adapter(options.adapter, **setup, floor=False))
        show_curve(f"locomo/{options.split}, {options.recipe}: the floor", found["floor_curve"])
    for dataset in options.dataset or (
        [] if options.floor_curve else ["locomo", "cosqa", "commits", "notes", "small"]
    ):
        make = adapter(options.adapter, **setup, floor=not options.no_floor)
        rows, times, silent = ask(load(dataset, options.split), make)
        found[dataset] = summary(rows) | {
            "timing": {"p50_ms": median(times)},
            "unanswerable": {"empty": 100 * silent},
        }
        show(f"{dataset}/{options.split}, {options.recipe}", summary(rows))
        print(
            f"p50 {median(times):.1f} ms"
            + (f"; unanswerable left empty: {100 * silent:.0f} %" if silent else "")
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
