"""Where a project's memory is: a folder of the person's data, bound to the checkout that it belongs to.

A checkout says which folder is its own by an id in git's local configuration, which no clone and no pull
brings along; the folder says to which path it is bound. Both must agree. A folder without git is known by its
path alone. So nothing that comes with a repository can point at a memory, bring one along, or replace one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.codebase.git import Checkout, find_checkout, same_folder, set_local, working_tree
from recortex.domain.text import lazy, suspicious
from recortex.errors import ConfigError, PermissionsError, StoreBusyError, UntrustedFileError
from recortex.filesystem import alone, read_own, replace_text, require_own, require_own_folder
from recortex.lean import Value, asdict, field, lazy_module, replace, sha256

if TYPE_CHECKING:
    import glob
    import secrets
    from urllib import parse as urls

    from recortex.domain import address as addresses
    from recortex.domain.address import Address
    from recortex.domain.exchange import SessionInfo
    from recortex.domain.session import Session
    from recortex.domain.vocabulary import Scope
    from recortex.formats.hook_events import HookEvent
else:
    addresses = lazy_module("recortex.domain.address")
    glob = lazy_module("glob")
    secrets = lazy_module("secrets")
    urls = lazy_module("urllib.parse")

_STAND_IN = lazy(r"\[[A-Z][A-Z0-9_]*_[0-9A-F]{8}\]")  # what a secret in a name was replaced by


def shown(name: str) -> str:
    """The name with a stable stand-in for each part that holds a secret."""
    if not suspicious(name):
        return name
    from recortex.engines.privacy import redaction

    return redaction.without_secrets(name)


def holds_secret(name: str) -> bool:
    """Whether a part of a name holds a secret."""
    return shown(name) != name


def hidden(name: str) -> bool:
    """Whether a part of a name was replaced: such a path cannot be opened."""
    return "[" in name and _STAND_IN.search(name) is not None


def of_event(event: HookEvent) -> HookEvent:
    """The event with the ids by which it is known here; its paths are still to be opened."""
    session, agent = shown(event.session), shown(event.agent)
    known = session == event.session and agent == event.agent
    return event if known else replace(event, session=session, agent=agent)


def of_session(session: Session) -> Session:
    """The session as it is kept."""
    return replace(
        session, cwd=shown(session.cwd), branch=shown(session.branch), transcript=shown(session.transcript)
    )


def of_info(info: SessionInfo) -> SessionInfo:
    """What is known of a transcript as it is kept.

    The folder that it was written in is still to be looked into.
    """
    return replace(
        info,
        session_id=shown(info.session_id),
        path=shown(info.path),
        branch=shown(info.branch),
        parent_session=shown(info.parent_session),
    )


def without_secrets(text: str) -> str:
    """A message without secrets, in its words and in the paths that it names."""
    from recortex.engines.privacy import redact

    return redact(" ".join(map(shown, text.split()))).text


# -- where a project's memory is: a folder of the person's data, bound to the checkout that it belongs to
#
# A checkout says which folder is its own by an id in git's local configuration, which no clone and no pull
# brings along; the folder says to which path it is bound. Both must agree. A folder without git is known by
# its path alone. So nothing that comes with a repository can point at a memory, bring one along, or replace
# one.


# -- where a project's memory is: a folder of the person's data, bound to the checkout that it belongs to


FOLDER = "projects"
BESIDE = (
    "backups",
    "vectors",
    "queue",
    "surface-cache",
    "hooks.log",
    "status.json",
    "instructions.json",
    "notes.json",
    "predicted.json",
)
"""What may hold texts beside a store's database."""
CODE = "code"
RECORD = "project.json"
PARTS = ("backups", "locks", "queue", "surface-cache", "vectors")
GIT_KEY = "recortex.id"
_MOST_BYTES = 64 * 1024
_LONGEST_NAME = 40  # characters of the project's name in its folder's
_ID = lazy(r"[0-9a-f]{16}")  # of a project; its folder's name ends with it
_PATIENCE = 5.0  # seconds to wait for another process that makes a folder


class Record(Value, frozen=True):
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
        # Also compared as it is kept: in a path that holds what looks like a secret, a stand-in is kept for
        # it.
        return self.path == path or shown(self.path) == shown(path)


# An example of each field, whose types the fields of a file must have.
_USUAL = tuple(asdict(Record("", "")).values())


