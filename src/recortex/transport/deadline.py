"""The end of the time that a question may take."""

from __future__ import annotations

import time


class Deadline:
    """A point in monotonic time that every step of a call looks at."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then; not below zero."""
        return max(0.0, self._end - time.monotonic())

    def leaves(self, seconds: float) -> bool:
        """Whether there is more time than that."""
        return self.left > seconds
