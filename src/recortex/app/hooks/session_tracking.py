"""That a session is there, and which of its context the agent still sees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.app.naming import of_session
from recortex.domain.session import Session

if TYPE_CHECKING:
    from recortex.app.hooks.context import HookContext
    from recortex.domain.hook_event import HookEvent


def seen(context: HookContext, event: HookEvent) -> Session:
    """Note that a session is alive, with what the event says of it."""
    now = context.clock()
    known = context.sessions.get(event.session) or Session(id=event.session, started_at=now, seen_at=now)
    session = replace(
        known, seen_at=now, ended_at=None, end_reason="", branch=context.branch(event.cwd), client=event.client or known.client,
        cwd=event.cwd or known.cwd, transcript=event.transcript or known.transcript, process=event.process or known.process,
        context=known.context + (event.source == "compact"),
    )  # fmt: skip
    keep(context, session)
    return session


def keep(context: HookContext, session: Session) -> None:
    """Keep what is known of a session, without the secrets in its paths: the session at hand can still open them."""
    context.sessions.put(of_session(session))


def ended(context: HookContext, event: HookEvent) -> Session:
    """Note that a session is over."""
    from recortex.engines.privacy import redact

    reason = redact(event.reason).text[:40]
    session = replace(seen(context, event), ended_at=context.clock(), end_reason=reason)
    keep(context, session)
    return session
