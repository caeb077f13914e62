"""One line on standard error that tells how far long work is; nothing where nobody watches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_INTERVAL = 0.1  # seconds between two drawings
_BAR = 24  # characters
_MANY = 1_000_000  # beyond it these are bytes, and a share says more
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """Call it with what is done, how much, and of how much (0 where that is not known)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._watched = stream.isatty()
        self._drawn_at = 0.0
        self._drawn = False

    def __call__(self, what: str, done: int, total: int) -> None:
        """Draw the line, at most ten times a second; the end is always drawn."""
        now = time.monotonic()
        if not self._watched or (now - self._drawn_at < _INTERVAL and done != total):
            return
        self._drawn_at, self._drawn = now, True
        self._stream.write(_CLEAR + line(what, done, total))
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._drawn = False


def line(what: str, done: int, total: int) -> str:
    """The line itself: `what [####----] 12/24`."""
    if total <= 0:
        return f"{what[:40]} {done}"
    filled = min(_BAR, _BAR * done // total)
    amount = f"{done}/{total}" if total < _MANY else f"{100 * done // total}%"
    return f"{what[:40]} [{'#' * filled}{'-' * (_BAR - filled)}] {amount}"
