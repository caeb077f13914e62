"""Plug-ins: what other installed packages add to Recortex, by Python's entry points.

Each group has a registry with the built-in names, which always win. Other packages are looked at when a
name is asked for that is not built in, or a file that no built-in format recognises; never at a start.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EMBEDDERS = "recortex.embedders"
TRANSCRIPTS = "recortex.transcripts"
IMPORTERS = "recortex.importers"


@cache
def names(group: str) -> tuple[str, ...]:
    """The names that installed packages add to a group; nothing of them is imported."""
    return tuple(sorted(_points(group)))


@cache
def plugin(group: str, name: str, kind: type = object) -> Any:
    """What a name stands for; None if there is no such plug-in, or it cannot be used.

    Args:
        group: of the entry points.
        name: of the entry point.
        kind: what it must be an instance of; `object` stands for anything that can be called.
    """
    point = _points(group).get(name)
    if point is None:
        return None
    try:
        value = point.load()
        if not (callable(value) if kind is object else isinstance(value, kind)):
            raise TypeError(f"{point.value} is a {type(value).__name__}")  # noqa: TRY301
    except Exception as error:  # noqa: BLE001  another package must not break this one
        warn(group, name, repr(error))
        return None
    return value


@cache
def warn(group: str, name: str, problem: str) -> None:
    """Name a plug-in that does not work, once, on standard error or where logs go."""
    import logging

    package = getattr(_points(group)[name].dist, "name", "")
    logging.getLogger(__name__).warning(
        "The plug-in %r (%s) of the package %r does not work: %s", name, group, package, problem
    )


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}
