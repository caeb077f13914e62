"""`recortex serve`: starts the server, opens the browser, and ends when nobody uses it any more.

With `--team URL` it serves a team from a database instead.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import socket
import sys
import threading
import time
import traceback
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from recortex.app.access import Right, Tokens
from recortex.cli import DONE
from recortex.cli.parser import Parser
from recortex.codec import dumps
from recortex.errors import ConfigError, InvalidInputError, StoreUnavailableError
from recortex.transport import objection
from recortex.web import api, pages
from recortex.web.answers import Desk, refusal
from recortex.web.guard import ENTER, Doors, Guard

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import AsyncIterator, Collection, Sequence

    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send


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


# -- `recortex serve`: starts the server, opens the browser, and ends when nobody uses it any more
#
# With `--team URL` it serves a team from a database instead.


_ABOUT = """See, search and correct what is remembered, in a browser. Programs use the same operations under
/api/v1 (described by /api/v1/openapi.json) and agents the Model Context Protocol under /mcp, both with a
token that `recortex tokens add` makes. Only this machine can reach it, unless --host says otherwise. It
ends with Ctrl-C, or when nobody used it for a while."""
_LOOK = 5.0  # seconds between two looks at whether anybody is still there


def serve(words: Sequence[str]) -> int:
    """Serve until told to stop, or until nobody asks for anything any more.

    Raises:
        UsageError: an option is not known.
        InvalidInputError: the port is taken.
    """
    parser = Parser(prog="recortex serve", description=_ABOUT, allow_abbrev=False)
    parser.add_argument(
        "--project", metavar="DIR", default=".", help="The project to show first; by default this folder's."
    )
    parser.add_argument(
        "--url", default=None, help="The store: sqlite:///FILE or postgresql://HOST/DATABASE."
    )
    parser.add_argument(
        "--port", type=int, default=0, help=f"The port; by default {PORT} or the next that is free."
    )
    parser.add_argument(
        "--host",
        default="",
        metavar="ADDRESS",
        help="Listen on this address as well, for programs with tokens; there has to be a token.",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        help="A name that programs elsewhere reach the server by, such as that of a proxy; may be repeated.",
    )
    parser.add_argument("--read-only", action="store_true", help="Show everything and change nothing.")
    parser.add_argument("--no-open", action="store_true", help="Print the link and open no browser.")
    parser.add_argument(
        "--tools", choices=("default", "full"), default="default", help="Which tools agents get under /mcp."
    )
    parser.add_argument(
        "--idle",
        type=float,
        default=30.0,
        metavar="MINUTES",
        help="End after so long without a request; 0: never.",
    )
    add_team_options(parser)
    options = parser.parse_args(list(words))
    if options.team:
        return serve_team(options)
    # Written so that it refuses NaN as well, which is neither below 0 nor above.
    if not options.idle >= 0:
        raise InvalidInputError(f"--idle takes minutes from 0 on, not {options.idle}.")
    listening = listen(options.port)
    # The system chose the port where none was named, and the first socket tells which.
    port = listening[0].getsockname()[1]
    desk = Desk(Path(options.project).absolute(), options.url)
    names = {*options.name, *([options.host] if options.host else [])}
    # Before listening: without any token, a server that others reach would answer nobody.
    if names and not any(one.is_valid(desk.facade().now()) for one in Tokens(desk.home).all()):
        raise InvalidInputError(
            "Programs elsewhere need a token, and there is none.",
            hint="Make one first: recortex tokens add --name NAME --right read",
        )
    if options.host:
        listening.append(elsewhere(options.host, port))
    made = site(desk, names=names, read_only=options.read_only, agents=options.tools)
    link = f"http://127.0.0.1:{port}{ENTER}?token={made.doors.link()}"
    # While the person opens the link: loading the model takes longer than any page.
    threading.Thread(target=desk.warm, name="warm", daemon=True).start()
    told = f"Recortex of {desk.name}: {link}\nThe link opens once. Ctrl-C ends the server."
    print(told, flush=True)  # noqa: T201  the answer
    if not options.no_open and _has_display():
        # In a thread: some browsers do not return before they are closed.
        threading.Thread(target=webbrowser.open, args=(link,), name="browser", daemon=True).start()
    server = uvicorn.Server(uvicorn.Config(made.app, **CONFIGURATION))
    with suppress(KeyboardInterrupt):
        asyncio.run(_run(server, listening, made, options.idle * 60))
    return DONE


async def _run(server: uvicorn.Server, sockets: list[socket.socket], made: Site, idle: float) -> None:
    async def watch() -> None:
        while not server.should_exit:
            await asyncio.sleep(min(_LOOK, idle))
            if not made.app.busy and time.monotonic() - made.app.last_at > idle:
                sys.stderr.write("Nobody used it for a while: the server ends.\n")
                server.should_exit = True

    watching = asyncio.create_task(watch()) if idle else None
    await server.serve(sockets=sockets)
    if watching:
        watching.cancel()


def _has_display() -> bool:
    """Whether a browser can have a window; one in the terminal would take it from the server."""
    return sys.platform in {"win32", "darwin"} or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


# -- where servers listen, and how they speak HTTP


PORT = 8377
_TRIED = 20
"""Ports from the usual one on that are tried where it is taken."""
_WAITING = 512
"""Connections that wait to be taken."""
_HEAD_SECONDS = 10.0
"""Seconds within which the head of a request has to arrive."""


class TimedProtocol(H11Protocol):
    """HTTP of uvicorn over h11, which also ends a connection whose request does not arrive in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        # Uvicorn ends connections that are silent after a request, but not those that never send one.
        self.loop.call_later(_HEAD_SECONDS, self._end_silent)

    def _end_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


