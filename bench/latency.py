"""How quick the store is: remember, remember_many and recall at several sizes; memory and bytes per memory.

Memories of about 200 characters are made from a seeded generator: statements about a software project,
whose words follow the skewed frequencies of prose (a few thousand common and technical words, many rarer
identifiers). Recall is measured through the public API, counting of the access included, with and without
making the query's vector; context, with a file in view, always makes it.
The store is as one that is used: two relations a memory, exchanges of the same prose (one for two memories,
at most 20,000) and documents (one for fifty memories, at most 400). With --exchanges 0 and --documents 0
there are none; with exchanges each question is also asked of the memories alone and of all, in turns.

    python bench/latency.py [--sizes 1000,10000,100000] [--queries 200] [--exchanges N] [--documents N]
        [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from recortex import Cortex
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType

PARTS = """
auth token session cache queue worker retry batch index schema migration deploy build test config router
handler client server parser cursor lock pool stream event hook plugin report invoice order parcel user
tenant region metric alert
""".split()
VERBS = """
uses needs returns rejects stores reads writes retries caches validates parses exposes ignores requires
blocks expires rotates rebuilds compares truncates
""".split()
GLUE = """
the a because when before after unless so that it must never always only with without from into under
between and or not than then if while since
""".split()
SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wo xi yu za bri cla dre flo gra ple sto tri".split()
)

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
RELATED = 2
"""Relations a memory."""
EXCHANGES, DOCUMENTS = 20_000, 400
"""The most that are put beside memories."""
PIECES = 24
"""Word pieces of a memory: as many as texts of this length have in the developer's notes and in LoCoMo."""


