"""Several processes on one store, and processes killed while they write.

    python bench/stress.py [--writers 8] [--each 1000] [--readers 4] [--kills 200] [--embedder hashed]
    [--seed 1] [--json FILE]

First `--writers` processes keep `--each` memories apiece, half one by one and half in batches, while
`--readers` processes recall, list and get without pause: nothing may be lost and no process may see an
error. Then a process that writes is killed `--kills` times (SIGKILL) at random moments, from its first
import to the middle of its work: by turns it keeps memories one by one or in batches, without vectors,
with the ONNX model's, or with hashed ones. It prints the id of each memory that the store has
acknowledged. After each kill the store must open, every acknowledged memory and edit must be there,
SQLite's integrity check and the keyword index's must be clean, and the vectors' index must hold what the
rows hold.

The exit code is 1 when anything was lost, broken or refused.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex import Cortex

WORDS = """
cache queue login invoice export search upload webhook report session token retry timeout migration index
schema parser lock shard replica deploy rollback header cookie cursor page filter sort merge branch commit
review build
""".split()
BATCH = 25
KILLS_PER_STORE = 20
SPREAD_SECONDS = 0.6
OPENING_SHARE = 1 / 3
START_SECONDS = 60.0


class Way(NamedTuple):
    """How the process that is killed writes."""

    name: str
    batch: int
    embedder: str


WAYS = (
    Way("one by one, no vectors", 1, "none"),
    Way("one by one, ONNX vectors", 1, "onnx"),
    Way("batches, no vectors", BATCH, "none"),
    Way("batches, ONNX vectors", BATCH, "onnx"),
    Way("one by one, hashed vectors", 1, "hashed"),
    Way("batches, hashed vectors", BATCH, "hashed"),
)


def main() -> None:
    options = _options()
    if options.role:
        {"write": _write, "read": _read, "victim": _victim}[options.role](options)
        return
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="recortex-stress-") as folder:
        if options.writers:
            report["together"] = _together(options, Path(folder, "together"))
            _print("processes at once", report["together"])
        if options.kills:
            report["killed"] = _killed(options, Path(folder, "killed"))
            _print("killed while writing", report["killed"])
    report["ok"] = all(part["ok"] for part in report.values())
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(0 if report["ok"] else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--each", type=int, default=1000)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--embedder", choices=["none", "hashed", "onnx"], default="hashed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    for hidden in ("--role", "--store"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--batch", type=int, default=1, help=argparse.SUPPRESS)
    return parser.parse_args()


def _print(title: str, part: dict[str, Any]) -> None:
    print(title)
    for name, value in part.items():
        print(f"  {name:<28}{value}")


# -- processes at once


def _together(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    store = folder / "cortex.db"
    started = time.perf_counter()
    readers = [
        _start(options, "read", store, number=number, stdin=subprocess.PIPE)
        for number in range(options.readers)
    ]
    writers = [_start(options, "write", store, number=number) for number in range(options.writers)]
    written = [_report(process) for process in writers]
    seconds = time.perf_counter() - started
    for process in readers:
        assert process.stdin
        process.stdin.close()
        process.stdin = None
    read = [_report(process) for process in readers]
    errors = Counter(error for one in (*written, *read) for error in one["errors"])
    kept, problems = _inspected(store, [id_ for one in written for id_ in one["ids"]], {})
    wanted = options.writers * options.each
    return {
        "memories wanted": wanted,
        "memories stored": kept,
        "seconds": round(seconds, 1),
        "slowest write, ms": max(one["slowest_ms"] for one in written),
        "reads": sum(one["reads"] for one in read),
        "slowest read, ms": max((one["slowest_ms"] for one in read), default=0),
        "errors": dict(errors),
        "problems": problems,
        "ok": kept == wanted and not errors and not problems,
    }


def _start(
    options: argparse.Namespace, role: str, store: Path, *, number: int, stdin: int | None = None
) -> subprocess.Popen[str]:
    words = ["--role", role, "--store", str(store), "--number", str(number), "--each", str(options.each)]
    return subprocess.Popen(
        [sys.executable, __file__, *words],
        env=_environment(options.embedder, store.parent),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _environment(embedder: str, folder: Path) -> dict[str, str]:
    own = {"RECORTEX_HOME": str(folder / "home"), "RECORTEX_EMBEDDER": embedder, "RECORTEX_THREADS": "1"}
    return {name: value for name, value in os.environ.items() if not name.startswith("RECORTEX_")} | own


def _report(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    if process.returncode or err:
        return {
            "errors": [err[-400:] or f"exit {process.returncode}"],
            "ids": [],
            "reads": 0,
            "slowest_ms": 0,
        }
    report: dict[str, Any] = json.loads(out)
    return report


def _open(options: argparse.Namespace) -> Cortex:
    from recortex import Cortex

    return Cortex.open(Path(options.store).parent, url=f"sqlite:///{options.store}")


def _write(options: argparse.Namespace) -> None:
    from recortex.errors import RecortexError

    chance = random.Random(options.number)
    ids: list[str] = []
    errors: list[str] = []
    slowest = 0.0
    singles = options.each // 2
    sizes = [1] * singles + [BATCH] * ((options.each - singles) // BATCH) + [(options.each - singles) % BATCH]
    with _open(options) as cortex:
        for size in filter(None, sizes):
            rows = [_row(chance, f"writer {options.number}", len(ids) + place) for place in range(size)]
            began = time.perf_counter()
            try:
                ids += [cortex.remember(**rows[0]).id] if size == 1 else cortex.remember_many(rows).ids
            except RecortexError as error:
                errors.append(f"{error.code}: {error}")
            slowest = max(slowest, time.perf_counter() - began)
    print(json.dumps({"ids": ids, "errors": errors, "slowest_ms": round(slowest * 1000)}))


def _row(chance: random.Random, who: str, number: int) -> dict[str, Any]:
    said = " ".join(chance.sample(WORDS, 8))
    return {"text": f"Note {number} of {who}: {said} {chance.random():.9f}.", "tags": [chance.choice(WORDS)]}


def _read(options: argparse.Namespace) -> None:
    from recortex.errors import RecortexError

    chance = random.Random(options.number)
    reads, slowest, errors = 0, 0.0, []
    with _open(options) as cortex:
        over = False
        while not over:
            over = bool(
                select.select([sys.stdin], [], [], 0)[0]
            )  # asked first: whoever comes late reads once, too
            began = time.perf_counter()
            try:
                for _ in _some_reads(cortex, chance):
                    reads += 1
            except RecortexError as error:
                errors.append(f"{error.code}: {error}")
            slowest = max(slowest, time.perf_counter() - began)
    print(json.dumps({"reads": reads, "errors": errors, "slowest_ms": round(slowest * 1000)}))


def _some_reads(cortex: Cortex, chance: random.Random) -> Iterator[object]:
    yield cortex.recall(" ".join(chance.sample(WORDS, 3)))
    page = cortex.list(tags=[chance.choice(WORDS)], limit=5)
    yield page
    for memory in page.memories:
        yield cortex.get(memory.id)


# -- killed while writing


def _killed(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    chance = random.Random(options.seed)
    acknowledged: Counter[str] = Counter()
    problems: list[str] = []
    silent = most = 0
    ids: list[str] = []
    edits: dict[str, str] = {}
    for number in range(options.kills):
        store = folder / str(number // KILLS_PER_STORE) / "cortex.db"
        if number % KILLS_PER_STORE == 0:
            ids, edits = [], {}
        way = WAYS[number % len(WAYS)]
        said, complaints = _kill_one(way, store, number, chance)
        kept = [line.split()[1] for line in said if line.startswith("kept ")]
        ids += kept
        edits |= {line.split()[1]: line.split()[2] for line in said if line.startswith("edited ")}
        acknowledged[way.name] += len(kept)
        silent += not kept
        stored, found = _inspected(store, ids, edits)
        found += complaints
        most = max(most, stored)
        problems += [f"kill {number} ({way.name}): {problem}" for problem in found]
    return {
        "kills": options.kills,
        "killed before any answer": silent,
        "memories acknowledged": sum(acknowledged.values()),
        **{f"  {name}": count for name, count in acknowledged.items()},
        "largest store, memories": most,
        "problems": problems,
        "ok": not problems,
    }


def _kill_one(way: Way, store: Path, number: int, chance: random.Random) -> tuple[list[str], list[str]]:
    """Start a writer and kill it: the whole lines that it printed, and what it complained of.

    A third of the processes are killed while they open the store, the others in the midst of their writing.
    """
    store.parent.mkdir(parents=True, exist_ok=True)
    words = ["--role", "victim", "--store", str(store), "--number", str(number), "--batch", str(way.batch)]
    process = subprocess.Popen(
        [sys.executable, __file__, *words],
        env=_environment(way.embedder, store.parent),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    out = _until(b"ready" if chance.random() < OPENING_SHARE else b"kept", process.stdout.fileno())
    time.sleep(chance.uniform(0, SPREAD_SECONDS))
    process.send_signal(signal.SIGKILL)
    rest, err = process.communicate()
    whole = (out + rest).rpartition(b"\n")[0].decode().splitlines()
    return whole, err.decode().splitlines()[-1:]


def _until(word: bytes, stream: int) -> bytes:
    """What a process prints up to a word, or within a minute."""
    deadline = time.monotonic() + START_SECONDS
    out = b""
    while word not in out and time.monotonic() < deadline:
        if select.select([stream], [], [], 1)[0]:
            if not (more := os.read(stream, 65536)):
                break
            out += more
    return out


def _victim(options: argparse.Namespace) -> None:
    chance = random.Random(options.number)
    print("ready", flush=True)
    with _open(options) as cortex:
        number = 0
        while True:
            rows = [_row(chance, f"life {options.number}", number + place) for place in range(options.batch)]
            number += options.batch
            ids = cortex.remember_many(rows).ids if options.batch > 1 else (cortex.remember(**rows[0]).id,)
            print("".join(f"kept {id_}\n" for id_ in ids), end="", flush=True)
            if chance.random() < 0.2:
                tag = f"edit{number}"
                cortex.edit(ids[0], tags=[tag])
                print(f"edited {ids[0]} {tag}", flush=True)


# -- what is in a store


def _inspected(store: Path, ids: Sequence[str], edits: dict[str, str]) -> tuple[int, list[str]]:
    """How many memories a store holds, and what is wrong with it."""
    from recortex.errors import RecortexError
    from recortex.storage.sqlite.store import SqliteStore

    if not store.exists() and not ids:
        return 0, []
    try:
        opened = SqliteStore(store, backups=store.parent / "backups", clock=_now)
    except RecortexError as error:
        return 0, [f"the store does not open: {error}"]
    try:
        return _look(opened, ids, edits)
    finally:
        opened.close()


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _look(store: Any, ids: Sequence[str], edits: dict[str, str]) -> tuple[int, list[str]]:
    from recortex.storage.sqlite.maintenance import check

    by_id = {memory.id: memory for memory in store.memories.get(ids)}
    lost = [id_ for id_ in ids if id_ not in by_id]
    undone = [id_ for id_, tag in edits.items() if id_ in by_id and tag not in by_id[id_].tags]
    found = check(store.pool)
    problems = [*found.problems, *_vectors(store)]
    problems += [f"{len(lost)} acknowledged memories are gone"] if lost else []
    problems += [f"{len(undone)} acknowledged edits are gone"] if undone else []
    problems += [] if found.index_whole else ["the keyword index does not agree with the rows"]
    return int(store.pool.value("SELECT count(*) FROM memories")), problems


def _vectors(store: Any) -> Iterator[str]:
    """Whether rows, vectors and the vectors' index name the same ones."""
    dangling = store.pool.value(
        "SELECT count(*) FROM memories m LEFT JOIN embeddings e ON e.key = m.embedding_key "
        "WHERE m.embedding_key IS NOT NULL AND e.key IS NULL"
    )
    if dangling:
        yield f"{dangling} memories name a vector that is not there"
    kept = {row[0] for row in store.pool.rows("SELECT key FROM embeddings")}
    signed = {row[0] for row in store.pool.rows("SELECT key FROM embedding_signs")}
    if kept != signed:
        yield f"{len(kept ^ signed)} vectors are kept but not to be found, or the other way round"


if __name__ == "__main__":
    main()
