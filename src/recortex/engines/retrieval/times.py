"""Times that a question names relative to now, such as "yesterday", "last week" or "since March".

What falls into such a time counts more; what does not is no worse an answer than before.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recortex.domain.text import lazy
from recortex.domain.time import to_micros
from recortex.engines.indexing import Trait
from recortex.engines.retrieval.question import agreement as date_agreement
from recortex.engines.retrieval.question import date_spans, named_dates, question
from recortex.lean import NamedTuple, replace
from recortex.text.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recortex.engines.retrieval.question import NamedDate, Question
    from recortex.engines.retrieval.scorer import Scored
    from recortex.engines.retrieval.vocabulary import Vocabulary

_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two couple", "three few", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split()
}
_FOLDED = str.maketrans("\u017f\u0131", "si")
"""Letters that a pattern without regard to case takes for others, and that lower case leaves as they are."""
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNT = rf"(?:(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?:of\s+)?)"
_TIME = lazy(
    r"\b(?:(?P<border>since|after|before|until|till|from)\s+)?(?:on\s+|in\s+|over\s+|during\s+|within\s+)?"
    r"(?:(?P<eve>the\s+day\s+before\s+yesterday)|(?P<day>yesterday|today|tonight|last\s+night|this\s+"
    r"(?:morning|afternoon|evening))"
    rf"|(?:the\s+)?(?:last|past)\s+{_COUNT}(?P<back>hour|day|week|month|year)s?"
    rf"|{_COUNT.replace('count', 'ago_count')}(?P<ago>hour|day|week|month|year)s?\s+ago"
    r"|(?:the\s+)?(?P<which>last|past|previous|this|current)\s+(?P<unit>week|weekend|month|quarter|year)"
    rf"|(?:(?:last|this|past)\s+)?(?P<weekday>{'|'.join(_WEEKDAYS)}))\b(?!['’]s\s+\w)",
    re.IGNORECASE,
)
_SINCE_DATE = lazy(
    r"\b(?P<border>since|after|before|until|till)\s+(?:the\s+)?"
    r"(?P<date>(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"(?:{_MONTHS})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?:19|20)\d\d)?"
    r"|(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)\b",
    re.IGNORECASE,
)
_LENGTHS = "day night noon morning evening hour week month quarter year".split()
"""What matches `_TIME` has one of these."""
_BORDERS = "since after before until till".split()
LIFT = 2.5
"""What it adds to a candidate that its time agrees, in standard deviations: as much as a date that is named
adds to a turn of dialogue (bench/RESULTS.md has what it is worth)."""
_DISTANCE = lazy(r"\b(?:hour|day|week|month|year)s?\s$")
_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}
_TIMELESS = int(Trait.CODE | Trait.OUTLINE | Trait.DOCUMENT)
"""Forms of text that a time says nothing of."""
_LEAST_TOLERANCE = timedelta(days=1)
_TOLERANCE = 0.25
"""People are not exact: so large a share of a time's length around it counts too, the less the further."""
_AFTER = frozenset(("since", "after", "from"))
_DECEMBER = 12
_WEEKEND = (5, 6)


class Period(NamedTuple):
    """A time, in microseconds since 1970 UTC; open where there is None.

    Attributes:
        dated: it begins or ends with a date that is named, which a turn of dialogue is compared with itself.
    """

    since: int | None
    until: int | None
    dated: bool = False


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """The times that a text names relative to now, and those since or before a date."""
    lower = text.lower().translate(_FOLDED)
    relative = [_period(match, _relative, now) for match in _times(lower)]
    dated = [
        one._replace(dated=True)
        for match in _dates_since(lower)
        if not _DISTANCE.search(lower[: match.start()]) and (one := _period(match, _dated, now))
    ]
    return tuple(dict.fromkeys(one for one in (*relative, *dated) if one))


def _times(lower: str) -> Iterable[re.Match[str]]:
    # Most questions name none, which is seen before the pattern is compiled.
    return _TIME.finditer(lower) if any(word in lower for word in _LENGTHS) else ()


def _dates_since(lower: str) -> Iterable[re.Match[str]]:
    return _SINCE_DATE.finditer(lower) if any(word in lower for word in _BORDERS) else ()


def timeless(asked: Question, vocabulary: Vocabulary) -> Question:
    """The question without those times and dates of which the store has no word; the dates stay known.

    People who talk say "last week", and a turn is found by the words of its day. Other memories lack these
    words, which says nothing against them.
    """
    lower = asked.text.lower()
    # Some letters become two in lower case, after which positions would not fit.
    if len(lower) != len(asked.text):
        return asked
    text = asked.text
    spans = [match.span() for match in (*_times(lower), *_dates_since(lower))]
    # From the end, so that the positions before stay right.
    for first, end in sorted(_apart([*spans, *date_spans(lower)]), reverse=True):
        if not any(vocabulary.frequency.get(word) for word in words(lower[first:end])):
            text = f"{text[:first]} {text[end:]}"
    if text == asked.text:
        return asked
    left = question(" ".join(text.split()))
    return replace(left, dates=asked.dates) if left.words else asked


def untimed(text: str) -> str:
    """The text without times relative to now and borders of time; whole where nothing else would be left."""
    left = " ".join(_SINCE_DATE.sub(" ", _TIME.sub(" ", text)).split())
    return left if question(left).words else text