class Prose:
    """A seeded source of statements with a skewed vocabulary."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        rare = ["".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4))) for _ in range(20_000)]
        self.words = [*GLUE, *PARTS, *VERBS, *dict.fromkeys(rare)]
        self.weights = list(accumulate(1 / (rank + 8) for rank in range(len(self.words))))

    def word(self) -> str:
        return self.random.choices(self.words, cum_weights=self.weights)[0]

    def statement(self) -> str:
        part, other = self.random.sample(PARTS, 2)
        head = f"The {part}_{other}_{self.random.randint(1, 999)} {self.random.choice(VERBS)}"
        words = [head]
        while sum(map(len, words)) + len(words) < 195:
            words.append(self.word())
        return " ".join(words) + "."

    def question(self, statement: str) -> str:
        words = [word.strip(".") for word in statement.split() if len(word) > 3]
        return f"why does {' '.join(self.random.sample(words, min(6, len(words))))}?"


def fill(cx: Cortex, prose: Prose, count: int) -> tuple[list[str], float]:
    """Add memories without vectors; returns their texts and the seconds it took."""
    texts = [prose.statement() for _ in range(count)]
    kinds = ["tribal", "decision", "insight", "procedural"]
    wishes = [
        {
            "text": text,
            "kind": kinds[place % 4],
            "tags": [PARTS[place % len(PARTS)]],
            "files": [f"src/{PARTS[place % 30]}.py"],
        }
        for place, text in enumerate(texts)
    ]
    began = time.perf_counter()
    for start in range(0, count, 1000):
        cx.remember_many(wishes[start : start + 1000], embed=False)
    return texts, time.perf_counter() - began


def give_vectors(cx: Cortex, seed: int) -> None:
    """Attach a random unit vector and word pieces to each memory: as costly as real ones, quick to make."""
    import numpy as np

    from recortex.engines.indexing import compact

    app: Any = cx._app  # noqa: SLF001  there is no operation for made-up vectors
    store, model = app.all_services()[0].store, app.embedder.active_name
    rows = store.pool.rows("SELECT id, content_hash FROM memories WHERE embedding_key IS NULL")
    random_ = np.random.default_rng(seed)
    for start in range(0, len(rows), 2000):
        part = rows[start : start + 2000]
        vectors = random_.standard_normal((len(part), 384)).astype("float32")
        codes = {
            bytes(row[1][:16]): compact(vector / np.linalg.norm(vector))
            for row, vector in zip(part, vectors, strict=True)
        }
        with store.transaction():
            keys = store.vectors.put(model, codes)
            store.vectors.put_pieces({key: random_.bytes(PIECES * 24) for key in keys.values()})
            store.vectors.attach([(row[0], keys[bytes(row[1][:16])], row[1]) for row in part])


def give_relations(store: Any, seed: int) -> None:
    """Relate memories, the earlier ones more often, as what is known for long is."""
    source = random.Random(seed)
    ids = [row[0] for row in store.pool.rows("SELECT id FROM memories ORDER BY key")]
    types = (RelationType.RELATED, RelationType.SUPPORTS, RelationType.REFINES)
    for start in range(0, RELATED * len(ids), 2000):
        ends = [
            (source.randrange(len(ids)), int(len(ids) * source.random() ** 1.5))
            for _ in range(min(2000, RELATED * len(ids) - start))
        ]
        with store.transaction():
            store.relations.put_all(
                [
                    Relation(ids[one], ids[other], types[one % 3], BEGAN, strength=0.6)
                    for one, other in ends
                    if one != other
                ]
            )


def give_documents(cx: Cortex, prose: Prose, count: int, folder: Path) -> None:
    """Take in documents of four sections, without vectors."""
    folder.mkdir()
    for number in range(count):
        sections = (
            f"## {prose.word()} {prose.word()}\n\n{' '.join(prose.statement() for _ in range(3))}\n"
            for _ in range(4)
        )
        (folder / f"{number}.md").write_text(f"# {prose.word()}\n\n" + "\n".join(sections), encoding="utf-8")
    if count:
        cx.ingest([str(folder)])


def give_exchanges(cx: Cortex, prose: Prose, count: int) -> None:
    """Keep exchanges of about 1.2 KB with two random vectors each."""
    import numpy as np

    from recortex.domain.exchange import Exchange
    from recortex.engines.exchanges.service import terms

    app: Any = cx._app  # noqa: SLF001  there is no operation for made-up exchanges
    store, model = app.all_services()[0].store, app.embedder.active_name
    random_ = np.random.default_rng(count)
    for start in range(0, count, 500):
        said = [
            Exchange(
                id=f"{number:032x}",
                session=f"session-{number // 20}",
                client="claude-code",
                opener="person",
                first_turn=number % 20 * 4,
                last_turn=number % 20 * 4 + 3,
                root_turn=number % 20 * 4,
                started_at=BEGAN + timedelta(minutes=number),
                ended_at=BEGAN + timedelta(minutes=number),
                asked=prose.statement(),
                message=prose.statement(),
                conclusion=" ".join(prose.statement() for _ in range(4)),
            )
            for number in range(start, min(start + 500, count))
        ]
        with store.transaction():
            store.exchanges.put([(one, terms(one)) for one in said], BEGAN)
            waiting = store.exchange_vectors.waiting(len(said))
            rows = random_.integers(-127, 128, (2 * len(waiting), 384), np.int8)
            codes = {f"{place:016}".encode(): row.tobytes() for place, row in enumerate(rows, 2 * start)}
            keys = list(store.exchange_vectors.put(model, codes).values())
            store.exchange_vectors.attach(
                {one: tuple(keys[2 * place : 2 * place + 2]) for place, (one, _) in enumerate(waiting)}
            )


def beside(cx: Cortex, questions: list[str]) -> dict[str, float]:
    """What exchanges add to a recall: medians of both ways and of the differences, in milliseconds."""
    times: dict[str, list[float]] = {"memories": [], "all": []}
    for number, question in enumerate(questions):
        for among in ("memories", "all") if number % 2 else ("all", "memories"):
            began = time.perf_counter()
            cx.recall(question, floor=False, among=among)
            times[among].append(1e3 * (time.perf_counter() - began))
    more = [all_ - alone for all_, alone in zip(times["all"], times["memories"], strict=True)]
    alone, both = (round(statistics.median(times[among]), 2) for among in ("memories", "all"))
    return {"p50": both, "alone": alone, "more": round(statistics.median(more), 2)}


def timed(act: Any, items: list[Any]) -> dict[str, float]:
    """Median and 95th percentile of one call, in milliseconds."""
    times = []
    for item in items:
        began = time.perf_counter()
        act(item)
        times.append(1e3 * (time.perf_counter() - began))
    return {"p50": round(statistics.median(times), 2), "p95": round(statistics.quantiles(times, n=20)[18], 2)}


def preparing(cx: Cortex, prose: Prose, texts: list[str], count: int) -> tuple[dict[str, float], float]:
    """What `context` takes for tasks that were not asked before, and how many entries it tells of."""
    told: list[int] = []

    def prepare(task: tuple[str, str]) -> None:
        told.append(len(cx.context(task[0], files=[task[1]]).entries))

    tasks = [
        (f"fix it: {prose.question(prose.random.choice(texts))}", f"src/{PARTS[number % 30]}.py")
        for number in range(count + 10)
    ]
    for task in tasks[:10]:
        prepare(task)
    return timed(prepare, tasks[10:]), round(statistics.mean(told), 1)


def measure(size: int, queries: int, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    exchanges = min(EXCHANGES, size // 2) if options.exchanges is None else options.exchanges
    documents = min(DOCUMENTS, size // 50) if options.documents is None else options.documents
    prose = Prose(size)
    path = folder / f"{size}.db"
    row: dict[str, Any] = {"memories": size}
    with Cortex.open(url=f"sqlite:///{path}") as cx:
        texts, seconds = fill(cx, prose, size)
        row["remember_many_per_s"] = round(size / seconds)
        give_vectors(cx, size)
        give_relations(cx._app.all_services()[0].store, size)  # noqa: SLF001
        give_documents(cx, prose, documents, folder / "documents")
        give_exchanges(cx, prose, exchanges)
        cx.warm()
        asked = [prose.question(text) for text in prose.random.sample(texts, min(queries, size))]
        warm = [cx.recall(question, floor=False) for question in asked[:20]]
        assert any(found.hits for found in warm)
        row["recall"] = timed(lambda question: cx.recall(question, floor=False), asked)
        embedder = cx._app.embedder  # noqa: SLF001
        embed: Any = embedder
        row["embedding"] = timed(lambda text: embed.embed_named([text + " again"]), asked)
        for question in asked:
            cx.recall(question, floor=False)  # the question's vector is in memory now
        row["recall_without_embedding"] = timed(lambda question: cx.recall(question, floor=False), asked)
        row["recall_keyword"] = timed(
            lambda question: cx.recall(question, floor=False, recipe="keyword"), asked
        )
        row["context"], row["context_entries"] = preparing(cx, prose, texts, queries)
        if exchanges:
            beside(cx, asked[:20])
            row["beside_exchanges"] = beside(cx, asked)
            print(f"beside {exchanges} exchanges: {row['beside_exchanges']}", flush=True)
        more = [prose.statement() for _ in range(50)]
        row["remember"] = timed(cx.remember, more)
        row["get"] = timed(cx.get, [memory.id for memory in cx.list(limit=200).memories])
        store: Any = cx._app.all_services()[0].store  # noqa: SLF001
        store.pool.exclusive().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        row["bytes_per_memory"] = round(path.stat().st_size / (size + len(more)))
    row["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--exchanges", type=int)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    names = (
        "recall",
        "recall_without_embedding",
        "recall_keyword",
        "embedding",
        "context",
        "remember",
        "get",
    )
    print(
        "| memories | remember_many/s | "
        + " | ".join(f"{name} p50 / p95 ms" for name in names)
        + " | bytes each | peak MB |"
    )
    print("|---" * (len(names) + 4) + "|")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            row = measure(size, options.queries, Path(folder), options)
        rows.append(row)
        cells = [f"{row[name]['p50']} / {row[name]['p95']}" for name in names]
        print(
            f"| {size} | {row['remember_many_per_s']} | {' | '.join(cells)} "
            f"| {row['bytes_per_memory']} | {row['peak_mb']} |",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
