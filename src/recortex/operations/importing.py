"""Importing from other memory systems: one place of one of them, or all that are found on this machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.brief import forget_briefs
from recortex.app.memory_import import MemoryImport
from recortex.domain.vocabulary import Actor
from recortex.errors import FormatError, InvalidInputError, PersonNeededError
from recortex.importers.base import Where, discover, recognise, sources
from recortex.operations.agents import WAITING, readable
from recortex.operations.base import embed_all
from recortex.operations.moving import Imported, RowsRead
from recortex.operations.projects import MOST_COMMITS

if TYPE_CHECKING:
    from recortex.app.application import Application
    from recortex.domain.memory import Memory
    from recortex.importers.base import Source

DISCOVERED = "discover"
"""The format of what was found on the machine."""


@dataclass(frozen=True, slots=True)
class Importing:
    """What is imported, and how.

    Attributes:
        format: {clients}, text or any
            (sessions); mem0 or another memory system (its memories); jsonl (an export);
            markdown (notes, each of which waits in quarantine); rules
            (what CLAUDE.md, AGENTS.md and the rules of other clients say in this project); adr (decision
            records); git (what commits decided, reverted or fixed). A path alone is recognised
            by its content.
        path: a file or folder; with rules, a folder of notes that several projects share and that
            belongs to this one.
        embed: make the vectors at the end, and do what follows a session: changes, causes, links to
            symbols.
        quarantine: let exported memories wait for review, even those this installation exported itself.
        trust: accept another installation's export and another system's memories as they are, and
            SpecStory histories in the project as your own; otherwise what they teach waits in quarantine.
            Only on the command line.
        discover: look for other memory systems in your home folder and in the project, and tell what
            they hold; asks for each whether to import it. Only on the command line.
        yes: with discover, import all that is found without being asked.
        only: with discover, only these systems.
        everything: of another memory system, also what belongs to other projects.
        rebuild: make the exchanges of these sessions anew from their transcripts, even those already
            read; with git, read its commits again. Only on the command line.
        since: with git, only commits made after this time.
        limit: with git, only this many of the latest commits.
        dry_run: only show what would be learned.
    """

    format: str = ""
    path: str = ""
    _: KW_ONLY
    embed: bool = True
    quarantine: bool = False
    trust: bool = False
    discover: bool = False
    yes: bool = False
    only: Sequence[str] = ()
    everything: bool = False
    rebuild: bool = False
    since: datetime | None = None
    limit: int = MOST_COMMITS
    dry_run: bool = False


def import_memories(app: Application, wanted: Importing) -> Imported | None:
    """Import from another memory system, named or recognised; None where something else is meant.

    Raises:
        FormatError: the place cannot be read, or is of no system that is known.
        InvalidInputError: there is no such system, or nothing of it was found.
    """
    known = sources()
    if wanted.discover:
        _check_person(app)
        if unknown := [one for one in wanted.only if one not in known]:
            raise InvalidInputError(
                f"There is no memory system {unknown[0][:40]!r}.", hint=f"Known: {', '.join(known)}."
            )
        return _import_all(app, wanted, found_places(app, wanted.only or tuple(known)))
    if wanted.format in known and not wanted.path:
        _check_person(app)
        places = found_places(app, (wanted.format,))
        if not places:
            title = known[wanted.format].title
            raise InvalidInputError(
                f"Nothing of {title} was found where it keeps its data.",
                hint=f"Name its file: recortex import {wanted.format} PATH",
            )
        return _import_all(app, wanted, places)
    if wanted.format in known:
        return _import_all(app, wanted, [(known[wanted.format], _place(app, wanted.path))])
    if wanted.path or not _is_path(wanted.format):
        return None
    place = _place(app, wanted.format)
    source, _ = recognise(place)
    return _import_all(app, wanted, [(source, place)]) if source else None


def describe(app: Application, path: str) -> str:
    """What a path that no reader recognises looks like."""
    return str(recognise(_place(app, path))[1])


def found_places(app: Application, names: Sequence[str]) -> list[tuple[Source, Path]]:
    """The places of these systems on this machine and in the project."""
    where = Where(Path.home(), os.environ, app.root)
    return [one for one in discover(where, app.progress) if one[0].name in names]


def _check_person(app: Application) -> None:
    if app.actor is Actor.AGENT:
        raise PersonNeededError(
            "Only the person has this machine searched for memories.",
            hint="An agent may import a file of the project: give its path.",
        )


def _is_path(text: str) -> bool:
    return bool(text) and Path(text).expanduser().exists()


def _place(app: Application, path: str) -> Path:
    place = readable(app, path).expanduser()
    if not place.exists():
        raise FormatError(f"{path} is not there.", hint="Check the path.")
    return place.absolute()


def _import_all(app: Application, wanted: Importing, places: Sequence[tuple[Source, Path]]) -> Imported:
    """Import from each place; with `discover` only look, unless the person agreed."""
    look = wanted.dry_run or (wanted.discover and not wanted.yes)
    read: list[RowsRead] = []
    memories: list[Memory] = []
    for source, place in places:
        importing = MemoryImport(app, source, trust=wanted.trust, everything=wanted.everything, dry_run=look)
        try:
            done = importing.run(place)
        except FormatError as error:
            if len(places) == 1 and not wanted.discover:
                raise
            read.append(RowsRead(system=source.name, path=str(place), problem=error.message))
            continue
        memories += done.memories
        read.append(
            RowsRead(
                system=source.name,
                path=str(place),
                rows=done.rows,
                added=done.added,
                changed=done.changed,
                merged=done.merged,
                unchanged=done.unchanged,
                refused=dict(done.refused.most_common()),
                relations=done.relations,
                mapping=tuple(
                    f"{theirs} → {ours}: {count:,}" for (theirs, ours), count in done.mapping.most_common()
                ),
                examples=tuple(done.examples) if look else (),
            )
        )
    if memories:
        forget_briefs(list(app.locations.values()))
        if wanted.embed:
            embed_all(app, memories)
    return Imported(
        format=DISCOVERED if wanted.discover else places[0][0].name,
        files=len(read),
        lines=sum(one.rows for one in read),
        added=sum(one.added for one in read),
        changed=sum(one.changed for one in read),
        merged=sum(one.merged for one in read),
        unchanged=sum(one.unchanged for one in read),
        relations=sum(one.relations for one in read),
        proposed=sum(one.status in WAITING for one in memories),
        by_kind=dict(Counter(one.kind for one in memories).most_common()),
        unread=sum(bool(one.problem) for one in read),
        dry_run=look,
        sources=tuple(read),
    )
