"""Opens what a sync of this project needs: the replica in its store, and the way to the others."""

from __future__ import annotations

import getpass
import os
import uuid
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from recortex.codebase.git import git_folders, git_path, run
from recortex.domain.text import to_micros
from recortex.errors import ConfigError, InvalidInputError, PermissionsError
from recortex.filesystem import alone
from recortex.lean import replace
from recortex.sync.exchange import synchronise
from recortex.sync.git_branch import BRANCH, CopyLeftError, GitBranch, delete
from recortex.sync.keys import Vault, identity
from recortex.sync.protocol import MOST_NAME, RunningError, SyncError, named
from recortex.sync.records import REPOSITORY, Replica, SyncRecords
from recortex.sync.replica import SyncReplica

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.sync.exchange import Exchanged
    from recortex.sync.http import HttpTransport
    from recortex.sync.keys import Identity
    from recortex.sync.protocol import Strategy
    from recortex.sync.records import State

    Way = GitBranch | HttpTransport

GIT = "git "
"""What the way over a remote begins with."""
_SECONDS = 3.0
PATIENCE = 5.0
"""Seconds to wait for another process that synchronises the store: with little that is new, it takes less."""


class Team:
    """The team of a project's store.

    Args:
        services: of the store.
        now: the time.
    """

    def __init__(self, services: StoreServices, now: datetime) -> None:
        self._services, self.now = services, now
        self.log = services.store.records(SyncRecords)
        self.vault = Vault(services.location.folder)

    @property
    def state(self) -> State:
        """What the store has; without a way it belongs to no team yet."""
        return self.log.state()

    @property
    def joined(self) -> bool:
        """Whether the project syncs at all."""
        return bool(self.state.way)

    def set_up(self, remote: str, author: str) -> bool:
        """Join the team on a remote's branch, or make it; returns whether it is new.

        Raises:
            InvalidInputError: the name cannot be one.
            SyncError: the remote cannot be reached.
        """
        url = remote_url(self._services.root, remote)
        author = author or usual_name(self._services.root)
        if not named(author):
            raise InvalidInputError(
                f"{author[:40]!r} cannot be your name in the team.", hint="Give one: --name 'Ada Lovelace'"
            )
        branch = self._branch(url)
        wanted = str(uuid.uuid4())
        team = branch.team() or branch.found(wanted)
        self.join(GIT + url, team, author)
        return team == wanted

    def join(self, way: str, team: str, author: str, me: Identity | None = None) -> Identity:
        """Let the store belong to a team from now on.

        Raises:
            InvalidInputError: it belongs to another one.
        """
        self.check(team)
        state = self.state
        me = me or identity(self.vault, state.replica, team, author)
        with self._services.store.transaction():
            known = self.log.replicas().get(me.replica)
            if known is None or known.card.author != author:
                card = me.card(to_micros(self.now) // 1000)
                self.log.put_replica(Replica(card, trusted=True, applied=None))
            self.log.put_state(replace(state, team=team, replica=me.replica, author=author, way=way))
        return me

    def follow(self, link: str) -> None:
        """Join a workspace on a server by its link; by a log-in, where the link has no token.

        Raises:
            InvalidInputError: it is no link, or the store belongs to another team.
            OfflineError: the server cannot be reached.
            RefusedError: the link was used, or is over.
            LoginError: the person did not log in.
        """
        from recortex.sync.http import read_link
        from recortex.sync.membership import join

        place, token = read_link(link)
        self.check(place.workspace)
        me = identity(self.vault, self.state.replica, place.workspace, "")
        join(self.vault, me, place, token, to_micros(self.now) // 1000)
        self.join(place.url, place.workspace, me.author, me)

    def check(self, team: str) -> None:
        """Do nothing, if the store may belong to a team.

        Raises:
            InvalidInputError: it belongs to another one.
        """
        if self.state.team not in {"", team}:
            raise InvalidInputError(
                "This project's memory belongs to another team already.",
                hint="Leave it first: recortex sync leave. Nothing is deleted by that.",
            )

    def leave(self) -> None:
        """Belong to no team any more; what came from it stays."""
        with self._services.store.transaction():
            self.log.put_state(replace(self.state, way=""))
            self.log.look_no_more()

    def me(self) -> Identity:
        """The store's replica.

        Raises:
            ConfigError: it belongs to no team.
        """
        state = self.state
        if not state.way:
            raise ConfigError(
                "This project does not sync with a team yet.", hint="recortex sync setup, or sync join LINK"
            )
        me = identity(self.vault, state.replica, state.team, state.author)
        if me.replica != state.replica:
            self.join(state.way, state.team, state.author, me)
        return me

    def replica(self) -> SyncReplica:
        """The store as a replica."""
        strategy = cast("Strategy", self._services.settings["sync.strategy"])
        return SyncReplica(self._services, self.me(), strategy, self.now)

    def transport(self) -> Way:
        """The way to the others."""
        way = self.state.way
        if way.startswith(GIT):
            return self._branch(way.removeprefix(GIT))
        if way.startswith(("http://", "https://")):
            from recortex.sync.membership import transport_of

            return transport_of(self.vault, self.me(), way)
        raise ConfigError(f"There is no such way to a team: {way[:80]!r}.")

    def exchange(self, *, pull: bool = True, push: bool = True) -> Exchanged:
        """Synchronise.

        Raises:
            OfflineError: the others cannot be reached now.
            RunningError: another process does, and goes on for longer than is waited here.
            SyncError: something is wrong with what they have.
        """
        with self._alone():
            left = self._delete_left_copy()
            transport = self.transport()
            renew = partial(self._renewed, transport)
            try:
                done = synchronise(
                    self.replica(), transport, now=self.now, renewed=renew, pull=pull, push=push
                )
                return replace(done, problems=(*left, *done.problems))
            except CopyLeftError:
                with self._services.store.transaction():
                    self.log.note_copy(left=True)
                raise
            finally:
                if not isinstance(transport, GitBranch):
                    transport.close()

    def _delete_left_copy(self) -> tuple[str, ...]:
        """Try again to delete a copy that has what was purged; returns why it cannot be done."""
        if not self.log.copy_left():
            return ()
        try:
            delete(self._services.location.place(REPOSITORY))
        except CopyLeftError as error:
            return (f"{error.message} {error.hint}",)
        with self._services.store.transaction():
            self.log.note_copy(left=False)
        return ()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process synchronise a store at a time.

        Two would make the same versions, and one delete the copy of the branch that the other one reads. The
        system takes the lock from a process that ends, however it does.
        """
        folder = self._services.location.place("locks")
        with ExitStack() as stack:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                held = stack.enter_context(alone(folder / "sync.lock", patience=PATIENCE))
            except OSError as error:
                raise PermissionsError(f"The folder {folder} cannot be written: {error}.") from error
            if not (held and stack.enter_context(self.log.claimed(PATIENCE))):
                raise RunningError("A sync of this project is running already.")
            yield

    def trust(self, prefix: str) -> Replica:
        """Show what a replica says that has the name of another; returns it.

        Of the person's own name this replica vouches for it, so that nobody else is asked.

        Raises:
            InvalidInputError: there is no such replica, or several begin so.
        """
        known = self.log.replicas()
        found = [one for id_, one in known.items() if prefix and id_.startswith(prefix)]
        if len(found) != 1:
            raise InvalidInputError(
                f"{'No replica has' if not found else 'Several replicas have'} an id that begins with"
                f" {prefix[:32]!r}.",
                hint="`recortex sync status` lists them.",
            )
        me, card = self.me(), found[0].card
        own = card.author == me.author and card.replica != me.replica
        trusted = Replica(me.vouch(card) if own else card, trusted=True, applied=found[0].applied)
        self.replica().trust(trusted)
        return trusted

    def _branch(self, url: str) -> GitBranch:
        return GitBranch(url, self._services.location.place(REPOSITORY), self.now, BRANCH)

    def _renewed(self, transport: Way | None = None) -> Identity:
        state = self.state
        me = identity(self.vault, "", state.team, state.author)
        if transport and not isinstance(transport, GitBranch):
            from recortex.sync.membership import renewed

            renewed(self.vault, transport, me, to_micros(self.now) // 1000)
        return me


def remote_url(root: Path, remote: str) -> str:
    """The URL of a remote of the project, or what is one itself.

    Raises:
        SyncError: the project has no such remote.
    """
    if "/" in remote or "\\" in remote:
        return remote
    url = _configured(root, f"remote.{remote}.url")
    if not url:
        raise SyncError(
            f"The project has no git remote called {remote!r}.",
            hint="Name another one, or a URL: recortex sync setup git@host:team/memory.git",
        )
    is_path = "://" not in url and ":" not in url.partition("/")[0]
    return str((root / url).resolve()) if is_path else url


def usual_name(root: Path) -> str:
    """What the person is called: as git signs their commits, else as the system knows them."""
    return (_configured(root, "user.name") or getpass.getuser())[:MOST_NAME]


def _configured(root: Path, name: str) -> str:
    """A value of the project's git configuration, else of the person's; nothing of the repository is run."""
    program = git_path()
    if program is None:
        return ""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    for where in (["-f", str(git_folders(root)[1] / "config")], ["--global"]):
        said = run([program, "config", *where, "--get", name], root, environment, _SECONDS)
        if said:
            return said.decode("utf-8", "replace").strip()
    return ""
