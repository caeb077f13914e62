"""A URL of a PostgreSQL store: what goes to the driver, and what is ours."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from recortex.errors import ConfigError

LONGEST_NAME = 200
MOST_PARTITIONS = 256


class Address(NamedTuple):
    """Where a store is.

    Attributes:
        conninfo: what the driver takes; it may hold a password and is never shown.
        workspace: the name of the workspace; empty where none is named.
        partitions: that tables are made of when the database is new; 0: not partitioned.
    """

    conninfo: str
    workspace: str
    partitions: int = 0

    @property
    def shown(self) -> str:
        """The address without a secret; two that may lead to different stores are not shown alike."""
        address, joint, more = self.server.partition("?")
        named = f"?workspace={self.workspace.translate(_MARKS)}" if self.workspace else ""
        return f"{address}{named}{('&' if named else '?') if joint else ''}{more}"

    @property
    def server(self) -> str:
        """The address of the database, whichever workspace, without a secret."""
        parts = urlsplit(self.conninfo)
        given = {name: value for name, value in _parameters(parts.query) if name in _PLACE}
        user = parts.username or given.pop("user", "")
        hosts = parts.netloc.rpartition("@")[2] or given.pop("host", "")
        port = f":{given.pop('port')}" if "port" in given else ""
        path = f"/{given.pop('dbname')}" if "dbname" in given else parts.path
        more = "&".join(f"{name}={value}" for name, value in sorted(given.items()))
        who = f"{user}@" if user else ""
        return f"postgresql://{who}{hosts}{port}{path}{'?' if more else ''}{more}"

    def url(self, workspace: str) -> str:
        """The URL of a workspace of the same database; it may hold a password."""
        joint = "&" if "?" in self.conninfo else "?"
        return f"{self.conninfo}{joint}workspace={quote(workspace, safe='')}"


def parse(url: str, *, workspace: str = "") -> Address:
    """Take a URL apart: `postgresql://…?workspace=NAME&partitions=N`; other parameters are the driver's.

    Args:
        url: the whole URL.
        workspace: the name to use where the URL has none; may be empty too.

    Raises:
        ConfigError: it cannot be one.
    """
    try:
        # A lone surrogate cannot be sent to a server, and is no part of a URL.
        url.encode()
        parts = urlsplit(url)
        given = _parameters(parts.query)
    except ValueError:  # which quotes what may be a part of the password
        raise ConfigError("The URL of the database cannot be read.", hint=HINT) from None
    if not url.partition(":")[2].startswith("//"):
        raise ConfigError("The URL of the database cannot be read.", hint=HINT)
    # A sign of a password that is not escaped moves the borders of the parts, and some of it would be shown.
    if parts.netloc.count("@") > 1 or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise ConfigError("The URL of the database has an @ out of place.", hint=f"Write %40 for it. {HINT}")
    if "#" in url:
        raise ConfigError("The URL of the database has a # out of place.", hint=f"Write %23 for it. {HINT}")
    if not all(_HOST.fullmatch(host) for host in parts.netloc.rpartition("@")[2].split(",")):
        raise ConfigError("The URL of the database has an invalid host or port.", hint=HINT)
    ours = {name: value for name, value in given if name in {"workspace", "partitions"}}
    theirs = "&".join(f"{quote(name)}={quote(value)}" for name, value in given if name not in ours)
    conninfo = f"postgresql://{parts.netloc}{parts.path}{'?' if theirs else ''}{theirs}"
    named = ours.get("workspace", workspace or None)
    text = ours.get("partitions", "0")
    if not text.isdecimal() or int(text) > MOST_PARTITIONS:
        raise ConfigError(f"partitions must be a number from 0 to {MOST_PARTITIONS}.", hint=HINT)
    partitions = int(text)
    return Address(conninfo, "" if named is None else _name(named), partitions)


_HOST = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::\d{1,5})?")
"""A host with its port; the driver tries several, with commas between them, in turn."""
_PLACE = ("host", "hostaddr", "port", "dbname", "user", "service")
"""The driver's parameters that say where the database is."""
_MARKS = {ord(mark): quote(mark) for mark in "%&#+?"}
"""What would end a workspace's name in a URL, or be read as something else."""


def _parameters(query: str) -> list[tuple[str, str]]:
    """Names and values as the driver reads them: a plus sign is one, and no space.

    Raises:
        ValueError: one has no value.
    """
    if not query:
        return []
    pairs = [pair.split("=", 1) for pair in query.split("&")]
    return [(unquote(name), unquote(value, errors="strict")) for name, value in pairs]


HINT = (
    "Use postgresql://USER@HOST/DATABASE?workspace=NAME; the password belongs into PGPASSWORD or ~/.pgpass."
)


def _name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ConfigError(f"A workspace needs a name of 1 to {LONGEST_NAME} printable characters.", hint=HINT)
    return name
