"""What an agent may do by itself, and what waits for the person.

An agent reads tools' output, pages and repositories, which may tell it what to store. A memory for all
projects, or that ranks before all others, is therefore kept as proposed, and only the person takes back what
the person decided. The setting `agents.trusted`, which no project's file can set, removes these limits.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.memory import lowest_priority_of
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Actor, Importance, Origin, Scope, Status, Trust
from recortex.errors import PersonNeededError
from recortex.operations.base import outside

if TYPE_CHECKING:
    from recortex.app.application import Application, StoreServices
    from recortex.domain.memory import Memory
    from recortex.engines.privacy import Draft

TOP = lowest_priority_of(Importance.CRITICAL)
"""The lowest priority that an agent may not give."""
EXPORTS = "exports"
"""The folder beside the stores into which an agent may write."""
WAITING = (Status.PROPOSED, Status.QUARANTINED)
"""Statuses of memories that wait for the person's review."""


def writable(app: Application, path: str) -> Path:
    """The file that an export or backup is to go to.

    An agent may only write new files, in the project or the exports folder.

    Raises:
        InvalidInputError: it is a store's own, or no file can have that name.
        PersonNeededError: it is there already, or lies elsewhere, also by way of a link.
    """
    if app.actor is not Actor.AGENT:
        return outside(path, app)
    place = outside(str(app.root / path), app)
    folder = place.parent.resolve()
    exports = app.project.home.resolve() / EXPORTS
    if folder.is_relative_to(exports):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = app.root.resolve()
    inside = folder.is_relative_to(root) and not any(
        part.startswith(".") for part in (*folder.relative_to(root).parts, place.name)
    )
    if os.path.lexists(place) or not (inside or folder.is_relative_to(exports)):
        raise PersonNeededError(
            f"An agent writes new files only, inside the project or in {exports}.",
            hint="Give the name of a file that is not there yet, in no hidden folder.",
        )
    return folder / place.name


def readable(app: Application, path: str) -> Path:
    """The place in which sessions are to be looked for.

    An agent looks only in the project or the exports folder: it may have been told to read the whole disk.

    Raises:
        PersonNeededError: it lies elsewhere, also by way of a link.
    """
    if not app.limited:
        return Path(path)
    place = app.root / Path(path).expanduser()
    if not within_reach(app, place):
        raise PersonNeededError(
            "An agent reads sessions in the project only.",
            hint="Without a path, a client's own history of this project is read; for other places the person"
            " runs `recortex import` in a terminal.",
        )
    return place


def within_reach(app: Application, place: Path) -> bool:
    """Whether a file may be learned from by whoever calls; links are followed."""
    if not app.limited:
        return True
    real, root = place.resolve(), app.root.resolve()
    if Path.home().resolve().is_relative_to(root):  # a "project" that holds the home folder is no bound
        root = app.project.home.resolve() / EXPORTS
    return real.is_relative_to(root) or real.is_relative_to(app.project.home.resolve() / EXPORTS)


def check_settings_of_clients(app: Application, done: str) -> None:
    """Refuse an agent that would write the person's settings of a client.

    Raises:
        PersonNeededError: it would.
    """
    if app.limited:
        raise PersonNeededError(
            "Only the person changes the settings of their clients; nothing was written.",
            hint=f"They run `recortex {done}` in a terminal. `dry_run` shows what it would write.",
        )


def restrict_draft(app: Application, draft: Draft, replaced: Memory | None) -> Draft:
    """The draft as it may be kept: proposed and without rank, where it asks for what only the person grants.

    Args:
        app: says who calls.
        draft: what is to be kept.
        replaced: the memory that it is to replace.
    """
    asked = draft.scope is Scope.GLOBAL or draft.pinned or draft.priority >= TOP or draft.status is not None
    if not app.limited or not (asked or (replaced is not None and weighty(replaced))):
        return draft
    untrusted = TRUST_OF_ORIGIN[draft.origin] is Trust.UNTRUSTED  # its quarantine is stricter
    return replace(
        draft,
        status=None if untrusted else Status.PROPOSED,
        pinned=False,
        priority=min(draft.priority, TOP - 1),
        supersedes=None,
    )


def weighty(memory: Memory) -> bool:
    """Whether a memory ranks before others or counts in every project."""
    return memory.scope is Scope.GLOBAL or memory.pinned or memory.priority >= TOP


def edited(app: Application, old: Memory, new: Memory) -> Memory:
    """The edited memory; where an agent changed what it says, its origin is the agent from then on.

    Raises:
        PersonNeededError: it would become pinned or critical, or a weighty memory would change in what it
            says or in what makes it count.
    """
    if not app.limited:
        return new
    if (new.pinned and not old.pinned) or (new.priority >= TOP > old.priority):
        raise PersonNeededError("Only the person pins a memory or makes it critical.")
    _keep_weight(old, new)
    if _words(new, old) == _words(old, old):
        return new
    origin = Origin.AGENT if old.origin is Origin.USER else old.origin
    return replace(new, origin=origin, trust=TRUST_OF_ORIGIN[origin])


def _words(memory: Memory, old: Memory) -> tuple[object, ...]:
    """What a memory says and when that holds; without a summary, the old one's."""
    return (
        memory.content, memory.kind, memory.summary or old.summary, memory.valid_from, memory.valid_until,
    )  # fmt: skip


def _keep_weight(old: Memory, new: Memory) -> None:
    """Refuse a change of what a weighty memory says, and of what makes it count.

    An agent that may unpin or lower it first could then change it like any other.

    Raises:
        PersonNeededError: it is such a change.
    """
    if not weighty(old):
        return
    if _words(new, old) != _words(old, old):
        raise PersonNeededError(
            "Only the person changes what a global, pinned or critical memory says.",
            hint="Remember it anew with `supersedes`: it is proposed, and the person decides.",
        )
    lowered = new.priority < old.priority or new.confidence < old.confidence
    if lowered or (old.pinned and not new.pinned):
        raise PersonNeededError(
            "Only the person unpins a global, pinned or critical memory, or makes it count for less.",
            hint=f"They can: `recortex edit {old.id[:8]} --no-pinned --importance normal`.",
        )


def capped(app: Application, priority: int) -> int:
    """A priority that an agent may give."""
    return min(priority, TOP - 1) if app.limited else priority


def check_decision(app: Application) -> None:
    """Refuse an agent that decides about what waits for the person.

    Raises:
        PersonNeededError: it does.
    """
    if app.limited:
        raise PersonNeededError("Only the person approves what waits for review.")


def check_taking_back(app: Application, services: StoreServices, memory: Memory, back: Memory) -> None:
    """Refuse an agent that restores what the person put away or did not approve.

    Raises:
        PersonNeededError: it does.
    """
    if not app.limited:
        return
    latest, *former = services.store.memories.history(memory.id)
    stood = next(
        (one.memory.status for one in former if one.memory.status is not memory.status), memory.status
    )
    waits = memory.status in WAITING or (memory.status is not Status.ACTIVE and stood in WAITING)
    if latest.changed_by is Actor.USER or (waits and back.status is Status.ACTIVE):
        raise PersonNeededError("Only the person brings back what they put away or did not approve.")
    if weighty(back) and not weighty(memory):
        raise PersonNeededError("Only the person pins a memory or makes it critical.")
    _keep_weight(memory, back)
