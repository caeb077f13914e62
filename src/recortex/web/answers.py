"""Answers that several routes give, errors as JSON or as a page; templates, and how values read in them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response

import recortex
from recortex.app.projects import DATABASE, project_folders, read_record, url_of
from recortex.codec import dumps
from recortex.cortex import Cortex
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.text import clean, day_of
from recortex.domain.vocabulary import Actor
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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


# -- where operations are carried out: one opened facade for each project that somebody looks at


HERE = "here"
"""The project that the server was started in."""
THREADS = 4
"""Requests at work at the same time; the others wait."""
_KEPT_SECONDS = 60.0
"""Answers that take long and change with time are kept for so long while nothing is written."""
Result = TypeVar("Result")


class KnownProject(Value, frozen=True):
    """A project of this person on this machine.

    Attributes:
        key: the name of its folder.
        name: of the checkout.
        path: of the checkout; it may be gone.
        database: its store's file.
    """

    key: str
    name: str
    path: Path
    database: Path


def known_projects(home: Path) -> list[KnownProject]:
    """The projects that have a folder with a store, by name."""
    found = [
        KnownProject(folder.name, Path(record.path).name, Path(record.path), folder / DATABASE)
        for folder in project_folders(home)
        if (record := read_record(folder)) and (folder / DATABASE).is_file()
    ]
    return sorted(found, key=lambda one: (one.name.lower(), one.key))


class Desk:
    """Opens projects when they are asked for, and does in threads what blocks.

    Args:
        start: a folder in the project that is served first.
        url: a store instead of that project's own.

    Attributes:
        slow: held by what takes seconds, so that it never has more than one of the threads.
    """

    def __init__(self, start: Path, url: str | None = None) -> None:
        self._opened: dict[str, Cortex] = {}
        # Requests are carried out in several threads, and two of them must not open the same project twice.
        self._lock = threading.Lock()
        self._workers = ThreadPoolExecutor(THREADS, thread_name_prefix="web")
        here = Cortex.open(start, url=url, actor=Actor.USER)
        self._opened[HERE] = here
        self._given: Cortex | None = None
        # Waited for in the event loop, so that no thread is held meanwhile.
        self.slow = asyncio.Semaphore(1)
        self._kept: dict[tuple[str, str], tuple[object, float, Any]] = {}
        self._agents = partial(Cortex.open, start, url=url, actor=Actor.AGENT)
        self.home = here.home
        self.name = here.project_name

    def projects(self) -> Sequence[KnownProject]:
        """The person's projects on this machine."""
        return known_projects(self.home)

    def name_of(self, project: str) -> str:
        """What people call a project."""
        return self.facade(project).project_name

    def facade(self, project: str = HERE) -> Cortex:
        """The facade of a project by its key.

        Raises:
            InvalidInputError: there is no such project.
        """
        with self._lock:
            if project not in self._opened:
                self._opened[project] = self._open(project)
            return self._opened[project]

    def for_agents(self) -> Cortex:
        """The first project's facade as agents have it: what they do is limited, and logged as theirs."""
        with self._lock:
            if self._given is None:
                self._given = self._agents()
            return self._given

    def _open(self, key: str) -> Cortex:
        found = next((one for one in self.projects() if one.key == key), None)
        if found is None:
            raise InvalidInputError(
                f"There is no project {key[:60]!r}.", hint="The page of projects lists them."
            )
        # Of a checkout that is gone the memory is still there: it is opened by its file.
        if found.path.is_dir():
            return Cortex.open(found.path, actor=Actor.USER)
        return Cortex.open(Path.home(), url=url_of(str(found.database)), actor=Actor.USER)

    def kept(self, project: str, name: str, make: Callable[[Cortex], Result]) -> Result:
        """What `make` gives of a project, made anew once its memory has changed, or after a minute."""
        cortex = self.facade(project)
        # Asked before it is made: after a write in between, the next look makes it anew.
        state, now = cortex.changes(), time.monotonic()
        found = self._kept.get((project, name))
        if found is None or found[0] != state or found[1] < now:
            found = self._kept[project, name] = (state, now + _KEPT_SECONDS, make(cortex))
        value: Result = found[2]
        return value

    async def do(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """What `work` gives, done in a thread."""
        call = partial(work, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._workers, call)

    def warm(self) -> None:
        """Load the embedding model, so that the first search does not wait for it."""
        with suppress(RecortexError):  # the search says what is wrong
            self.facade().warm()

    def close(self) -> None:
        """Wait for what is at work, then close all stores."""
        # First what is at work, which uses the stores.
        self._workers.shutdown(cancel_futures=True)
        for one in (*self._opened.values(), self._given):
            if one is not None:
                one.close()
