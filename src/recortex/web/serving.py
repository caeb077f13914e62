"""`recortex serve`: starts the server, opens the browser, and ends when nobody uses it any more."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from recortex.app.access import Tokens
from recortex.cli.invocation import DONE
from recortex.cli.parser import Parser
from recortex.errors import InvalidInputError
from recortex.web import team
from recortex.web.application import site
from recortex.web.desk import Desk
from recortex.web.guard import ENTER
from recortex.web.listening import CONFIGURATION, PORT, elsewhere, listen

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from recortex.web.application import Site

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
    team.add_options(parser)
    options = parser.parse_args(list(words))
    if options.team:
        return team.serve(options)
    if not options.idle >= 0:
        raise InvalidInputError(f"--idle takes minutes from 0 on, not {options.idle}.")
    listening = listen(options.port)
    port = listening[0].getsockname()[1]
    desk = Desk(Path(options.project).absolute(), options.url)
    names = {*options.name, *([options.host] if options.host else [])}
    if names and not any(one.is_valid(desk.facade().now()) for one in Tokens(desk.home).all()):
        raise InvalidInputError(
            "Programs elsewhere need a token, and there is none.",
            hint="Make one first: recortex tokens add --name NAME --right read",
        )
    if options.host:
        listening.append(elsewhere(options.host, port))
    made = site(desk, names=names, read_only=options.read_only, agents=options.tools)
    link = f"http://127.0.0.1:{port}{ENTER}?token={made.doors.link()}"
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
