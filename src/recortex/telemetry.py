"""Spans, events and counters: what logs, metrics and a health page read.

Every operation and every background job reports here. While nobody listens, a report costs one look at an
empty tuple, and nothing is imported. Fields hold names, counts and times, never a memory's text.

    listen(to_logging())
    cortex.recall("How are retries bounded?")
"""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    Value = str | int | float | bool
    Listener = Callable[["Record"], None]


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


_listeners: tuple[Listener, ...] = ()
_NOBODY = nullcontext()


def listen(listener: Listener) -> None:
    """Give every record to a listener from now on. What it raises is its own loss."""
    global _listeners  # noqa: PLW0603  one set of listeners for the process, as for logging
    _listeners = (*_listeners, listener)


def ignore(listener: Listener) -> None:
    """Stop giving records to a listener."""
    global _listeners  # noqa: PLW0603
    _listeners = tuple(one for one in _listeners if one is not listener)


def span(name: str, **fields: Value) -> AbstractContextManager[None]:
    """Time a block."""
    return _timed(name, fields) if _listeners else _NOBODY


def event(name: str, **fields: Value) -> None:
    """Report that something happened."""
    if _listeners:
        _tell(Record("event", name, fields))


def count(name: str, number: int = 1, **fields: Value) -> None:
    """Add to a counter."""
    if _listeners:
        _tell(Record("count", name, fields, number=number))


@contextmanager
def _timed(name: str, fields: Mapping[str, Value]) -> Iterator[None]:
    began, error = time.perf_counter(), ""
    try:
        yield
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        _tell(Record("span", name, fields, seconds=time.perf_counter() - began, error=error))


def _tell(record: Record) -> None:
    for listener in _listeners:
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
