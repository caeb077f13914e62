"""The limits of sessions, as the settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.sessions.limits import SessionLimits

if TYPE_CHECKING:
    from recortex.settings import Settings


def session_limits(settings: Settings) -> SessionLimits:
    """The limits that hold for the sessions of a project."""
    return SessionLimits(*(settings[f"sessions.{name}"] for name in SessionLimits._fields))
