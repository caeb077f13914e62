"""`recortex worker`: does the jobs of a PostgreSQL store that nobody waits for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.cli.usage import DONE, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELP = """usage: recortex worker [--url URL] [--project DIR] [--once]

Makes vectors, archives what faded, backs up and compacts, for the store that the URL or the settings
name: all of its workspaces where the database's role may see them, else its own. Runs until it is
stopped; several may run at once.

  --url URL      the store: postgresql://USER@HOST/DATABASE?workspace=NAME
  --project DIR  whose settings hold; the working directory's project, unless said
  --once         end when no job waits
"""


def worker(words: Sequence[str]) -> int:
    """Work until told to stop.

    Raises:
        UsageError: an option is not known.
        ConfigError: the store is none on a server.
        StorageError: the server cannot be reached.
    """
    if {"-h", "--help"} & set(words):
        print(_HELP, end="")  # noqa: T201  the answer
        return DONE
    options = _options(words)
    from recortex.app.wiring import worker as wired

    start = Path(options["project"]) if options["project"] else Path.cwd()
    tally = wired(start, url=options["url"]).work(once=bool(options["once"]))
    sys.stderr.write(f"{tally.done} jobs done, {tally.failed} failed.\n")
    return DONE


def _options(words: Sequence[str]) -> dict[str, str]:
    found = {"url": "", "project": "", "once": ""}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, given, value = word.partition("=")
        if name == "--once" and not given:
            found["once"] = "once"
        elif name in {"--url", "--project"} and (given or rest):
            found[name[2:]] = value if given else rest.pop(0)
        else:
            raise UsageError(f"{word[:40]!r} is not known here.", hint="`recortex worker --help`")
    return found
