"""Instants: aware UTC datetimes outside, whole microseconds since 1970 in stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recortex.errors import CorruptStoreError, InvalidInputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


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
