"""Putting Recortex into the programs that run agents: install, uninstall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recortex.clients.catalogue import ClientName, InstallRequest, share
from recortex.clients.environment import here
from recortex.clients.folders import note, take_away
from recortex.clients.installer import Applied, additions, removals
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.clients.installer import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFileChange:
    """What became of one of the client's files, or would.

    Attributes:
        backup: the copy that was made before; empty where nothing was there or nothing changed.
        diff: the lines that would come and go; only where nothing is written.
    """

    path: str
    action: Literal["unchanged", "created", "changed", "removed"]
    backup: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A client's files after Recortex was put in or taken out.

    Attributes:
        installed: it is in there now; False after it was taken out.
        dry_run: nothing was written.
        notes: what to know or to do next.
    """

    host: str
    installed: bool
    files: tuple[HostFileChange, ...]
    dry_run: bool = False
    notes: tuple[str, ...] = ()


class InstallationOperations(Operations):
    """install, uninstall."""

    @operation(idempotent=True)
    def install(self, host: ClientName, *, hooks: bool = True, dry_run: bool = False) -> Installed:
        """Make a coding agent use this memory: its tools, and its hooks where the agent has them.

        Only our own keys are written into the agent's settings of this user; each file is copied beside
        itself before. Doing it again changes nothing.

        Args:
            host: the agent.
            hooks: the agent's hooks call us, so that memories come up by themselves and sessions are learned
                from; otherwise only the tools are there.
            dry_run: only show what would be written.
        """
        found = share(host, InstallRequest(here(), hooks))
        files = self._applied(additions(found.parts), dry_run=dry_run)
        return Installed(host=host, installed=True, files=files, dry_run=dry_run, notes=found.notes)

    @operation(idempotent=True)
    def uninstall(self, host: ClientName, *, dry_run: bool = False) -> Installed:
        """Take out of a coding agent's settings what install put in, and nothing else; memories stay.

        Args:
            host: the agent.
            dry_run: only show what would be written.
        """
        found = share(host, InstallRequest(here()))
        files = self._applied(removals(found.parts), dry_run=dry_run)
        return Installed(host=host, installed=False, files=files, dry_run=dry_run)

    def _applied(self, changes: Iterable[Change], *, dry_run: bool) -> tuple[HostFileChange, ...]:
        done = tuple(self._done(change, dry_run=dry_run) for change in changes)
        if any(one.action == "removed" for one in done) and not dry_run:
            take_away(self._app.project.home)
        return done

    def _done(self, change: Change, *, dry_run: bool) -> HostFileChange:
        applied = Applied() if dry_run else change.apply(self._app.clock())
        note(self._app.project.home, applied.folders)
        return HostFileChange(
            path=str(change.file.path),
            action=change.action,
            backup=str(applied.backup or ""),
            diff=change.diff() if dry_run else "",
        )