CONFIGURATION: dict[str, Any] = {
    "http": TimedProtocol,
    "ws": "none",
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    # Anybody could send them and be taken for another machine.
    "proxy_headers": False,
    "timeout_keep_alive": 15,
    "timeout_graceful_shutdown": 3,
    "h11_max_incomplete_event_size": 16 * 1024,
    "backlog": _WAITING,
}
"""What all our servers tell uvicorn."""


def listen(wanted: int) -> list[socket.socket]:
    """Sockets on this machine's own addresses, both with the same port.

    Raises:
        InvalidInputError: the port is taken, or none of the usual ones is free.
    """
    # At last 0, which is whatever port is free.
    ports = [wanted] if wanted else [*range(PORT, PORT + _TRIED), 0]
    for port in ports:
        try:
            first = _bound(socket.AF_INET, "127.0.0.1", port)
        except (OSError, OverflowError):
            continue
        listening = [first]
        with suppress(OSError):  # a machine without IPv6
            listening.append(_bound(socket.AF_INET6, "::1", first.getsockname()[1]))
        return listening
    raise InvalidInputError(
        f"The port {wanted} cannot be used.", hint="Give another one, or leave --port out."
    )


def elsewhere(address: str, port: int) -> socket.socket:
    """A socket on an address that other machines reach.

    Raises:
        InvalidInputError: this machine has no such address.
    """
    try:
        return _bound(socket.AF_INET6 if ":" in address else socket.AF_INET, address, port)
    except OSError as error:
        raise InvalidInputError(
            f"The server cannot listen on {address[:80]}: {error.strerror}.",
            hint="Give an address of this machine.",
        ) from None


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # The protocol is named: else asyncio does not switch Nagle's algorithm off, and short answers wait 40 ms.
    made = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let a second server take the same port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(_WAITING)  # whoever opens the link at once is not turned away
    except OSError:
        made.close()
        raise
    return made


# -- `recortex serve --team URL`: prepares the database, prints the link of the first member, and serves


_MOST_WORKERS = 64


