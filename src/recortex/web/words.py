"""How values read on a page: times, shares, numbers, names of kinds and states."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import recortex
from recortex.app.series import day_of
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WORDS = re.compile(r"\w+")
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_YEAR, _MONTH = 365 * _DAY, 30 * _DAY


def day(at: datetime | None) -> str:
    """2026-11-29."""
    return f"{at:%Y-%m-%d}" if at else "–"


def moment(at: datetime | None) -> str:
    """2026-11-29 14:05 UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else "–"


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago: "3 days ago"."""
    if at is None:
        return "–"
    seconds = (now - at).total_seconds()
    if seconds < _MINUTE:
        return "just now" if seconds >= 0 else day(at)
    steps = ((_YEAR, "year"), (_MONTH, "month"), (_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"))
    for length, name in steps:
        if (count := int(seconds // length)) >= 1:
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"


def share(part: float) -> str:
    """75 %."""
    return f"{part * 100:.0f} %"


def count(number: int, name: str) -> str:
    """1 memory, 2,000 memories."""
    return f"{number:,} {name if number == 1 else _plural(name)}"


def figure(number: float) -> str:
    """A whole number with its thousands, or two digits behind the point."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:.2f}"


def lasting(milliseconds: float) -> str:
    """Milliseconds, or seconds from one second on."""
    short = milliseconds < 1_000  # noqa: PLR2004
    return f"{milliseconds:.0f} ms" if short else f"{milliseconds / 1_000:,.1f} s"


def size(number: int) -> str:
    """Bytes as kB or MB."""
    amount = float(number)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:  # noqa: PLR2004
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def _plural(name: str) -> str:
    if name.endswith(("ch", "s", "x")):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else f"{name}s"


def same(one: str, other: str) -> bool:
    """Whether two texts have the same words, whatever stands around them."""
    return _WORDS.findall(one.lower()) == _WORDS.findall(other.lower())


def plainly(name: object) -> str:
    """A word of the vocabulary as people write it: code_pattern → code pattern."""
    return str(getattr(name, "value", name)).replace("_", " ").lower()


def kind_meaning(kind: str) -> str:
    """What a kind of memory is, in a sentence."""
    return (KINDS[kind_of(kind)].__doc__ or "").partition("\n")[0]


def shown(value: Any) -> Any:
    """A value as it is put on a page: texts lose characters that are not seen or turn their direction."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


FILTERS: Mapping[str, Callable[..., str]] = {
    "ago": ago,
    "day": day,
    "moment": moment,
    "plainly": plainly,
    "share": share,
    "size": size,
}


@cache
def vendored() -> dict[str, dict[str, Any]]:
    """The scripts and styles of others, with the hashes that browsers check them by.

    `styles` are the hashes of those that a script adds to its page itself.
    """
    listed = json.loads(files("recortex.web").joinpath("static/vendor/vendor.json").read_bytes())
    return {name: {**one, "path": f"/static/vendor/{one['file']}"} for name, one in listed.items()}


GLOBALS: Mapping[str, Any] = {
    "count": count,
    "day_of": day_of,
    "figure": figure,
    "kind_meaning": kind_meaning,
    "lasting": lasting,
    "same": same,
    "version": recortex.__version__,
    "vendor": vendored(),
}
