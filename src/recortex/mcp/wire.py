"""The process's standard streams as a line protocol that nothing else in the process can write to."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger(__name__)

# Twice what an operation takes in; a longer line is refused, never held in memory.
LONGEST_LINE = 16 * 1024 * 1024
NEVER_SENT = -32600
"""JSON-RPC's code of an invalid request."""
_CHUNK = 64 * 1024
_KEPT = 4_096
"""Bytes of the beginning and the end of a refused line that are looked through for its id."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_ID = rb'"id"\s{0,20}:\s{0,20}(?P<id>\d{1,20}|"(?:[^"\\]|\\.){0,200}")'
_OTHER = rb'"(?:jsonrpc|method)"\s{0,20}:\s{0,20}"[^"]{0,200}"'
_FIRST = re.compile(rb"\s{0,20}\{\s{0,20}(?:" + _OTHER + rb"\s{0,20},\s{0,20}){0,2}" + _ID)
_LAST = re.compile(_ID + rb"\s{0,20}(?:,\s{0,20}" + _OTHER + rb"\s{0,20}){0,2}\}\s{0,20}\Z")


class Wire:
    """Lines in, lines out.

    Args:
        reading, writing: file descriptors that are this object's own.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.Lock()

    @classmethod
    def claim(cls) -> Self:
        """Take the standard streams.

        From now on a stray `print` goes to standard error, and a stray read finds the end.
        """
        reading, writing = os.dup(_STDIN), os.dup(_STDOUT)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, _STDIN)
        os.close(nothing)
        sys.stdout.flush()
        os.dup2(_STDERR, _STDOUT)
        return cls(reading, writing)

    def lines(self) -> Iterator[bytes]:
        """Each line that arrives, without its end, until the client closes the stream.

        Blank ones are left out. One that is too long is answered with an error as soon as it ends.
        """
        pending = bytearray()
        beginning = b""  # of a line that is too long
        while chunk := os.read(self._reading, _CHUNK):
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                pending += part
                if beginning:
                    self._refuse_long(beginning, bytes(pending[-_KEPT:]))
                elif pending.strip():
                    yield bytes(pending)
                pending.clear()
                beginning = b""
            pending += rest
            if beginning:
                del pending[:-_KEPT]
            elif len(pending) > LONGEST_LINE:
                _LOG.warning("A message of more than %d bytes was refused.", LONGEST_LINE)
                beginning = bytes(pending[:_KEPT])
                del pending[:-_KEPT]
        if beginning:
            self._refuse_long(beginning, bytes(pending))
        elif pending.strip():
            yield bytes(pending)

    def _refuse_long(self, beginning: bytes, end: bytes) -> None:
        """Answer a line that was too long, where one of its ends tells its id."""
        found = _FIRST.match(beginning) or _LAST.search(end)
        if found is None:
            return
        most = LONGEST_LINE // 1024**2
        with suppress(ValueError):  # what is no JSON is no request
            named = json.loads(found["id"])
            self.refuse(named, f"The message is longer than {most} MB. Send less at once: several calls.")

    def refuse(self, named: Any, why: str) -> None:
        """Answer a request that was not taken, so that nobody waits for it.

        Args:
            named: its id.
            why: it was not.
        """
        error = {"code": NEVER_SENT, "message": why}
        with suppress(OSError):  # the client is gone: reading will find out
            self.send(json.dumps({"jsonrpc": "2.0", "id": named, "error": error}).encode())

    def send(self, line: bytes) -> None:
        """Write a line.

        Raises:
            OSError: the client is gone.
        """
        data = memoryview(line + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._writing, data) :]
