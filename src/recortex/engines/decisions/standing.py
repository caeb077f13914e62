"""What a record says of its own standing, and when: the words and dates of its status."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

Standing = Literal["accepted", "proposed", "rejected", "deprecated", "superseded", ""]
"""Empty: it does not say, or not in words that are known."""

PATTERNS = Patterns(__file__)
_SHORT_YEAR, _DAY = 2, timedelta(days=1)
_MONTHS = {name: at for at, name in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip


def standing_of(text: str) -> Standing:
    """What a status says: of several words the one with the latest date, or the last line's first.

    What it says of other records ("supersedes …") is not its own standing.
    """
    text = PATTERNS.unchecked.sub("", PATTERNS.struck.sub("", text))
    found: list[tuple[datetime, int, Standing]] = []
    for number, line in enumerate(text.split("\n")):
        own = PATTERNS.of_another.sub("", line)
        word = PATTERNS.word.search(own)
        if word is None:
            continue
        name: Standing = word.lastgroup  # type: ignore[assignment]  # the names of the groups
        if name == "superseded":
            return name
        found.append((date_in(line) or datetime.min.replace(tzinfo=UTC), number, name))
    if not found and PATTERNS.in_part.search(text):
        return "accepted"
    return max(found, key=lambda one: one[:2])[2] if found else ""


def is_choice(text: str) -> bool:
    """Whether a status is that of a template: several to choose from."""
    return bool(PATTERNS.choice.search(text))


def dates_in(text: str) -> tuple[datetime, ...]:
    """What the first date of a text can mean, at midnight UTC: `2024-05-01`, `1.5.2024`, `May 1, 2024`.

    `4/5/2024` is the fourth of May or the fifth of April.
    """
    for found in PATTERNS.date.finditer(text):
        if readings := tuple(filter(None, (_date(*parts) for parts in _parts(found)))):
            return readings
    return ()


def date_in(text: str) -> datetime | None:
    """The likelier meaning of the first date in a text."""
    return next(iter(dates_in(text)), None)


def nearest(readings: Sequence[datetime], to: datetime) -> datetime:
    """The meaning of a date that is nearest to when it was committed first; rather before than after."""
    return min(readings, key=lambda one: (one > to + _DAY, abs(one - to)))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Year, month and day, as the date may be read."""
    if found["y"]:
        year = found["y"] if len(found["y"]) > _SHORT_YEAR else f"20{found['y']}"
        yield from ((year, found["b"], found["a"]), (year, found["a"], found["b"]))
        return
    kind = next(one for one in "12345" if found[f"y{one}"])
    yield found[f"y{kind}"], found[f"m{kind}"], "1" if kind == "5" else found[f"d{kind}"]


def _date(year: str, month: str, day: str) -> datetime | None:
    try:
        return datetime(int(year), _MONTHS.get(month[:3].lower()) or int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None
