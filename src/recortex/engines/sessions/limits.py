"""Until when a session counts as running, and how much it may be given unasked."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from _typeshed import SupportsGetItem

    from recortex.domain.session import Outcome, Receipt, Session


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


# -- how much use a memory was in a project, by what became of it each time it was given


USUAL = 0.2
"""The share of sessions in which a memory that is given is used, as expected before anything is known."""
KNOWN = 3
"""Sessions that this expectation counts for."""
UNUSED, MOST_UNUSED = 3, 9
"""Sessions in which a memory may be given without use before it is given no more; each use allows as many
again, up to the most."""


def usefulness(outcome: Outcome) -> float:
    """How much likelier a memory is to be used than one that was never given: 1 for such a one.

    The mean of a Beta posterior by the expected share; never given and unused is below 1, used above.
    """
    return (outcome.used / USUAL + KNOWN) / (outcome.given + KNOWN)


def is_exhausted(outcome: Outcome, unused: int = UNUSED) -> bool:
    """Whether a memory was given so often without use that it is given no more unless it is asked for."""
    return outcome.given - outcome.used >= min(unused * (1 + outcome.used), MOST_UNUSED)


def risen(chance: float, outcome: Outcome) -> float:
    """A probability that a memory helps, with what became of it before: 0 for one that is spent."""
    if is_exhausted(outcome):
        return 0.0
    odds = chance * usefulness(outcome)
    return odds / (odds + 1.0 - chance) if chance < 1.0 else 1.0
