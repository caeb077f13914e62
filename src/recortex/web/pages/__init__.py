"""The pages: each a function from a request to a template and its values, done in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from recortex.web.answers import HERE
from recortex.web.pages import home, memories
from recortex.web.pages.view import events, handler, not_found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from recortex.web.answers import Desk

__all__ = ["not_found", "routes"]


def routes(desk: Desk) -> Sequence[Route]:
    """The routes of all pages, below `/p/PROJECT`."""

    async def first(_: Request) -> Response:
        return RedirectResponse(f"/p/{HERE}/")

    return [
        Route("/", first),
        Route("/p/{project}/events", events(desk)),
        *(
            Route(f"/p/{{project}}{one.path}", handler(desk, one), methods=[one.method], name=one.name)
            for one in (*home.PAGES, *memories.PAGES, *home.KNOWLEDGE_PAGES)
        ),
    ]
