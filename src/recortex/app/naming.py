"""Ids, paths, branches and names as they are kept and shown: without secrets.

For most names this takes microseconds, which hooks need: the rules are loaded for suspicious ones alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.text import lazy, suspicious
from recortex.lean import replace

if TYPE_CHECKING:
    from recortex.domain.exchange import SessionInfo
    from recortex.domain.session import HookEvent, Session

_STAND_IN = lazy(r"\[[A-Z][A-Z0-9_]*_[0-9A-F]{8}\]")  # what a secret in a name was replaced by


def shown(name: str) -> str:
    """The name with a stable stand-in for each part that holds a secret."""
    if not suspicious(name):
        return name
    from recortex.engines.privacy import redaction

    return redaction.without_secrets(name)


def holds_secret(name: str) -> bool:
    """Whether a part of a name holds a secret."""
    return shown(name) != name


def hidden(name: str) -> bool:
    """Whether a part of a name was replaced: such a path cannot be opened."""
    return "[" in name and _STAND_IN.search(name) is not None


def of_event(event: HookEvent) -> HookEvent:
    """The event with the ids by which it is known here; its paths are still to be opened."""
    session, agent = shown(event.session), shown(event.agent)
    known = session == event.session and agent == event.agent
    return event if known else replace(event, session=session, agent=agent)


def of_session(session: Session) -> Session:
    """The session as it is kept."""
    return replace(
        session, cwd=shown(session.cwd), branch=shown(session.branch), transcript=shown(session.transcript)
    )


def of_info(info: SessionInfo) -> SessionInfo:
    """What is known of a transcript as it is kept.

    The folder that it was written in is still to be looked into.
    """
    return replace(
        info,
        session_id=shown(info.session_id),
        path=shown(info.path),
        branch=shown(info.branch),
        parent_session=shown(info.parent_session),
    )


def without_secrets(text: str) -> str:
    """A message without secrets, in its words and in the paths that it names."""
    from recortex.engines.privacy import redact

    return redact(" ".join(map(shown, text.split()))).text
