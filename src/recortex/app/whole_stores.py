"""Whole stores: those that a checkout may take over, copies of one, and its deletion.

None is used before a person agrees: what lies in a folder says nothing about whose it is.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import shutil
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.backends import erase_workspace, open_store, workspace_rows
from recortex.app.backends.files import copy_whole, summarise
from recortex.app.brief_cache import forget_briefs
from recortex.app.projects import (
    DATABASE,
    GIT_KEY,
    PARTS,
    RECORD,
    Location,
    hidden,
    locate,
    of_project,
    of_url,
    of_user,
    prepare,
    project_folders,
    read_record,
    shown,
    unbound,
    url_of,
)
from recortex.codebase.git import Checkout, tracked, unset_local
from recortex.domain.text import to_micros
from recortex.errors import ConfigError, InvalidInputError, PermissionsError, StorageError, UntrustedFileError
from recortex.filesystem import read_own, require_own, require_own_folder
from recortex.lean import Value
from recortex.storage.database import copied_tables
from recortex.storage.transfer import TableCopied, claim_target, copy, count_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.app.application import Application
    from recortex.app.backends import WholeStore
    from recortex.app.backends.files import Summary
    from recortex.app.projects import Project
    from recortex.ports.store import KeptStore


OLDER = ".recortex"
"""Where stores were before they moved out of the work tree."""
Reason = Literal["moved", "copied", "replaced", "older"]


class Candidate(NamedTuple):
    """A store whose memories could come to this checkout.

    Attributes:
        folder: it is in.
        reason: moved, copied: the checkout carries the id of that store, which is bound to another path,
            where the checkout is gone or still there; replaced: an earlier checkout at the same path; older:
            in the work tree.
        path: of the checkout that it was made for.
    """

    folder: Path
    reason: Reason
    path: str

    @property
    def database(self) -> Path:
        """Its file."""
        return self.folder / DATABASE

    def summary(self) -> Summary:
        """How many memories it holds, and of what time.

        Raises:
            StorageError: it cannot be read, or is not ours to use.
        """
        require_own_folder(self.folder)
        require_own(self.database)
        return summarise(self.database)


def candidates(project: Project) -> list[Candidate]:
    """The stores that `recortex init --adopt` could take over; each is there, none is this checkout's own."""
    return [one for one in _possible(project) if os.path.lexists(one.database)]


def named(project: Project, path: Path) -> Candidate:
    """The store that is bound to a path that a person names, such as a folder without git that was moved.

    Raises:
        ConfigError: there is none.
    """
    wanted = path.absolute()
    found = [folder for folder in bound_to(project.home, wanted) if folder != project.folder]
    if not found:
        raise ConfigError(
            f"No memories are kept for {wanted}.",
            hint="Give the path that the project's folder had when they were learned.",
        )
    return Candidate(found[0], "copied" if wanted.exists() else "moved", shown(str(wanted)))


def take_over(candidate: Candidate, target: Path) -> None:
    """Copy a store, with what waits to be learned and its backups, into a project's folder that has none yet.

    The copy is checked first. Then the old store is removed, unless another checkout uses it.

    Raises:
        StorageError: it cannot be read or copied whole.
    """
    # Read first: a damaged store must not be moved to where a sound one is expected.
    candidate.summary()
    copy_whole(candidate.database, target / DATABASE)
    if candidate.reason != "older":  # files in a work tree may be a stranger's: only the database is taken
        for part in ("backups", "queue"):
            shutil.copytree(candidate.folder / part, target / part, dirs_exist_ok=True, symlinks=True)
    discard(candidate)


def opened(candidate: Candidate, app: Application) -> KeptStore:
    """The store itself, for taking its memories one by one.

    Raises:
        StorageError: it cannot be opened.
    """
    candidate.summary()
    location = Location(candidate.database, candidate.folder)
    return open_store(location, clock=app.clock, settings=app.settings, degraded=app.degraded)


