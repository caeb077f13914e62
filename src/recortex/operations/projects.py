"""A project's memory: made, bound to its checkout, and taken over from where it was before."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.app.adoption import Candidate, candidates, discard, named, refused, take_over
from recortex.app.location import COMPANIONS
from recortex.app.naming import shown
from recortex.app.note_folders import describe_unread, notes_folder
from recortex.app.projects import adopted, bind_workspace, locate
from recortex.clients.catalogue import InstallRequest, found_here, share
from recortex.clients.environment import here
from recortex.clients.installer import wanting
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope
from recortex.errors import ConfigError, InvalidInputError, StorageError
from recortex.formats.session_files import histories
from recortex.operations.base import Operations, filled
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.jobs.instructions import Reading
    from recortex.app.location import Location
    from recortex.app.store_services import StoreServices


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptable:
    """Memories of this project that are kept elsewhere.

    Attributes:
        path: the folder that they are in.
        reason: why they may be this project's: its checkout was moved or copied, an earlier checkout was at
            the same path (replaced), or an older version kept them in the work tree (older).
        made_for: the path of the checkout that they were learned in.
        first, last: when the first and the last of them were recorded.
        problem: why they cannot be used.
    """

    path: str
    reason: Literal["moved", "copied", "replaced", "older"]
    made_for: str
    memories: int = 0
    first: datetime | None = None
    last: datetime | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """Where memories of this project are kept.

    Attributes:
        root: the checkout that they are bound to.
        workspace: on a server; else empty.
        memories: that are kept there now.
        adopted: how many were taken over.
        adoptable: what `recortex init --adopt` would take over.
        refused: why an older version's folder in the work tree is left alone.
        histories: agents that have left sessions on this machine, which `recortex import` reads.
        hosts: agents on this machine that do not use this memory yet; `recortex install` lets them.
        instructions: files such as CLAUDE.md whose statements it follows: those of agents that worked here.
        rules: such files of other agents, which `recortex import rules` reads too.
        unread_notes: why an agent's notes are not read, and what to do.
    """

    path: str
    created: bool
    schema: int
    root: str = ""
    workspace: str = ""
    memories: int = 0
    adopted: int = 0
    adoptable: tuple[Adoptable, ...] = ()
    refused: str = ""
    histories: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    unread_notes: tuple[str, ...] = ()


class ProjectOperations(Operations):
    """init."""

    @operation(idempotent=True, person=True)
    def init(self, *, adopt: bool = False, adopt_from: str = "", workspace: str = "") -> Initialised:
        """Create this project's memory, in a folder of your data directory that is bound to this checkout.

        If memories of the same project are kept elsewhere, they are only shown: those of the path the
        checkout was moved or copied from, or in an older version's `.recortex` folder.

        Args:
            adopt: take those memories over.
            adopt_from: the project's former path, if it cannot be found out.
            workspace: if the store is on a server: the workspace for this checkout; by default named after
                the remote that git fetches from.
        """
        location = self._bound(workspace)
        existed = location.exists
        project = locate(self._app.project.home, self._app.project.checkout)
        found = [named(project, Path(adopt_from))] if adopt_from else []
        if not (adopt_from or location.remote):
            found = candidates(project)
        took = [self._adopt(one) for one in found] if adopt or adopt_from else []
        if took:
            adopted(project)
        services = self._app.services(Scope.PROJECT)
        around = here()
        read = self._instructions(services)
        return Initialised(
            path=services.store.shown,
            created=not existed,
            schema=services.store.schema,
            workspace=services.location.workspace,
            root=shown(str(self._app.root)),
            adopted=sum(took),
            adoptable=() if took else tuple(map(_shown, found)),
            refused=refused(project),
            instructions=read.files,
            rules=self._unread(read.files),
            unread_notes=tuple(" ".join(describe_unread(*one)) for one in read.shared.items()),
            memories=_memories(services),
            histories=histories(Path.home(), self._app.settings.claude_folder, self._app.root),
            hosts=tuple(
                host for host in found_here(around) if wanting(share(host, InstallRequest(around)).parts)
            ),
        )

    def _instructions(self, services: StoreServices) -> Reading:
        """What tells agents how to work on the project, read as the person asks by making this."""
        from recortex.app.jobs.instructions import Reading, read_first

        if not self._app.settings["hooks.instructions"]:
            return Reading()
        folder = notes_folder(self._app.settings.claude_folder, self._app.root)
        return read_first(services, self._app.clock(), [folder])

    def _unread(self, read: tuple[str, ...]) -> tuple[str, ...]:
        """The instruction files of the project that are not followed."""
        from recortex.clients.instruction_files import instruction_files

        if not self._app.settings["hooks.instructions"]:
            return ()
        return tuple(shown(one.name) for one in instruction_files(self._app.root) if one.name not in read)

    def _bound(self, workspace: str) -> Location:
        """The project's location; on a server, bound to a workspace from now on."""
        locations = self._app.locations
        key = None if None in locations else Scope.PROJECT
        location = locations[key]
        if not location.remote:
            if workspace:
                raise InvalidInputError(
                    "A store in a file has no workspace.", hint="Set RECORTEX_URL to a server."
                )
            return location
        if location.unbound or workspace:
            from recortex.domain.address import parse

            name = workspace or self._app.project.checkout.remote
            self._app.close()
            bind_workspace(self._app.project, parse(location.url, workspace=name).server, name)
            locations.look_again(key)
        return locations[key]

    def _adopt(self, candidate: Candidate) -> int:
        """Take a store over whole where this project has none yet, else its memories.

        Returns how many it held.
        """
        held = candidate.summary().memories
        services = self._app.services(Scope.PROJECT)
        if services.location.remote:
            raise ConfigError(
                "Memories in a file are copied to a server by `recortex migrate-store`.",
                hint=f"recortex migrate-store {candidate.database} URL",
            )
        if _memories(services):
            from recortex.app.adoption import opened
            from recortex.formats.jsonlines import Records
            from recortex.operations.exporting import adopt

            with closing(opened(candidate, self._app)) as store:
                memories = [
                    (memory, tuple(one for one in store.memories.history(memory.id) if one.recorded_to))
                    for memory in store.memories.find(MemoryQuery(statuses=(), descending=False))
                ]
                records = Records(tuple(memories), tuple(store.relations.all()))
            adopt(self._app, records, (), quarantine=False, embed=True, dry_run=False)
            discard(candidate)
            return held
        location = services.location
        self._app.close()
        for suffix in COMPANIONS:
            location.database.with_name(f"{location.database.name}{suffix}").unlink(missing_ok=True)
        take_over(candidate, location.folder)
        return held


def _memories(services: StoreServices) -> int:
    return sum(sum(statuses.values()) for statuses in services.store.memories.counts().values())


def _shown(candidate: Candidate) -> Adoptable:
    try:
        held, problem = candidate.summary(), ""
    except StorageError as error:
        held, problem = None, error.message
    return filled(
        Adoptable,
        held,
        path=str(candidate.folder),
        reason=candidate.reason,
        made_for=candidate.path,
        problem=problem,
    )
