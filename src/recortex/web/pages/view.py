"""What a page is given, and how it is answered."""

from __future__ import annotations

import asyncio
import traceback
from datetime import UTC, datetime
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from recortex.codec import convert
from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import sha256
from recortex.web.answers import STATUS_OF, page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.datastructures import FormData, QueryParams
    from starlette.requests import Request

    from recortex.cortex import Cortex
    from recortex.web.answers import Desk
    from recortex.web.guard import Visitor

Result = TypeVar("Result")
LOOKED = 2.0
"""Seconds between two looks at whether a store changed, while somebody has a page open."""
_ALIVE = 20.0  # seconds after which a silent stream says that it is still there
NAVIGATION = (
    ("", "Home"),
    ("search", "Search"),
    ("review", "Review"),
    ("memories", "Memories"),
    ("sessions", "Sessions"),
    ("decisions", "Decisions"),
    ("map", "Map"),
    ("documents", "Documents"),
    ("code", "Code"),
    ("health", "Health"),
    ("projects", "Projects"),
    ("tokens", "Tokens"),
)


class Shown(NamedTuple):
    """A template and its values.

    Attributes:
        headers: that only this page has.
    """

    template: str
    values: Mapping[str, Any]
    headers: Mapping[str, str] | None = None


class Gone(NamedTuple):
    """Another page, which is shown next; `said` is told there."""

    to: str
    said: str = ""


class View:
    """A request as a page sees it.

    Attributes:
        project: the key of the project that is looked at.
        place: what the path names, by name.
        asked: the parameters of the address.
        form: what was filled in, by name.
    """

    def __init__(self, desk: Desk, request: Request, form: FormData | None) -> None:
        self.desk = desk
        self.project: str = request.path_params["project"]
        self.place: Mapping[str, str] = request.path_params
        self.asked: QueryParams = request.query_params
        self.form: Mapping[str, Any] = form or {}
        self._forms = form
        self.visitor: Visitor = request.state.visitor
        self.read_only: bool = request.state.read_only
        self.path = request.url.path
        self.query = request.url.query

    @property
    def cortex(self) -> Cortex:
        """The project's facade."""
        return self.desk.facade(self.project)

    def kept(self, name: str, make: Callable[[Cortex], Result]) -> Result:
        """An answer that takes long, made anew once the memory has changed."""
        return self.desk.kept(self.project, name, make)

    @property
    def now(self) -> datetime:
        """The current time."""
        return self.cortex.now()

    @cached_property
    def first_day(self) -> datetime:
        """When the oldest memory began to be true; now where there is none."""
        found = self.cortex.list(statuses=tuple(Status), order="recorded", descending=False, limit=1).memories
        return min((one.valid_from for one in found), default=self.now)

    def text(self, name: str) -> str:
        """What was filled in or asked for under a name, without blanks around it."""
        given = self.form.get(name, self.asked.get(name, ""))
        return given.strip() if isinstance(given, str) else ""

    def word(self, name: str, of: Any, usual: Any = None) -> Any:
        """A word that was chosen, of those that a type has.

        Raises:
            InvalidInputError: it is none of them.
        """
        return self._one_of(name, of, self.text(name)) if self.text(name) else usual

    def words(self, name: str, of: Any) -> tuple[Any, ...]:
        """All words that were chosen, of those that a type has.

        Raises:
            InvalidInputError: one is none of them.
        """
        return tuple(self._one_of(name, of, one) for one in self.texts(name))

    def _one_of(self, name: str, of: Any, given: str) -> Any:
        try:
            return convert(given, of)
        except InvalidInputError:
            raise InvalidInputError(
                f"{name}: there is no {given[:40]!r}.", hint="Go back and choose again."
            ) from None

    def texts(self, name: str) -> list[str]:
        """All that was filled in or chosen under a name."""
        given = self._forms.getlist(name) if self._forms is not None else self.asked.getlist(name)
        return [one for one in given if isinstance(one, str) and one]

    def number(self, name: str, usual: int = 0) -> int:
        """A number that was asked for, `usual` where none was.

        Raises:
            InvalidInputError: it is none.
        """
        given = self.text(name)
        if given and not (given.isascii() and given.isdecimal() and len(given) < 10):  # noqa: PLR2004
            raise InvalidInputError(f"{name}: {given[:40]!r} is no number.", hint="Go back and choose again.")
        return int(given or usual)

    def at(self, name: str) -> datetime | None:
        """A day or time that was asked for; a day counts to its end."""
        given = self.text(name)
        if not given:
            return None
        found = convert(given, datetime)
        return found.replace(hour=23, minute=59, second=59) if len(given) == len("2026-11-29") else found

    def url(self, path: str = "", **asked: object) -> str:
        """The address of one of this project's pages."""
        found = f"/p/{quote(self.project, safe='')}/{path}"
        kept = {name: value for name, value in asked.items() if value not in (None, "", ())}
        return f"{found}?{urlencode(kept, doseq=True)}" if kept else found

    def here(self, **asked: object) -> str:
        """This page's address with other parameters."""
        kept: dict[str, Any] = {name: self.asked.getlist(name) for name in self.asked} | asked
        kept = {name: value for name, value in kept.items() if value not in (None, "", (), 0)}
        return f"{self.path}?{urlencode(kept, doseq=True)}" if kept else self.path


