"""What the hooks of one project work with: requests to learn, the log, and the store when it is needed."""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.app.projects import of_event, of_session, shown, without_secrets
from recortex.codebase.git import branch_and_commit, working_tree
from recortex.domain.session import Session, Signal
from recortex.errors import PermissionsError, UntrustedFileError
from recortex.filesystem import append_own, read_own, replace_text
from recortex.lean import NamedTuple, Struct, Value, asdict, blake2b, field, lazy_module, replace, sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from _typeshed import SupportsGetItem

    from recortex.app.application import Application
    from recortex.app.hooks import dispatch, reminders
    from recortex.app.projects import Location, Locations, Project
    from recortex.domain.exchange import Turn
    from recortex.domain.session import Receipt, SignalName
    from recortex.formats.hook_events import HookEvent
    from recortex.formats.transcripts import TranscriptReader
    from recortex.ports.search import Sessions
    from recortex.settings import Settings
else:
    dispatch = lazy_module("recortex.app.hooks.dispatch")
    reminders = lazy_module("recortex.app.hooks.reminders")

ATTEMPTS = 3
"""A request that failed so often is given up: its transcript stays where it is and can be imported by
hand."""
# A request has a few hundred bytes; a larger file is not ours.
_MOST_BYTES = 64 * 1024
_WAITING, _CLAIMED, _TEMPORARY = ".json", ".claimed", ".part"
_SECONDS_TO_WRITE = 60.0  # an older temporary file was left by a process that died while it wrote


class Request(Value, frozen=True, kw_only=True):
    """A transcript to learn from; without one, only instruction files that changed are to be read.

    Attributes:
        session: the session it belongs to; `agent` is the sub-agent whose own transcript it is.
        final: nothing more will be written to it.
        folder, branch: where the session worked.
        urgent: its session just ended: nobody works any more whom learning could disturb.
        attempts: how often it was begun and not fulfilled; in a claimed file the one that runs counts too.
        forwarded: another project's memory saw that something of it was said here.
    """

    session: str
    transcript: str
    client: str = ""
    agent: str = ""
    final: bool = False
    folder: str = ""
    branch: str = ""
    urgent: bool = False
    attempts: int = 0
    forwarded: bool = False


def put_request(queue: Path, request: Request) -> None:
    """Add a request; one for the same transcript that waits already is joined with it.

    Raises:
        OSError: the folder cannot be written.
    """
    queue.mkdir(mode=0o700, exist_ok=True)
    path = queue / f"{_key(request)}{_WAITING}"
    # A request that was made later must not make a session unfinished or less urgent again.
    waiting = _read(path)
    if waiting is not None:
        request = replace(
            request, final=request.final or waiting.final, urgent=request.urgent or waiting.urgent
        )
    replace_text(path, json.dumps(asdict(request)))


def claim_requests(queue: Path) -> Iterator[tuple[Path, Request]]:
    """Each request that waits, oldest first, taken so that a new one for the same transcript is not lost.

    Only for the holder of the project's lock: what an earlier holder had claimed when it died is taken up
    again, after the others, as it may be what the holder died of.
    """
    again = {path.with_suffix(_WAITING) for path in _listed(queue, _CLAIMED)}
    for waiting in again:
        path = waiting.with_suffix(_CLAIMED)
        with suppress(OSError):
            # A newer request for the same transcript stands for both.
            path.unlink() if waiting.exists() else path.rename(waiting)
            # Behind all others, as it may be what the last process died of.
            os.utime(waiting)
    for path in _listed(queue, _TEMPORARY):
        with suppress(OSError):
            # Another process may be writing it just now.
            if time.time() - path.stat().st_mtime > _SECONDS_TO_WRITE:
                path.unlink()
    # By the set too: on many systems all files of the same few milliseconds have the same time.
    for path in sorted(_listed(queue, _WAITING), key=again.__contains__):
        claimed = path.with_suffix(_CLAIMED)
        with suppress(OSError):
            path.rename(claimed)
            request = _read(claimed)
            if request is None:
                claimed.unlink()
                continue
            # Counted before it begins: a holder that is ended at its limit cannot count afterwards.
            _count(claimed, request, request.attempts + 1)
            yield claimed, request


def note_progress(queue: Path, request: Request) -> None:
    """A part of a claimed request was fulfilled for good: what is left is begun anew."""
    claimed = queue / f"{_key(request)}{_CLAIMED}"
    with suppress(OSError):
        if claimed.exists():
            _count(claimed, request, 0)


def _count(claimed: Path, request: Request, attempts: int) -> None:
    replace_text(claimed, json.dumps(asdict(replace(request, attempts=attempts))))


def end_request(claimed: Path) -> None:
    """A claimed request was fulfilled."""
    claimed.unlink(missing_ok=True)


