"""What each moment of a session does: which call of a hook starts, notes, requests or ends what."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.hooks import (
    Request,
    beginning,
    log_error,
    note_program,
    over,
    put_request,
    session_limits,
    waiting_requests,
)
from recortex.app.projects import hidden, shown, with_folder
from recortex.codebase.git import working_tree
from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.text import UNNAMED
from recortex.domain.vocabulary import Scope
from recortex.errors import UntrustedFileError
from recortex.filesystem import alone, read_own, replace_text
from recortex.lean import blake2b, lazy_module, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.app.brief_cache import Brief
    from recortex.app.hooks import HookContext, reminders
    from recortex.app.projects import Location
    from recortex.clients import instruction_files
    from recortex.domain.session import SignalName
    from recortex.engines import privacy
    from recortex.formats.hook_events import HookEvent
else:
    instruction_files = lazy_module("recortex.clients.instruction_files")
    privacy = lazy_module("recortex.engines.privacy")
    reminders = lazy_module("recortex.app.hooks.reminders")


def close(context: HookContext, event: HookEvent) -> None:
    """Request that what was said since the last time is learned."""
    if event.name == "pre-compact" and event.client == "gemini":
        return  # Gemini CLI calls it before every request, with nothing to compress
    over = event.name == "session-end"
    wanted = context.settings["hooks.capture"]
    # Before the store is opened: whatever happens to that, the request is written.
    requested = wanted and _requested_by_event(context, event)
    session = ended(context, event) if over else context.note_session(event)
    note_program(context, event)
    if not wanted or not session.transcript:
        return
    if not requested:
        request_capture(context, session, final=over, urgent=over)
    start_capture(context, message=event.message if event.name == "stop" else "", session=session.id)


def ended(context: HookContext, event: HookEvent) -> Session:
    """Note that a session is over."""
    # A client may put anything into the reason, a secret too.
    reason = privacy.redact(event.reason).text[:40]
    session = replace(context.note_session(event), ended_at=context.clock(), end_reason=reason)
    context.keep(session)
    return session


def _requested_by_event(context: HookContext, event: HookEvent) -> bool:
    """Write the request before the store is opened, where the event says enough; returns whether it did.

    A store on a server may be away, or slow.
    """
    if not (
        event.transcript
        and event.client
        and event.cwd
        and (context.exists or context.location.folder.is_dir())
    ):
        return False
    with_folder(context.location)
    now, over = context.clock(), event.name == "session-end"
    session = Session(
        id=event.session,
        started_at=now,
        seen_at=now,
        client=event.client,
        cwd=event.cwd,
        branch=context.branch(event.cwd),
        transcript=event.transcript,
    )
    request_capture(context, session, final=over, urgent=over)
    return True


def close_agent(context: HookContext, event: HookEvent) -> None:
    """Request that a sub-agent's own transcript is learned from.

    A client's own helpers have no type, and teach nothing.
    """
    if not context.settings["hooks.capture"] or not (event.agent_type and event.agent_transcript):
        return
    session = replace(context.note_session(event), transcript=event.agent_transcript)
    request_capture(context, session, final=True, agent=event.agent)
    start_capture(context)


def request_capture(
    context: HookContext, session: Session, *, final: bool, urgent: bool = False, agent: str = ""
) -> None:
    """Put a request to learn from a session, or from a sub-agent's part of it, into the queue."""
    request = Request(
        session=session.id,
        transcript=session.transcript,
        client=session.client,
        agent=agent,
        final=final,
        folder=session.cwd,
        branch=session.branch,
        urgent=urgent,
    )
    put_request(context.queue, request)