def lifted(scored: Sequence[Scored], times: Sequence[Period], dates: Sequence[NamedDate]) -> list[Scored]:
    """The candidates in their order with these times: what was true then counts more."""
    relative, named = [one for one in times if not one.dated], tuple(dates)
    found = []
    for one in scored:
        at = one.facts.valid_from
        if one.weights.spoken.date:
            found.append(_lifted(one, agreement(relative, at)))
        elif not one.facts.traits & _TIMELESS:
            found.append(_lifted(one, max(agreement(times, at), date_agreement(named, at))))
        else:
            found.append(one)
    return sorted(found, key=lambda one: -one.total)  # equals stay as they were


def _lifted(one: Scored, agrees: float) -> Scored:
    weight = one.weights.spoken.date
    added = agrees - one.spoken.date * bool(weight)
    if added <= 0:
        return one
    return one._replace(
        total=one.total + (weight or LIFT) * added,
        weights=one.weights._replace(spoken=one.weights.spoken._replace(date=weight or LIFT)),
        spoken=one.spoken._replace(date=agrees),
    )


def agreement(times: Sequence[Period], micros: int) -> float:
    """0 to 1: how well an instant agrees with the best of some times: 1 within it, falling outside."""
    return max((_agreement(one, micros) for one in times), default=0.0)


def _agreement(period: Period, micros: int) -> float:
    since, until, _ = period
    gap = max(since - micros if since is not None else 0, micros - until if until is not None else 0, 0)
    length = until - since if since is not None and until is not None else 0
    return max(0.0, 1.0 - gap / max(_TOLERANCE * length, _LEAST_TOLERANCE / timedelta(microseconds=1)))


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that lie within no other, each once."""
    once = set(spans)
    return [
        (first, end)
        for first, end in once
        if not any(other <= first and end <= last for other, last in once - {(first, end)})
    ]


def _period(
    match: re.Match[str],
    resolved: Callable[[re.Match[str], datetime], tuple[datetime, datetime] | None],
    now: datetime,
) -> Period | None:
    """A time with what the word before it makes of it; None where there is none such."""
    try:
        span = resolved(match, now)
        if span is None:
            return None
        first, last = map(to_micros, span)
    except (OverflowError, ValueError):  # 31 February, before the first year
        return None
    border = match["border"]
    if border in _AFTER:
        return Period(first, None)
    return Period(None, first) if border else Period(first, last)


def _relative(match: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    """The beginning and end of a time."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    one_day = timedelta(days=1)
    if match["eve"]:
        return today - 2 * one_day, today - one_day
    if match["day"]:
        start = today - one_day * (match["day"] == "yesterday" or match["day"].startswith("last"))
        return start, start + one_day
    if match["back"]:
        return now - _count(match["count"]) * _length(match["back"]), now
    # "Three weeks ago" is no exact day: half a week to both sides counts in full.
    if match["ago"]:
        middle, length = now - _count(match["ago_count"]) * _length(match["ago"]), _length(match["ago"])
        return middle - length / 2, middle + length / 2
    if match["weekday"]:
        # On a Monday, "Monday" is that of last week.
        back = (today.weekday() - _WEEKDAYS.index(match["weekday"])) % 7 or 7
        return today - back * one_day, today - (back - 1) * one_day
    return _calendar(match["which"] not in {"this", "current"}, match["unit"], today)


def _calendar(before: bool, unit: str, today: datetime) -> tuple[datetime, datetime]:
    """This or the last week, weekend, month, quarter or year, as the calendar has them."""
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        start = monday - timedelta(days=7 * before)
        return start, start + timedelta(days=7)
    if unit == "weekend":
        coming = not before and today.weekday() in _WEEKEND
        start = monday + timedelta(days=_WEEKEND[0] if coming else _WEEKEND[0] - 7)
        return start, start + timedelta(days=2)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = today.replace(day=1, month=(today.month - 1) // months * months + 1)
    start = _earlier(first, months) if before else first
    return start, _earlier(start, -months)


def _dated(match: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    # With a preposition, since "may" and "march" alone may be no months.
    dates = named_dates(f"in {match['date']}")
    return _of_date(dates[0], now) if dates else None


def _of_date(date: NamedDate, now: datetime) -> tuple[datetime, datetime]:
    """A named date; without a year the latest that is not to come."""
    start = now.replace(month=date.month or 1, day=date.day or 1, hour=0, minute=0, second=0, microsecond=0)
    start = start.replace(year=date.year) if date.year else start
    if not date.year and start > now:
        start = start.replace(year=start.year - 1)
    if date.day:
        return start, start + timedelta(days=1)
    return start, _earlier(start, -1 if date.month else -_DECEMBER)


def _earlier(first: datetime, months: int) -> datetime:
    """The first of a month, so many months before."""
    year, month = divmod(first.year * _DECEMBER + first.month - 1 - months, _DECEMBER)
    return first.replace(year=year, month=month + 1)


def _count(said: str) -> int:
    return int(said) if said.isdecimal() else _NUMBERS[said]


def _length(unit: str) -> timedelta:
    return timedelta(days=_DAYS[unit])
