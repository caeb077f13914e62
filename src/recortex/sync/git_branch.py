"""Sync over a branch of the project's own remote, for a team without a server.

The branch has no history in common with the project's. It holds a folder for each replica, in it the
replica's card and one file of JSON lines for each day; a replica only ever appends to its own, so nothing
can conflict. All git does here happens in a bare repository of our own: the project's work tree, index, refs,
hooks and configuration are neither read nor changed, but for the URL of its remote.

    team.json                               {"protocol": 1, "team": "…"}
    replicas/REPLICA/card.json
    replicas/REPLICA/applied.json
    replicas/REPLICA/2026-11-29.jsonl       a version a line, numbered without a gap

What no longer fits into a day's file goes into the next day's, whatever day it is: to all programs the names
are an order.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from datetime import date, timedelta
from functools import wraps
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from recortex.codebase.git import git_path
from recortex.domain.text import lazy
from recortex.errors import ConfigError
from recortex.lean import Value, field, msgspec, replace
from recortex.sync.protocol import (
    MOST_BODY,
    PROTOCOL,
    PURGE,
    Applied,
    Batch,
    Card,
    OfflineError,
    RefusedError,
    Reply,
    SyncError,
    SyncVersion,
    add_to_hash,
    bounded,
    canonical,
    check_protocol,
    missing,
    parse,
)
from recortex.terminal import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import datetime

P = ParamSpec("P")
T = TypeVar("T")

BRANCH = "recortex/sync"
SECONDS = 120.0
"""After which git is stopped: a push over a slow line may take a while, a hidden prompt for ever."""
MOST_FILE = 64 * 1024 * 1024
"""Bytes of a file of the branch; a larger one is not read."""
FULL_FILE = 8 * 1024 * 1024
"""Bytes after which another file is begun: each push reads and writes the last one whole."""
_LINE = 2 * MOST_BODY
STALE_SECONDS = 10.0
"""After which a lock is one that a killed git left behind: a git that is at work has it for milliseconds."""
_GRACE = 2.0
"""Seconds in which a git that is stopped can give its locks back."""
_TRIES = 6
"""Of a push: others may push at the same time."""
_SPEAKS_TO_GIT = frozenset({"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PROXY_COMMAND"})
"""What of git's environment is the person's own way to the remote."""
_PATH = lazy(r"replicas/([0-9a-f]{32})/(card\.json|applied\.json|\d{4}-\d\d-\d\d\.jsonl)")
_NOTHING = "0" * 40
_ARRIVED = "refs/recortex/arrived"
"""What was fetched, until it is known whether the former history has to go."""
_REJECTED = ("stale info", "[rejected]", "fetch first", "failed to update ref", "cannot lock ref")


class CopyLeftError(SyncError):
    """This machine's copy of the branch cannot be deleted, though it may have what was purged."""

    code = "sync_copy_left"


def delete(folder: Path) -> None:
    """Delete this machine's copy of a branch.

    Raises:
        CopyLeftError: it cannot be deleted.
    """
    while os.path.lexists(folder):
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:  # a sync of another process deletes it, too
            continue
        except OSError as error:
            raise CopyLeftError(
                f"This machine's copy of the team's branch still has what was purged; it cannot be deleted:"
                f" {error}.",
                hint=f"Delete {folder} yourself. Each sync tries it; your team sees that it is not done.",
            ) from None


class _GitError(OfflineError):
    """Git failed at something other than reaching the remote at all."""


def _mended(act: Callable[Concatenate[GitBranch, P], T]) -> Callable[Concatenate[GitBranch, P], T]:
    """Do it again with a new repository of our own, where that is why it failed.

    A process that is killed while it deletes the repository, or a machine that loses its power, leaves one
    that git cannot read any more. It holds nothing that the remote does not have.
    """

    @wraps(act)
    def again(branch: GitBranch, /, *given: P.args, **more: P.kwargs) -> T:
        try:
            return act(branch, *given, **more)
        except _GitError:
            if branch.is_whole():
                raise
        branch.forget()
        return act(branch, *given, **more)

    return again


class _Team(Value, frozen=True):
    protocol: int
    team: str


