"""A whole store copied from one place to another."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.backends.stores import open_store
from recortex.app.location import of_project, of_url, of_user, prepare, unbound, url_of
from recortex.domain.time import to_micros
from recortex.errors import ConfigError, InvalidInputError
from recortex.storage.tables import copied
from recortex.storage.transfer import Copied, claim_target, copy, count_tables

if TYPE_CHECKING:
    from recortex.app.application import Application
    from recortex.app.backends.stores import WholeStore
    from recortex.app.location import Location


class CopiedStore(NamedTuple):
    """A copy: from where, to where, and table by table."""

    source: str
    target: str
    tables: tuple[Copied, ...]


def copy_store(app: Application, source: str, target: str, *, dry_run: bool) -> CopiedStore:
    """Copy a store.

    Args:
        app: whose settings, clock and progress are used.
        source: URL or path; `project` and `global` name the default SQLite stores.
        target: URL or path; made when it is not there.
        dry_run: only count what would be copied.

    Raises:
        ConfigError: one of the two cannot be a store, or there is no store at the source.
        InvalidInputError: both are the same, or the target holds something else.
        StorageError: one cannot be read or written.
    """
    origin, destination = _location(app, source), _location(app, target)
    if not origin.exists:
        raise ConfigError(
            f"There is no store at {origin.shown}.",
            hint="Give the URL or the path of one, such as sqlite:///FILE, or `project` or `global`.",
        )
    if origin.database == destination.database:
        raise InvalidInputError("Source and target are the same store.", hint="Give another target.")
    with closing(_opened(app, origin)) as old:
        if dry_run:
            tables = count_tables(copied(), old.full_copy)
            return CopiedStore(origin.shown, destination.shown, tuple(tables))
        destination = prepare(destination)
        with closing(_opened(app, destination, unfinished=True)) as new:
            claim_target(new.full_copy, origin.shown, now=to_micros(app.clock()))
            copies = copy(copied(), old.full_copy, new.full_copy, app.progress)
            new.full_copy.finish()
    return CopiedStore(origin.shown, destination.shown, tuple(copies))


def _location(app: Application, name: str) -> Location:
    if name in {"project", "global"}:
        return of_project(app.project) if name == "project" else of_user(app.project.home)
    url = name if "://" in name else url_of(name)
    location = of_url(url, app.project, workspace=app.settings["workspace"])
    if location.unbound:
        raise unbound(location)
    return location


def _opened(app: Application, location: Location, *, unfinished: bool = False) -> WholeStore:
    return open_store(
        location, clock=app.clock, settings=app.settings, degraded=app.degraded, unfinished=unfinished
    )
