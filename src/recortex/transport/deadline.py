"""The time limit of a request."""

from __future__ import annotations

import time


class Deadline:
    """A point in monotonic time that all steps of a request share."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, 0 at least."""
        return max(0.0, self._end - time.monotonic())

    def leaves(self, seconds: float) -> bool:
        """Whether more than this many seconds are left."""
        return self.left > seconds
