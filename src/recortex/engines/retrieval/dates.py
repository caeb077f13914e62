"""Finds dates in a question, and compares memories' times with them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    import re

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_AMBIGUOUS = frozenset({"may", "march"})
"""Months that are words as well; they count with a day, a year or a preposition."""
_MONTH = "|".join(_NAMES)
_DATE = lazy(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_MONTH})\b(?:\s+(\d{{1,2}})(?:st|nd|rd|"
    rf"th)?(?!\d))?(?:,?\s+((?:19|20)\d\d)\b)?"
)
_ISO = lazy(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = lazy(r"\b((?:19|20)\d\d)\b")
_BEFORE_MONTH = lazy(r"\b(?:in|on|of|during|since|until|before|after|by|late|early|mid)\s$")

_SAME, _NEAR, _NEXT_MONTH, _SAME_YEAR = 1.0, 0.6, 0.4, 0.3
_LAST_DAY = 28


class NamedDate(NamedTuple):
    """The parts of a date that were said; month is None where only the year was."""

    day: int | None
    month: int | None
    year: int | None


def named_dates(text: str) -> tuple[NamedDate, ...]:
    """The dates that a text names in words or in ISO 8601; years alone where there is nothing else."""
    lower = text.lower()
    iso = [
        NamedDate(int(day) if day else None, int(month), int(year))
        for year, month, day in _ISO.findall(lower)
    ]
    said = [date for match in _DATE.finditer(lower) if (date := _date(match, lower))]
    found = [date for date in iso + said if date.month is None or 1 <= date.month <= len(_NAMES)]
    return tuple(found) or tuple(NamedDate(None, None, int(year)) for year in _YEAR.findall(lower))


def date_spans(text: str) -> list[tuple[int, int]]:
    """Where a text in lower case names dates, as first and next position, with prepositions before months."""
    said = [match for match in _DATE.finditer(text) if _date(match, text)]
    found = [*said, *_ISO.finditer(text)] or list(_YEAR.finditer(text))
    before = ((_BEFORE_MONTH.search(text[: match.start()]), match) for match in found)
    return [(word.start() if word else match.start(), match.end()) for word, match in before]


def agreement(dates: tuple[NamedDate, ...], micros: int) -> float:
    """0 to 1: how well an instant (microseconds since 1970 UTC) agrees with the best of the dates.

    People speak of an event some days after it, so the days that follow count, and the month that follows a
    month.
    """
    try:
        at = datetime.fromtimestamp(micros / 1_000_000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return 0.0
    return max((_agreement(date, at) for date in dates), default=0.0)


def _date(match: re.Match[str], text: str) -> NamedDate | None:
    before, month, after, year = match.groups()
    bare = not (before or after or year)
    if bare and month in _AMBIGUOUS and not _BEFORE_MONTH.search(text[: match.start(2)]):
        return None
    day = before or after
    return NamedDate(int(day) if day else None, _MONTHS[month], int(year) if year else None)


def _agreement(date: NamedDate, at: datetime) -> float:
    if date.month is None:
        return _SAME_YEAR if at.year == date.year else 0.0
    if date.day is not None:
        years = [date.year] if date.year else [at.year - 1, at.year, at.year + 1]
        return max(_day_agreement(year, date.month, date.day, at) for year in years)
    if date.year not in (None, at.year):
        return 0.0
    follows = at.month == date.month % len(_NAMES) + 1
    return _SAME if at.month == date.month else _NEXT_MONTH if follows else 0.0


def _day_agreement(year: int, month: int, day: int, at: datetime) -> float:
    try:
        # February.
        named = datetime(year, month, day if month != 2 else min(day, _LAST_DAY), tzinfo=UTC)  # noqa: PLR2004
    except ValueError:
        return 0.0
    gap = (at - named).days
    if -1 <= gap <= 3:  # noqa: PLR2004  days
        return _SAME
    return _NEAR if -2 <= gap <= 10 else 0.0  # noqa: PLR2004  days
