"""What a recall measures of each candidate of each question, through the product's own path.

    RECORTEX_BENCH_DATA=… RECORTEX_BENCH_SESSIONS=… python bench/ranking_signals.py FILE
        [--dataset NAME …]

The rows are written once to FILE, a pickle that the benches which fit weights read in seconds: all signals of
every candidate, whether it is gold, and what speaks for an answer; of LoCoMo also the questions of the
other conversations, and of each set those that nothing answers.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import recortex.engines.retrieval.service as product
from ranking_rows import NAMES, Row
from recortex.engines.retrieval.scorer import score
from recortex.engines.retrieval.weights import Compared
from retrieval_adapters import RecortexAdapter
from retrieval_data import LOADERS, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.retrieval.floor import Support
    from recortex.engines.retrieval.scorer import Ranking, Scored
    from retrieval_items import Query, Store

DATASETS = ("locomo", "cosqa", "commits", "notes", "small", "languages", "chat")
LANGUAGE = "en"


class Recorder:
    """Notes what the product scores."""

    def __init__(self) -> None:
        self.scored: Sequence[Scored] = ()
        self.support: Support | None = None
        self._score, self._support = score, product._support  # noqa: SLF001
        product.score = self.score  # type: ignore[attr-defined]
        product._support = self.supported  # type: ignore[assignment]  # noqa: SLF001

    def score(self, asked: Any, evidence: Any) -> Ranking:
        self.scored = found = self._score(asked, evidence)
        return found

    def supported(self, *given: Any) -> Support:
        self.support = found = self._support(*given)
        return found


def rows(dataset: str, recorder: Recorder) -> Iterator[Row]:
    """The questions of a data set, in the order of its stores."""
    stores = [one for one in load(dataset, "dev") if dataset != "languages" or one.name == LANGUAGE]
    for number, store in enumerate(stores):
        system = RecortexAdapter(floor=False)
        system.add(store.items)
        ids = system.items_by_key()
        for query in store.queries:
            yield row(dataset, store, query, system, ids, recorder)
        for query in strangers(store, stores if dataset == "locomo" else ()):
            yield row(dataset, store, query, system, ids, recorder)
        system.close()
        print(f"{dataset} {store.name} ({number + 1} of {len(stores)})", flush=True)


def strangers(store: Store, others: Sequence[Store]) -> Iterator[Query]:
    """Questions that nothing in a store answers."""
    from retrieval_items import Query

    for text in store.unanswerable:
        yield Query(text, "unanswerable", frozenset())
    for other in others:
        if other is not store:
            for one in other.queries:
                if one.category != "adversarial":
                    yield Query(one.text, "stranger", frozenset())


def row(
    dataset: str,
    store: Store,
    query: Query,
    system: RecortexAdapter,
    ids: dict[int, list[str]],
    seen: Recorder,
) -> Row:
    """One question, asked."""
    seen.scored, seen.support = [], None
    system.search(query.text, 1)
    found = seen.scored
    signals = np.array([(*one.deviations, *one.spoken, *one.common) for one in found], np.float32)
    return Row(
        dataset,
        store.name,
        query.category,
        query.text,
        signals.reshape(-1, len(NAMES)),
        np.array([one.compared for one in found], np.float32).reshape(-1, len(Compared._fields)),
        np.array([one.facts.traits for one in found], int),
        np.array([bool(query.gold.intersection(ids[one.facts.key])) for one in found], bool),
        query.enough or len(query.gold),
        seen.support,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--dataset", action="append", choices=sorted(LOADERS))
    options = parser.parse_args()
    recorder = Recorder()
    kept = pickle.loads(options.file.read_bytes()) if options.file.exists() else {}  # noqa: S301  our own
    for dataset in options.dataset or DATASETS:
        kept[dataset] = list(rows(dataset, recorder))
        options.file.write_bytes(pickle.dumps(kept))


if __name__ == "__main__":
    main()
