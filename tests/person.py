"""Somebody at a terminal of 100 columns."""

from __future__ import annotations

import os
import pty
import select

import ready_recortex

PATIENCE = 300  # seconds, for a machine that may be slow


def at_a_terminal(project, *words, answer=b"", replies=(), env=None):
    """Run the command with a terminal on all three streams; returns exit code and all that was shown.

    `replies` are typed one after the other, each when what it answers was shown: pairs of both.
    """
    leader, follower = pty.openpty()
    environment = project.environment | {"TERM": "xterm", "COLUMNS": "100"} | (env or {})
    ended = ready_recortex.start(words, (follower,) * 3, cwd=project.folder, env=environment)
    os.close(follower)
    try:
        shown = _watched(leader, [*([(b"[y/N]", answer)] if answer else []), *replies])
        return ended(), shown.decode()
    finally:
        os.close(leader)


def _watched(leader, replies):
    """All that is shown until the other end is closed; each question is answered once."""
    shown, seen = b"", 0
    while True:
        ready = select.select([leader], [], [], PATIENCE)[0]
        try:
            piece = os.read(leader, 65536) if ready else b""
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            return shown
        shown += piece
        if replies and (place := shown.find(replies[0][0], seen)) >= 0:
            seen = place + len(replies[0][0])
            os.write(leader, replies.pop(0)[1])
