"""`recortex worker`: runs the background jobs of a PostgreSQL store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.wiring import application, server_of
from recortex.cli.invocation import DONE
from recortex.cli.parser import Parser
from recortex.domain.vocabulary import Actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.jobs.running import Worker

_ABOUT = """Do the background jobs of a PostgreSQL store: make vectors, archive what has faded, back up,
compact. It serves every workspace that the database's role may see, runs until you stop it, and may
run beside other workers."""


def worker(words: Sequence[str]) -> int:
    """Run jobs until told to stop.

    Raises:
        UsageError: an option is not known.
        ConfigError: the store is not on a server.
        StorageError: the server cannot be reached.
    """
    parser = Parser(prog="recortex worker", description=_ABOUT, allow_abbrev=False)
    parser.add_argument(
        "--url",
        default="",
        help="The store: postgresql://USER@HOST/DATABASE?workspace=NAME; by default that of the settings.",
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        default=".",
        help="The project whose settings to use; by default the current folder's.",
    )
    parser.add_argument("--once", action="store_true", help="Stop when no job is waiting.")
    options = parser.parse_args(list(words))
    tally = _worker(Path(options.project).absolute(), options.url).work(once=options.once)
    sys.stderr.write(f"{tally.done} jobs done, {tally.failed} failed.\n")
    return DONE


def _worker(folder: Path, url: str) -> Worker:
    location = server_of(folder, url=url)
    try:
        from recortex.app.jobs.running import Worker
    except ImportError as error:
        from recortex.app.backends.stores import missing

        raise missing(error) from error
    return Worker(
        location.on_server,
        lambda named: application(folder, url=named, clock=None, actor=Actor.SYSTEM, progress=None),
    )
