"""The server as one ASGI application: pages, the API, the protocol of agents, what stands before them."""

from __future__ import annotations

import asyncio
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, Self

from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from recortex.app.access import Right, Tokens
from recortex.web import api, pages
from recortex.web.answers import refusal
from recortex.web.guard import Doors, Guard

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

    from recortex.web.desk import Desk


class Site(NamedTuple):
    """The application, and the doors to it."""

    app: Guard
    doors: Doors


def site(
    desk: Desk, *, names: Collection[str] = (), read_only: bool = False, agents: str = "default"
) -> Site:
    """Everything that a server answers.

    Args:
        desk: carries out operations; closed with the application.
        names: that programs elsewhere reach the server by.
        read_only: nothing can be changed.
        agents: the set of tools under `/mcp`.
    """
    doors = Doors(Right.READ if read_only else Right.ADMIN)
    protocol = _Protocol(desk, "default" if read_only else agents, read_only=read_only)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with protocol:
            yield
        # In a thread, as it waits for what is at work.
        await asyncio.to_thread(desk.close)

    app = Starlette(
        routes=[
            *api.routes(desk),
            Route("/mcp", protocol, methods=["GET", "POST", "DELETE"]),
            Mount("/static", StaticFiles(directory=str(files("recortex.web") / "static"))),
            *pages.routes(desk),
        ],
        lifespan=lifespan,
        exception_handlers={404: pages.not_found},
    )
    now = desk.facade().now
    return Site(
        Guard(app, doors=doors, tokens=Tokens(desk.home), now=now, names=names, read_only=read_only), doors
    )


class _Protocol:
    """The Model Context Protocol over streamable HTTP; its SDK is loaded by the first request.

    Importing it takes most of a second, which the first page should not wait for.
    """

    def __init__(self, desk: Desk, tools: str, *, read_only: bool) -> None:
        self._desk = desk
        self._tools = tools
        self._read_only = read_only

    async def __aenter__(self) -> Self:
        self._calls: asyncio.Queue[asyncio.Future[StreamableHTTPSessionManager]] = asyncio.Queue()
        self._runner = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._runner.cancel()
        await asyncio.gather(self._runner, return_exceptions=True)

    async def _run(self) -> None:
        """Run the SDK's manager in a task of its own: it has to be left where it was entered."""
        async with AsyncExitStack() as stack:
            manager: StreamableHTTPSessionManager | None = None
            while True:
                asked = await self._calls.get()
                try:
                    if manager is None:
                        made = await asyncio.to_thread(self._build, stack)
                        await stack.enter_async_context(made.run())
                        manager = made
                except Exception as error:  # noqa: BLE001  told to whoever asks; the next one tries again
                    if not asked.done():
                        asked.set_exception(error)
                    continue
                if not asked.done():  # the client may have left
                    asked.set_result(manager)

    def _build(self, stack: AsyncExitStack) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from recortex.mcp import session
        from recortex.mcp.server import THREADS, about, instructions
        from recortex.operations import manifest
        from recortex.operations.registry import find_operation

        tools = [
            one
            for one in manifest.tools(self._tools)
            if not self._read_only or find_operation(one["name"]).traits.read_only
        ]
        dispatcher = session.ToolDispatcher(
            {one["name"]: find_operation(one["name"]) for one in tools},
            self._desk.for_agents,
            reading={name: find_operation(name) for name in session.READING},
        )
        workers = ThreadPoolExecutor(THREADS, thread_name_prefix="call")
        stack.callback(workers.shutdown, cancel_futures=True)
        server = session.build(about(), instructions(), tools, dispatcher, workers)
        return StreamableHTTPSessionManager(server)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["state"]["visitor"].right.covers(Right.READ if self._read_only else Right.WRITE):
            why = "Agents need a token with the right write."
            await refusal(scope, HTTPStatus.FORBIDDEN, "not_allowed", why)(scope, receive, send)
            return
        asked: asyncio.Future[StreamableHTTPSessionManager] = asyncio.get_running_loop().create_future()
        await self._calls.put(asked)
        try:
            manager = await asked
        except Exception as error:  # noqa: BLE001  a client gets an answer, the log the traceback
            # A client gets the kind of the error only: its text may name paths of this machine.
            traceback.print_exception(error)
            why = f"The protocol cannot be loaded ({type(error).__name__})."
            await refusal(scope, HTTPStatus.SERVICE_UNAVAILABLE, "internal_error", why)(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)