def start_capture(context: HookContext, *, message: str = "", session: str = "") -> None:
    """Start the capture process, which takes requests up; it outlives this one and the client.

    Where one runs there is no need: it looks for requests once more after it has given the lock back.

    The interpreter is told not to look for modules in the project's folder (-P): a project is not trusted.

    Args:
        context: of the project.
        message: what the client said last; the transcript may not have it yet.
        session: where it was said.
    """
    with suppress(OSError), alone(context.capture_lock) as free:
        if not free:
            return
    import subprocess

    words = [sys.executable, "-P", "-m", "recortex", "hook", "capture", "--project", str(context.root)]
    environment = {**os.environ, "RECORTEX_URL": context.location.url} if context.location.url else None
    process = subprocess.Popen(  # noqa: S603  our own program, with arguments of our own
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Not in the project's folder, which may be deleted while the process works.
        cwd=context.location.folder,
        env=environment,
        # A session of its own, so that the signal that ends the client's terminal does not end it.
        start_new_session=True,
        creationflags=_DETACHED if os.name == "nt" else 0,
    )
    assert process.stdin is not None  # noqa: S101  it was asked for
    process.stdin.write(json.dumps({"session": session, "message": beginning(message)}).encode())
    # Closed at once: the process reads its input to the end before it begins.
    process.stdin.close()
    process.returncode = 0  # nobody waits for it: without a code, the interpreter would warn at its end


_DETACHED = 0x00000008 | 0x00000200 | 0x08000000
"""Windows: DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW."""


# -- what is noted of a session: that it is alive, which files it touches, which commands fail and then work


SHOWN = 160
"""Characters of a command that are kept."""


def cited_files(context: HookContext, event: HookEvent) -> list[str]:
    """The touched files that some memory is about: nearly always none, and nothing more is opened then."""
    if not context.exists or not context.settings["hooks.files"] or event.own or not event.files:
        return []
    return context.sessions.cited(list(touched_files(event, context.root)))


def touched_files(event: HookEvent, root: Path) -> Iterator[str]:
    """The files of an event, relative to the checkout that the agent works in, as memories name them."""
    from recortex.codebase.git import relative

    base = Path(event.cwd).resolve() if event.cwd else root
    tree = working_tree(base) if base.is_dir() else root
    for file in event.files:
        yield shown(relative(str((base / file).resolve()), tree))


def note_signals(context: HookContext, event: HookEvent) -> None:
    """Note which files a tool touched, or that a command failed or works again."""
    if event.own or not context.exists:
        return
    signals = [*(_command(context, event) if event.command else _files(context, event))]
    if signals:
        context.note(signals)


