"""Where a store is: from a folder, a URL and the settings to a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from recortex.codebase.project import STORE_FOLDER, project_root
from recortex.errors import ConfigError, PermissionsError

if TYPE_CHECKING:
    from recortex.settings import Settings

DATABASE = "cortex.db"
GLOBAL_DATABASE = "global.db"
FOLDERS = ("backups", "locks", "queue", "surface-cache")


@dataclass(frozen=True, slots=True)
class Location:
    """A store's file, and the folder that belongs to it alone."""

    database: Path
    folder: Path

    def place(self, name: str) -> Path:
        """A file or folder that belongs to the store: never one of another store in the same folder."""
        alone = self.folder.name == STORE_FOLDER or self.database.name == GLOBAL_DATABASE
        return self.folder / (name if alone else f"{self.database.name}.{name}")

    @property
    def backups(self) -> Path:
        """Where its backups are."""
        return self.place("backups")

    def is_part(self, path: Path) -> bool:
        """Whether a path is the database itself or one of its companions, which nothing else may write."""
        names = {f"{self.database.name}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")}
        real = path.resolve()
        return real.parent == self.folder.resolve() and real.name in names

    def files(self) -> list[Path]:
        """Every file that may hold what was remembered: all of a folder of our own, else the database's and backups."""
        if self.folder.name == STORE_FOLDER:
            return sorted(path for path in self.folder.rglob("*") if path.is_file())
        beside = self.folder.glob(f"{self.database.name}*")
        return sorted(path for path in (*beside, *self.backups.glob("*")) if path.is_file())

    @property
    def absent(self) -> bool:
        """Whether nothing was ever kept here; something else in its place is no absence but an error to be told."""
        return not os.path.lexists(self.database) and (
            self.folder.is_dir() or not os.path.lexists(self.folder)
        )

    @property
    def exists(self) -> bool:
        """Whether there is a store."""
        return self.database.is_file() and self.database.stat().st_size > 0


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
    return Location(folder / DATABASE, folder)


def of_user(settings: Settings) -> Location:
    """The person's own store."""
    return Location(settings.home / GLOBAL_DATABASE, settings.home)


def of_url(url: str) -> Location:
    """The store that a URL names.

    Raises:
        ConfigError: no backend of this installation takes it.
    """
    parts = urlsplit(url)
    if parts.scheme != "sqlite":
        raise ConfigError(
            f"There is no store for {parts.scheme or url[:40]!r} URLs in this installation.",
            hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE).",
        )
    path = Path(unquote(parts.path.removeprefix("/")))
    if parts.netloc or not path.name:
        raise ConfigError(
            f"{url[:80]!r} names no file.", hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE)."
        )
    path = path.absolute()
    return Location(path, path.parent)


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
        _touch_private(location.database)
    except OSError as error:
        raise PermissionsError(f"The store's folder {location.folder} cannot be used: {error}.") from error


def _write_once(path: Path, text: str) -> None:
    if not path.exists() or not path.stat().st_size:  # a full disk leaves an empty one
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)


def _touch_private(path: Path) -> None:
    """The database's file is made readable by its owner alone; SQLite gives its companions the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
