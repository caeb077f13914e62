"""The team server: 1,000 versions sent and fetched, 100 clients that write, a pull out of a million versions.

The clients of the load write ten times a second each, whether they were answered or not; each sends what
waits as soon as its last push is answered, and what is measured is the time from a write to its
acknowledgement. With `--each`, every write is a request of its own.

    python bench/team.py [--clients 100] [--rate 10] [--seconds 20] [--workers 2] [--million 1000000] [--each]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections import deque
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import psycopg

from recortex.sync import protocol
from recortex.sync.protocol import MOST_VERSIONS, PROTOCOL, add_to_hash, check_version, signed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "contract")]  # the replicas are the tests' own

from servers import Server  # type: ignore[import-not-found]  # noqa: E402
from team_members import Replica, everything  # type: ignore[import-not-found]  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BODY = '{"kind":"decision","text":"' + "We keep sessions in Redis, because the pods restart. " * 8 + '"}'
_ROUNDS = 20


class Writer(NamedTuple):
    """What a process of the load needs of a replica."""

    port: int
    workspace: str
    token: str
    id: str
    member: str
    private: bytes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--rate", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--million", type=int, default=1_000_000)
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    database = Server()
    url = database.new_database("team")
    words = [
        sys.executable,
        "-m",
        "recortex",
        "serve",
        "--team",
        url,
        "--workspace",
        "team",
        "--admin",
        "ada",
    ]
    words += ["--workers", str(options.workers), "--rate", "100000"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert program.stdout
        link = next(one for line in program.stdout if (one := re.search(r"'(http\S+)/team#(\S+)'", line)))
        admin = Replica(link[1], "team", link[2])
        print(f"load of the machine: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
        thousand(admin)
        folder = str(database._folder)  # noqa: SLF001  it has no other name for it
        load(admin, partial(processor_seconds, program.pid, folder), options)
        if options.million:
            million(admin, url, options.million)
    finally:
        program.terminate()
        program.wait()
        database.stop()


def invited(admin: Any, member: str) -> Any:
    answer = admin.transport.ask("invite", {"member": member, "scope": "write"})
    return Replica(admin.place.base, "team", msgspec.json.decode(answer)["token"])


def thousand(admin: Any) -> None:
    sent, fetched = [], []
    for number in range(5):
        one = invited(admin, f"thousand {number}")
        one.write(1_000, body=BODY)
        start = time.perf_counter()
        reply = one.push()
        sent.append(time.perf_counter() - start)
        vector = dict(reply.vector)
        del vector[one.id]
        start = time.perf_counter()
        versions: list[Any] = []
        while True:
            page = admin.transport.pull(vector, MOST_VERSIONS)
            versions += page.versions
            vector |= {each.replica: each.counter for each in page.versions}
            if not page.more:
                break
        for version in versions:
            check_version(version)
            one.key.public_key().verify(bytes.fromhex(version.signature), signed(version, "team"))
        assert add_to_hash("", versions) == add_to_hash("", one.versions)
        fetched.append(time.perf_counter() - start)
    print(f"1,000 versions: push {median(sent):.2f} s, pull and check {median(fetched):.2f} s")


def load(admin: Any, used: Callable[[], Used], options: argparse.Namespace) -> None:
    port = int(admin.place.base.rpartition(":")[2])
    some = [invited(admin, f"writer {number}") for number in range(options.clients)]
    writers = [
        Writer(port, "team", one.token, one.id, one.member, one.key.private_bytes_raw()) for one in some
    ]
    halves = [(writers[half::2], options.rate, options.seconds, options.each) for half in range(2)]
    start, before = time.perf_counter(), used()
    with multiprocessing.Pool(2) as pool:
        found = pool.starmap(write, halves)
    took, after = time.perf_counter() - start, used()
    times = sorted(one for half in found for one in half[0])
    requests, errors = sum(half[1] for half in found), sum(half[2] for half in found)
    clients = sum(half[3] for half in found)
    part = quantiles(times, n=100)
    print(
        f"{options.clients} clients: {len(times):,} writes in {requests:,} requests, {took:.0f} s;"
        f" from write to answer median {median(times) * 1000:.0f} ms, p95 {part[94] * 1000:.0f},"
        f" p99 {part[98] * 1000:.0f},"
        f" longest {times[-1] * 1000:.0f}; {errors} errors; load {os.getloadavg()[0]:.1f}"
    )
    for what, each in (("write", len(times)), ("request", requests)):
        spent = (after.server - before.server, after.database - before.database, clients)
        of = (one / each * 1000 for one in spent)
        print("  processor time a {}: server {:.2f} ms, database {:.2f}, clients {:.2f}".format(what, *of))
    counted = len([one for one in everything(admin) if one.author.startswith("writer")])
    assert counted == len(times), (counted, len(times))


class Used(NamedTuple):
    """Seconds of processor time."""

    server: float
    database: float


def processor_seconds(server: int, folder: str) -> Used:
    """What the server's processes and the database's have used so far; Linux alone tells."""
    fields = {}
    for path in Path("/proc").iterdir():
        try:
            stat = (path / "stat").read_text().rpartition(")")[2].split()
            place = str((path / "cwd").readlink())
        except (OSError, ValueError):
            continue
        if path.name.isdecimal():
            fields[int(path.name)] = int(stat[1]), int(stat[11]) + int(stat[12]), place
    ours = {server}
    while new := {pid for pid, (parent, *_) in fields.items() if parent in ours} - ours:
        ours |= new
    second = os.sysconf("SC_CLK_TCK")
    return Used(
        sum(ticks for pid, (_, ticks, _) in fields.items() if pid in ours) / second,
        sum(ticks for _, ticks, place in fields.values() if place == folder) / second,
    )


Half = tuple[list[float], int, int, float]
"""Times of writes, requests, errors, and the clients' own processor time."""


