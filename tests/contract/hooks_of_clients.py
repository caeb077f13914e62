"""Hooks called as a client calls them, by one that waits as long as they need.

And the end of the jobs that they started.
"""

import json
import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import patient_recortex


def called(project, name, **event):
    """Call a hook; returns what it says."""
    done = subprocess.run(
        [*patient_recortex.command(), "hook", name],
        input=json.dumps({"cwd": str(project), "transcript_path": "", **event}),
        cwd=project,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


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
