"""Makes drafts for ingestion from the arguments of `remember`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from recortex.codec import convert
from recortex.domain.kinds import kind_of
from recortex.domain.links import ConstraintLink, FunctionLink, PatternLink
from recortex.domain.memory import Source
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Actor, Importance, Origin, Trust, priority_of
from recortex.engines.ingestion.draft import Draft
from recortex.errors import InvalidInputError
from recortex.operations import agents
from recortex.operations.base import file_link
from recortex.operations.inputs import NewMemory
from recortex.operations.registry import converted, parameter_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application
    from recortex.domain.links import FileLink

_DRAFT_FIELDS = tuple(field.name for field in fields(Draft))


def new_memory(one: Any, place: int) -> NewMemory:
    """The input of `remember` from one object of a list; what is null there is left out."""
    if not isinstance(one, Mapping):
        raise InvalidInputError(f"Item {place} is not an object with the arguments of remember.")
    types = parameter_types(NewMemory)
    unknown = sorted(set(one) - types.keys())
    if unknown:
        raise InvalidInputError(
            f"Item {place}: remember takes no {unknown[0][:40]!r}.", hint=f"It takes: {', '.join(types)}."
        )
    given = {name: value for name, value in one.items() if value is not None}
    try:
        return NewMemory(**converted(given, types))
    except InvalidInputError as error:
        raise InvalidInputError(f"Item {place}: {error}", hint=error.hint) from None


def draft_of(app: Application, new: NewMemory) -> Draft:
    """The draft for ingestion: links, source and origin resolved, and limited as `agents.py` says."""
    # An agent cannot speak with the person's authority.
    usual = Origin.AGENT if app.actor is Actor.AGENT else Origin.USER
    origin = usual if new.origin in (None, Origin.USER) else new.origin
    untrusted = TRUST_OF_ORIGIN[origin] is Trust.UNTRUSTED
    replaced = app.locate(new.supersedes)[1] if new.supersedes else None
    resolved: dict[str, Any] = {
        "kind": kind_of(new.kind or "insight"),
        "content": dict(new.content or {}),
        "priority": priority_from(new.priority, new.importance),
        "tags": tuple(new.tags),
        "files": file_links(app, new.files),
        "functions": tuple(map(FunctionLink, new.functions)),
        "patterns": tuple(map(PatternLink, new.patterns)),
        "constraints": tuple(map(ConstraintLink, new.constraints)),
        "source": _source(new.source),
        "origin": origin,
        # An agent cannot let untrusted text out of quarantine; only a person's review can.
        "status": None if app.actor is Actor.AGENT and untrusted else new.status,
        "supersedes": replaced.id if replaced else None,
        "metadata": dict(new.metadata or {}),
    }
    taken_over = {name: getattr(new, name) for name in _DRAFT_FIELDS if name not in resolved}
    return agents.held_back(app, Draft(**taken_over, **resolved), replaced)


def file_links(app: Application, paths: Sequence[str]) -> tuple[FileLink, ...]:
    """The files of a list of `PATH`, `PATH:LINE` and `PATH:FIRST-LAST`."""
    return tuple(file_link(path, app.root) for path in paths)


def priority_from(priority: int | None, importance: Importance | None) -> int:
    """The priority itself where it is given, else that of the importance."""
    return priority_of(importance or Importance.NORMAL) if priority is None else priority


def _source(source: Mapping[str, Any] | str | None) -> Source:
    if source is None:
        return Source()
    given = {"session": source} if isinstance(source, str) else dict(source)
    names = [field.name for field in fields(Source)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InvalidInputError(f"A source has no {unknown[0][:40]!r}.", hint=f"It has: {', '.join(names)}.")
    return convert(given, Source)
