"""A process that has loaded everything and forks a child for each request.

A fresh writer in a few milliseconds.

It is a script of its own, so that nothing of a test runner is forked. A request is a line of JSON; the
answer to `do` is the child's process id, the answer to `wait` how it ended (minus the signal's number, as
in subprocess).
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: F401  loaded here once, not in every child
import sqlite_vec  # noqa: F401

import recortex.cortex  # noqa: F401
from faultlib import instruments
from faultlib.acts import ACTS, WRITES, transcript
from faultlib.identity import seeded
from faultlib.told import Told
from recortex import Cortex
from recortex.embeddings import building  # noqa: F401
from recortex.errors import RecortexError
from recortex.storage import sqlite
from recortex.storage.sqlite import connection, migrations
from recortex.text import tokens

LONGEST_SECONDS = 600
"""A writer that has not ended by then hangs, however busy the machine."""
tokens.open_encoding(tokens.VOCABULARY)  # a fork is to have it already


def serve() -> None:
    """Answer until the input ends; what nobody waited for ends with it."""
    children: set[int] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            children.remove(request["wait"])
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if not answer:
                _child(request)
            children.add(answer)
        print(answer, flush=True)  # noqa: T201
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _child(request: dict[str, Any]) -> None:
    signal.alarm(LONGEST_SECONDS)
    folder = Path(request["folder"])
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    os.dup2(os.open(folder / "stderr", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666), 2)
    code = 1
    try:
        with seeded(request["ids"]):
            _work(request, folder)
        code = 0
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(code)


def _work(request: dict[str, Any], folder: Path) -> None:
    _limits(request)
    if "hold" in request:
        _hold(request, folder)
        return
    statements = instruments.Statements(request.get("statement"))
    disk = instruments.Disk(**request["disk"]) if "disk" in request else None
    armed = [statements, *([disk] if disk else [])]
    out: dict[str, Any] = {"errors": [], "seconds": []}
    cortex = Cortex.open(folder, url=request["url"], clock=_clock(request))
    if request.get("when", "act") == "act":
        with suppress(RecortexError):  # of a store that is gone: the act says so
            cortex.status()
    _ready(request, folder)
    for one in armed:
        one.armed = True
    told = Told(folder / "told.jsonl")
    for name in request["do"]:
        started = time.monotonic()
        try:
            ACTS[name](cortex, told, folder)
        except RecortexError as error:
            out["errors"].append([name, error.code, error.message, error.hint])
        out["seconds"].append(round(time.monotonic() - started, 3))
    try:
        cortex.close()
    except RecortexError as error:
        out["errors"].append(["close", error.code, error.message, error.hint])
    for one in armed:
        one.armed = False
    out |= {
        "statements": statements.seen,
        "calls": disk.calls if disk else 0,
        "bytes": disk.bytes if disk else 0,
    }
    (folder / request.get("out", "out.json")).write_text(json.dumps(out))


def _limits(request: dict[str, Any]) -> None:
    if "patience" in request:
        sqlite.PATIENCE_SECONDS = request["patience"]
        connection.BUSY_MILLISECONDS = 50
    if "postgres" in request:
        from faultlib.postgres.instruments import arm

        arm(request["postgres"], request["do"], Path(request["folder"]))
    if "schema" in request:
        _as_of(request["schema"])
    if "file_size" in request:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"], resource.RLIM_INFINITY))
    if "user" in request:
        os.setgid(request["user"])
        os.setuid(request["user"])


def _as_of(schema: int) -> None:
    """The program as it was, or will be, with that schema."""
    steps = list(migrations.known())
    while len(steps) < schema:
        number = len(steps) + 1
        table = f"of_schema_{number}"
        sql = f"CREATE TABLE {table} (x); INSERT INTO {table} SELECT key FROM memories;"  # noqa: S608
        steps.append(type(steps[0])(number, "later", sql))
    steps = steps[:schema]
    migrations.known = lambda: tuple(steps)
    migrations.newest = lambda: schema


def _clock(request: dict[str, Any]) -> Any:
    if "clock" not in request:
        return None
    from datetime import UTC, datetime, timedelta

    at = datetime.fromisoformat(request["clock"]).astimezone(UTC)
    jumps = list(request.get("jumps", ()))
    state = {"at": at}

    def now() -> datetime:
        state["at"] += timedelta(milliseconds=1) if not jumps else timedelta(seconds=jumps.pop(0))
        return state["at"]

    return now


def _hold(request: dict[str, Any], folder: Path) -> None:
    """Hold the lock of the store and do nothing, as a hung writer does."""
    import apsw

    held = apsw.Connection(str(folder / "store" / "cortex.db"))
    held.set_busy_timeout(LONGEST_SECONDS * 1000)
    held.execute(request["hold"])
    (folder / "held").touch()
    time.sleep(LONGEST_SECONDS)


def _ready(request: dict[str, Any], folder: Path) -> None:
    """Say that the store is open, and wait for the word to go on."""
    if "after" not in request:
        return
    (folder / "ready").touch()
    while not (folder / request["after"]).exists():
        time.sleep(0.002)


def _warm() -> None:
    """Load what is loaded late, once, so that no child needs to."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "transcript.jsonl").write_text(transcript())
        with Cortex.open(root, url=f"sqlite:///{root}/cortex.db") as cortex:
            told = Told(root / "told.jsonl")
            for name in ("furnish", *(name for name in WRITES if name != "import"), "recover"):
                ACTS[name](cortex, told, root)
            cortex.doctor()


if __name__ == "__main__":
    _warm()
    serve()
