"""`recortex worker`: runs the background jobs of a PostgreSQL store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.cli.parser import Parser
from recortex.cli.usage import DONE

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT = """Makes vectors, archives what faded, backs up and compacts, for the store that the URL or the
settings name: all of its workspaces where the database's role may see them, else its own. Runs until
it is stopped; several may run at once."""


def worker(words: Sequence[str]) -> int:
    """Run jobs until told to stop.

    Raises:
        UsageError: an option is not known.
        ConfigError: the store is not on a server.
        StorageError: the server cannot be reached.
    """
    parser = Parser(prog="recortex worker", description=_ABOUT, allow_abbrev=False)
    parser.add_argument(
        "--url", default="", help="The store: postgresql://USER@HOST/DATABASE?workspace=NAME."
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        default=".",
        help="The project whose settings count; by default that of the working directory.",
    )
    parser.add_argument("--once", action="store_true", help="End when no job waits.")
    options = parser.parse_args(list(words))
    from recortex.app.wiring import worker as wired

    tally = wired(Path(options.project).absolute(), url=options.url).work(once=options.once)
    sys.stderr.write(f"{tally.done} jobs done, {tally.failed} failed.\n")
    return DONE