def fail_request(claimed: Path, request: Request) -> bool:
    """A claimed request was not fulfilled: it waits again, unless it failed too often.

    Returns whether it waits.
    """
    again = request.attempts + 1 < ATTEMPTS
    if again:
        put_request(claimed.parent, replace(request, attempts=request.attempts + 1))
    claimed.unlink(missing_ok=True)
    return again


def waiting_requests(queue: Path) -> int:
    """How many requests wait."""
    return len(_listed(queue, _WAITING)) + len(_listed(queue, _CLAIMED))


def urgent_request(queue: Path) -> bool:
    """Whether one of the requests that wait is urgent."""
    found = (_read(path) for path in _listed(queue, _WAITING))
    return any(request is not None and request.urgent for request in found)


def _key(request: Request) -> str:
    # Made of the path alone, so that requests for one transcript meet; the path itself may hold a secret.
    return sha256(request.transcript.encode()).hexdigest()[:24]


def _listed(queue: Path, suffix: str) -> list[Path]:
    found: list[tuple[float, Path]] = []
    with suppress(OSError):
        for path in queue.glob(f"*{suffix}"):
            with suppress(OSError):
                status = path.lstat()
                # A link or a pipe in the folder is not ours.
                if stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime, path))
    return [path for _, path in sorted(found)]


def _read(path: Path) -> Request | None:
    """A request; None if the file holds none, or one that another version wrote."""
    try:
        given: Any = json.loads(read_own(path, _MOST_BYTES))
        request = Request(**given)
    except (OSError, UntrustedFileError, ValueError, TypeError, RecursionError):
        return None
    usual = Request(session="", transcript="")
    right = all(type(value) is type(asdict(usual)[name]) for name, value in asdict(request).items())
    return request if right else None


# -- A transcript read in parts: what one part teaches is kept before the next begins


MOST_BYTES = 100_000
"""UTF-8 bytes of a pass, counted over what was said and done: clients write ten times as much around it."""

TOLD = 8_000
"""Characters of the last message that go from a hook to the capture process: as much as any pipe takes before
somebody reads."""


class Window(Struct):
    """The turns of one pass.

    Args:
        last: what the agent said last, as the client reported; it becomes a turn where the transcript lags
            behind.
        told: digest of a message that an earlier pass took so: the transcript's own turn is then left out.
        most: UTF-8 bytes after which the pass ends.

    Attributes:
        turns: those that were read; `read` of them stand in the file before its cursor.
        more: the pass ended at its limit.
    """

    last: str = ""
    told: str = ""
    most: int = MOST_BYTES
    turns: list[Turn] = field(default_factory=list)
    read: int = 0
    more: bool = False

    def select(self, reader: TranscriptReader) -> Iterator[Turn]:
        """The turns to learn from."""
        size = 0
        index = 0
        for turn in reader:
            # Only where the cursor has passed the last turn: it stands before a tool call without its result.
            if size > self.most and reader.cursor >= self.turns[-1].end:
                self.more = True
                return
            said = sum(len(tool.output) + sum(map(len, tool.arguments.values())) for tool in turn.tools)
            # UTF-8, as the limit is one of work, and a letter may have three bytes.
            size += len(turn.text.encode()) + said
            self.read += 1
            index = turn.index + 1
            self.turns.append(turn)
            # An earlier pass has learned from it as the hook told it.
            if not (self.told and turn.role == "assistant" and digest(turn.text) == self.told):
                yield turn
        # The client says it sooner than it writes it.
        if self.last and not any(turn.text.strip()[: len(self.last)] == self.last for turn in self.turns):
            from recortex.domain.exchange import Turn

            yield Turn(index=index, role="assistant", text=self.last, uuid=told_id(self.last))


def told_id(message: str) -> str:
    """What a turn is known by that a hook told before the transcript had it."""
    return f"told-{digest(message)}"


def digest(message: str) -> str:
    """A digest by which a message is recognised."""
    return blake2b(beginning(message).encode(), digest_size=16).hexdigest()


def beginning(message: str) -> str:
    """As much of a message as goes from a hook to the capture process."""
    return message.strip()[:TOLD].strip()


# -- the record of what the capture process did, by which `recortex status` tells of it


STATUS = "status.json"
_MOST_STATUS = 64 * 1024
"""Bytes of the record; a larger one is not ours."""


