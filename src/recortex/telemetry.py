"""Spans, events and counters: what logs, metrics and traces are made of.

Every operation and every background job reports here. While nobody listens, a report costs one look at an
empty tuple, and nothing is imported. Fields hold names, counts and times, never a memory's text.

    listen(to_logging())
    cortex.recall("How are retries bounded?")
"""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    Value = str | int | float | bool
    Listener = Callable[["Record"], None]
    Tracer = Callable[[str, Mapping[str, Value], Mapping[str, str]], AbstractContextManager[object]]


class Record(NamedTuple):
    """Something that happened.

    Attributes:
        kind: span: something that took time; event: something that happened; count: a number to add up.
        name: what it is about, such as `operation` or `job`.
        fields: what else is known.
        seconds: how long a span took; 0 for the others.
        number: what a count adds.
        error: the name of the exception that ended a span; empty where none did.
    """

    kind: Literal["span", "event", "count"]
    name: str
    fields: Mapping[str, Value]
    seconds: float = 0.0
    number: int = 0
    error: str = ""


class _Open(NamedTuple):
    """A span that is not over: its fields, and whether it or one around it is counted."""

    fields: dict[str, Value]
    counted: bool


_listeners: tuple[Listener, ...] = ()
_tracer: Tracer | None = None
_open: ContextVar[_Open | None] = ContextVar("open", default=None)
_carrier: ContextVar[Mapping[str, str] | None] = ContextVar("carrier", default=None)
_NOBODY = nullcontext()


def listen(listener: Listener) -> None:
    """Give every record to a listener from now on. What it raises is its own loss."""
    global _listeners  # noqa: PLW0603  one set of listeners for the process, as for logging
    _listeners = (*_listeners, listener)


def ignore(listener: Listener) -> None:
    """Stop giving records to a listener."""
    global _listeners  # noqa: PLW0603
    _listeners = tuple(one for one in _listeners if one is not listener)


def trace(tracer: Tracer | None) -> None:
    """Enter this context around every span from now on; it gets name, fields, and whose part the span is."""
    global _tracer  # noqa: PLW0603
    _tracer = tracer


@contextmanager
def part_of(carrier: Mapping[str, str]) -> Iterator[None]:
    """Spans inside are part of a trace that somebody else began, as W3C's `traceparent` names it."""
    token = _carrier.set(carrier)
    try:
        yield
    finally:
        _carrier.reset(token)


def span(name: str, own: Listener | None = None, **fields: Value) -> AbstractContextManager[None]:
    """Time a block.

    Args:
        name: what it is about.
        own: is told of it too, unless a span around it has a listener of its own.
        fields: what else is known.
    """
    return _timed(name, fields, own) if _listeners or own or _tracer else _NOBODY


def tell(fields: Callable[[], Mapping[str, Value]]) -> None:
    """Add fields to the span that is open; where none is, they are not computed."""
    if around := _open.get():
        around.fields.update(fields())


def event(name: str, **fields: Value) -> None:
    """Report that something happened."""
    if _listeners:
        _tell(Record("event", name, fields))


def count(name: str, number: int = 1, **fields: Value) -> None:
    """Add to a counter."""
    if _listeners:
        _tell(Record("count", name, fields, number=number))


@contextmanager
def _timed(name: str, fields: dict[str, Value], own: Listener | None) -> Iterator[None]:
    around = _open.get()
    inside = around is not None and around.counted
    token = _open.set(_Open(fields, inside or own is not None))
    began, error = time.perf_counter(), ""
    try:
        with _tracer(name, fields, _carrier.get() or {}) if _tracer else _NOBODY:
            yield
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        _open.reset(token)
        record = Record("span", name, fields, seconds=time.perf_counter() - began, error=error)
        _tell(record, () if inside or own is None else (own,))


def _tell(record: Record, more: tuple[Listener, ...] = ()) -> None:
    for listener in (*_listeners, *more):
        try:
            listener(record)
        except Exception:  # noqa: BLE001, S112  who listens must not break what is listened to
            continue


def to_logging() -> Listener:
    """A listener for the loggers `recortex.NAME`: spans as INFO, failures as WARNING, the rest as DEBUG.

    The fields are the log record's attribute `fields`, for a formatter that writes them.
    """
    import logging

    def log(record: Record) -> None:
        logger = logging.getLogger(f"recortex.{record.name}")
        level = logging.DEBUG
        if record.kind == "span":
            level = logging.WARNING if record.error else logging.INFO
        if logger.isEnabledFor(level):
            more: dict[str, Value] = {}
            if record.kind == "span":
                more["milliseconds"] = round(record.seconds * 1000, 1)
            if record.kind == "count":
                more["number"] = record.number
            if record.error:
                more["error"] = record.error
            fields = {**record.fields, **more}
            said = " ".join(f"{name}={value}" for name, value in fields.items())
            logger.log(level, "%s %s", record.kind, said, extra={"fields": fields})

    return log


# -- a line for each span in a file, so that short-lived processes add up


MOST_BYTES, MANY_BYTES = 512 * 1024, 128 * 1024
"""Of a file of timings that nothing reads: it is begun anew then; and of one that is worth counting."""
AT_ONCE = 16
"""Lines that are written together: a process that is killed loses so many at most."""


class ToFile:
    """A listener that adds a line for each span to a file, where its folder is there.

    Args:
        place: gives the file.
        clock: gives the time.

    Attributes:
        wrote: whether an operation of this process changed something.
    """

    def __init__(self, place: Callable[[], Path], clock: Callable[[], datetime]) -> None:
        self.wrote = False
        self._place, self._clock = place, clock
        self._waiting: list[tuple[Record, datetime]] = []

    def __call__(self, record: Record) -> None:
        """Keep a span until there are enough to be written."""
        self._waiting.append((record, self._clock()))
        if len(self._waiting) >= AT_ONCE:
            self.flush()

    def flush(self) -> bool:
        """Write what waits; where that cannot be done, it is lost. Returns whether the file is large now."""
        import os

        written, self._waiting = self._waiting, []
        if not written:
            return False
        flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        with suppress(OSError):
            handle = os.open(self._place(), flags, 0o600)
            try:
                os.write(handle, "".join(as_line(*one) for one in written).encode())
                size = os.lseek(handle, 0, os.SEEK_CUR)
                if size > MOST_BYTES:
                    os.ftruncate(handle, 0)
                return MANY_BYTES < size <= MOST_BYTES
            finally:
                os.close(handle)
        return False


def as_line(record: Record, at: datetime) -> str:
    """A span as a line of JSON: when, what, its label, milliseconds, the error, other fields."""
    import json

    fields = dict(record.fields)
    label = fields.pop(record.name, "")
    took = round(record.seconds * 1000, 3)
    return json.dumps([round(at.timestamp(), 3), record.name, label, took, record.error, fields]) + "\n"
