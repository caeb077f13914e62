"""Putting Recortex into the programs that run agents: install, uninstall."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recortex.clients.catalogue import ClientName, InstallRequest, share
from recortex.clients.environment import here
from recortex.clients.installer import Applied, additions, note, removals, take_away
from recortex.clients.parts import SettingPart
from recortex.domain.vocabulary import Actor
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.operations.agents import check_settings_of_clients
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.settings import user_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.clients.installer import Change
    from recortex.clients.parts import Part

MODEL_HOST = "claude-code"
"""The agent whose command line is asked (`llm/client.py`)."""


_PLUGGED = "The Recortex plug-in is still enabled there and goes on working; `{}` takes it out."


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

    @operation(idempotent=True, told=("host", "hooks", "dry_run"))
    def install(
        self,
        host: ClientName,
        *,
        hooks: bool = True,
        language_model: bool = False,
        dry_run: bool = False,
    ) -> Installed:
        """Connect a coding agent to this memory: its tools, and hooks if the agent has them.

        Only our own keys are written into your settings of the agent, and each file is backed up beside
        itself first. Installing again changes nothing.

        Args:
            host: the agent.
            hooks: install hooks too, which give memories unasked and learn from sessions; else only the
                tools.
            language_model: let the agent's own command line (`claude -p`, on your account) help to learn:
                sets `llm.provider` to `agent` in your settings. On a terminal you are asked.
            dry_run: only show what would be written.

        Raises:
            PersonNeededError: an agent would write the person's settings, or wants the language model.
        """
        if not dry_run:
            check_settings_of_clients(self._app, f"install {host}")
        found = share(host, InstallRequest(here(), hooks))
        parts = (*found.parts, *self._model_parts(host)) if language_model else found.parts
        files = self._applied(additions(parts), dry_run=dry_run)
        return Installed(host=host, installed=True, files=files, dry_run=dry_run, notes=found.notes)

    def model_offer(self, host: ClientName) -> str:
        """Ask whether the agent's command line may help to learn; empty where nothing is to be asked."""
        if host != MODEL_HOST or self._app.settings["llm.provider"]:
            return ""
        settings = self._app.settings
        return (
            "May Claude Code itself help to learn? After a session, `claude -p` then reads its prose, without"
            " code and secrets, with your account: for at most"
            f" ${settings['llm.daily_usd']:.2f} and {settings['llm.daily_tokens']:,} tokens a day."
        )

    def _model_parts(self, host: ClientName) -> tuple[Part, ...]:
        """What lets the agent's command line help to learn.

        Raises:
            InvalidInputError: the agent has none for that, or another model is set.
            PersonNeededError: an agent asks for it.
        """
        if self._app.actor is Actor.AGENT:
            raise PersonNeededError("Only the person allows that a language model is asked.")
        provider = self._app.settings["llm.provider"]
        why = "" if provider in {"", "agent"} else f"`llm.provider` is {provider}"
        if host != MODEL_HOST:
            why = f"{host} has no command line for it"
        if why:
            raise InvalidInputError(f"{why}: nothing was written.", hint="Leave --language-model out.")
        path = user_file(os.environ)
        return (SettingPart(path, path.parent, "llm", "provider", "agent"),)

    @operation(idempotent=True)
    def uninstall(self, host: ClientName, *, dry_run: bool = False) -> Installed:
        """Remove from a coding agent's settings what install wrote, no more; memories stay.

        A plug-in that is enabled has to be removed in the agent itself: the answer names the command.

        Args:
            host: the agent.
            dry_run: only show what would be written.

        Raises:
            PersonNeededError: an agent would write the person's settings.
        """
        if not dry_run:
            check_settings_of_clients(self._app, f"uninstall {host}")
        found = share(host, InstallRequest(here()))
        files = self._applied(removals(found.parts), dry_run=dry_run)
        notes = (_PLUGGED.format(found.plugin),) if found.plugin else ()
        return Installed(host=host, installed=bool(found.plugin), files=files, dry_run=dry_run, notes=notes)

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
