"""Runs a model beside other work: while it computes, Python and the database go on."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_THREADS = 2
"""A question is embedded once for each of the two stores, the project's and the person's."""


class _Workers:
    """Threads that stay: starting one for each question takes 0.1 ms longer (bench/beside_vectors.py)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, act: Callable[[], T]) -> Callable[[], T]:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="embedding")
            return self._pool.submit(act).result

    def close(self) -> None:
        """End the threads, which a forked process does not have; the next question starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()


_workers = _Workers()
if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(before=_workers.close)


def begun(act: Callable[[], T]) -> Callable[[], T]:
    """Start something; what this gives waits for the result, and raises what it raised."""
    try:
        return _workers.submit(act)
    except RuntimeError:  # the interpreter is ending, and starts no more threads
        return act
