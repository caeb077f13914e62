"""Where a project's memory is: a folder of the person's data, bound to the checkout that it belongs to.

A checkout says which folder is its own by an id in git's local configuration, which no clone and no pull
brings along; the folder says to which path it is bound. Both must agree. A folder without git is known by its
path alone. So nothing that comes with a repository can point at a memory, bring one along, or replace one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from recortex.app.lock import alone
from recortex.app.naming import shown
from recortex.codebase.project import Checkout, find_checkout, same_folder, working_tree
from recortex.errors import PermissionsError, StoreBusyError, UntrustedFileError
from recortex.filesystem import read_own, replace_text, require_own_folder

FOLDER = "projects"
CODE = "code"
RECORD = "project.json"
PARTS = ("backups", "locks", "queue", "surface-cache", "vectors")
GIT_KEY = "recortex.id"
_MOST_BYTES = 64 * 1024
_LONGEST_NAME = 40  # characters of the project's name in its folder's
_ID = re.compile(r"[0-9a-f]{16}")  # of a project; its folder's name ends with it
_PATIENCE = 5.0  # seconds to wait for another process that makes a folder


@dataclass(frozen=True, slots=True)
class Record:
    """What a project's folder says of itself.

    Attributes:
        id: the end of the folder's name.
        path: the checkout's anchor that it is bound to, with stand-ins for secrets.
        inode: of the checkout's root when it was bound.
        former: the id that the checkout carried when this folder was made: it had been moved or copied.
        workspaces: the names of its workspaces on servers, by the server's address.
    """

    id: str
    path: str
    inode: int = 0
    former: str = ""
    workspaces: dict[str, str] = field(default_factory=dict)

    def binds(self, anchor: Path) -> bool:
        """Whether the folder is bound to an anchor."""
        path = str(anchor)
        return self.path == path or shown(self.path) == shown(path)


_USUAL = tuple(asdict(Record("", "")).values())


@dataclass(frozen=True, slots=True)
class Project:
    """A checkout with the folder that keeps its memory.

    Attributes:
        home: the person's data folder.
        folder: the project's; None where it has none yet.
        record: what the folder says.
        elsewhere: the folder whose id the checkout carries, where that is bound to another path: the checkout
            was moved or copied.
    """

    home: Path
    checkout: Checkout
    folder: Path | None = None
    record: Record | None = None
    elsewhere: Path | None = None

    @property
    def root(self) -> Path:
        """The top folder of the main working tree."""
        return self.checkout.root

    @property
    def name(self) -> str:
        """The root's name, as it can stand in a folder's name anywhere."""
        return (
            re.sub(r"[^A-Za-z0-9._-]+", "-", shown(self.root.name))[:_LONGEST_NAME].strip("-.") or "project"
        )

    @property
    def facts(self) -> Path:
        """Where the facts of its code are, for all of its working trees."""
        return self.home / CODE / f"{self.name}-{path_id(self.checkout.anchor)}.db"

    def tree(self, folder: Path) -> Path:
        """The top of the working tree of it that a folder lies in; the main one where it lies in none."""
        same = folder.is_dir() and find_checkout(folder).anchor == self.checkout.anchor
        return working_tree(folder) if same else self.root

    @property
    def former(self) -> Path | None:
        """The folder whose id the checkout carried before it got its own; None where it is gone."""
        found = _by_id(self.home, self.record.former) if self.record else None
        return found[0] if found else None

    def workspace(self, address: str) -> str:
        """The workspace on a server that `recortex init` bound the project to; empty where none was."""
        return self.record.workspaces.get(address, "") if self.record else ""


def find_project(home: Path, start: Path) -> Project:
    """The project that a folder lies in, and where its memory is."""
    known = {folder.name[-16:] for folder in _folders(home)}
    here = start.resolve()

    def is_known(folder: Path) -> bool:
        return (folder == here or not is_above_all(folder)) and path_id(folder) in known

    checkout = find_checkout(start, is_known)
    return locate(home, checkout)


def is_above_all(folder: Path) -> bool:
    """Whether a folder is the person's home or above it: what is kept there is no project's below."""
    return Path.home().resolve().is_relative_to(folder)


def locate(home: Path, checkout: Checkout) -> Project:
    """Where the memory of a checkout is."""
    project = Project(home, checkout)
    claimed = _by_id(home, checkout.id)
    if claimed and claimed[1].binds(checkout.anchor):
        return replace(project, folder=claimed[0], record=claimed[1])
    plain = _by_id(home, path_id(checkout.anchor))
    if (
        plain
        and plain[1].binds(checkout.anchor)
        and (checkout.git is None or plain[1].inode in {0, same_folder(checkout.root)})
    ):
        return replace(project, folder=plain[0], record=plain[1])
    return replace(project, elsewhere=claimed[0]) if claimed else project


def establish(project: Project) -> Project:
    """Make the project's folder and bind it to the checkout, unless another process just did.

    Raises:
        PermissionsError: the person's data folder cannot be written.
        UntrustedFileError: it belongs to somebody else.
        StoreBusyError: another process makes a folder for too long.
    """
    require_own_folder(project.home.resolve())
    parent = project.home / FOLDER
    require_own_folder(parent)
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(parent / ".lock", patience=_PATIENCE) as held:
            if not held:
                raise StoreBusyError(f"Another process is making a project's folder in {parent}.")
            now = locate(project.home, project.checkout)
            return now if now.folder else _make(now)
    except OSError as error:
        raise PermissionsError(f"The data folder {project.home} cannot be used: {error}.") from error


def bind_workspace(project: Project, address: str, workspace: str) -> Project:
    """Let a project use a workspace on a server; its folder is made where there is none.

    Raises:
        StorageError: the folder cannot be made.
        OSError: it cannot be written.
    """
    project = establish(project)
    folder, record = project.folder, project.record
    assert folder is not None  # noqa: S101  established
    assert record is not None  # noqa: S101
    changed = replace(record, workspaces={**record.workspaces, address: workspace})
    _write(folder, changed)
    return replace(project, record=changed)


def adopted(project: Project) -> None:
    """Note that the former folder's memories were taken over, so that they are not offered again.

    Raises:
        OSError: the project's folder cannot be written.
    """
    now = locate(project.home, project.checkout)
    if now.folder and now.record and now.record.former:
        _write(now.folder, replace(now.record, former=""))


def unbind(project: Project) -> None:
    """Take the id of a memory that is gone out of the checkout's git configuration."""
    git, record = project.checkout.git, project.record
    if git is not None and record is not None and project.checkout.id == record.id:
        from recortex.codebase.git import unset_local

        unset_local(git, GIT_KEY)


