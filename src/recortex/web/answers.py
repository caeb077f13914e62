"""Answers that several routes give: an error as JSON for programs, as a page for people."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response

from recortex.codec import dumps
from recortex.domain.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def wants_page(scope: Scope) -> bool:
    """Whether a person asks, with a browser."""
    if scope["path"].startswith(("/api/", "/mcp")):
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def page(template: str, **values: Any) -> str:
    """A page of a template; every value is text, never markup."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Where templates are, and what they may use."""
    from recortex.web import words

    made = Environment(
        loader=PackageLoader("recortex.web"),
        autoescape=True,
        finalize=words.shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(words.FILTERS)
    made.globals.update(words.GLOBALS)
    return made


def status_of(codes: Mapping[str, HTTPStatus], code: str) -> HTTPStatus:
    """The status of an error by its code."""
    return codes.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)