class _Content(Value, frozen=True):
    """What a file of versions holds, as far as it can be read.

    Attributes:
        first, last: numbers; 0 where there are none.
        set_hash: of its versions.
        purges: lines of purges.
        wrong: why the rest was not read; empty where all was.
    """

    first: int = 0
    last: int = 0
    set_hash: str = ""
    purges: tuple[str, ...] = ()
    wrong: str = ""


class _File(NamedTuple):
    path: str
    blob: str
    size: int


class _Tree(Value, frozen=True, kw_only=True):
    """The branch as it is: see the attributes of `Batch`; files of versions by replica, in order."""

    commit: str = ""
    team: str = ""
    files: dict[str, list[_File]] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    vector: dict[str, int] = field(default_factory=dict)
    set_hash: str = ""
    contents: dict[str, _Content] = field(default_factory=dict)


class GitBranch:
    """The transport over a branch.

    Args:
        url: of the remote.
        folder: where our own bare repository is, or is made.
        now: the time.
        branch: its name.
    """

    def __init__(self, url: str, folder: Path, now: datetime, branch: str = BRANCH) -> None:
        program = git_path()
        if program is None:
            raise ConfigError("Sync over git needs git, which is not installed.")
        if url.startswith("-"):
            raise ConfigError(f"{url[:80]!r} is no URL of a remote.")
        self._program, self._url, self._folder, self._now = program, url, folder, now
        self._ref = f"refs/heads/{branch}"
        self.name = f"{_without_password(url)} {branch}"
        self.problems: list[str] = []

    # -- the transport

    @_mended
    def team(self) -> str:
        """The team whose branch it is; empty where there is no branch yet."""
        return self._read().team

    @_mended
    def found(self, team: str) -> str:
        """Make the branch for a team; returns the team that it then is of: another may have been first."""
        for _ in range(_TRIES):
            tree = self._read()
            if tree.team:
                return tree.team
            said = canonical({"protocol": PROTOCOL, "team": team})
            if self._commit(tree, {"team.json": said.encode()}, "Recortex: a team's memory"):
                return team
        raise SyncError("The branch could not be made: others push at the same time.", hint="Try again.")

    @_mended
    def pull(self, vector: Mapping[str, int], limit: int) -> Batch:
        """What the branch has beyond a vector."""
        tree = self._read()
        beyond = (one for one in self._versions(tree, vector) if one.counter > vector.get(one.replica, 0))
        new = list(islice(beyond, limit + 1))
        fitting = bounded(new[:limit])
        hollow = {one.memory_id for one in fitting if one.body is None and one.operation != PURGE}
        purges = (parse(line, SyncVersion) for content in tree.contents.values() for line in content.purges)
        return Batch(
            workspace=tree.team,
            versions=tuple(fitting),
            vector=tree.vector,
            set_hash=tree.set_hash,
            purges=tuple(one for one in purges if one.memory_id in hollow),
            cards=tuple(self._all(tree, "card.json", Card)),
            applied=tuple(self._all(tree, "applied.json", Applied)),
            more=len(fitting) < len(new),
        )

    @_mended
    def push(self, batch: Batch) -> Reply:
        """Append what the branch does not have."""
        for _ in range(_TRIES):
            tree = self._read()
            if tree.team != batch.workspace:
                raise RefusedError("The branch is another team's.", hint="Run `recortex sync setup` again.")
            new = missing(batch.versions, tree.vector)
            files = dict(self._appended(tree, new, {one.replica for one in batch.applied}))
            for one in batch.cards:
                files[f"replicas/{one.replica}/card.json"] = canonical(one).encode()
            for two in batch.applied:
                files[f"replicas/{two.replica}/applied.json"] = canonical(two).encode()
            purged = {one.memory_id for one in new if one.operation == PURGE}
            if purged:
                files |= self._hollowed(tree, files, purged)
            said = f"Recortex: {plural(len(new), 'version')}" if new else "Recortex: acknowledged"
            if self._commit(tree, files, said, rootless=bool(purged)):
                tree = self._read(local=True)
                return Reply(vector=tree.vector, set_hash=tree.set_hash)
        raise OfflineError("The branch could not be pushed: others push all the time.")

    def is_whole(self) -> bool:
        """Whether git can read all of our own repository."""
        try:
            self._git("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
        except _GitError:
            return False
        return True

    def forget(self) -> None:
        """Delete our own repository with all that was ever fetched.

        Raises:
            CopyLeftError: it cannot be deleted.
        """
        delete(self._folder)

    # -- reading the branch

    def _read(self, *, local: bool = False) -> _Tree:
        """The branch as the remote has it now."""
        self._make_ready()
        if not local and not self._follow():
            return _Tree()
        commit = self._tip()
        found: dict[str, list[_File]] = defaultdict(list)
        others: dict[str, str] = {}
        team = ""
        for entry in self._git("ls-tree", "-r", "-z", "-l", commit).split(b"\0"):
            mode, _, rest = entry.decode("utf-8", "replace").partition(" ")
            if mode != "100644":  # no link, no submodule: nobody puts such a thing there by accident
                continue
            details, _, path = rest.partition("\t")
            _, blob, size = details.split()
            if path == "team.json" and int(size) < _LINE:
                said = parse(self._blob(blob), _Team)
                check_protocol(said.protocol)
                team = said.team
            elif match := _PATH.fullmatch(path):
                if path.endswith(".jsonl"):
                    found[match[1]].append(_File(path, blob, int(size)))
                elif int(size) < _LINE:
                    others[path] = blob
        return self._counted(_Tree(commit=commit, team=team, files=dict(found), others=others))

    def _counted(self, tree: _Tree) -> _Tree:
        """The tree with what its files hold: a file that was read once is not read again."""
        cache = self._folder / "contents.json"
        try:
            known = msgspec.json.decode(cache.read_bytes(), type=dict[str, _Content])
        except (OSError, msgspec.MsgspecError):
            known = {}
        vector: dict[str, int] = {}
        total, contents = 0, dict[str, _Content]()
        self.problems = []
        for replica, files in tree.files.items():
            last = 0
            for file in sorted(files):
                content = known.get(file.blob) or self._content(replica, file)
                contents[file.blob] = content
                if content.first not in {0, last + 1}:
                    content = replace(content, wrong=f"it begins with {content.first}, after {last}", last=0)
                elif content.last:
                    last = content.last
                    total = int(add_to_hash(f"{total:x}", ()), 16) + int(content.set_hash or "0", 16)
                if content.wrong:
                    self.problems.append(f"{file.path} was refused: {content.wrong}.")
                    break
            vector[replica] = last
        if contents.keys() != known.keys():
            part = cache.with_suffix(".part")
            part.write_bytes(msgspec.json.encode(contents))
            part.replace(cache)
        return replace(tree, vector=vector, set_hash=add_to_hash(f"{total:x}", ()), contents=contents)

    def _content(self, replica: str, file: _File) -> _Content:
        versions, wrong = list[SyncVersion](), ""
        for found in self._lines(replica, file):
            if isinstance(found, str):
                wrong = found
            else:
                versions.append(found)
        purges = tuple(canonical(one) for one in versions if one.operation == PURGE)
        first, last = (versions[0].counter, versions[-1].counter) if versions else (0, 0)
        return _Content(first, last, add_to_hash("", versions), purges, wrong)

    def _lines(self, replica: str, file: _File) -> Iterator[SyncVersion | str]:
        """The versions of a file up to the first that is none; then why."""
        if file.size > MOST_FILE:
            yield f"it is larger than {MOST_FILE:,} bytes"
            return
        last = 0
        for number, line in enumerate(self._blob(file.blob).splitlines(), 1):
            if len(line) > _LINE:
                yield f"line {number} is too long"
                return
            try:
                version = parse(line, SyncVersion)
            except RefusedError:
                yield f"line {number} is no version"
                return
            if version.replica != replica or (last and version.counter != last + 1) or version.counter < 1:
                yield f"line {number} is out of its place"
                return
            last = version.counter
            yield version

    def _versions(self, tree: _Tree, vector: Mapping[str, int]) -> Iterator[SyncVersion]:
        for replica, files in sorted(tree.files.items()):
            for file in sorted(files):
                content = tree.contents.get(file.blob)
                if content and vector.get(replica, 0) < content.last <= tree.vector[replica]:
                    for version in self._lines(replica, file):
                        if isinstance(version, SyncVersion):
                            yield version

    def _all(self, tree: _Tree, name: str, kind: type[T]) -> Iterator[T]:
        for path, blob in sorted(tree.others.items()):
            if path.endswith(f"/{name}"):
                try:
                    yield parse(self._blob(blob), kind)
                except RefusedError as error:
                    self.problems.append(f"{path} was refused: {error.message}")

    # -- writing it

    def _appended(
        self, tree: _Tree, new: Iterable[SyncVersion], own: Collection[str]
    ) -> Iterator[tuple[str, bytes]]:
        """The files that new versions change; an empty one goes.

        Former programs made files of any size. Their writer, who has all that they hold, replaces those that
        are too large to be read, and what follows them, which nobody reads either.
        """
        by_replica: dict[str, list[SyncVersion]] = defaultdict(list)
        for one in new:
            by_replica[one.replica].append(one)
        for replica, versions in by_replica.items():
            files = sorted(tree.files.get(replica, ()))
            kept = list(takewhile(lambda file: file.size <= MOST_FILE, files)) if replica in own else files
            yield from ((file.path, b"") for file in files[len(kept) :])
            day, text = f"{self._now:%Y-%m-%d}", b""
            if kept and (last := Path(kept[-1].path).stem) >= day:
                day, text = last, self._blob(kept[-1].blob)
            lines = [text]
            size = len(text)
            for two in versions:
                line = f"{canonical(two)}\n".encode()
                if size and size + len(line) > FULL_FILE:
                    yield f"replicas/{replica}/{day}.jsonl", b"".join(lines)
                    day, lines, size = _day_after(day), [], 0
                lines.append(line)
                size += len(line)
            yield f"replicas/{replica}/{day}.jsonl", b"".join(lines)

    def _hollowed(self, tree: _Tree, new: Mapping[str, bytes], purged: set[str]) -> dict[str, bytes]:
        """The files in which a purged record has text, without that."""
        found: dict[str, bytes] = {}
        named = [canonical(one)[1:-1].encode() for one in purged]
        texts = {one.path: self._blob(one.blob) for files in tree.files.values() for one in files}
        for path, text in (texts | {path: one for path, one in new.items() if path.endswith("l")}).items():
            if any(one in text for one in named):
                lines = text.splitlines(keepends=True)
                kept = [
                    _hollow(line, purged) if any(one in line for one in named) else line for line in lines
                ]
                if kept != lines:
                    found[path] = b"".join(kept)
        return found

    def _commit(self, tree: _Tree, files: Mapping[str, bytes], said: str, *, rootless: bool = False) -> bool:
        """Push the tree with some files changed; False where somebody else was first.

        Args:
            tree: as it was read.
            files: by path; an empty one is removed.
            said: in the commit.
            rootless: leave the history behind: it holds what was purged.
        """
        with tempfile.TemporaryDirectory(prefix="recortex-sync-") as name:
            index = {"GIT_INDEX_FILE": str(Path(name) / "index")}
            if tree.commit:
                self._git("read-tree", tree.commit, more=index)
            entries = [
                f"100644 {self._git('hash-object', '-w', '--stdin', given=text).decode().strip()}\t{path}\n"
                if text
                else f"0 {_NOTHING}\t{path}\n"
                for path, text in files.items()
            ]
            self._git("update-index", "--add", "--index-info", given="".join(entries).encode(), more=index)
            written = self._git("write-tree", more=index).decode().strip()
        if tree.commit and written == self._git("rev-parse", f"{tree.commit}^{{tree}}").decode().strip():
            return True
        parent = ["-p", tree.commit] if tree.commit and not rootless else []
        commit = self._git("commit-tree", written, *parent, "-m", said).decode().strip()
        lease = f"--force-with-lease={self._ref}:{tree.commit}"
        try:
            self._git("push", "-q", "--no-verify", lease, self._url, f"{commit}:{self._ref}")
        except OfflineError as error:
            if any(one in error.message for one in _REJECTED):
                return False
            raise
        if rootless:
            self._keep_only(commit)
        self._git("update-ref", self._ref, commit)
        return True

    # -- git itself

    def _make_ready(self) -> None:
        now = time.time()
        for lock in (*self._folder.glob("*.lock"), *self._folder.glob("refs/**/*.lock")):
            with suppress(OSError):  # who holds it may have given it back
                if abs(now - lock.stat().st_mtime) > STALE_SECONDS:
                    lock.unlink()
        if not (self._folder / "objects" / "info").exists():  # git makes that last
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._git("init", "-q", "--bare", "--template=", str(self._folder))

    def _follow(self) -> bool:
        """Fetch what is new; False where there is no branch."""
        listed = self._git("ls-remote", self._url, self._ref).split()
        there, former = listed[0].decode() if listed else "", self._tip()
        if there and there != former:
            words = ("fetch", "-q", "--no-tags", "--no-write-fetch-head")
            self._git(*words, self._url, f"+{self._ref}:{_ARRIVED}")
            commit = self._git("rev-parse", _ARRIVED).decode().strip()
            if former and not self._git("merge-base", former, commit, fails=True):
                self._keep_only(commit)  # what was purged is in the history that was left behind
            moves = f"update {self._ref} {commit}\ndelete {_ARRIVED}\n"
            self._git("update-ref", "--stdin", given=moves.encode())
        return bool(there)

    def _keep_only(self, commit: str) -> None:
        """Delete every object that a commit does not need, before the branch is moved to it.

        A sync that is killed in between finds a branch that is not the remote's, or one whose objects are
        gone, and begins anew.

        Raises:
            CopyLeftError: they cannot be deleted.
        """
        kept = self._git("rev-list", "--objects", commit)
        name = self._git("pack-objects", "-q", str(self._folder / "objects" / "pack" / "pack"), given=kept)
        try:
            for path in [*self._folder.glob("objects/**/*")]:
                if path.is_file() and name.decode().strip() not in path.name:
                    path.chmod(0o600)
                    path.unlink()
        except OSError:
            self.forget()
            raise _GitError("The copy of the branch could not be cleared.") from None

    def _tip(self) -> str:
        return self._git("for-each-ref", "--format=%(objectname)", self._ref).decode().strip()

    def _blob(self, blob: str) -> bytes:
        return self._git("cat-file", "blob", blob)

    def _git(
        self,
        *words: str,
        given: bytes | None = None,
        more: Mapping[str, str] | None = None,
        fails: bool = False,
    ) -> bytes:
        """What git prints; nothing where it `fails` and may.

        Raises:
            OfflineError: it fails, or takes too long.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name in _SPEAKS_TO_GIT
        }
        environment = {
            **kept,
            "GIT_DIR": str(self._folder),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
            "LC_ALL": "C",
            **{
                f"GIT_{who}_{what}": value
                for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", "Recortex"), ("EMAIL", "sync@recortex.invalid"))
            },
            **(more or {}),
        }
        try:
            with subprocess.Popen(  # noqa: S603  fixed words; the program's path is absolute
                [self._program, "-c", f"core.hooksPath={os.devnull}", "-c", "gc.auto=0", *words],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # without a terminal, nothing can ask for a password and wait
            ) as child:
                try:
                    printed, complaint = child.communicate(given or b"", timeout=SECONDS)
                except BaseException:
                    _stop(child)
                    raise
        except (OSError, subprocess.SubprocessError) as error:
            raise OfflineError(f"git {words[0]} could not be run: {error}.") from error
        if child.returncode and not fails:
            said = complaint.decode("utf-8", "replace").strip().replace("\n", " ")[:300]
            kind = OfflineError if words[0] == "ls-remote" else _GitError
            raise kind(f"git {words[0]} failed: {said}")
        return printed


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End git and all that it started, such as an SSH that waits for an answer and holds its output open."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(child.pid, number)
            else:
                child.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)


def _day_after(day: str) -> str:
    """The name that follows.

    Raises:
        RefusedError: it is no day, or the last one: somebody else has made the file.
    """
    try:
        return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        raise RefusedError(
            f"On the branch is a file of yours, {day}.jsonl, that Recortex has not made.",
            hint="Whoever may push to it can remove the file.",
        ) from None


def _hollow(line: bytes, purged: set[str]) -> bytes:
    try:
        version = parse(line, SyncVersion)
    except RefusedError:
        return line
    if version.body is None or not any(id_ in version.memory_id for id_ in purged):
        return line
    return f"{canonical(replace(version, body=None))}\n".encode()


def _without_password(url: str) -> str:
    before, sign, after = url.partition("://")
    if not sign:
        return url
    host, slash, path = after.partition("/")
    return f"{before}://{host.rpartition('@')[2]}{slash}{path}"