def discard(candidate: Candidate) -> None:
    """Remove a store that was taken over, unless a checkout still uses it."""
    if candidate.reason == "copied":
        return  # the checkout that was copied uses it
    if candidate.reason == "older":
        shutil.rmtree(candidate.folder)
        return
    # The record first: without it, what is left of the folder belongs to no checkout.
    for name in (RECORD, *(path.name for path in candidate.folder.glob(f"{DATABASE}*")), *PARTS):
        path = candidate.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    shutil.rmtree(candidate.folder, ignore_errors=True)


def _possible(project: Project) -> Iterator[Candidate]:
    for folder in dict.fromkeys(filter(None, (project.elsewhere, project.former))):
        record = read_record(folder)
        if record is not None:
            yield Candidate(
                folder, "copied" if _still_used(project, record.path, record.id) else "moved", record.path
            )
    anchor = project.checkout.anchor
    for folder in bound_to(project.home, anchor):
        if folder != project.folder:
            yield Candidate(folder, "replaced", shown(str(anchor)))
    if not refused(project):
        yield Candidate(project.root / OLDER, "older", shown(str(project.root)))


def refused(project: Project) -> str:
    """Why an older version's folder in the work tree is not used; empty where there is none or it may be."""
    older = project.root / OLDER
    if not os.path.lexists(older):
        return ""
    try:
        require_own_folder(older)
        require_own(older / DATABASE)
        _require_untracked(project.root)
    except StorageError as error:
        return error.message
    return ""


def _require_untracked(root: Path) -> None:
    if tracked(root, OLDER):
        raise StorageError(
            f"{root / OLDER} is part of the repository: what it holds may be anybody's. It is not used.",
            hint="Take it out of the repository with `git rm -r --cached .recortex` if it is your own.",
        )


def _still_used(project: Project, path: str, id_: str) -> bool:
    """Whether a checkout is still at a path, with the id of the store that is bound to it."""
    if hidden(path):
        return True  # unknown, so that nothing is removed
    anchor = Path(path)
    git = anchor / ".git" if (anchor / ".git").is_dir() else anchor
    checkout = Checkout(anchor, git) if (git / "config").is_file() else Checkout(anchor)
    record = locate(project.home, checkout).record
    return anchor.exists() and record is not None and record.id == id_


# -- A whole store copied from one place to another


class CopiedStore(NamedTuple):
    """A copy: from where, to where, and table by table."""

    source: str
    target: str
    tables: tuple[TableCopied, ...]


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
    # Before anything is opened: a store is never copied onto itself.
    if origin.database == destination.database:
        raise InvalidInputError("Source and target are the same store.", hint="Give another target.")
    # The source is opened first: where it cannot be read, no target is made.
    with closing(_opened(app, origin)) as old:
        if dry_run:
            tables = count_tables(copied_tables(), old.full_copy)
            return CopiedStore(origin.shown, destination.shown, tuple(tables))
        destination = prepare(destination)
        with closing(_opened(app, destination, unfinished=True)) as new:
            claim_target(new.full_copy, origin.shown, now=to_micros(app.clock()))
            copies = copy(copied_tables(), old.full_copy, new.full_copy, app.progress)
            # Last: until then the target is refused as half a copy, and the same call goes on with it.
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


# -- deletes a store whole, its file with all beside it or its workspace on a server, and looks again


ENDING = ".erased"
"""Of the name of a folder that is being deleted: nothing looks for a project's memory there."""


class Held(Value, frozen=True, kw_only=True):
    """What a store consists of.

    Attributes:
        files: each with its bytes.
        rows: of a workspace on a server, by table.
    """

    files: dict[str, int]
    rows: dict[str, int]


def describe_erasable(location: Location) -> Held:
    """What `erase` would delete."""
    rows = workspace_rows(location) if location.remote else {}
    return Held(files={str(path): _size(path) for path in _files(location)}, rows=rows)


