"""`recortex serve --team URL`: prepares the database, prints the link of the first member, and serves."""

from __future__ import annotations

import getpass
import os
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import uvicorn
from uvicorn.supervisors import Multiprocess

from recortex.cli.invocation import DONE
from recortex.codec import dumps
from recortex.errors import ConfigError, InvalidInputError, StoreUnavailableError
from recortex.transport import objection
from recortex.web.listening import CONFIGURATION, elsewhere, listen

if TYPE_CHECKING:
    from argparse import Namespace

    from recortex.cli.parser import Parser

_MOST_WORKERS = 64


def add_options(parser: Parser) -> None:
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


def serve(options: Namespace) -> int:
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
