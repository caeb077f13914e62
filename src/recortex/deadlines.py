"""What must end in time: a process, whatever it is doing, and the work on one file."""

from __future__ import annotations

import faulthandler
import math
import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

GRACE = 0.2
"""Seconds after which a process is ended from outside of the interpreter that did not end by itself."""
AGAIN = 0.05
"""Seconds of the processor after which work that did not stop is stopped once more: an error that is raised
in a finaliser, or where any is caught, goes no further."""


_ends = math.inf


def seconds_left() -> float:
    """Until this process ends, whatever it is doing; infinite where nothing ends it."""
    return _ends - time.monotonic()


class Ending:
    """The end of this process after some seconds, unless it is called off.

    A timer of Python's ends it with status 0. It cannot fire while one call holds the interpreter, such as a
    regular expression: then a thread that needs none ends the process a little later, with status 1.
    A process has one such end: a new one takes the place of the one before.
    """

    def __init__(self, seconds: float) -> None:
        global _ends  # noqa: PLW0603  as there is one process
        _ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, os._exit, [0])
        self._timer.daemon = True
        self._timer.start()
        self._silent = open(os.devnull, "w")  # noqa: PTH123, SIM115  as long as the process may end
        with suppress(RuntimeError, ValueError, OSError):
            faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=self._silent)

    def cancel(self) -> None:
        """The process goes on."""
        global _ends  # noqa: PLW0603
        _ends = math.inf
        self._timer.cancel()
        faulthandler.cancel_dump_traceback_later()
        self._silent.close()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Stop what is done inside after so many seconds of the processor, even within a regular expression.

    In another thread than the main one, or without interval timers, it is stopped between two steps of the
    interpreter. Within another limit there is none.

    Raises:
        TimeoutError: it took longer.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        with _interrupted(seconds):
            yield
        return
    if signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL:
        yield
        return

    over = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not over:
            raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
        yield
    finally:
        over = True  # a signal that comes now would leave the rest undone, and come again and again
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)


_limited = threading.local()


@contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Stop what this thread does inside, from another thread."""
    from ctypes import c_ulong, py_object, pythonapi

    if getattr(_limited, "here", False):
        yield
        return
    own, lock = c_ulong(threading.get_ident()), threading.Lock()
    over = asked = False
    clock = _clock_of_this_thread()
    end = clock() + seconds

    def watch() -> None:
        nonlocal asked
        stop_at, left = end, seconds
        while not ended.wait(max(left, 0.001)):
            with lock:
                if over:  # the thread may have ended, and its clock with it
                    return
                if clock() >= stop_at:
                    asked = True
                    pythonapi.PyThreadState_SetAsyncExc(own, py_object(TimeoutError))
                    stop_at = clock() + AGAIN
                left = stop_at - clock()

    ended = threading.Event()
    try:
        # The limit may be over before its thread has begun: nothing of it may stay behind then either.
        _limited.here = True
        threading.Thread(target=watch, name="limit", daemon=True).start()
        yield
    finally:
        over = True
        # What was asked for and has not come must not come later. It is asked for again and waited for, not
        # called off: before CPython 3.12 the interpreter does not notice that nothing comes any more, looks
        # for it at every call, and never gets any further under a profiler.
        try:
            with lock:
                pass
            if asked:
                pythonapi.PyThreadState_SetAsyncExc(own, py_object(TimeoutError))
                while True:
                    pass
        except (TimeoutError, RuntimeError):
            pass  # it has come; under a tracer also while the lock is given back, which fails then
        finally:
            ended.set()
            _limited.here = False


def _clock_of_this_thread() -> Callable[[], float]:
    """Seconds that this thread used of the processor; where the system does not say, the time that passed."""
    try:
        clock = time.pthread_getcpuclockid(threading.get_ident())
    except (AttributeError, OSError):
        return time.monotonic
    return lambda: time.clock_gettime(clock)