def erase(app: Application, location: Location) -> Held:
    """Delete a store whole; returns what is left of it: nothing, unless it could not be deleted.

    Raises:
        PermissionsError: a folder or a file cannot be deleted.
        StoreUnavailableError: the server cannot be reached.
    """
    # Listed beforehand, as the answer names what was deleted and what is left of it.
    gone = _files(location)
    forget_briefs([location])
    # An open store writes to its files when it is closed.
    app.close()
    rows = erase_workspace(location) if location.remote else {}
    try:
        for folder in _folders(location):
            doomed = folder if folder.name.endswith(ENDING) else folder.with_name(folder.name + ENDING)
            if doomed != folder:
                if doomed.exists():
                    shutil.rmtree(doomed)
                # Renamed first: what a deletion that is cut off leaves is found by no project, and goes with
                # the next one.
                folder.rename(doomed)
            shutil.rmtree(doomed)
        for path in gone:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise PermissionsError(f"Not all could be deleted: {error}.") from error
    if location.project is not None:
        unbind(location.project)
    return Held(files={str(path): _size(path) for path in _there(gone)}, rows=rows)


def _folders(location: Location) -> list[Path]:
    """The folders of a project's own store, those of earlier checkouts at its path among them."""
    project = location.project
    if project is None:
        return []
    found = bound_to(project.home, project.checkout.anchor)
    with suppress(OSError):
        found += [entry for entry in location.folder.parent.iterdir() if entry.name.endswith(ENDING)]
    return found


def _files(location: Location) -> list[Path]:
    """Every file of a store, and the facts of the project's code."""
    found = [path for folder in _folders(location) for path in folder.rglob("*") if not path.is_dir()]
    if location.project is None:
        found += location.files()
    else:
        facts = location.project.facts
        # With the files that SQLite keeps beside it.
        found += facts.parent.glob(f"{facts.stem}.*")
    return _there(dict.fromkeys(found))


def _there(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if os.path.lexists(path)]


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0


# -- the key with which this installation signs its exports, so that it recognises its own


KEY_FILE = "export.key"
KEY_BYTES = 32


def export_key(home: Path) -> bytes:
    """The key in a person's data folder, made when it is first needed; mode 0600.

    Raises:
        UntrustedFileError: the file is a link, another user's, or no key.
        PermissionsError: it cannot be written or read.
    """
    path = home / KEY_FILE
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f"{KEY_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
        if not os.path.lexists(path):
            try:
                with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(secrets.token_bytes(KEY_BYTES))
                with suppress(FileExistsError):
                    os.link(part, path)  # fails where another process was first: its key counts
            finally:
                part.unlink(missing_ok=True)
        found = read_own(path, KEY_BYTES)
    except OSError as error:
        raise PermissionsError(f"{path} cannot be used: {error}.") from error
    if len(found) != KEY_BYTES:
        raise UntrustedFileError(
            f"{path} is not a key.", hint="Move it away: the next export makes a new one."
        )
    return found


def signer(key_: bytes) -> hmac.HMAC:
    """What signs a text that is given in parts: `update` takes one, `hexdigest` gives the signature."""
    return hmac.new(key_, digestmod=hashlib.sha256)


def is_signed(key_: bytes, parts: Iterable[bytes], signature: str) -> bool:
    """Whether a text has this signature; how long that takes tells nothing of the right one."""
    made = signer(key_)
    for part in parts:
        made.update(part)
    return hmac.compare_digest(made.hexdigest().encode(), signature.encode())


def unbind(project: Project) -> None:
    """Take the id of a memory that is gone out of the checkout's git configuration."""
    git, record = project.checkout.git, project.record
    # Only its own id: by now the checkout may carry that of another memory.
    if git is not None and record is not None and project.checkout.id == record.id:
        unset_local(git, GIT_KEY)


def bound_to(home: Path, anchor: Path) -> list[Path]:
    """Every folder that is bound to a path; those that its checkout does not name are of earlier ones."""
    return [
        folder for folder in project_folders(home) if (record := read_record(folder)) and record.binds(anchor)
    ]
