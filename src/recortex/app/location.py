"""Where a store is: from a folder, a URL and the settings to a file."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from recortex.codebase.project import STORE_FOLDER, project_root
from recortex.errors import ConfigError, PermissionsError

if TYPE_CHECKING:
    from recortex.settings import Settings

DATABASE = "cortex.db"
GLOBAL_DATABASE = "global.db"
COMPANIONS = ("", "-wal", "-shm", "-journal", ".recovered", ".part", ".from-backup")
"""What follows a database's name in those of the files that stand for it: SQLite's own, and those of a recovery."""
FOLDERS = ("backups", "locks", "queue", "surface-cache", "vectors")


@dataclass(frozen=True, slots=True)
class Location:
    """A store's file, and the folder that belongs to it alone.

    Attributes:
        database: the file; of a store on a server a name in the folder, where only what is this machine's own is kept:
            sessions that wait, locks, briefs.
        folder: where the file is.
        url: that the store was named by; it may hold a password.
        workspace: its name on the server; empty for a file.
    """

    database: Path
    folder: Path
    url: str = field(default="", repr=False)
    workspace: str = ""

    @property
    def remote(self) -> bool:
        """Whether it is on a server."""
        return bool(self.workspace)

    @property
    def shown(self) -> str:
        """What a person is told of where it is: no secret is in it."""
        if not self.remote:
            return str(self.database)
        from recortex.storage.postgres.address import parse

        return parse(self.url, workspace=self.workspace).shown

    def place(self, name: str) -> Path:
        """A file or folder that belongs to the store: never one of another store in the same folder."""
        alone = (
            self.folder.name == STORE_FOLDER and not self.remote
        ) or self.database.name == GLOBAL_DATABASE
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
        """Every file that may hold what was remembered: all of a folder of our own, else the database's and backups."""
        if self.folder.name == STORE_FOLDER and not self.remote:
            return sorted(path for path in self.folder.rglob("*") if path.is_file())
        from glob import escape  # hooks do without it

        beside = self.folder.glob(f"{escape(self.database.name)}*")
        return sorted(
            path for path in (*beside, *self.backups.glob("*"), *self.vectors.glob("*")) if path.is_file()
        )

    @property
    def absent(self) -> bool:
        """Whether nothing was ever kept here; something else in its place is no absence but an error to be told."""
        if self.remote:
            return False
        return not os.path.lexists(self.database) and (
            self.folder.is_dir() or not os.path.lexists(self.folder)
        )

    @property
    def exists(self) -> bool:
        """Whether there is a store; one on a server is always taken to be there."""
        return self.remote or (self.database.is_file() and self.database.stat().st_size > 0)


def of_project(start: Path) -> Location:
    """The store of the project that `start` lies in.

    Raises:
        ConfigError: a symbolic link, which a cloned repository may bring, would lead its data elsewhere.
    """
    folder = project_root(start) / STORE_FOLDER
    for path in (folder, folder / DATABASE, *(folder / name for name in FOLDERS)):
        if path.is_symlink():
            raise ConfigError(
                f"{path} is a symbolic link: a project's files cannot say where data goes.",
                hint="Remove the link; `--url sqlite:////ABSOLUTE/FILE` or RECORTEX_URL names another place.",
            )
    return Location(_utf8(folder / DATABASE), folder)


def of_user(settings: Settings) -> Location:
    """The person's own store."""
    return Location(_utf8(settings.home / GLOBAL_DATABASE), settings.home)


def of_url(url: str, *, root: Path, workspace: str) -> Location:
    """The store that a URL names.

    Args:
        url: `sqlite:///FILE` or `postgresql://…`.
        root: of the project; what is this machine's own of a store on a server is kept there.
        workspace: its name on a server, where the URL has none.

    Raises:
        ConfigError: no backend of this installation takes it.
    """
    scheme = url.partition(":")[0]
    if scheme == "sqlite":
        return _of_file(url)
    if scheme in {"postgresql", "postgres"}:
        return _of_server(url, root, workspace)
    raise ConfigError(
        f"There is no store for {scheme[:40]!r} URLs in this installation.",
        hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE) or postgresql://USER@HOST/DATABASE?workspace=NAME.",
    )


def _of_file(url: str) -> Location:
    parts = urlsplit(url)
    path = Path(os.fsdecode(unquote_to_bytes(os.fsencode(parts.path.removeprefix("/")))))
    if parts.netloc or not path.name or "\0" in str(path):
        raise ConfigError(
            f"{url[:80]!r} names no file.", hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE)."
        )
    if any(
        mark in url for mark in "?#\t\r\n"
    ):  # what follows them would be another part of the URL, or be left out
        raise ConfigError(
            f"{url[:80]!r} has what no URL of a file has.",
            hint="Write ? as %3F, # as %23, a line's end as %0A in the file's name.",
        )
    path = path.absolute()
    return Location(_utf8(path), path.parent, url)


def url_of(file: str) -> str:
    """The URL of a file by its path, whatever its name is."""
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
            hint="Rename the folder; or name another place with `--url sqlite:////ABSOLUTE/FILE` or RECORTEX_URL.",
        ) from error
    return path


def _of_server(url: str, root: Path, workspace: str) -> Location:
    from recortex.storage.postgres.address import parse

    address = parse(url, workspace=workspace)
    folder = of_project(root).folder  # the same care with links as for a store of the project's own
    name = sha256(f"{address.shown}".encode()).hexdigest()[:12]
    return Location(folder / f"postgresql-{name}", folder, url, address.workspace)


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    return _PARAMETER.sub(_hidden, _USER.sub(r"\1:***@", url))


_USER = re.compile(r"(://[^:/?#]*):[^@]*@")
_PARAMETER = re.compile(r"(?<=[?&])([^=&#]*)=[^&#]*")


def _hidden(parameter: re.Match[str]) -> str:
    """A password's name may be written with escapes, as the driver reads it."""
    return f"{parameter[1]}=***" if "password" in unquote(parameter[1]).lower() else parameter[0]


def prepare(location: Location) -> None:
    """Make the folders of a store, for its owner only, with a `.gitignore` of everything.

    Raises:
        PermissionsError: the folder cannot be made or written.
    """
    try:
        location.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if location.folder.name == STORE_FOLDER:
            location.folder.chmod(0o700)
            _write_once(location.folder / ".gitignore", "*\n")
            for name in FOLDERS:
                (location.folder / name).mkdir(mode=0o700, exist_ok=True)
        if not location.remote:
            _touch_private(location.database)
    except OSError as error:
        raise PermissionsError(f"The store's folder {location.folder} cannot be used: {error}.") from error


def _write_once(path: Path, text: str) -> None:
    if not path.exists() or not path.stat().st_size:  # a full disk leaves an empty one
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)


def _touch_private(path: Path) -> None:
    """The database's file is made readable by its owner alone; SQLite gives its companions the same mode.

    One that is there is left alone: closing it would take the locks away that this process may have on it (POSIX), and
    another one would then take the log for nobody's.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
