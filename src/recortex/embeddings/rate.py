"""A limit on requests per minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MINUTE = 60.0


class RateLimit:
    """Limits the requests of this process in any minute.

    Args:
        limit: requests per minute; 0 means no limit.
        now: a monotonic clock in seconds.
    """

    def __init__(self, limit: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._now = now
        self._taken: deque[float] = deque()
        self._lock = threading.Lock()

    def acquire(self) -> float:
        """Return 0 and reserve a slot, or the seconds to wait before trying again."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._now()
            self._forget(now)
            if len(self._taken) >= self._limit:
                # Never 0, which would mean that a slot was reserved.
                return max(self._taken[0] + MINUTE - now, 0.001)
            self._taken.append(now)
            return 0.0

    def seconds_until(self, count: int) -> float:
        """Seconds until `count` slots (at most `limit`) are free; reserves none."""
        if not self._limit:
            return 0.0
        with self._lock:
            now = self._now()
            self._forget(now)
            over = len(self._taken) + min(count, self._limit) - self._limit
            return max(self._taken[over - 1] + MINUTE - now, 0.001) if over > 0 else 0.0  # 0 means now

    def _forget(self, now: float) -> None:
        """Free the slots that were reserved more than a minute ago."""
        while self._taken and self._taken[0] <= now - MINUTE:
            self._taken.popleft()