def write(writers: Sequence[Writer], rate: float, seconds: float, each: bool) -> Half:
    return asyncio.run(_write(writers, rate, seconds, each))


async def _write(writers: Sequence[Writer], rate: float, seconds: float, each: bool) -> Half:
    clients = [Client(one, int(rate * seconds)) for one in writers]
    used, start = time.process_time(), time.perf_counter() + 0.5
    await asyncio.gather(
        *(one.run(start + number / len(clients) / rate, rate, each) for number, one in enumerate(clients))
    )
    return (
        [taken for one in clients for taken in one.times],
        sum(one.requests for one in clients),
        sum(one.errors for one in clients),
        time.process_time() - used,
    )


class Client:
    """Writes at its times, and pushes what waits over a connection that stays."""

    def __init__(self, writer: Writer, number: int) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self.key = Ed25519PrivateKey.from_private_bytes(writer.private)
        self.writer, self.times, self.requests, self.errors = writer, list[float](), 0, 0
        one = Replica("http://x", writer.workspace, writer.token, writer.member, key=self.key, joined=False)
        # Signed beforehand: what writing costs a client is not what is measured.
        self.versions = deque(map(msgspec.json.encode, one.write(number, body=BODY)))

    async def run(self, start: float, rate: float, each: bool) -> None:
        reader, stream = await asyncio.open_connection("127.0.0.1", self.writer.port)
        due = deque(start + number / rate for number in range(len(self.versions)))
        while due:
            await asyncio.sleep(max(0.0, due[0] - time.perf_counter()))
            waiting = 1 if each else sum(one <= time.perf_counter() for one in due)
            batch = b",".join(self.versions.popleft() for _ in range(waiting))
            body = b'{"workspace":"%s","versions":[%s]}' % (self.writer.workspace.encode(), batch)
            status = await self._send(reader, stream, body)
            now = time.perf_counter()
            self.requests += 1
            self.errors += status != 200
            self.times += [now - due.popleft() for _ in range(waiting)]
        stream.close()

    async def _send(self, reader: asyncio.StreamReader, stream: asyncio.StreamWriter, body: bytes) -> int:
        path, moment = f"{protocol.ROOT}/{self.writer.workspace}/push", int(time.time() * 1000)
        body, encoding = protocol.packed(body)  # all as the real client does it
        proof = self.key.sign(protocol.signed_request("POST", path, moment, body)).hex()
        head = {
            "host": "127.0.0.1",
            "authorization": f"Bearer {self.writer.token}",
            protocol.PROTOCOL_HEADER: PROTOCOL,
            protocol.REPLICA: self.writer.id,
            protocol.PROOF: f"{moment}.{proof}",
            "accept-encoding": "gzip",
            "content-type": "application/json",
            "content-encoding": encoding or "identity",
            "content-length": len(body),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        stream.write(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        found = re.search(r"content-length: (\d+)", answered)
        await reader.readexactly(int(found[1]) if found else 0)
        return int(answered.split()[1])


_MANY = """
INSERT INTO recortex_team.versions (workspace, replica, counter, id, memory, purges, payload)
SELECT 'team', r.replica, n, sha256((r.replica || n)::bytea), 'memory ' || r.replica || n, false,
  convert_to(format('{"id":"%%s","memory_id":"m%%s","parents":[],"replica":"%%s","counter":%%s,"clock":1,'
    '"operation":"create","author":"many","body":"%%s","signature":"%%s"}',
    encode(sha256((r.replica || n)::bytea), 'hex'), n, r.replica, n, repeat('x', 300), repeat('0', 128)),
  'UTF8')
FROM recortex_team.replicas r, generate_series(1, %s) n WHERE r.workspace = 'team' AND r.member LIKE 'many %%'
"""


def million(admin: Any, url: str, number: int) -> None:
    for one in range(100):
        invited(admin, f"many {one}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_MANY, (number // 100,))
        connection.execute(
            "UPDATE recortex_team.replicas SET counter = %s WHERE member LIKE 'many %%'", (number // 100,)
        )
        connection.execute("VACUUM ANALYZE")
        held = connection.execute("SELECT count(*) FROM recortex_team.versions").fetchone()
    writer, times = invited(admin, "late"), list[float]()
    vector = dict(admin.transport.pull({}, 1).vector)
    for _ in range(_ROUNDS):
        made = writer.write(100, body=BODY)
        writer.push(*made)
        start = time.perf_counter()
        page = admin.transport.pull(vector, MOST_VERSIONS)
        times.append(time.perf_counter() - start)
        assert list(page.versions) == made
        vector = dict(page.vector)
    print(
        f"{held[0] if held else 0:,} versions of {len(vector)} replicas on the server: pull of 100 new ones"
        f" median {median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
