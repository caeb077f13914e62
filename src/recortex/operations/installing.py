"""Putting Recortex into the programs that run agents: install, uninstall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.clients.catalogue import ClientName, InstallRequest, share
from recortex.clients.environment import here
from recortex.clients.folders import note, take_away
from recortex.clients.installer import Applied, additions, removals
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.operations.results.installing import HostFileChange, Installed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.clients.installer import Change


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
