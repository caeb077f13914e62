"""A limit of requests per minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MINUTE = 60.0


class Rate:
    """Counts the requests of the last minute in this process.

    Args:
        limit: requests in any minute; 0: as many as are asked.
        now: seconds that only grow.
    """

    def __init__(self, limit: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._now = now
        self._taken: deque[float] = deque()
        self._lock = threading.Lock()

    def wait(self) -> float:
        """Seconds until there is room; 0 takes the room."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._passed()
            if len(self._taken) >= self._limit:
                return max(self._taken[0] + MINUTE - now, 0.001)
            self._taken.append(now)
            return 0.0

    def until(self, count: int) -> float:
        """Seconds until there is room for so many, or for as many as a minute takes; takes none."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._passed()
            over = len(self._taken) + min(count, self._limit) - self._limit
            return max(self._taken[over - 1] + MINUTE - now, 0.001) if over > 0 else 0.0

    def _passed(self) -> float:
        """Forget what was taken more than a minute ago; returns the time."""
        now = self._now()
        while self._taken and self._taken[0] <= now - MINUTE:
            self._taken.popleft()
        return now
