"""Jobs for the workers of a PostgreSQL store, in procrastinate's queue in the same database.

Its tables have a schema of their own, named by procrastinate's version: two versions of it never share a
table. A job says which workspace wants what done, and nothing of a memory; at most one of each kind waits for
a workspace.
"""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from recortex.app.backends import EXTRA
from recortex.errors import ConfigError, StorageError
from recortex.storage.postgres import ALWAYS, translated
from recortex.storage.postgres.opening import administration, workspaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from procrastinate import App

    from recortex.app.projects import Location
    from recortex.domain.address import Address

__all__ = [
    "defer",
    "guarded",
    "handed_over",
    "opened",
    "options",
    "prepare",
    "schema",
    "take_back",
    "workspaces",
]


ALIVE_SECONDS = 60
"""A worker that was not heard of for so long is none: it reports every ten seconds."""
_ALIVE = """
SELECT count(*) AS workers FROM procrastinate_workers
WHERE last_heartbeat > now() - make_interval(secs => %(s)s)
"""


def schema() -> str:
    """Where the queue's tables are.

    Raises:
        ConfigError: procrastinate is not installed.
    """
    try:
        return f"recortex_queue_{version('procrastinate').replace('.', '_')}"
    except PackageNotFoundError as error:
        raise ConfigError(
            "The queue needs a package that is not installed: procrastinate.", hint=EXTRA
        ) from error


def options(conninfo: str) -> dict[str, Any]:
    """What a connection of the queue is made with; what the URL wants of the server holds as well."""
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(conninfo).get("options", "")
    return {
        "conninfo": conninfo,
        "kwargs": {"options": f"{given} -c search_path={schema()},public".strip(), **ALWAYS},
    }


def prepare(address: Address) -> None:
    """Make the queue's tables where they are missing.

    Raises:
        StorageError: the role may not, or the server cannot be reached.
        ConfigError: the driver cannot read the URL.
    """
    from procrastinate.schema import SchemaManager

    with administration(address) as connection, translated(), connection.transaction():
        connection.execute("SELECT set_config('search_path', %s, true)", (f"{schema()}, public",))
        # Two processes at once would both find no tables, and one would fail.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        found = connection.execute("SELECT to_regclass(%s)", (f"{schema()}.procrastinate_jobs",)).fetchone()
        if found and found[0] is None:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema()}")
            connection.execute(SchemaManager.get_schema())


# Any number that no other program takes for its locks on the same server.
_LOCK = 0x5EC2


@contextmanager
def guarded() -> Iterator[None]:
    """Raise our errors for the queue's."""
    import psycopg
    from procrastinate.exceptions import ConnectorException

    with translated():
        try:
            yield
        except ConnectorException as error:
            if isinstance(error.__cause__, psycopg.Error):
                raise error.__cause__ from error
            raise StorageError("The queue cannot be read or written.") from error


@contextmanager
def opened(conninfo: str) -> Iterator[App]:
    """The queue, to put jobs into."""
    from procrastinate import App, SyncPsycopgConnector

    app = App(connector=SyncPsycopgConnector(**options(conninfo), min_size=1, max_size=1))
    with app.open():
        yield app


def defer(app: App, workspace: str, names: Iterable[str]) -> int:
    """Ask for jobs to be done for a workspace; one that waits already is not asked for twice.

    Returns how many are new.
    """
    from procrastinate.exceptions import AlreadyEnqueued

    new = 0
    for name in names:
        key = f"{name}:{sha256(workspace.encode()).hexdigest()[:32]}"  # of plain letters: the queue parses it
        # A lock for each workspace: two of its jobs never run side by side.
        job = app.configure_task(name=name, queueing_lock=key, lock=workspace, allow_unknown=True)
        try:
            job.defer(workspace=workspace)
            new += 1
        except AlreadyEnqueued:
            continue
    return new


def take_back(app: App) -> int:
    """Forget jobs of workers that were killed: others would wait for them for ever.

    The caller puts every job into the queue again. Returns how many there were.
    """
    rows = app.connector.get_sync_connector().execute_query_all(_LEFT_BEHIND, s=ALIVE_SECONDS)
    return len(rows)


_LEFT_BEHIND = """
DELETE FROM procrastinate_jobs j WHERE j.status = 'doing' AND NOT EXISTS (
  SELECT FROM procrastinate_workers w
  WHERE w.id = j.worker_id AND w.last_heartbeat > now() - make_interval(secs => %(s)s)
) RETURNING j.id
"""


def handed_over(location: Location, names: Sequence[str]) -> bool:
    """Ask the workers of a store to do these jobs.

    False where there is none, and they are to be done here.
    """
    if not location.remote:
        return False
    address = location.on_server
    try:
        with guarded(), opened(address.conninfo) as app:
            rows = app.connector.get_sync_connector().execute_query_one(_ALIVE, s=ALIVE_SECONDS)
            if not rows["workers"]:
                return False
            defer(app, address.workspace, names)
    except (StorageError, ConfigError):
        return False
    return True