def bound_to(home: Path, anchor: Path) -> list[Path]:
    """Every folder that is bound to a path; those that its checkout does not name are of earlier ones."""
    return [folder for folder in _folders(home) if (record := read_record(folder)) and record.binds(anchor)]


def path_id(anchor: Path) -> str:
    """The id of a project without git: it follows from the path."""
    return hashlib.sha256(os.fsencode(anchor)).hexdigest()[:16]


def read_record(folder: Path) -> Record | None:
    """A project's folder's own record; None where there is none that can be read."""
    try:
        given: Any = json.loads(read_own(folder / RECORD, _MOST_BYTES))
        record = Record(**given)
        right = all(
            type(value) is type(usual) for value, usual in zip(asdict(record).values(), _USUAL, strict=True)
        )
    except (OSError, UntrustedFileError, ValueError, TypeError, RecursionError):
        return None
    return record if right and folder.name.endswith(f"-{record.id}") else None


def _make(project: Project) -> Project:
    import secrets  # hooks do without it

    git, anchor = project.checkout.git, project.checkout.anchor
    id_ = secrets.token_hex(8)
    if git is None or carries_foreign(project) or not _tell_git(git, id_):
        id_ = path_id(anchor)
    folder = project.home / FOLDER / f"{project.name}-{id_}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for part in PARTS:
        (folder / part).mkdir(mode=0o700, exist_ok=True)
    former = project.elsewhere.name[-16:] if project.elsewhere else ""
    record = Record(id_, shown(str(anchor)), same_folder(project.root), former)
    _write(folder, record)
    return replace(project, folder=folder, record=record, elsewhere=None)


def carries_foreign(project: Project) -> bool:
    """Whether the checkout carries the id of a folder that is not in this data folder.

    Another data folder (another `RECORTEX_HOME`) has it, and would not find its memories under a new one. So
    here the checkout is known by its path, as a folder without git is.
    """
    id_ = project.checkout.id
    return bool(id_) and not any(folder.name.endswith(f"-{id_}") for folder in _folders(project.home))


def _write(folder: Path, record: Record) -> None:
    replace_text(folder / RECORD, json.dumps(asdict(record), indent=1))


def _tell_git(git: Path, id_: str) -> bool:
    from recortex.codebase.git import set_local

    return set_local(git, GIT_KEY, id_) and Checkout(git.parent, git).id == id_


def _by_id(home: Path, id_: str) -> tuple[Path, Record] | None:
    folder = next((one for one in _folders(home) if id_ and one.name.endswith(f"-{id_}")), None)
    record = read_record(folder) if folder else None
    return (folder, record) if folder and record else None


def _folders(home: Path) -> list[Path]:
    with suppress(OSError):
        names = [entry.name for entry in os.scandir(home / FOLDER) if _ID.fullmatch(entry.name[-16:])]
        return [home / FOLDER / name for name in sorted(names)]
    return []
