"""What is found by its name: capabilities and clients that are built in, and what other packages add.

A capability is a folder of the package above the spine. Its `__init__.py` says what it adds, as names; what
lies below it takes that from here and imports none of it.

The clients are those of `clients/`, each declared in one file; `clients/manifest.json`, which
`scripts/build_docs.py` writes, says what can be known of them without loading that. Other packages add by
Python's entry points. Each group has a registry with the built-in names, which always win. Other packages are
looked at when a name is asked for that is not built in, or a file that no built-in format recognises; never
at a start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recortex.lean import Value, field

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EMBEDDERS = "recortex.embedders"
TRANSCRIPTS = "recortex.transcripts"
IMPORTERS = "recortex.importers"
CAPABILITIES = ("code", "consolidation", "documents", "decisions", "metrics", "prediction", "sync", "why")
"""The built-in capabilities: each is a folder of that name in this package. A new one is registered here."""
MANIFEST = os.path.join(os.path.dirname(__file__), "clients", "manifest.json")  # noqa: PTH118, PTH120


class _Named(Protocol):
    @property
    def name(self) -> str:
        """By which it is found."""


Named = TypeVar("Named", bound=_Named)


class KnownClient(Value, frozen=True, kw_only=True):
    """What is known of an agent's client without loading what reads its sessions and writes its settings.

    Attributes:
        name: as `install` and `import` spell it.
        title: what people call it.
        commands: programs that start it.
        history: its folder in the home folder, and the folders in that which hold sessions.
        in_project: where it keeps sessions in a project's folder.
        files: the instruction files that it loads by itself, from the project's root.
        unloaded: instruction files of its kind that no client loads.
        folders: folders of rules that it loads, and how their names end.
        nested: names of those that it loads from folders below, too.
        imports: what an instruction file imports by `@path` is loaded, too.
        own_folders: where a repository keeps commands and skills for it.
        module: that declares it.
        reads: its sessions are read.
        installs: Recortex can be put into it.
    """

    name: str
    title: str
    commands: tuple[str, ...] = ()
    history: tuple[str, tuple[str, ...]] = ("", ())
    in_project: str = ""
    files: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()
    folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nested: tuple[str, ...] = ()
    imports: bool = False
    own_folders: tuple[str, ...] = ()
    module: str = ""
    reads: bool = False
    installs: bool = False


@cache
def clients() -> tuple[KnownClient, ...]:
    """The built-in clients, in the order in which they are listed."""
    with open(MANIFEST, encoding="utf-8") as file:  # noqa: PTH123  a hook's
        return tuple(KnownClient(**_tuples(one)) for one in json.load(file))


class Capability(Value, frozen=True, kw_only=True):
    """What a capability adds. Each thing is named as MODULE:ATTRIBUTE, so that it is loaded when it is used.

    Beside its `__init__.py`, its folder may have `tables.txt`, which declares its tables as
    `storage/tables.txt` does, and `sql/` with its queries.

    Attributes:
        operations: groups of operations, by their class.
        heading: in the help of the command line; empty: what looks after a store.
        jobs: each a tuple of background jobs.
        tables: what reads and writes its tables, by the name that a store has it under.
        renderers: functions that write answers for people, by the type's name.
        checks: functions that give rows of `recortex doctor` for an application.
        importers: what keeps memories in step with files of a project, by the name of the format.
        kept: is told of files of the project that memories were made of.
        answer: answers questions from what it knows; is opened with a store's services.
        purging: is told of a store in which something is purged, and says in a sentence what is left to do.
        waiting: gives what `review` shows of an application beside memories: `Undecided` things.
        report: what `status` shows of an application beside the stores, and notices.
        tracer: has spans exported from now on.
    """

    operations: tuple[str, ...] = ()
    heading: str = ""
    jobs: tuple[str, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    renderers: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    importers: Mapping[str, str] = field(default_factory=dict)
    kept: str = ""
    answer: str = ""
    purging: str = ""
    waiting: str = ""
    report: str = ""
    tracer: str = ""


def capability(name: str) -> Capability:
    """What a built-in capability adds."""
    found: Capability = import_module(f"recortex.{name}").CAPABILITY
    return found


def capabilities() -> list[Capability]:
    """What the built-in capabilities add."""
    return list(map(capability, CAPABILITIES))


def load(name: str) -> Any:
    """What MODULE:ATTRIBUTE stands for."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def in_order(found: Iterable[Named], first: tuple[str, ...]) -> list[Named]:
    """Those that are named first in that order, then the others as they are."""
    places = {name: place for place, name in enumerate(first)}
    return sorted(found, key=lambda one: places.get(one.name, len(places)))


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(one) for key, one in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def declared(client: KnownClient) -> Any:
    """The `Client` that a client's module declares."""
    return next(one for one in import_module(client.module).CLIENTS if one.name == client.name)


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