class Project(Value, frozen=True):
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
            # Only signs that every file system takes.
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
    known = {folder.name[-16:] for folder in project_folders(home)}
    here = start.resolve()

    def is_known(folder: Path) -> bool:
        # A project without git is known by its path alone, so each folder above is asked for; the home
        # folder counts only for whoever works in it.
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
    # The id in git's configuration is not enough: a copy of the checkout carries it along to another path.
    if claimed and claimed[1].binds(checkout.anchor):
        return replace(project, folder=claimed[0], record=claimed[1])
    plain = _by_id(home, path_id(checkout.anchor))
    if (
        plain
        and plain[1].binds(checkout.anchor)
        # A bound folder that only became a repository (`git init`) since: git has no id of it yet.
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
            # Looked for again under the lock: another process may have made it meanwhile.
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
    # Read again: another process may have changed the record since.
    now = locate(project.home, project.checkout)
    if now.folder and now.record and now.record.former:
        _write(now.folder, replace(now.record, former=""))


def path_id(anchor: Path) -> str:
    """The id of a project without git: it follows from the path."""
    return sha256(os.fsencode(anchor)).hexdigest()[:16]


def read_record(folder: Path) -> Record | None:
    """A project's folder's own record; None where there is none that can be read."""
    try:
        given: Any = json.loads(read_own(folder / RECORD, _MOST_BYTES))
        record = Record(**given)
        # A file that was edited by hand may have a number where a text belongs.
        right = all(
            type(value) is type(usual) for value, usual in zip(asdict(record).values(), _USUAL, strict=True)
        )
    except (OSError, UntrustedFileError, ValueError, TypeError, RecursionError):
        return None
    return record if right and folder.name.endswith(f"-{record.id}") else None


def _make(project: Project) -> Project:
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
    return bool(id_) and not any(folder.name.endswith(f"-{id_}") for folder in project_folders(project.home))


def _write(folder: Path, record: Record) -> None:
    replace_text(folder / RECORD, json.dumps(asdict(record), indent=1))


def _tell_git(git: Path, id_: str) -> bool:
    return set_local(git, GIT_KEY, id_) and Checkout(git.parent, git).id == id_


def _by_id(home: Path, id_: str) -> tuple[Path, Record] | None:
    folder = next((one for one in project_folders(home) if id_ and one.name.endswith(f"-{id_}")), None)
    record = read_record(folder) if folder else None
    return (folder, record) if folder and record else None


def project_folders(home: Path) -> list[Path]:
    """The folders of all projects of this person."""
    with suppress(OSError):
        names = [entry.name for entry in os.scandir(home / FOLDER) if _ID.fullmatch(entry.name[-16:])]
        return [home / FOLDER / name for name in sorted(names)]
    return []


# -- where a store is: from a folder, a URL and the settings to a file


DATABASE = "cortex.db"
GLOBAL_DATABASE = "global.db"
COMPANIONS = ("", "-wal", "-shm", "-journal", ".recovered", ".part", ".from-backup", ".last")
"""Endings of the names of a database's files: SQLite's own, and those of a recovery."""


class Location(Value, frozen=True):
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
    project: Project | None = None
    url: str = ""
    remote: bool = False
    workspace: str = ""

    # Without the project, whose record has a mapping and cannot be hashed.
    def __hash__(self) -> int:
        return hash((self.database, self.url, self.workspace))

    def __repr__(self) -> str:
        return f"Location({self.shown!r})"  # its URL may hold a password

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
        return addresses.parse(self.url, workspace=self.workspace)

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
    def timings(self) -> Path:
        """Where operations and hooks say how long they took, until that is counted."""
        return self.place("timings")

    @property
    def vectors(self) -> Path:
        """Where the approximate indexes of its vectors are."""
        return self.place("vectors")

    def is_part(self, path: Path) -> bool:
        """Whether a path is the database itself or one of its companions, which nothing else may write."""
        names = {f"{self.database.name}{suffix}" for suffix in COMPANIONS}
        # By where a link leads: an export to a link must not overwrite the database.
        real = path.resolve()
        return real.parent == self.folder.resolve() and real.name in names

    def files(self) -> list[Path]:
        """Every file that may hold what was said: a project's whole folder, else what the store has."""
        if self.project is not None and not self.remote:
            return sorted(path for path in self.folder.rglob("*") if path.is_file())
        found = {*self.folder.glob(f"{glob.escape(self.database.name)}*")}
        for one in map(self.place, BESIDE):
            found |= {one, *one.rglob("*")}
        return sorted(path for path in found if path.is_file())

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
        # An empty file is left where a process was killed while it made the store.
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
    return project.home / FOLDER / f"{project.name}-new"


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
        return _of_file(url)
    if scheme in {"postgresql", "postgres"}:
        return _on_server(url, project, workspace)
    raise ConfigError(
        f"There is no store for {scheme[:40]!r} URLs in this installation.",
        hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE) or "
        "postgresql://USER@HOST/DATABASE?workspace=NAME.",
    )


def _of_file(url: str) -> Location:
    parts = urls.urlsplit(url)
    path = Path(os.fsdecode(urls.unquote_to_bytes(os.fsencode(parts.path.removeprefix("/")))))
    # The host of such a URL would be dropped without a word.
    if parts.netloc or not path.name or "\0" in str(path):
        raise ConfigError(
            f"{url[:80]!r} names no file.", hint="Use sqlite:///FILE (sqlite:////ABSOLUTE/FILE)."
        )
    if any(mark in url for mark in "?#\t\r\n"):  # what follows ? or # would not be part of the file's name
        raise ConfigError(
            f"{url[:80]!r} has parts that a URL of a file cannot have.",
            hint="Write ? as %3F, # as %23, a line's end as %0A in the file's name.",
        )
    path = path.absolute()
    return Location(_utf8(path), path.parent, url=url)


def url_of(file: str) -> str:
    """The URL of a file by its path, whatever its name is."""
    return f"sqlite:///{urls.quote(os.fsencode(file))}"


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
    address = addresses.parse(url, workspace=workspace)
    # What the project is bound to counts only where neither the URL nor the settings name a workspace.
    if not address.workspace:
        address = address._replace(workspace=project.workspace(address.server))
    folder = project.folder or _not_yet(project)
    # By address and workspace, so that the files of two servers do not meet.
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
    return f"{parameter[1]}=***" if "password" in urls.unquote(parameter[1]).lower() else parameter[0]


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
            # Each of them: whoever owns the log of a database can change what the database says.
            for suffix in COMPANIONS:
                require_own(location.folder / f"{location.database.name}{suffix}")
            # Readable by its owner alone; SQLite gives its companions the same mode. One that is there is
            # left alone: closing it would take away the locks that this process may have on it (POSIX), and
            # another one would then take the log for an abandoned one.
            with suppress(FileExistsError):
                os.close(os.open(location.database, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
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
