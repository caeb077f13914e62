"""Which storage stands behind a location: a SQLite file, or a workspace of a PostgreSQL database.

Imported by hooks: an engine is loaded only where a location is its own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from recortex.app import brief_cache
from recortex.errors import ConfigError, CorruptStoreError, StorageError
from recortex.filesystem import require_own
from recortex.lean import lazy_module
from recortex.storage.database import copied_from
from recortex.storage.records.sessions import SessionRecords
from recortex.storage.sqlite import Pool, digest, objects_of
from recortex.storage.sqlite.migrations import DIGESTS, newest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.app.projects import Location
    from recortex.domain.maintenance import Degradation, Generation
    from recortex.ports.search import Sessions
    from recortex.settings import Settings
    from recortex.storage.database import Database
    from recortex.storage.postgres import PgDatabase
    from recortex.storage.postgres.store import PgStore
    from recortex.storage.sqlite.store import SqliteStore

    WholeStore = SqliteStore | PgStore
    from recortex.storage.postgres import opening
    from recortex.storage.records import memories
    from recortex.storage.sqlite import connection
else:
    opening = lazy_module("recortex.storage.postgres.opening")
    connection = lazy_module("recortex.storage.sqlite.connection")
    memories = lazy_module("recortex.storage.records.memories")

EXTRA = "pip install 'recortex[postgres]'"


def open_store(
    location: Location,
    *,
    clock: Callable[[], datetime],
    settings: Settings,
    degraded: Callable[[Degradation], None],
    unfinished: bool = False,
) -> WholeStore:
    """Open a store to work with; it is made when it is not there.

    Args:
        location: where it is.
        clock: gives the time.
        settings: of the project.
        degraded: told of a part that failed and what stands in for it.
        unfinished: also one that is an unfinished copy of another store, to go on copying.

    Raises:
        ConfigError: what is needed for it is not installed.
        StorageError: it cannot be opened, or is an unfinished copy: going on copying would undo what is kept.
    """
    if location.remote:
        try:
            from recortex.storage.postgres.store import PgStore
        except ImportError as error:
            raise missing(error) from error
        store: WholeStore = PgStore(
            location.on_server,
            clock=clock,
            connections=settings["postgres.connections"],
            backups=location.backups,
            keep_backups=settings["backups.keep"],
        )
    else:
        from recortex.storage.sqlite.store import SqliteStore

        store = file = SqliteStore(
            location.database,
            backups=location.backups,
            indexes=location.vectors,
            clock=clock,
            keep_backups=settings["backups.keep"],
            on_degradation=degraded,
        )
        if settings["backups.every_days"]:
            # Made at the first change and not now: most processes only read.
            file.back_up_first()
    try:
        source = None if unfinished else _copied_from(store.database)
    # An interruption as well must not leave the file open, and locked.
    except BaseException:
        store.close()
        raise
    if source is None:
        return store
    store.close()
    raise StorageError(
        f"The store {location.shown} is half a copy of {source}.",
        hint="Give the same `recortex migrate-store` again: it goes on where it stopped. Or use another file "
        "or workspace.",
    )


def _copied_from(database: Database) -> str | None:
    """The store that this one is an unfinished copy of; None where it is none.

    None also for a damaged store: `doctor` is to look at it.
    """
    try:
        return copied_from(database)
    except CorruptStoreError:
        return None


def open_sessions(location: Location) -> Sessions | None:
    """The sessions of a store, without opening the rest of it.

    None where the store is not there, is an unfinished copy, or has not exactly this program's schema.
    """
    if location.remote:
        database = _workspace(location)
        return None if _copied_from(database) else SessionRecords(database)
    if not location.exists:
        return None
    require_own(location.database)
    # Without the extension for vectors, which sessions do not need.
    pool = Pool(location.database, vectors=False)
    # Exactly this schema: a hook must not migrate a store that others work with.
    known = DIGESTS.get(digest(objects_of(pool.rows)))
    if known == newest() == pool.schema() and not _copied_from(pool):
        return SessionRecords(pool)
    pool.close()
    return None


def workspace_rows(location: Location) -> dict[str, int]:
    """The rows of a store on a server, by table."""
    return opening.count_rows(location.on_server)


def erase_workspace(location: Location) -> dict[str, int]:
    """Delete the workspace of a store on a server; returns the rows that are left, by table: none."""
    return opening.delete_rows(location.on_server)


def generation_of(locations: Sequence[Location]) -> str:
    """A text that changes whenever something in one of the stores does; accesses do not count.

    Raises:
        StorageError: a store that is there cannot be read.
    """
    return brief_cache.joined([(one.database, _generation(one)) for one in locations])


def _generation(location: Location) -> Generation | None:
    if location.remote:
        return memories.StatisticsRecords(_workspace(location)).generation()
    return connection.change_counter(location.database)


@cache
def _workspace(location: Location) -> PgDatabase:
    """The connection that a hook needs: one, for as long as its process lives."""
    try:
        from recortex.storage.postgres.opening import open_database
    except ImportError as error:
        raise missing(error) from error
    return open_database(location.on_server, now=datetime.now(UTC), size=1)


def missing(error: ImportError) -> ConfigError:
    """What to say where an engine's package is not installed."""
    return ConfigError(f"PostgreSQL needs a package that is not installed: {error.name}.", hint=EXTRA)
