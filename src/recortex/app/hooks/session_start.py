"""The start of a session, also after a compaction: the brief, and requests for sessions not yet learned."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app import capture_requests
from recortex.app.capture_requests import log_error
from recortex.app.naming import hidden, shown
from recortex.domain.session import Receipt, over, session_limits
from recortex.domain.text import UNNAMED
from recortex.domain.vocabulary import Scope
from recortex.lean import replace

if TYPE_CHECKING:
    from recortex.app.brief_cache import Brief
    from recortex.app.hooks.context import HookContext
    from recortex.domain.session import HookEvent, Session

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
    from recortex.app.hooks.session_end import request_capture, start_capture

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
            capture_requests.put(context.queue, capture_requests.Request(session=current.id, transcript=""))
    if changed or capture_requests.waiting(context.queue):
        start_capture(context)


def _out_of_step(context: HookContext, current: Session) -> bool:
    """Whether an instruction file changed, which the capture process is to read."""
    from recortex.app.instruction_state import changed, notes_beside, persons

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
