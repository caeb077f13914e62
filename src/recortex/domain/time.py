"""Instants: aware UTC datetimes outside, whole microseconds since 1970 in stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recortex.errors import CorruptStoreError, InvalidInputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Nothing that is read here was said earlier: what says so has a clock that was never set."""
_APART = timedelta(days=366)
"""How far clocks may differ: what lies later comes from one that was never set, or was set wrong."""

_ROUNDED = timedelta(minutes=1)


def to_micros(at: datetime) -> int:
    """Whole microseconds since 1970-01-01 UTC; exact, also before 1970."""
    return (at - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The inverse of `to_micros`.

    Raises:
        CorruptStoreError: damage changed it into something that is no instant of the calendar.
    """
    try:
        return EPOCH + timedelta(microseconds=micros)
    except (TypeError, OverflowError) as error:
        raise CorruptStoreError("The store is damaged: a time in it is impossible.") from error


def as_utc(at: datetime) -> datetime:
    """The same instant in UTC; a datetime without a zone is taken as UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def parse_instant(text: str) -> datetime:
    """Read an ISO 8601 date or date-time, as UTC where it names no zone.

    Raises:
        InvalidInputError: the text is not such a date.
    """
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f"{text[:40]!r} is not a date or time.",
            hint="Give ISO 8601, such as 2026-03-01 or 2026-03-01T12:30:00Z.",
        ) from None


def bounded_time(at: datetime | None, now: datetime, *otherwise: datetime | None) -> datetime:
    """A time from outside, in UTC; where it is missing or impossible, the next possible one, else now.

    Args:
        at: as a transcript, a repository or a caller says.
        now: what lies later by more than clocks differ is no time of the past.
        otherwise: what stands for it, such as the time of its session.
    """
    for one in filter(None, (at, *otherwise)):
        said = as_utc(one)
        if _OLDEST <= said <= now + _APART:
            return said
    return now


def same_moment(one: datetime, other: datetime) -> bool:
    """Whether two times may be of one message and its copy: some clients round what they export."""
    return abs(one - other) < _ROUNDED
