"""What hooks do when an agent stops: write a request to learn, and start the capture process."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app import capture_requests
from recortex.app.capture_requests import Request, beginning
from recortex.app.naming import shown
from recortex.app.projects import with_folder
from recortex.codebase.project import working_tree
from recortex.domain.session import Session, Signal
from recortex.filesystem import alone
from recortex.hashes import blake2b
from recortex.lean import lazy_module, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.hooks.context import HookContext
    from recortex.domain.session import HookEvent, SignalName
    from recortex.engines import privacy
else:
    privacy = lazy_module("recortex.engines.privacy")


def close(context: HookContext, event: HookEvent) -> None:
    """Request that what was said since the last time is learned."""
    if event.name == "pre-compact" and event.client == "gemini":
        return  # Gemini CLI calls it before every request, with nothing to compress
    over = event.name == "session-end"
    wanted = context.settings["hooks.capture"]
    # Before the store is opened: whatever happens to that, the request is written.
    requested = wanted and _requested_by_event(context, event)
    session = ended(context, event) if over else context.note_session(event)
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
    capture_requests.put(context.queue, request)


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
