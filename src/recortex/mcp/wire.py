"""The process's standard streams as a line protocol that nothing else in the process can write to."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger(__name__)

# Twice what an operation takes in; a longer line is skipped, never held in memory.
LONGEST_LINE = 16 * 1024 * 1024
_CHUNK = 64 * 1024
_STDIN, _STDOUT, _STDERR = 0, 1, 2


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

        Blank ones are left out.
        """
        pending = bytearray()
        skipping = False
        while chunk := os.read(self._reading, _CHUNK):
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                pending += part
                if not skipping and pending.strip():
                    yield bytes(pending)
                pending.clear()
                skipping = False
            pending += rest
            if len(pending) > LONGEST_LINE:
                _LOG.warning("A message of more than %d bytes was skipped.", LONGEST_LINE)
                pending.clear()
                skipping = True
        if pending.strip() and not skipping:
            yield bytes(pending)

    def send(self, line: bytes) -> None:
        """Write a line.

        Raises:
            OSError: the client is gone.
        """
        data = memoryview(line + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._writing, data) :]
