"""Where a store is: from a folder, a URL and the settings to a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.projects import FOLDER as PROJECTS
from recortex.app.projects import Project, establish, locate
from recortex.domain.expressions import lazy
from recortex.errors import ConfigError, PermissionsError
from recortex.filesystem import require_own, require_own_folder

if TYPE_CHECKING:
    import re

    from recortex.domain.address import Address
    from recortex.domain.vocabulary import Scope

DATABASE = "cortex.db"
GLOBAL_DATABASE = "global.db"
COMPANIONS = ("", "-wal", "-shm", "-journal", ".recovered", ".part", ".from-backup", ".last")
"""Endings of the names of a database's files: SQLite's own, and those of a recovery."""


@dataclass(frozen=True, slots=True)
class Location:
    """A store's file, and the folder that belongs to it alone.

    Attributes:
        database: the file; of a store on a server a name in the folder, where only what is this machine's own
            is kept: sessions that wait, locks, briefs.
        folder: where the file is; of a project that has none yet, one that is not there.
        project: whose store it is; None for the person's own, and for a file that a URL names.
        url: that the store was named by; it may hold a password.
        remote: whether it is on a server.
        workspace: its name there; empty while the checkout is bound to none.
    """

    database: Path
    folder: Path
    project: Project | None = field(default=None, hash=False)
    url: str = field(default="", repr=False)
    remote: bool = False
    workspace: str = ""

    @property
    def pending(self) -> bool:
        """Whether the project has no folder or workspace yet; another process may change that."""
        return self.project is not None and (
            self.project.folder is None or (self.remote and not self.workspace)
        )

    @property
    def unbound(self) -> bool:
        """Whether it is on a server, and nobody said which workspace there is the project's."""
        return self.remote and not self.workspace

    @property
    def shown(self) -> str:
        """Where it is, as shown to people; without a password."""
        return self.on_server.shown if self.remote else str(self.database)

    @property
    def on_server(self) -> Address:
        """The database and workspace of a store on a server."""
        from recortex.domain.address import parse

        return parse(self.url, workspace=self.workspace)

    @property
    def address(self) -> str:
        """What hooks and servers of the same store know it by; the same before and after it has a folder."""
        if self.project is None or self.remote:
            return f"{self.database.absolute()} {self.workspace}"
        return f"{self.project.home} {self.project.checkout.anchor}"

    def place(self, name: str) -> Path:
        """A file or folder that belongs to the store: never one of another store in the same folder."""
        alone = (self.project is not None and not self.remote) or self.database.name == GLOBAL_DATABASE
        return self.folder / (name if alone else f"{self.database.name}.{name}")

    @property
    def backups(self) -> Path:
        """Where its backups are."""
        return self.place("backups")

    @property
    def vectors(self) -> Path:
        """Where the approximate indexes of its vectors are."""
        return self.place("vectors")

    def is_part(self, path: Path) -> bool:
        """Whether a path is the database itself or one of its companions, which nothing else may write."""
        names = {f"{self.database.name}{suffix}" for suffix in COMPANIONS}
        real = path.resolve()
        return real.parent == self.folder.resolve() and real.name in names

    def files(self) -> list[Path]:
        """Every file that may hold memories: a project's whole folder, else database, backups and indexes."""
        if self.project is not None and not self.remote:
            return sorted(path for path in self.folder.rglob("*") if path.is_file())
        from glob import escape  # hooks do without it

        beside = self.folder.glob(f"{escape(self.database.name)}*")
        return sorted(
            path for path in (*beside, *self.backups.glob("*"), *self.vectors.glob("*")) if path.is_file()
        )

    @property
    def absent(self) -> bool:
        """Whether nothing was ever kept here. Something else in its place is an error, not an absence."""
        if self.remote:
            return False
        if os.path.lexists(self.database) or os.path.lexists(f"{self.database}.last"):
            return False
        return self.folder.is_dir() or not os.path.lexists(self.folder)

    @property
    def exists(self) -> bool:
        """Whether there is a store; one on a server is taken to be there as soon as a workspace is known."""
        if self.remote:
            return bool(self.workspace)
        return self.database.is_file() and self.database.stat().st_size > 0


class Locations(Mapping["Scope | None", Location]):
    """The stores of an application by scope; one store under None holds both scopes.

    A project's folder may be made, and a workspace bound, by another process while this one runs: until then
    each access looks for it again.
    """

    def __init__(self, locations: dict[Scope | None, Location]) -> None:
        self._locations = locations

    def __getitem__(self, scope: Scope | None) -> Location:
        """The location of a scope's store, as it is now."""
        if self._locations[scope].pending:
            self._locations[scope] = found_again(self._locations[scope])
        return self._locations[scope]

    def look_again(self, scope: Scope | None) -> None:
        """Find a scope's store anew: its project was bound to another workspace."""
        self._locations[scope] = found_again(replace(self._locations[scope], workspace=""))

    def __iter__(self) -> Iterator[Scope | None]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)


def of_project(project: Project) -> Location:
    """The store of a project."""
    folder = project.folder or _not_yet(project)
    return Location(_utf8(folder / DATABASE), folder, project)


def of_user(home: Path) -> Location:
    """The person's own store."""
    return Location(_utf8(home / GLOBAL_DATABASE), home)


