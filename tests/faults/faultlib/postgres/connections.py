"""Connections that are cut, servers that restart or crash, and servers that refuse."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg

from faultlib.acts import WRITES
from faultlib.model import Fault, FaultClass, Record
from faultlib.postgres.instruments import COUNTED
from faultlib.postgres.proxy import WAYS, proxied
from faultlib.postgres.server import PgSite, Server, server_of
from faultlib.verdict import verdict
from faultlib.workbench import LONGEST_SECONDS, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from faultlib.workbench import Ended, Workbench

ENDED, KILLED, CUT, RESTART, CRASH, REFUSED, HUNG = (
    "connection ended at a statement", "writer killed at a statement", "connection cut at a byte",
    "server restart", "server crash", "server refuses", "hung writer",
)  # fmt: skip
ACTS = tuple(act for act in WRITES if act != "backup")
"""Backups of a server are its administrator's."""


def _statements(bench: Workbench, act: str) -> int:
    """How many statements an act has."""
    server = server_of(bench)
    with server.site() as site:
        done = bench.run(site, act, postgres={"how": "count", "at": 0, "server": site.server})
        if done.code or done.out["errors"]:
            raise AssertionError(f"{act} fails on a whole store: {done}")
        return int((site.root / COUNTED).read_text())


def of_write(bench: Workbench, fault: str, how: str, act: str) -> Iterator[Fault]:
    """The fault before each statement of an act."""
    for at in range(1, _statements(bench, act) + 1):
        yield Fault(fault, f"{act} {at}", partial(_at_statement, bench, fault, how, act, at))


def _each(fault: str, how: str, bench: Workbench) -> Iterator[Fault]:
    for act in ACTS:
        yield from of_write(bench, fault, how, act)


def _at_statement(bench: Workbench, fault: str, how: str, act: str, at: int) -> Record:
    with server_of(bench).site() as site:
        child = bench.run(site, act, postgres={"how": how, "at": at, "server": site.server})
        return _judged(site, fault, f"{act} at statement {at}", child)


def _judged(site: PgSite, fault: str, name: str, *children: Ended) -> Record:
    """The verdict; and nothing that a caller was told names a secret or is no error of ours."""
    record = verdict(site, fault, name, *children)
    told = [error for child in children for error in child.out.get("errors", ())]
    record.problems += [
        f"{error[0]}: {error[1]} is not what it is" for error in told if error[1] not in EXCUSED
    ]
    return record


EXCUSED = {"store_unavailable", "store_busy", "store_not_writable"}


def _cuts(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act, how = chance.choice((*ACTS, "several", "several")), chance.choice(WAYS)
        at, times = int(2 ** chance.uniform(8, 17)), chance.randint(1, 3)
        name = f"{act}: {how} after {at} bytes, {times} times"
        yield Fault(CUT, name, partial(_cut, bench, act, how, at, times, name))


def _cut(bench: Workbench, act: str, how: str, at: int, times: int, name: str) -> Record:
    server = server_of(bench)
    with server.site() as site:
        with proxied(server.socket(), how, at, times) as proxy:
            site.way.append(_through(site.server, proxy.port))
            child = bench.run(site, act, "remember", "recall", when="open")
        site.way.clear()
        return _judged(site, CUT, name, child)


def _through(url: str, port: int) -> str:
    parts = urlsplit(url)
    return f"postgresql://postgres@127.0.0.1:{port}{parts.path}?gssencmode=disable"


def _ends(fault: str, how: Callable[[Server], None], bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act, at = chance.choice(["several", "stream", "several", *ACTS]), int(2 ** chance.uniform(0, 6.5))
        away = chance.choice([0.0, 0.0, 0.5, 2.0])
        name = f"{act} at statement {at}, away for {away} s"
        yield Fault(fault, name, partial(_ended, bench, fault, how, act, at, away, name))


def _ended(
    bench: Workbench, fault: str, how: Callable[[Server], None], act: str, at: int, away: float, name: str
) -> Record:
    """The server ends just before a statement, and comes back while the writer goes on."""
    server = server_of(bench)
    with server.site() as site:
        wish = {"how": "tell", "at": at, "server": site.server}
        child = bench.start(site, act, "remember", "recall", postgres=wish)
        wait_for(site.root / "reached", site.root / "out.json")
        how(server)
        (site.root / "broken").touch()
        time.sleep(away)
        server.start()
        return _judged(site, fault, name, bench.ended(site, child))


def _refusals(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        way, act = (
            chance.choice(["read-only", "full", "read-only", "no login"]),
            chance.choice(("several", *ACTS)),
        )
        yield Fault(REFUSED, f"{way}: {act}", partial(_refused, bench, way, act))


def _refused(bench: Workbench, way: str, act: str) -> Record:
    """It is in its right to, and what was there before is there afterwards."""
    server = server_of(bench)
    with server.site() as site, ExitStack() as stack:
        name = urlsplit(site.server).path.strip("/")
        if way == "read-only":
            server.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            stack.callback(
                server.run, "SET default_transaction_read_only = off", f"ALTER DATABASE {name} RESET ALL"
            )
        elif way == "full":
            _take_all(server, stack)
        else:
            server.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            stack.callback(server.run, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        child = bench.run(site, act, "recall", when="open")
        stack.close()
        server.wait_for_room()
        return _judged(site, REFUSED, f"{way}: {act}", child)


def _take_all(server: Server, stack: ExitStack) -> None:
    """Every connection that the server has."""
    while True:
        try:
            stack.enter_context(psycopg.connect(server.database("postgres")))
        except psycopg.OperationalError:
            return


def _hangs(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act, other = chance.choice(("several", *ACTS)), chance.choice(ACTS)
        at, ends = chance.randint(2, 12), chance.random() < 0.5
        name = f"{other} stops at statement {at}, {'is ended' if ends else 'goes on'}; {act}"
        yield Fault(HUNG, name, partial(_hung, bench, act, other, at, ends, name))


def _hung(bench: Workbench, act: str, other: str, at: int, ends: bool, name: str) -> Record:
    """One writer stops in the midst of its transaction; another one waits, and gives up or takes its turn."""
    with server_of(bench).site() as site:
        wish = {"how": "tell", "at": at, "server": site.server, "idle": 1 if ends else LONGEST_SECONDS}
        stopped = bench.start(site, other, postgres=wish, out="stopped.json")
        wait_for(site.root / "reached", site.root / "stopped.json")
        child = bench.run(site, act, postgres={"patience": LONGEST_SECONDS if ends else 0.5})
        if ends and child.out.get("errors"):
            record = _judged(site, HUNG, name, child)
            record.problems.append(f"the others never got their turn: {child.out['errors'][0]}")
            return record
        (site.root / "broken").touch()
        return _judged(site, HUNG, name, child, bench.ended(site, stopped, "stopped.json"))


CLASSES = (
    FaultClass(ENDED, complete=partial(_each, ENDED, "terminate")),
    FaultClass(KILLED, complete=partial(_each, KILLED, "kill")),
    FaultClass(CUT, some=_cuts, share=5, least=10),
    FaultClass(RESTART, some=partial(_ends, RESTART, Server.stop), share=2, least=2),
    FaultClass(CRASH, some=partial(_ends, CRASH, Server.crash), share=2, least=2),
    FaultClass(REFUSED, some=_refusals, share=2, least=4),
    FaultClass(HUNG, some=_hangs, share=2, least=3),
)
