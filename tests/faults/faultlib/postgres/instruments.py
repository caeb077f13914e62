"""What breaks a writer on PostgreSQL from within: something happens before its nth statement."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import psycopg

from faultlib.acts import ACTS
from faultlib.instruments import die
from recortex.storage.postgres import opening

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNTED = "statements"
"""The file that says how many statements there were."""
END_MILLISECONDS = 60_000
"""How long it is waited for the end of a connection."""


class Statements:
    """Counts the statements of the acts, and lets one not happen as it should.

    Args:
        how: count: nothing goes wrong; kill: the writer is killed; terminate: the server ends the
            connection; tell: a file says that the statement is reached, and the writer waits until another
            one is there.
        at: before which statement.
        folder: for those files.
        server: the database, past any proxy.
        idle: seconds after which the server ends a transaction whose writer waits so; 0 for what the store
            allows.
    """

    def __init__(self, how: str, at: int, folder: Path, server: str, idle: int) -> None:
        self.how, self.at, self.folder, self.server, self.idle = how, at, folder, server, idle
        self.armed = False
        self.seen = 0
        self._counted = os.open(folder / COUNTED, os.O_CREAT | os.O_WRONLY)
        self._execute, self._many = psycopg.Connection.execute, psycopg.Cursor.executemany
        instrument = self

        def execute(connection: Any, *args: Any, **more: Any) -> Any:
            instrument.before(connection)
            return instrument._execute(connection, *args, **more)

        def executemany(cursor: Any, *args: Any, **more: Any) -> Any:
            instrument.before(cursor.connection)
            return instrument._many(cursor, *args, **more)

        psycopg.Connection.execute, psycopg.Cursor.executemany = execute, executemany

    def during(self, act: Callable[..., None]) -> Callable[..., None]:
        """The act, counted."""

        def counted(*args: Any) -> None:
            self.armed = True
            try:
                act(*args)
            finally:
                self.armed = False

        return counted

    def before(self, connection: Any) -> None:
        """One more statement."""
        if not self.armed:
            return
        self.seen += 1
        os.pwrite(self._counted, f"{self.seen:8}".encode(), 0)
        if self.seen == self.at:
            self.armed = False
            getattr(self, f"_{self.how}")(connection)
            self.armed = True

    def _count(self, _: Any) -> None:
        pass

    def _kill(self, _: Any) -> None:
        die()

    def _terminate(self, connection: Any) -> None:
        pid = connection.info.backend_pid
        with psycopg.connect(self.server, autocommit=True) as other:
            self._execute(other, "SELECT pg_terminate_backend(%s, %s)", (pid, END_MILLISECONDS))

    def _tell(self, connection: Any) -> None:
        if self.idle:
            self._execute(connection, f"SET idle_in_transaction_session_timeout = '{self.idle}s'")
        (self.folder / "reached").touch()
        while not (self.folder / "broken").exists():
            time.sleep(0.002)


def arm(wish: dict[str, Any], do: list[str], folder: Path) -> None:
    """Make ready what a request asks for."""
    if "patience" in wish:
        opening.PATIENCE_SECONDS = wish["patience"]
    if "how" in wish:
        statements = Statements(wish["how"], wish["at"], folder, wish["server"], wish.get("idle", 0))
        for name in set(do):
            ACTS[name] = statements.during(ACTS[name])
