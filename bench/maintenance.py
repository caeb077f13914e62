"""Upkeep of large stores: how long `gc` takes, and how long others wait to write meanwhile.

    python bench/maintenance.py [--sizes 10000,100000] [--each 10] [--json FILE]

A store is filled with memories of which each tenth (`--each`) was pruned long ago, each with a vector of
random signs; every fifth has a former state; the audit log has an entry for each memory, half of them
older than a year. Then every job is run once, as after a session, while another
process writes a note every few milliseconds and measures how long each takes. Last the file is written
anew (`gc --full`), which others wait for.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latency import Prose
from recortex.app.jobs.running import run_due
from recortex.app.wiring import application
from recortex.domain.memory import AuditEntry
from recortex.domain.vocabulary import Actor, Scope, Status
from recortex.engines.indexing import search_text
from recortex.settings import read
from scale_data import memories

if TYPE_CHECKING:
    from recortex.app.application import StoreServices

BATCH = 2_000
NOW = datetime(2026, 11, 1, tzinfo=UTC)
ALONE_SECONDS = 10
"""How long the other process first writes without any upkeep, to compare with."""
CHANGED = 5
"""Each fifth memory was changed once."""
DIMENSIONS = 384
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

WRITER = """
import sys, time, json, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(60_000)
waits = []
print("ready", flush=True)
number = 0
while not sys.stdin.closed and not __import__("pathlib").Path(sys.argv[2]).exists():
    begun = time.perf_counter()
    number += 1
    with connection:
        connection.execute(
            "INSERT OR REPLACE INTO degradations VALUES ('bench', '', '', 0, 0, 8e15, ?)", (number,)
        )
    waits.append(time.perf_counter() - begun)
    time.sleep(0.003)
waits.sort()
p50, p99 = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
print(json.dumps({"writes": len(waits), "p50": p50, "p99": p99, "longest": waits[-1]}))
"""


def fill(services: StoreServices, count: int, each: int) -> None:
    """Memories, vectors, former states and an audit log."""
    began, batch = NOW - timedelta(days=700), []
    for place, memory in enumerate(memories(Prose(count), count)):
        at = began + timedelta(days=600) * (place / count)
        status = Status.PRUNED if place % each == 0 else Status.ACTIVE
        batch.append(replace(memory, status=status, recorded_at=at, updated_at=at, valid_from=at))
        if len(batch) == BATCH or place + 1 == count:
            _put(services, batch)
            batch = []


def _put(services: StoreServices, batch: list[Any]) -> None:
    store = services.store
    codes = {bytes.fromhex(one.content_hash)[:16]: os.urandom(DIMENSIONS) for one in batch}
    with store.transaction():
        for place, one in enumerate(batch):
            store.memories.insert(one, search_text(one), actor=Actor.SYSTEM)
            if place % CHANGED == 0:
                store.memories.update(
                    one, one, search_text(one), actor=Actor.SYSTEM, reason="", keep_vector=True
                )
        keys = store.vectors.put("bench", codes)
        hashes = [bytes.fromhex(one.content_hash) for one in batch]
        store.vectors.attach(
            [(one.id, keys[hash_[:16]], hash_) for one, hash_ in zip(batch, hashes, strict=True)]
        )
        store.ledger.record(
            [
                AuditEntry(memory_id=one.id, operation="create", actor=Actor.SYSTEM, at=one.recorded_at)
                for one in batch
            ]
        )


def measured(count: int, each: int, folder: Path) -> dict[str, Any]:
    """One size."""
    (folder / ".git").mkdir()
    app = application(folder, url=None, clock=lambda: NOW, actor=Actor.SYSTEM, progress=None)
    services = app.services(Scope.PROJECT)
    fill(services, count, each)
    settings = read(folder)
    found: dict[str, Any] = {"memories": count, "bytes": services.store.bytes()}
    begun = time.perf_counter()
    services.store.compaction.space()
    found["space_ms"] = (time.perf_counter() - begun) * 1000
    begun = time.perf_counter()
    planned = run_due(services, lambda: NOW, settings, seconds=math.inf, everything=True, dry_run=True)
    found["dry_run_s"] = time.perf_counter() - begun
    options: tuple[tuple[str, dict[str, Any] | None], ...] = (
        ("alone", None),
        ("gc", {"everything": True}),
        ("full", {"everything": True, "full": True}),
    )
    for name, more in options:
        flag = folder / f"{name}.over"
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(services.location.database), str(flag)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        begun = time.perf_counter()
        done = [] if more is None else run_due(services, lambda: NOW, settings, seconds=math.inf, **more)
        if more is None:
            time.sleep(ALONE_SECONDS)
        took = time.perf_counter() - begun
        flag.touch()
        waits = json.loads(writer.communicate()[0])
        found[name] = {
            "seconds": took,
            "waits": waits,
            "chores": {one.name: {"ms": one.milliseconds, "state": one.state, **one.counts} for one in done},
        }
    found["planned"] = {one.name: one.counts for one in planned}
    found["bytes_after"] = services.store.bytes()
    app.close()
    return found


def main() -> None:
    """Print a table; write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--json")
    given = parser.parse_args()
    os.environ["RECORTEX_EMBEDDER"] = "none"
    results = []
    for count in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
            os.environ["RECORTEX_HOME"] = home
            results.append(measured(count, given.each, Path(folder)))
            show(results[-1])
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1), encoding="utf-8")


def show(found: dict[str, Any]) -> None:
    """One size as a table."""
    print(
        f"\n{found['memories']:,} memories, {found['bytes'] / 2**20:.0f} MB -> "
        f"{found['bytes_after'] / 2**20:.0f} MB; "
        f"space told in {found['space_ms']:.1f} ms, dry run {found['dry_run_s']:.2f} s"
    )
    for name in ("alone", "gc", "full"):
        one = found[name]
        waits = one["waits"]
        print(
            f"  {name:<5} {one['seconds']:7.2f} s; another process's writes: {waits['writes']:,}, "
            f"p50 {waits['p50'] * 1000:.1f} ms, p99 {waits['p99'] * 1000:.0f} ms, "
            f"longest {waits['longest'] * 1000:.0f} ms"
        )
        for chore, figures in one["chores"].items():
            counts = ", ".join(
                f"{key} {value:,}"
                for key, value in figures.items()
                if isinstance(value, int) and key != "ms" and value
            )
            print(f"        {chore:<11} {figures['ms']:>7,} ms  {figures['state']:<8} {counts}")


if __name__ == "__main__":
    main()