class Page(NamedTuple):
    """A page: what its address is below the project's, and what answers it.

    Attributes:
        slow: it takes seconds: only one such page is made at a time, and none for somebody who has left.
    """

    method: str
    path: str
    name: str
    answer: Callable[[View], Shown | Gone | Response]
    slow: bool = False


def handler(desk: Desk, declared: Page) -> Callable[[Request], Any]:
    """What answers a page's requests."""

    async def answer(request: Request) -> Response:
        form = await request.form() if declared.method == "POST" else None
        view = View(desk, request, form)
        if form is not None and view.read_only:
            return await desk.do(_failure, view, _READ_ONLY, HTTPStatus.FORBIDDEN)
        if not declared.slow:
            return await desk.do(_answered, view, declared)
        async with desk.slow:
            if await request.is_disconnected():
                return Response(status_code=HTTPStatus.NO_CONTENT)
            return await desk.do(_answered, view, declared)

    return answer


_READ_ONLY = InvalidInputError("This server changes nothing.", hint="Start it without --read-only.")


def _answered(view: View, declared: Page) -> Response:
    try:
        found = declared.answer(view)
        if isinstance(found, Shown):
            return HTMLResponse(rendered(view, found.template, found.values), headers=found.headers)
    except RecortexError as error:
        return _failure(view, error, STATUS_OF.get(error.code, HTTPStatus.INTERNAL_SERVER_ERROR))
    except Exception as error:  # noqa: BLE001  a person gets a page, the log the traceback
        traceback.print_exception(error)
        failed = RecortexError(
            f"This page failed inside Recortex ({type(error).__name__}).",
            hint="What is remembered is not affected. The terminal of `recortex serve` has the details.",
        )
        return _failure(view, failed, HTTPStatus.INTERNAL_SERVER_ERROR)
    if isinstance(found, Gone):
        view.visitor.said = found.said
        return RedirectResponse(found.to, HTTPStatus.SEE_OTHER)
    return found


def _failure(view: View, error: RecortexError, status: HTTPStatus) -> Response:
    values = {"message": error.message, "hint": error.hint}
    return HTMLResponse(rendered(view, "failed.html", values), status)


def rendered(view: View, template: str, values: Mapping[str, Any]) -> str:
    """A page inside the frame that all pages have."""
    try:
        now, name = view.now, view.desk.name_of(view.project)
    except RecortexError:
        now, name = datetime.now(UTC), ""
    said, view.visitor.said = view.visitor.said, ""
    section = view.path.split("/")[3:4]
    return page(
        template,
        view=view,
        url=view.url,
        here=view.here,
        csrf=view.visitor.csrf,
        read_only=view.read_only,
        now=now,
        project_name=name,
        navigation=NAVIGATION,
        section=section[0] if section else "",
        said=said,
        **values,
    )


async def not_found(request: Request, _: Exception) -> Response:
    """The answer where there is no such page."""
    from recortex.web.answers import refusal

    return refusal(request.scope, HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")


def events(desk: Desk) -> Callable[[Request], Any]:
    """A stream that tells an open page when its project's memory has changed, also by others."""

    async def answer(request: Request) -> Response:
        project = request.path_params["project"]
        try:
            cortex = await desk.do(desk.facade, project)
        except RecortexError as error:
            return Response(error.message, HTTPStatus.NOT_FOUND, media_type="text/plain")

        async def stream() -> AsyncIterator[str]:
            known, silent = "", 0.0
            yield "retry: 5000\n\n"
            while not await request.is_disconnected():
                found = sha256(repr(await desk.do(cortex.changes)).encode()).hexdigest()[:16]
                if found != known:
                    known, silent = found, 0.0
                    yield f"event: state\ndata: {known}\n\n"
                elif silent >= _ALIVE:
                    silent = 0.0
                    yield ": still here\n\n"
                await asyncio.sleep(LOOKED)
                silent += LOOKED

        return StreamingResponse(stream(), media_type="text/event-stream")

    return answer
