"""What the hooks of one project work with, opened when needed, and what is done at each event."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.naming import of_session, shown
from recortex.codebase.project import branch_and_commit, working_tree
from recortex.domain.session import Session, Signal
from recortex.errors import PermissionsError
from recortex.lean import Struct, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from recortex.app.application import Application
    from recortex.app.projects import Location, Locations, Project
    from recortex.domain.session import HookEvent, Receipt, SignalName
    from recortex.ports.search import Sessions
    from recortex.settings import Settings


class HookContext(Struct, kw_only=True, eq=False, dict=True):
    """What the hooks of one project work with: settings, stores and queue, each opened when first needed.

    Attributes:
        project: the checkout, and the folder of its memory.
        stores: where they are, the project's own first.
        settings, clock: of the project.
        open_sessions: opens the store's sessions alone, which takes a tenth of opening all; the store must be
            there.
        open_app: opens everything.
        ready: whether the embedding model is loaded, so that meaning may be asked for without a wait.
    """

    project: Project
    stores: Locations
    settings: Settings
    clock: Callable[[], datetime]
    open_sessions: Callable[[], Sessions]
    open_app: Callable[[], Application]
    ready: Callable[[], bool]

    @property
    def root(self) -> Path:
        """The top folder of the project."""
        return self.project.root

    @property
    def locations(self) -> list[Location]:
        """Where the stores are, the project's own first."""
        return list(self.stores.values())

    @property
    def location(self) -> Location:
        """Where the project's store is."""
        return next(iter(self.stores.values()))

    @cached_property
    def app(self) -> Application:
        """Everything: stores, retrieval, models."""
        return self.open_app()

    @cached_property
    def sessions(self) -> Sessions:
        """What is noted of sessions."""
        return self.open_sessions()

    @property
    def homeless(self) -> bool:
        """Whether there is no store and none may be made: home folder, root, unbound checkout."""
        # In the home folder, or at the root of a disk, a store would belong to no project.
        nowhere = self.root in {Path.home().resolve(), Path(self.root.anchor)}
        return not self.exists and (nowhere or self.location.unbound)

    @property
    def exists(self) -> bool:
        """Whether the project has a store."""
        return self.location.exists

    @property
    def store(self) -> str:
        """What a server of this store is known by."""
        return self.location.address

    def branch(self, cwd: str) -> str:
        """The branch that is checked out where a session works: a linked worktree has its own."""
        # The folder may be gone, as a removed worktree is: the project's own branch is all that is known
        # then.
        folder = Path(cwd) if cwd else self.root
        return shown(branch_and_commit(working_tree(folder) if folder.is_dir() else self.root)[0])

    def note_session(self, event: HookEvent) -> Session:
        """Note that a session is alive, with what the event says of it."""
        now = self.clock()
        known = self.sessions.get(event.session) or Session(id=event.session, started_at=now, seen_at=now)
        session = replace(
            known,
            seen_at=now,
            # An event after the end means that the session was resumed.
            ended_at=None,
            end_reason="",
            branch=self.branch(event.cwd),
            # What an event leaves out, an earlier one may have said.
            client=event.client or known.client,
            cwd=event.cwd or known.cwd,
            transcript=event.transcript or known.transcript,
            process=event.process or known.process,
            context=known.context + (event.source == "compact"),
        )
        self.keep(session)
        return session

    def keep(self, session: Session) -> None:
        """Keep what is known of a session without the secrets in its paths, which the object itself keeps.

        This, signals and receipts are lost where the disk is full or may only be read: the agent is told
        what is known all the same.
        """
        with suppress(PermissionsError):
            self.sessions.put(of_session(session))

    def note(self, signals: Sequence[Signal]) -> None:
        """Keep what was seen in a session."""
        with suppress(PermissionsError):
            self.sessions.note(signals)

    def give(self, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """Keep receipts; returns those of what the session was not given before."""
        if not receipts:
            return []
        with suppress(PermissionsError):
            return self.sessions.give(receipts)
        # Receipts that cannot be kept now: what an earlier hook could keep still counts as given.
        known = {(one.memory, one.context) for one in self.sessions.receipts(receipts[0].session)}
        return [one for one in receipts if (one.memory, one.context) not in known]

    @property
    def capture_lock(self) -> Path:
        """Held by the one process that learns from the project's sessions."""
        return self.location.place("locks") / "capture.lock"

    @property
    def queue(self) -> Path:
        """Where sessions wait to be learned from."""
        return self.location.place("queue")


# -- asks the agent once in a session what of it is worth remembering: at its end, or around a compaction


LONG = 8
"""Prompts of a long session: of 606 labelled sessions, those with as many are 22 % and hold 168 of the 305
facts that a later session would ask for, four times as many each as shorter ones (`bench/gold`)."""
SOME = 4
"""Prompts from which a session is asked in which a command failed and worked again, or the person decided
something: that is worth knowing."""
CLIENTS = frozenset(("", "claude-code"))
"""Clients that go on when a hook says so at the end of a turn, and give a hook's words to the model that
writes the summary; a hook of the plug-in names none."""
QUESTION = (
    "Recortex asks this once in a session in which nothing was remembered (setting `hooks.reflect`)."
    " Durable facts of this session that a later one cannot see from the code are kept with `remember`: the"
    " cause of a failure, a correction, decision or standing wish of the person, a dead end. One call for"
    " each, at most five, each one self-contained sentence with its names and its reason. Where there is"
    " none, nothing is to be remembered: one line that says so is enough."
)
SUMMARY = (
    "List in the summary, under the heading `Worth remembering`, up to five durable facts of this session"
    " that a later one cannot see from the code: the cause of a failure, a correction, decision or standing"
    " wish of the person, a dead end; each as one self-contained sentence with its names and its reason."
    " Leave the heading out where there is none."
)


def note_prompt(context: HookContext, event: HookEvent) -> None:
    """Note that the person gave a prompt, where prompts are counted."""
    if context.settings["hooks.reflect"] and context.exists:
        _note(context, event, "prompted")


def question(context: HookContext, event: HookEvent) -> str:
    """What the agent is asked at the end of a turn, or as a compacted session goes on; mostly nothing.

    Asked once: in a long session, in a shorter one in which something was mended or decided, and in any that
    was compacted, unless something was remembered in it.
    """
    compacted = event.name == "session-start" and event.source == "compact"
    if not (compacted or event.ending) or not _open(context, event, compacted=compacted):
        return ""
    # Noted before it is known whether it is asked: a session in which something was remembered is looked at
    # once.
    _note(context, event, "reflected")
    return "" if _remembered(context, event) else QUESTION


def for_summary(context: HookContext, event: HookEvent) -> str:
    """What the summary that a compaction writes is to keep, where the agent will be asked after it."""
    return SUMMARY if _open(context, event, compacted=True) and not _remembered(context, event) else ""


def _open(context: HookContext, event: HookEvent, *, compacted: bool) -> bool:
    """Whether a session was not asked yet, and is worth it."""
    if (
        not context.settings["hooks.reflect"]
        or event.client not in CLIENTS
        or event.agent
        or not context.exists
    ):
        return False
    seen = [one.name for one in context.sessions.signals(event.session)]
    # Asked after a compaction, one prompt is enough: what it summarised is no longer in the context.
    least = 1 if compacted else SOME if {"mended", "decided"} & set(seen) else LONG
    return seen.count("prompted") >= least and "reflected" not in seen


def _remembered(context: HookContext, event: HookEvent) -> bool:
    session = context.sessions.get(event.session)
    return session is None or context.sessions.remembered_since(session.started_at)


def _note(context: HookContext, event: HookEvent, name: SignalName) -> None:
    context.note([Signal(session=event.session, at=context.clock(), name=name, subject="")])
