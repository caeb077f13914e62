"""A whole store copied from one place to another."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.backends.stores import open_store
from recortex.app.location import of_project, of_url, of_user, prepare, unbound, url_of
from recortex.domain.time import to_micros
from recortex.errors import ConfigError, InvalidInputError
from recortex.storage.tables import copied
from recortex.storage.transfer import Copied, checked, copy, counted

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
        source: URL or path; `project` and `global` name the stores of files that are used without a URL.
        target: URL or path; made when it is not there.
        dry_run: only count what would be copied.

    Raises:
        ConfigError: one of the two cannot be a store, or the source is none.
        InvalidInputError: both are the same, or the target holds something else.
        StorageError: one cannot be read or written.
    """
    here, there = _location(app, source), _location(app, target)
    if not here.exists:
        raise ConfigError(f"There is no store at {here.shown}.", hint="Give the URL or the path of one.")
    if here.database == there.database:
        raise InvalidInputError("Source and target are the same store.", hint="Give another target.")
    with closing(_opened(app, here)) as one:
        if dry_run:
            return CopiedStore(here.shown, there.shown, tuple(counted(copied(), one.full_copy)))
        there = prepare(there)
        with closing(_opened(app, there, half=True)) as other:
            checked(other.full_copy, here.shown, now=to_micros(app.clock()))
            tables = copy(copied(), one.full_copy, other.full_copy, app.progress)
            other.full_copy.finish()
    return CopiedStore(here.shown, there.shown, tuple(tables))


def _location(app: Application, name: str) -> Location:
    if name in {"project", "global"}:
        return of_project(app.project) if name == "project" else of_user(app.project.home)
    url = name if "://" in name else url_of(name)
    location = of_url(url, app.project, workspace=app.settings["workspace"])
    if location.unbound:
        raise unbound(location)
    return location


def _opened(app: Application, location: Location, *, half: bool = False) -> WholeStore:
    return open_store(location, clock=app.clock, settings=app.settings, degraded=app.degraded, half=half)
