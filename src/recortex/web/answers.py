"""Answers that several routes give, errors as JSON or as a page; templates, and how values read in them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response

import recortex
from recortex.app.series import day_of
from recortex.codec import dumps
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Scope


STATUS_OF = {
    "invalid_input": HTTPStatus.BAD_REQUEST,
    "invalid_kind": HTTPStatus.BAD_REQUEST,
    "ambiguous_id": HTTPStatus.BAD_REQUEST,
    "causal_cycle": HTTPStatus.CONFLICT,
    "memory_not_found": HTTPStatus.NOT_FOUND,
    "exchange_not_found": HTTPStatus.NOT_FOUND,
    "chunk_not_found": HTTPStatus.NOT_FOUND,
    "session_not_found": HTTPStatus.NOT_FOUND,
    "nothing_to_undo": HTTPStatus.CONFLICT,
    "not_confirmed": HTTPStatus.CONFLICT,
    "person_needed": HTTPStatus.FORBIDDEN,
    "store_busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "store_unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""HTTP statuses by the error's code; others are 500."""


class JSON(Response):
    """A value as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of a plain value."""
        return dumps(content)


def error(command: str, code: str, message: str, hint: str = "") -> dict[str, Any]:
    """The envelope of an error, as `--json` prints it."""
    told = {"code": code, "message": clean(message), "hint": clean(hint)}
    return {"status": "error", "command": command, "error": told}


def refusal(scope: Scope, status: HTTPStatus, code: str, why: str) -> Response:
    """The answer to a request that is not carried out."""
    if wants_page(scope):
        return HTMLResponse(page("refused.html", title=status.phrase, why=why), status)
    answer = JSON(error(scope["path"].rpartition("/")[2][:40], code, why), status)
    if status == HTTPStatus.UNAUTHORIZED:
        # RFC 9110 asks for this header with status 401.
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def wants_page(scope: Scope) -> bool:
    """Whether a person asks, with a browser."""
    # Programs get JSON, whatever they say that they accept.
    if scope["path"].startswith(("/api/", "/mcp")):
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def page(template: str, **values: Any) -> str:
    """A page of a template; every value is text, never markup."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Where templates are, and what they may use."""
    made = Environment(
        loader=PackageLoader("recortex.web"),
        autoescape=True,
        # Each value passes here: a memory may hold signs that are not seen or turn a line around.
        finalize=shown,
        # A name that a page misspells fails its test, and leaves no silent gap.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    made.globals.update(GLOBALS)
    return made


# -- how values read on a page: times, shares, numbers, names of kinds and states


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
        # A time that lies ahead is of another clock: the day is all that can be said of it.
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
