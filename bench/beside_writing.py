"""Remembering beside mcp-memory-service, turn by turn: processor time of one memory, embedding included.

    python bench/beside_writing.py --cache FOLDER --other PYTHON [--sizes 1000,10000] [--texts 100] [--bare]
        [--json FILE]

PYTHON is an interpreter that has `mcp-memory-service` and whose `sqlite3` loads extensions: the other side
runs in a process of its own, because two copies of SQLite cannot share one of sqlite-vec. Its store begins
with the texts and vectors of ours, and it embeds with our model. With --bare it looks for neither duplicates
nor conflicts, which it does as it comes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
BATCH, TURN = 1_000, 10


async def other(path: str, bare: bool) -> None:
    """The other side: a line of JSON with texts in, a line with the seconds of each out."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what it prints by itself is no answer
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
    from mcp_memory_service.utils.hashing import generate_content_hash

    from recortex.embeddings.onnx import OnnxEmbedder

    model = OnnxEmbedder()

    class Model:
        def encode(self, texts: Any, **_: Any) -> Any:
            return model.embed(list(texts))

    class Storage(SqliteVecMemoryStorage):  # type: ignore[misc]
        given: dict[str, Any] | None = None

        async def _initialize_embedding_model(self) -> None:
            self.embedding_model, self.embedding_dimension = Model(), model.dimensions

        def _generate_embedding(self, text: str) -> Any:
            return self.given[text] if self.given else super()._generate_embedding(text)

        def _detect_conflicts(self, *given: Any) -> Any:
            return [] if bare or self.given else super()._detect_conflicts(*given)

    storage = Storage(path)
    await storage.initialize()
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        storage.given, times = texts if isinstance(texts, dict) else None, []
        for text in texts:
            memory = Memory(content=text, content_hash=generate_content_hash(text), memory_type="note")
            began = time.process_time()
            kept, why = await storage.store(memory, skip_semantic_dedup=bare or bool(storage.given))
            times.append(time.process_time() - began)
            assert kept, why
        print(json.dumps(times), file=out, flush=True)


class Other:
    """Talks with the other side's process."""

    def __init__(self, python: str, path: Path, bare: bool) -> None:
        here = [str(ROOT / "src"), *(one for one in sys.path if one.endswith("site-packages"))]
        code = f"import sys; sys.path += {here!r}; sys.argv = ['', '--store', {str(path)!r}, {str(bare)!r}]; "
        code += f"import runpy; runpy.run_path({__file__!r}, run_name='__main__')"
        self.process = subprocess.Popen(
            [python, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        assert self.process.stdout.readline()

    def store(self, texts: Any) -> list[float]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(texts) + "\n")
        self.process.stdin.flush()
        found: list[float] = json.loads(self.process.stdout.readline())
        return found


def took(act: Any, *values: Any) -> float:
    began = time.process_time()
    act(*values)
    return time.process_time() - began


def measure(size: int, options: argparse.Namespace) -> dict[str, Any]:
    from beside_vectors import contents, stores_of
    from latency import Prose
    from recortex import Cortex
    from recortex.embeddings.onnx import OnnxEmbedder

    folder = options.cache / "writing"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    url = stores_of(options.cache, size)
    shutil.copy(url.removeprefix("sqlite:///"), folder / "ours.db")
    prose, embedder = Prose(time.time_ns() % 1_000_000), OnnxEmbedder()
    beside = Other(options.other, folder / "other.db", options.bare)
    sides: dict[str, list[float]] = {"ours": [], "theirs": [], "embedding": []}
    with Cortex.open(url=f"sqlite:///{folder / 'ours.db'}") as cx:
        _, texts, vectors = contents(cx)
        for start in range(0, size, BATCH):
            part = slice(start, start + BATCH)
            beside.store(dict(zip(texts[part], vectors[part].tolist(), strict=True)))
        acts: dict[str, Callable[[list[str]], list[float]]] = {
            "ours": lambda texts: [took(cx.remember, text) for text in texts],
            "theirs": beside.store,
            "embedding": lambda texts: [took(embedder.embed, [text]) for text in texts],
        }
        for turn in range(1 + options.texts // TURN):
            for name in acts if turn % 2 else reversed(acts):
                times = acts[name]([prose.statement() for _ in range(TURN)])
                sides[name] += times if turn else []  # the first turn loads the models
    row = {name: round(1e3 * statistics.median(times), 2) for name, times in sides.items()}
    return {"memories": size, **row, "ratio": round(row["theirs"] / row["ours"], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--other", required=True, help="a Python that has mcp-memory-service")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.cache = options.cache.absolute()
    options.cache.mkdir(parents=True, exist_ok=True)
    print("| memories | remember, ms | the other, ms | embedding alone, ms | ratio |\n" + "|---" * 5 + "|")
    rows = []
    for size in map(int, options.sizes.split(",")):
        rows.append(measure(size, options))
        print("| " + " | ".join(map(str, rows[-1].values())) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--store"]:
        asyncio.run(other(sys.argv[2], sys.argv[3] == "True"))
    else:
        main()