def found_again(location: Location) -> Location:
    """The location of a project's store as it is now."""
    assert location.project is not None  # noqa: S101  only those are pending
    project = locate(location.project.home, location.project.checkout)
    return _on_server(location.url, project, location.workspace) if location.remote else of_project(project)


def _not_yet(project: Project) -> Path:
    """A folder that is never there: no id is in its name."""
    return project.home / PROJECTS / f"{project.name}-new"


def of_url(url: str, project: Project, *, workspace: str = "") -> Location:
    """The store that a URL names.

    Args:
        url: `sqlite:///FILE` or `postgresql://…`.
        project: in whose folder what is this machine's own of a store on a server is kept, and which says
            which workspace there it is bound to, where neither the URL nor `workspace` does.
        workspace: that the person's settings name.

    Raises:
        ConfigError: no backend of this installation takes it.
    """
    scheme = url.partition(":")[0]
    if scheme == "sqlite":
        from urllib.parse import (  # a hook of a project without a URL does without it
            unquote_to_bytes,
            urlsplit,
        )

        parts = urlsplit(url)
        path = Path(os.fsdecode(unquote_to_bytes(os.fsencode(parts.path.removeprefix("/")))))
        if parts.netloc or not path.name or "\0" in str(path):
            raise ConfigError(
                f"{url[:80]!r} names no file.", hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE)."
            )
        if any(
            mark in url for mark in "?#\t\r\n"
        ):  # what follows ? or # would not be part of the file's name
            raise ConfigError(
                f"{url[:80]!r} has parts that a URL of a file cannot have.",
                hint="Write ? as %3F, # as %23, a line's end as %0A in the file's name.",
            )
        path = path.absolute()
        return Location(_utf8(path), path.parent, url=url)
    if scheme in {"postgresql", "postgres"}:
        return _on_server(url, project, workspace)
    raise ConfigError(
        f"There is no store for {scheme[:40]!r} URLs in this installation.",
        hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE) or "
        "postgresql://USER@HOST/DATABASE?workspace=NAME.",
    )


def url_of(file: str) -> str:
    """The URL of a file by its path, whatever its name is."""
    from urllib.parse import quote

    return f"sqlite:///{quote(os.fsencode(file))}"


def _utf8(path: Path) -> Path:
    """A path as SQLite can be given it.

    Raises:
        ConfigError: its bytes are no UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"SQLite opens no file whose path is not UTF-8: {os.fsencode(path)!r}.",
            hint="Rename the folder; or name another place with `--url sqlite:////ABSOLUTE/FILE` or "
            "RECORTEX_URL.",
        ) from error
    return path


def _on_server(url: str, project: Project, workspace: str) -> Location:
    from recortex.domain.address import parse

    address = parse(url, workspace=workspace)
    if not address.workspace:
        address = address._replace(workspace=project.workspace(address.server))
    folder = project.folder or _not_yet(project)
    name = sha256(address.shown.encode()).hexdigest()[:12]
    return Location(
        folder / f"postgresql-{name}", folder, project, url, remote=True, workspace=address.workspace
    )


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    return _PARAMETER.sub(_hidden, _USER.sub(r"\1:***@", url))


_USER = lazy(r"(://[^:/?#]{0,256}):[^@]{0,256}@")
_PARAMETER = lazy(r"(?<=[?&])([^=&#]*)=[^&#]*")


def _hidden(parameter: re.Match[str]) -> str:
    """A password's name may be written with escapes, as the driver reads it."""
    from urllib.parse import unquote

    return f"{parameter[1]}=***" if "password" in unquote(parameter[1]).lower() else parameter[0]


def prepare(location: Location) -> Location:
    """Make the folders of a store, for its owner only.

    Returns where it is now, for a project that had no folder.

    Raises:
        ConfigError: it is on a server, and the checkout is bound to no workspace there.
        PermissionsError: the folder cannot be made or written.
        UntrustedFileError: it, or a file in it, is a link, or belongs to somebody else.
    """
    if location.unbound:
        raise unbound(location)
    location = with_folder(location)
    if (
        location.project is not None or not location.url
    ):  # the folder of a file that a person names is theirs to choose
        require_own_folder(location.folder)
    try:
        location.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not location.remote:
            for suffix in COMPANIONS:
                require_own(location.folder / f"{location.database.name}{suffix}")
            _touch_private(location.database)
    except OSError as error:
        raise PermissionsError(f"The store's folder {location.folder} cannot be used: {error}.") from error
    return location


def with_folder(location: Location) -> Location:
    """The location once its project has a folder, which is made if it has none; the store itself is not.

    Raises:
        StorageError: the folder cannot be made.
    """
    if location.project is None or location.project.folder is not None:
        return location
    establish(location.project)
    return found_again(location)


def unbound(location: Location) -> ConfigError:
    """What to say where nobody said which workspace on a server is the project's."""
    assert location.project is not None  # noqa: S101  only those are unbound
    return ConfigError(
        f"{location.project.root} is bound to no workspace of {location.shown}.",
        hint="Run `recortex init` there: it shows the name that it proposes. `?workspace=NAME` in the URL "
        "names one too.",
    )


def _touch_private(path: Path) -> None:
    """The database's file is made readable by its owner alone; SQLite gives its companions the same mode.

    One that is there is left alone: closing it would take the locks away that this process may have on it
    (POSIX), and another one would then take the log for an abandoned one.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
