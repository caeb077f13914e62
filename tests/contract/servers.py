"""Empty stores of every engine and layout.

A file of their own, or a workspace of their own on a real server.
"""

import shutil
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

import local_postgres
from example_memories import AT
from recortex.domain.address import parse
from recortex.storage.postgres.store import PgStore
from recortex.storage.sqlite.store import SqliteStore

PARTITIONS = {"postgres": 0, "postgres-partitioned": 4}
LAYOUTS = ("sqlite", *PARTITIONS)
_QUICK = "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET jit = off", "SELECT pg_reload_conf()"
"""What a crash of the machine would lose is not what these tests are about."""


class Server:
    """A PostgreSQL server that starts when it is first needed, with a database for each layout."""

    def __init__(self):
        self._running, self._databases, self._numbers = None, {}, count(1)

    def url(self, layout="postgres"):
        """The database of a layout, its schema made."""
        if layout not in self._databases:
            self._databases[layout] = self.new_database(f"store_{PARTITIONS[layout]}")
            PgStore(
                parse(f"{self._databases[layout]}&partitions={PARTITIONS[layout]}", workspace="first"),
                clock=lambda: AT,
            ).close()
        return self._databases[layout]

    def new_database(self, name):
        """An empty database; returns its URL."""
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
        return local_postgres.url(self._started(), name)

    def run(self, *statements, database="postgres"):
        """Statements as the superuser; returns the last one's rows."""
        return local_postgres.run(local_postgres.url(self._started(), database), *statements)

    def new_name(self):
        """A name that no workspace of this server has."""
        return f"workspace {next(self._numbers)}"

    def workspace_url(self, layout="postgres"):
        """The URL of a workspace that is not there yet."""
        return f"{self.url(layout)}&workspace={quote(self.new_name())}"

    def stop(self):
        if self._running is not None:
            self._running.cleanup()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _started(self):
        if self._running is None:
            self._folder = Path(tempfile.mkdtemp(prefix="recortex-pg-"))
            self._running = local_postgres.start(self._folder)
            self.run(*_QUICK)
        return self._running


@contextmanager
def workspace(url, name, **more):
    """A store in a workspace."""
    store = PgStore(parse(url, workspace=name), clock=lambda: AT, **{"connections": 4} | more)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def file_store():
    """A store in a file."""
    with tempfile.TemporaryDirectory(prefix="recortex-test-") as folder:
        store = SqliteStore(Path(folder, "cortex.db"), backups=Path(folder, "backups"), clock=lambda: AT)
        try:
            yield store
        finally:
            store.close()


@contextmanager
def empty_store(server, layout):
    """An empty store of a layout."""
    opened = file_store() if layout == "sqlite" else workspace(server.url(layout), server.new_name())
    with opened as store:
        yield store
