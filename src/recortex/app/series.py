"""What happened day by day, and how sure a memory is over time: numbers, and a drawing of them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

from recortex.domain.text import to_micros
from recortex.engines.decay import confidence, curve
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Memory

DAY = timedelta(days=1)
_MICROS = 86_400_000_000
_AHEAD = 365
"""Days for which the confidence of a memory is told ahead."""
_STEP = 7


class Series(Value, frozen=True, kw_only=True):
    """One thing over time.

    Attributes:
        days: days since 1970 (UTC), in order.
        values: what it was on each of them.
    """

    name: str
    days: tuple[int, ...]
    values: tuple[float, ...]


def daily(all_services: Sequence[StoreServices], since: datetime, until: datetime) -> tuple[Series, ...]:
    """How many memories there were each day, what sessions were given and used, and contradictions."""
    first, last = _day(since), _day(until)
    days = tuple(range(first, last + 1))
    added, disputed = Counter[int](), Counter[int]()
    none = [0, 0, 0]
    got: dict[int, list[int]] = {}
    for services in all_services:
        found = services.store.statistics.daily(first * _MICROS)
        added.update(found.added)
        disputed.update(found.contradictions)
        for day, numbers in found.given.items():
            got[day] = [one + more for one, more in zip(got.get(day, none), numbers, strict=True)]
    return (
        _summed("memories", added, days),
        _summed("contradictions", disputed, days),
        *(
            Series(name=name, days=days, values=tuple(float(got.get(day, none)[place]) for day in days))
            for place, name in enumerate(("given", "used", "tokens given"))
        ),
    )


def fading(services: StoreServices, memory: Memory, now: datetime) -> Series:
    """How sure a memory was since it was last used, and will be for a year if nobody uses it."""
    (standing,) = services.store.statistics.find_by_ids([memory.id])
    central = services.store.search.centralities([standing.key]).get(standing.key, 0.0)
    fall = curve(standing, central)
    days = tuple(range(min(fall.start // _MICROS, _day(now)), _day(now) + _AHEAD + 1, _STEP))
    values = tuple(round(confidence(fall, day * _MICROS), 4) for day in days)
    return Series(name="confidence", days=days, values=values)


def _day(at: datetime) -> int:
    return to_micros(at) // _MICROS


def _summed(name: str, numbers: Mapping[int, int], days: Sequence[int]) -> Series:
    """How many there are at the end of each day."""
    before = sum(number for day, number in numbers.items() if day < days[0])
    values = accumulate((numbers.get(day, 0) for day in days), initial=before)
    return Series(name=name, days=tuple(days), values=tuple(map(float, values))[1:])


# -- the drawing: one chart below the other, as one SVG element

_WIDTH, _HEIGHT, _GAP, _LEFT, _TOP = 720, 120, 46, 64, 24
_STYLE = (
    "<style>svg{background:#fff}text{font:12px system-ui,sans-serif;fill:#1d2129}"
    "path{fill:none;stroke:#1f5fbf;stroke-width:2}line{stroke:#d9dce1}</style>"
)


def drawn(charts: Sequence[Series]) -> str:
    """The series as one SVG element, each in a chart of its own with its least and greatest value."""
    height = len(charts) * (_HEIGHT + _GAP)
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    parts = [_chart(one, place * (_HEIGHT + _GAP)) for place, one in enumerate(charts)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    title = f"<title>{escape(', '.join(one.name for one in charts))}</title>"
    return "\n".join([head, title, _STYLE, *parts, "</svg>"])


def _chart(one: Series, top: int) -> str:
    most, least = max(one.values, default=0.0), min(0.0, *one.values)
    first, last = one.days[0], one.days[-1]
    right, bottom = _WIDTH - 12, top + _TOP + _HEIGHT - 20

    def place(day: int, value: float) -> str:
        across = _LEFT + (right - _LEFT) * (day - first) / max(last - first, 1)
        up = (bottom - top - _TOP) * (value - least) / ((most - least) or 1)
        return f"{across:.1f} {bottom - up:.1f}"

    line = " L".join(place(day, value) for day, value in zip(one.days, one.values, strict=True))
    return "\n".join(
        [
            f'<text x="{_LEFT}" y="{top + 14}">{escape(one.name)}</text>',
            f'<line x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>',
            f'<text x="{_LEFT - 6}" y="{top + _TOP + 6}" text-anchor="end">{most:,.3g}</text>',
            f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">{least:,.3g}</text>',
            f'<text x="{_LEFT}" y="{bottom + 16}">{day_of(first)}</text>',
            f'<text x="{right}" y="{bottom + 16}" text-anchor="end">{day_of(last)}</text>',
            f'<path d="M{line}"/>',
        ]
    )


def day_of(day: int) -> str:
    """A day since 1970 as 2026-11-29."""
    return f"{datetime.fromtimestamp(0, UTC) + day * DAY:%Y-%m-%d}"
