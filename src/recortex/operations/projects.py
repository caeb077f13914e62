"""A project's memory and records, and the programs that use it."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recortex import plugins
from recortex.app.access import Right, Tokens
from recortex.app.brief_cache import forget_briefs
from recortex.app.commit_import import CommitImport
from recortex.app.jobs.instructions import Reading, read_first
from recortex.app.past_sessions import describe_unread, notes_folder
from recortex.app.projects import COMPANIONS, adopted, bind_workspace, locate, shown
from recortex.app.whole_stores import Candidate, candidates, discard, named, opened, refused, take_over
from recortex.clients.catalogue import ClientName, InstallRequest, found_here, share
from recortex.clients.hooks import here
from recortex.clients.installer import Applied, SettingPart, additions, note, removals, take_away, wanting
from recortex.clients.instruction_files import instruction_files
from recortex.codebase.record_files import record_folders
from recortex.domain.address import parse
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Scope
from recortex.engines.ingestion import normalise
from recortex.errors import ConfigError, InvalidInputError, PersonNeededError, StorageError
from recortex.formats.importers import Records
from recortex.formats.session_files import histories
from recortex.lean import Value
from recortex.operations.agents import WAITING, check_settings_of_clients
from recortex.operations.base import Operations, bounded, embed_all, filled
from recortex.operations.moving import Imported, WouldKeep, adopt
from recortex.operations.registry import operation
from recortex.settings import user_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.app.access import Token
    from recortex.app.application import Application, StoreServices
    from recortex.app.projects import Location
    from recortex.clients.installer import Change, Part
    from recortex.engines.privacy import Draft


class Adoptable(Value, frozen=True, kw_only=True):
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


class Initialised(Value, frozen=True, kw_only=True):
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
            memories=services.store.memories.count(MemoryQuery(statuses=())),
            histories=histories(Path.home(), self._app.settings.claude_folder, self._app.root),
            hosts=tuple(
                host for host in found_here(around) if wanting(share(host, InstallRequest(around)).parts)
            ),
        )

    def _instructions(self, services: StoreServices) -> Reading:
        """What tells agents how to work on the project, read as the person asks by making this."""
        if not self._app.settings["hooks.instructions"]:
            return Reading()
        folder = notes_folder(self._app.settings.claude_folder, self._app.root)
        return read_first(services, self._app.clock(), [folder])

    def _unread(self, read: tuple[str, ...]) -> tuple[str, ...]:
        """The instruction files of the project that are not followed."""
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
        if services.store.memories.count(MemoryQuery(statuses=())):
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


# -- learning from what a project wrote down itself: its decision records, and the messages of its commits


MOST_COMMITS = 5_000
"""Commits that are read, unless said otherwise."""
_MOST_EVER = 100_000


def import_records(app: Application, path: str, *, embed: bool, dry_run: bool) -> Imported:
    """Keep memories of the project's decision records in step with their files.

    Raises:
        InvalidInputError: no records are there, or they lie outside of the project.
    """
    places = [_inside(app, path)] if path else record_folders(app.root)
    if not places:
        raise InvalidInputError(
            "No folder of decision records was found in this project.",
            hint="Name it: recortex import adr docs/decisions",
        )
    services = app.services(Scope.PROJECT)
    importer = plugins.load(plugins.capability("decisions").importers["adr"])
    reading = importer(app, services, held=app.limited, dry_run=dry_run)
    done = reading.run(places)
    if not dry_run:
        for told in (one.kept for one in plugins.capabilities() if one.kept):
            plugins.load(told)(app, services, reading.paths, embed=embed)
    files, problems = done.looked_at, tuple(done.problems)
    return _imported(app, done, "adr", embed=embed, dry_run=dry_run, files=files, problems=problems)


def import_commits(
    app: Application,
    path: str,
    *,
    since: datetime | None,
    limit: int,
    afresh: bool,
    embed: bool,
    dry_run: bool,
) -> Imported:
    """Learn from the messages of the project's commits, from where the last import ended.

    Raises:
        InvalidInputError: there is no history, or the path lies in another repository.
    """
    if path:
        _inside(app, path)
    services = app.services(Scope.PROJECT)
    reading = CommitImport(app, services, held=app.limited, dry_run=dry_run)
    done = reading.run(since=since, limit=bounded(limit, most=_MOST_EVER), afresh=afresh)
    told = {"commits": done.read, "changed": done.replaced}
    problems = (*done.problems, *([f"only the last {limit:,} commits were read"] if done.cut else []))
    return _imported(app, done, "git", embed=embed, dry_run=dry_run, problems=problems, **told)


def _imported(
    app: Application, done: Any, format_: str, *, embed: bool, dry_run: bool, **told: Any
) -> Imported:
    """What became of records or commits, whose memories get their vectors now if they are to."""
    services = app.services(Scope.PROJECT)
    memories = services.store.memories.get([one.id for one in done.memories])
    if not dry_run:
        forget_briefs(list(app.locations.values()))
        if embed:
            embed_all(app, memories)
    return filled(
        Imported,
        done,
        format=format_,
        skipped=dict(done.skipped.most_common()),
        dry_run=dry_run,
        proposed=sum(one.status in WAITING for one in memories),
        by_kind=dict(Counter(one.kind for one in (memories or done.drafts)).most_common()),
        found=_found(services, done.drafts, app.clock()) if dry_run else (),
        **told,
    )


def _found(services: StoreServices, drafts: Sequence[Draft], now: datetime) -> tuple[WouldKeep, ...]:
    """What drafts would become, without secrets."""
    made = (normalise(one, id_="", now=now, count=services.count_tokens).memory for one in drafts)
    return tuple(
        WouldKeep(
            kind=one.kind, status=one.status, of=one.source.path or one.source.commit, summary=one.summary
        )
        for one in made
    )


def _inside(app: Application, path: str) -> Path:
    """A place in the project, as the person or the agent names it.

    Raises:
        InvalidInputError: it is not there, or no part of the project.
        PersonNeededError: an agent names a place outside of it.
    """
    if "\0" in path:
        raise InvalidInputError("A path cannot have a NUL character.", hint="Give another path.")
    folder = app.root if app.actor is Actor.AGENT else Path.cwd()
    place, root = Path(os.path.normpath(folder / Path(path).expanduser())), app.root.resolve()
    if not place.resolve().is_relative_to(root):
        if app.limited:
            raise PersonNeededError("An agent imports what is in the project only.")
        raise InvalidInputError(
            f"{path} is not in the project {app.root}.", hint="Work in the project that it belongs to."
        )
    if not place.exists():
        raise InvalidInputError(f"{path} is not there.", hint="Give a folder or file of the project.")
    return app.root / place.resolve().relative_to(root)


# -- putting Recortex into the programs that run agents: install, uninstall


MODEL_HOST = "claude-code"
"""The agent whose command line is asked (`recortex.llm`)."""


_PLUGGED = "The Recortex plug-in is still enabled there and goes on working; `{}` takes it out."


class HostFileChange(Value, frozen=True, kw_only=True):
    """What became of one of the client's files, or would.

    Attributes:
        backup: the copy that was made before; empty where nothing was there or nothing changed.
        diff: the lines that would come and go; only where nothing is written.
    """

    path: str
    action: Literal["unchanged", "created", "changed", "removed"]
    backup: str = ""
    diff: str = ""


class Installed(Value, frozen=True, kw_only=True):
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
        written = bool(parts)
        return Installed(host=host, installed=written, files=files, dry_run=dry_run, notes=found.notes)

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


# -- tokens of programs that use the HTTP API


_MOST_DAYS = 3_650


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A token that was made, without its secret.

    Attributes:
        right: read; write: also remember, edit and review; admin: everything that a person can do.
        state: valid, expired or revoked.
    """

    id: str
    name: str
    right: Right
    made_at: datetime
    expires_at: datetime | None
    state: Literal["valid", "expired", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensShown:
    """The tokens, and what was done.

    Attributes:
        secret: of the token that was made now; it is not kept and cannot be shown again.
    """

    tokens: tuple[IssuedToken, ...]
    secret: str = ""


class AccessOperations(Operations):
    """tokens."""

    @operation(person=True)
    def tokens(
        self,
        action: Literal["list", "add", "revoke"] = "list",
        *,
        name: str = "",
        right: Right = Right.READ,
        days: int = 90,
    ) -> TokensShown:
        """List, make or revoke the tokens by which programs use `recortex serve`.

        Args:
            action: list, add (shows the new token once) or revoke.
            name: of the token; to revoke one, also its id.
            right: what it allows: read; write (also remember, edit, review); admin (everything).
            days: for which it is valid; 0: until it is revoked.
        """
        if not 0 <= days <= _MOST_DAYS:
            raise InvalidInputError(f"The days must be from 0 to {_MOST_DAYS}, not {days}.")
        tokens, now, secret = Tokens(self._app.project.home), self._app.clock(), ""
        if action == "add":
            _, secret = tokens.add(name, right, now, days)
        elif action == "revoke":
            tokens.revoke(name, now)
        return TokensShown(tokens=_issued(tokens.all(), now), secret=secret)


def _issued(tokens: Sequence[Token], now: datetime) -> tuple[IssuedToken, ...]:
    def state(token: Token) -> Literal["valid", "expired", "revoked"]:
        if token.revoked_at:
            return "revoked"
        return "valid" if token.is_valid(now) else "expired"

    return tuple(
        IssuedToken(
            id=one.id,
            name=one.name,
            right=one.right,
            made_at=one.made_at,
            expires_at=one.expires_at,
            state=state(one),
        )
        for one in tokens
    )
