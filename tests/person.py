"""Somebody at a terminal of 100 columns."""

from __future__ import annotations

import os
import pty
import select

import ready_recortex

PATIENCE = 300  # seconds, for a machine that may be slow


def at_a_terminal(project, *words, answer=b"", env=None):
    """Run the command with a terminal on all three streams; returns exit code and all that was shown."""
    leader, follower = pty.openpty()
    environment = project.environment | {"TERM": "xterm", "COLUMNS": "100"} | (env or {})
    ended = ready_recortex.start(words, (follower,) * 3, cwd=project.folder, env=environment)
    os.close(follower)
    try:
        shown = _watched(leader, answer)
        return ended(), shown.decode()
    finally:
        os.close(leader)


def _watched(leader, answer):
    """All that is shown until the other end is closed; the question is answered."""
    shown = b""
    while True:
        ready = select.select([leader], [], [], PATIENCE)[0]
        try:
            piece = os.read(leader, 65536) if ready else b""
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            return shown
        shown += piece
        if answer and b"[y/N]" in shown:
            os.write(leader, answer)
            answer = b""
