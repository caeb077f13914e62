"""Hooks called as a client calls them, by one that waits as long as they need.

And the end of the jobs that they started.
"""

import json
import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path

import ready_recortex


def called(project, name, **event):
    """Call a hook; returns what it says."""
    given = json.dumps({"cwd": str(project), "transcript_path": "", **event}).encode()
    done = ready_recortex.run("hook", name, stdin=given, cwd=project, patient=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@contextmanager
def jobs_ended(home):
    """Afterwards no job is at work that a hook started for a person.

    It would outlive the test, and its server.
    """
    try:
        yield
    finally:
        for job in _of(home):
            with suppress(ProcessLookupError):
                os.kill(job, signal.SIGKILL)


def _of(home):
    """The jobs; not a server that was started with the same environment."""
    mark = f"RECORTEX_HOME={home}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is someone else's
            job = b"capture" in (process / "cmdline").read_bytes().split(b"\0")
            if job and mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)
