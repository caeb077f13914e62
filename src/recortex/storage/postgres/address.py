"""A URL of a PostgreSQL store: what goes to the driver, and what is ours."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from recortex.errors import ConfigError

SCHEMES = ("postgresql", "postgres")
LONGEST_NAME = 200
MOST_PARTITIONS = 256


class Address(NamedTuple):
    """Where a store is.

    Attributes:
        conninfo: what the driver takes; it may hold a password and is never shown.
        workspace: the name of the workspace.
        partitions: that tables are made of when the database is new; 0: not partitioned.
    """

    conninfo: str
    workspace: str
    partitions: int = 0

    @property
    def shown(self) -> str:
        """The address without a secret."""
        parts = urlsplit(self.conninfo)
        who = f"{parts.username}@" if parts.username else ""
        host = parts.hostname or dict(parse_qsl(parts.query)).get("host", "")
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{who}{host}{port}{parts.path}?workspace={self.workspace}"


def parse(url: str, *, workspace: str) -> Address:
    """Take a URL apart: `postgresql://…?workspace=NAME&partitions=N`; the other parameters are the driver's.

    Args:
        url: the whole URL.
        workspace: the name to use where the URL has none.

    Raises:
        ConfigError: it cannot be one.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise ConfigError("The URL of the database cannot be read.", hint=HINT) from error
    if parts.netloc.count("@") > 1 or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise ConfigError("The URL of the database has an @ out of place.", hint=f"Write %40 for it. {HINT}")
    ours = {name: value for name, value in given if name in {"workspace", "partitions"}}
    theirs = urlencode([(name, value) for name, value in given if name not in ours])
    conninfo = urlunsplit(("postgresql", parts.netloc, parts.path, theirs, ""))
    return Address(
        conninfo, _name(ours.get("workspace", workspace)), _partitions(ours.get("partitions", "0"))
    )


HINT = (
    "Use postgresql://USER@HOST/DATABASE?workspace=NAME; the password belongs into PGPASSWORD or ~/.pgpass."
)


def _name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ConfigError(f"A workspace needs a name of 1 to {LONGEST_NAME} printable characters.", hint=HINT)
    return name


def _partitions(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PARTITIONS:
        raise ConfigError(f"partitions must be a number from 0 to {MOST_PARTITIONS}.", hint=HINT)
    return int(text)