def _files(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    if event.ok is False:
        return
    name: SignalName = "written" if event.writes else "read"
    for path in dict.fromkeys(touched_files(event, context.root)):
        yield Signal(session=event.session, at=context.clock(), name=name, subject=privacy.redact(path).text)


def _command(context: HookContext, event: HookEvent) -> Iterator[Signal]:
    """A failure; and a success of what had failed. What works from the beginning teaches nothing."""
    if event.ok is None:
        return
    # The whole command is known by its hash alone: its text may hold secrets, and need not be kept.
    digest = blake2b(event.command.encode(), digest_size=8).hexdigest()
    if event.ok and not context.sessions.has_failed(event.session, digest):
        return
    # Twice what is kept is redacted: a secret that the first cut halves is not recognised, but lies beyond
    # the second.
    command = privacy.redact(event.command[: 2 * SHOWN]).text[:SHOWN]
    name: SignalName = "mended" if event.ok else "failed"
    yield Signal(session=event.session, at=context.clock(), name=name, subject=command, digest=digest)


# -- the start of a session, also after a compaction: the brief, and requests for sessions not yet learned


LEFT = 20
"""Sessions that a start looks after: more than anyone leaves behind between two starts."""
LOOKED_AT = 200
"""Sessions that it looks for those among: many leave no transcript, or nothing unlearned."""
SETTLED = timedelta(minutes=2)
"""A transcript without a session that was written within this may belong to one that is just starting."""


def open_session(context: HookContext, event: HookEvent) -> str:
    """Give the brief, note what was given, and request that earlier sessions not yet learned are."""
    if not any(location.exists for location in context.locations):
        return ""  # nothing was ever kept: the store is made when there is something to keep
    session = context.note_session(event) if context.exists else None
    text = ""
    if context.settings["hooks.brief"]:
        brief = _brief(context, event)
        text = brief.text
        # Later prompts leave out what these receipts name.
        if session and text:
            context.give(_receipts(context, session, brief))
    # A compaction begins no session: the others were looked after when this one began.
    if session and event.source != "compact":
        try:
            _catch_up(context, session)
        except OSError as error:  # such as a full disk: the next session asks again
            log_error(context.location, event.name, f"{type(error).__name__}: {error}")
    return text


def _brief(context: HookContext, event: HookEvent) -> Brief:
    from recortex.app.brief import BUDGET, brief, from_cache

    cwd = event.cwd or str(context.root)
    branch = context.branch(cwd)
    now = context.clock().timestamp()
    budget = context.settings[BUDGET]
    kept = from_cache(context.locations, branch=branch, cwd=cwd, now=now, budget=budget, client=event.client)
    found = kept or brief(context.app, branch=branch, cwd=cwd, client=event.client)
    # A session that goes on knows itself; and the setting may be younger than the brief.
    return found.without_sessions(event.session if context.settings["hooks.last_session"] else "")


def _receipts(context: HookContext, session: Session, brief: Brief) -> list[Receipt]:
    return [
        Receipt(
            session=session.id,
            context=session.context,
            memory=item.memory,
            scope=Scope(item.scope),
            channel="surface",
            at=context.clock(),
            score=item.rank,
            tokens=item.tokens,
        )
        for item in brief.items
    ]


def _catch_up(context: HookContext, current: Session) -> None:
    """Request that sessions are learned from that nobody saw end, such as killed ones.

    Requests that a killed capture process left are taken up too.
    """
    if not context.settings["hooks.capture"]:
        return
    # The current one is still being written, and asks for itself when it stops.
    others = (one for one in context.sessions.recent(LOOKED_AT) if one.id != current.id and one.transcript)
    openable = (_found_again(session, current) for session in others)
    # One after the other, as far as they are needed: each look asks the file system.
    left = (session for session in openable if _over(context, session) and _unlearned(session))
    for session in islice(left, LEFT):
        reason = session.end_reason or "lost"
        context.keep(replace(session, ended_at=session.ended_at or context.clock(), end_reason=reason))
        request_capture(context, session, final=True)
    for path in _unknown_transcripts(context, current):
        # Nobody saw on which branch it worked; today's would be a guess.
        session = replace(current, id=shown(path.stem), transcript=str(path), branch="")
        request_capture(context, session, final=True)
    changed = _out_of_step(context, current)
    if changed:
        with suppress(OSError):
            put_request(context.queue, Request(session=current.id, transcript=""))
    if changed or waiting_requests(context.queue):
        start_capture(context)


def _out_of_step(context: HookContext, current: Session) -> bool:
    """Whether an instruction file changed, which the capture process is to read."""
    if not context.settings["hooks.instructions"]:
        return False
    notes = notes_beside(current.transcript if current.client in {"", UNNAMED} else "")
    own = persons(context.location, context.root, context.settings.claude_folder)
    now = context.clock().timestamp()
    return changed(context.location, context.root, now, elsewhere=[*own, *([notes] if notes else ())])


def _found_again(session: Session, current: Session) -> Session:
    """The session with its paths as they can be opened: what is kept of them is without secrets."""
    if not hidden(session.transcript):
        return session
    beside = Path(current.transcript).parent  # on Linux a name can be any bytes: those cannot be written down
    with suppress(OSError), os.scandir(beside) as entries:
        names = (str(beside / entry.name) for entry in entries if entry.name.isprintable())
        transcript = next((name for name in names if shown(name) == session.transcript), "")
        cwd = current.cwd if shown(current.cwd) == session.cwd else session.cwd
        return replace(session, transcript=transcript or session.transcript, cwd=cwd)
    return session


def _unknown_transcripts(context: HookContext, current: Session) -> list[Path]:
    """Transcripts beside the current one that no hook could note, as when the disk was full: the latest few.

    Only those written since there is a store: what was before is imported when the person says so. One that
    was written in the last minutes may belong to a session whose first hook is yet to come.
    """
    if not current.transcript:
        return []
    before = context.clock().timestamp() - SETTLED.total_seconds()
    found: list[tuple[float, Path]] = []
    with suppress(OSError), os.scandir(Path(current.transcript).parent.resolve()) as entries:
        found = [
            (entry.stat().st_mtime, Path(entry.path))
            for entry in entries
            if entry.name.endswith(".jsonl")
            and entry.name.isprintable()
            and entry.is_file(follow_symlinks=False)
        ]
    latest = sorted((entry for entry in found if entry[0] <= before), reverse=True)[:LEFT]
    known_as = {shown(str(path)): path for _, path in latest}
    names = context.sessions.unknown_transcripts([(shown(str(path)), at) for at, path in latest])
    return [known_as[name] for name in names]


def _over(context: HookContext, session: Session) -> bool:
    """Whether nothing more will be written to a session's transcript."""
    if over(session, context.clock(), session_limits(context.settings)):
        return True
    return session.process > 0 and not _alive(session.process)


def _alive(process: int) -> bool:
    if os.name != "posix":
        return True  # there is no harmless question there; time decides
    try:
        os.kill(process, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _unlearned(session: Session) -> bool:
    try:
        return Path(session.transcript).stat().st_size != session.captured_size
    except OSError:
        return False


# -- how a project's instruction files looked when they were last read: hooks compare it, by `stat` alone


FILE = "instructions.json"
DAYS = 1
"""Files in folders below are looked for this often, where nothing else tells of a change."""
_FORMAT = 2
_MOST_BYTES = 256 * 1024


def notes_beside(transcript: str) -> str:
    """The folder in which Claude Code keeps notes on the project of a transcript; empty without one."""
    return os.path.join(os.path.dirname(transcript), "memory") if transcript else ""  # noqa: PTH118, PTH120


def persons(location: Location, root: Path, claude: Path | None) -> list[str]:
    """The path of the person's own file, which need not be there; none for a store on a server.

    Others may read what is kept there.

    Args:
        location: of the project's store.
        root: the project's top folder.
        claude: Claude Code's own folder, where it is not in the home folder.
    """
    path = None if location.remote else instruction_files.persons_path(claude, root)
    return [str(path)] if path else []


def changed(location: Location, root: Path, now: float, *, elsewhere: Iterable[str] = ()) -> bool:
    """Whether instruction files may have changed since they were last read; none is opened.

    Args:
        location: of the project's store.
        root: the project's top folder.
        now: seconds since 1970 UTC.
        elsewhere: paths outside the project: the person's own file, folders of a client's notes.
    """
    try:
        kept = json.loads(read_own(location.place(FILE), _MOST_BYTES))
        looks = {os.path.join(root, path): look for path, look in kept["looks"].items()}  # noqa: PTH118
        at = float(kept["at"])
        if kept["format"] != _FORMAT or kept["root"] != _mark(root):
            return True
    except (OSError, UntrustedFileError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return any(_look(path) for path in (*instruction_files.watched(root), *elsewhere))
    if not 0 <= now - at < DAYS * 86_400 or any(_look(path) for path in elsewhere if path not in looks):
        return True
    return any(_look(path) != look for path, look in looks.items())


def looks_of(root: Path, more: Iterable[Path]) -> dict[str, list[int] | None]:
    """How the usual places and some more files look now; None where there is nothing."""
    return {path: _look(path) for path in dict.fromkeys((*instruction_files.watched(root), *map(str, more)))}


def note(location: Location, root: Path, looks: dict[str, list[int] | None], now: float) -> None:
    """Note how the files looked before they were read; where that cannot be written, they are read again.

    Paths are kept as they are from the root, and none that holds a secret.
    """
    names = {
        path: os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path for path in looks
    }
    told = {name: looks[path] for path, name in names.items() if shown(name) == name}
    kept = {"format": _FORMAT, "root": _mark(root), "at": now, "looks": told}
    with suppress(OSError):
        replace_text(location.place(FILE), json.dumps(kept))


def _mark(root: Path) -> str:
    """Stands for a folder without its name, which may hold a secret."""
    return blake2b(os.fsencode(root), digest_size=16).hexdigest()


def _look(path: str) -> list[int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  a hot path
    except (OSError, ValueError):
        return None
    return [status.st_mtime_ns, status.st_size]