def read_status(path: Path) -> dict[str, Any]:
    """The record of the capture process's runs; empty where there is none."""
    try:
        given: Any = json.loads(read_own(path, _MOST_STATUS))
    except (OSError, UntrustedFileError, ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def write_status(path: Path, at: str, counts: dict[str, int], seconds: float) -> None:
    """Record a run: counts and times, no text."""
    before = read_status(path)
    totals = before.get("totals")
    known = totals if isinstance(totals, dict) else {}
    record = {
        "runs": _whole(before.get("runs")) + 1,
        "totals": {name: _whole(known.get(name)) + count for name, count in counts.items()},
        "last": {"at": at, "milliseconds": round(seconds * 1000), **counts},
    }
    with suppress(OSError):
        replace_text(path, json.dumps(record, indent=1))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


# -- what went wrong where nobody looks: a line each in a log of bounded size, which `recortex status` re


LOG = "hooks.log"
MOST_LOGGED = 128 * 1024
_LONGEST = 300


class LoggedError(Value, frozen=True, kw_only=True):
    """One failure of a hook or of the capture process."""

    at: datetime
    event: str
    error: str


def log_error(location: Location, event: str, error: str) -> None:
    """Add a failure to the store's log; where even that fails, nothing happens."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"at": at, "event": event, "error": without_secrets(error)[:_LONGEST]})
    with suppress(OSError, UntrustedFileError):
        location.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Bounded: a hook that fails each time must not fill the disk.
        append_own(location.place(LOG), f"{line}\n", MOST_LOGGED)


def logged_errors(location: Location) -> list[LoggedError]:
    """The failures that the store's log holds, oldest first."""
    try:
        lines = read_own(location.place(LOG), 2 * MOST_LOGGED).splitlines()
    except (OSError, UntrustedFileError):
        return []
    return [one for line in lines if (one := _logged_error(line)) is not None]


def _logged_error(line: bytes) -> LoggedError | None:
    try:
        given: Any = json.loads(line)
        at = datetime.fromisoformat(given["at"])
        return LoggedError(at=at, event=str(given["event"]), error=str(given["error"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# -- what the hooks of one project work with, opened when needed, and what is done at each event


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


# -- who gave a prompt, a person or a program, where the transcript does not say


def note_program(context: HookContext, event: HookEvent) -> None:
    """Note that a program gave the prompt, so that it is not learned as the person's word."""
    if event.unattended_since and context.settings["hooks.capture"]:
        _note(context, event, "unattended", str(round(event.unattended_since, 3)))


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


def _note(context: HookContext, event: HookEvent, name: SignalName, digest: str = "") -> None:
    context.note([Signal(session=event.session, at=context.clock(), name=name, subject="", digest=digest)])


# -- until when a session counts as running, and how much it may be given unasked


class SessionLimits(NamedTuple):
    """The limits of a session.

    As the settings have them, they only stop what went wrong: of 243 sessions of six published histories the
    longest took 11 days, and of 111 that were replayed none was given more than 660 tokens.

    Attributes:
        idle_hours: without a sign for so long, it is over, whatever has its process's number now.
        most_days: after its start it is over too.
        most_tokens: that are given unasked in one context; 0: any number.
    """

    idle_hours: int
    most_days: int
    most_tokens: int


def session_limits(settings: SupportsGetItem[str, Any]) -> SessionLimits:
    """The limits that a project's settings give its sessions."""
    return SessionLimits(*(settings[f"sessions.{name}"] for name in SessionLimits._fields))


def over(session: Session, now: datetime, limits: SessionLimits) -> bool:
    """Whether a session ended, or was not seen for long, or runs for too long."""
    idle, age = now - session.seen_at, now - session.started_at
    return (
        session.ended_at is not None
        or idle > timedelta(hours=limits.idle_hours)
        or age > timedelta(days=limits.most_days)
    )


def room(given: Iterable[Receipt], limits: SessionLimits) -> float:
    """Tokens that may still be given unasked.

    Args:
        given: the receipts of the session's present context.
        limits: of the session.
    """
    if not limits.most_tokens:
        return float("inf")
    return max(0, limits.most_tokens - sum(one.tokens for one in given if one.channel != "asked"))


# -- which moment of a session does what


def handle(context: HookContext, event: HookEvent) -> str:
    """Do what the moment asks for; returns the marked text for the agent, mostly empty.

    Raises:
        RecortexError: the store or a setting cannot be used.
        OSError: a file cannot.
    """
    # Session start decides by itself whether a project without a store is told anything.
    if event.void or (context.homeless and event.name != "session-start"):
        return ""
    event = of_event(event)
    match event.name:
        case "session-start":
            brief = dispatch.open_session(context, event)
            # A compacted session goes on with this event, and is asked here what of it is worth keeping.
            return "\n\n".join(filter(None, (brief, question(context, event))))
        case "user-prompt-submit":
            if context.exists:  # a store is made at the end of the turn, when there is something to keep
                note_program(context, event)
            note_prompt(context, event)
            return reminders.for_prompt(context, event)
        case "pre-tool-use":
            # Called before each use of a tool: one query tells that nothing is known, and the rest is not
            # loaded.
            paths = dispatch.cited_files(context, event)
            if paths:
                return reminders.for_files(context, event, paths)
        case "post-tool-use":
            dispatch.note_signals(context, event)
        case "subagent-stop":
            dispatch.close_agent(context, event)
        case "pre-compact" | "stop" | "session-end":
            dispatch.close(context, event)
            return (for_summary if event.name == "pre-compact" else question)(context, event)
    return ""