def add_team_options(parser: Parser) -> None:
    """Those that only a team server has."""
    group = parser.add_argument_group("the server of a team (see docs/team-server.md)")
    group.add_argument(
        "--team",
        default="",
        metavar="URL",
        help="Serve a team from this database: postgresql://HOST/DATABASE.",
    )
    group.add_argument(
        "--workspace", default="team", metavar="NAME", help="The workspace to make where it is missing."
    )
    group.add_argument(
        "--admin", default="", metavar="NAME", help="Its first member; by default the name of your account."
    )
    group.add_argument(
        "--workers", type=int, default=1, metavar="NUMBER", help="Processes that answer; by default 1."
    )
    group.add_argument(
        "--issuer", default="", metavar="URL", help="An OpenID provider that members log in by."
    )
    group.add_argument("--client", default="", metavar="ID", help="What this server is called there.")
    group.add_argument(
        "--most-versions",
        type=int,
        metavar="NUMBER",
        help="That a new workspace may hold; by default 5 million.",
    )
    group.add_argument(
        "--most-bytes", type=int, metavar="NUMBER", help="That a new workspace may hold; by default 10 GB."
    )
    group.add_argument(
        "--rate",
        type=float,
        metavar="NUMBER",
        help="Requests a second of one token of a new workspace; by default 30.",
    )


def serve_team(options: Namespace) -> int:
    """Serve a team until told to stop.

    Raises:
        InvalidInputError: an option cannot be used.
        ConfigError: the driver of PostgreSQL is missing.
        StoreUnavailableError: the database cannot be prepared.
    """
    try:
        import psycopg

        from recortex.sync.server import SETTINGS, TeamSettings
        from recortex.sync.team_rules import Limits
        from recortex.sync.team_store import make_tables, make_workspace
    except ImportError:
        raise ConfigError(
            "The driver of PostgreSQL is missing.", hint="pip install 'recortex[postgres]'"
        ) from None
    if not 1 <= options.workers <= _MOST_WORKERS:
        raise InvalidInputError(f"--workers takes a number from 1 to {_MOST_WORKERS}.")
    if options.issuer and (why := objection(options.issuer, secret=True, setting="--issuer")):
        raise InvalidInputError(why)
    if bool(options.issuer) != bool(options.client):
        raise InvalidInputError("--issuer and --client belong together.")
    # Bound before the database is touched: a port that is taken must not leave a new workspace behind.
    listening = listen(options.port)
    port = listening[0].getsockname()[1]
    if options.host:
        listening.append(elsewhere(options.host, port))
    usual = Limits()
    rate = options.rate or usual.rate
    limits = Limits(
        options.most_versions or usual.versions, options.most_bytes or usual.bytes, rate, max(20.0, rate * 20)
    )
    try:
        make_tables(options.team)
        token = make_workspace(options.team, options.workspace, options.admin or getpass.getuser(), limits)
    except psycopg.Error as error:
        said = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
        raise StoreUnavailableError(
            f"The database of the team cannot be prepared: {said[:300]}.",
            hint="The role of the URL has to be allowed to create a schema and a role.",
        ) from None
    base = f"https://{options.name[0]}" if options.name else f"http://127.0.0.1:{port}"
    place = f"{base}/{quote(options.workspace, safe='')}"
    told = f"Team server: {place}"
    if token:
        # Behind `#`, which a browser sends to no server.
        told += f"\nJoin, on one machine, with: recortex sync join '{place}#{token}'"
    print(f"{told}\nCtrl-C ends the server.", flush=True)  # noqa: T201  the answer
    settings = TeamSettings(options.team, options.issuer, options.client)
    os.environ[SETTINGS] = dumps(settings).decode()  # read by each process that answers
    config = uvicorn.Config(
        "recortex.sync.server:application", factory=True, workers=options.workers, **CONFIGURATION
    )
    with suppress(KeyboardInterrupt):
        if options.workers > 1:
            Multiprocess(config, listening).run()
        else:
            uvicorn.Server(config).run(listening)
    return DONE
