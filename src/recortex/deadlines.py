"""What must end in time: a process, whatever it is doing, and the work on one file."""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import NoReturn

GRACE = 0.2
"""Seconds after which a process is ended from outside of the interpreter that did not end by itself."""


class Ending:
    """The end of this process after some seconds, unless it is called off.

    A timer of Python's ends it with status 0. It cannot fire while one call holds the interpreter, such as a
    regular expression: then a thread that needs none ends the process a little later, with status 1.
    A process has one such end: a new one takes the place of the one before.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, os._exit, [0])
        self._timer.daemon = True
        self._timer.start()
        self._silent = open(os.devnull, "w")  # noqa: PTH123, SIM115  as long as the process may end
        with suppress(RuntimeError, ValueError, OSError):
            faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=self._silent)

    def cancel(self) -> None:
        """The process goes on."""
        self._timer.cancel()
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Stop what is done inside after so many seconds of the processor, even within a regular expression.

    Only in the main thread, where the system has interval timers, and not within another limit; elsewhere
    there is none.

    Raises:
        TimeoutError: it took longer.
    """
    free = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if not free or signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
