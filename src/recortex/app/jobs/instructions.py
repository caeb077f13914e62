"""Keeps in step with a project's instruction files: what they say becomes memories, with its lines.

A file of a repository speaks for the repository: it is not the person's word, replaces nothing, and holds in
that project alone. The person's own file speaks for the person. A file is read once a client
that loads it by itself has worked in the project, or after the person asked for all of them.
"""

# ruff: noqa: TC004  annotations are not evaluated at run time, and their types are imported lazily

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from recortex.app.hooks.dispatch import changed, looks_of, note, notes_beside, persons
from recortex.app.past_sessions import sharers
from recortex.app.projects import shown
from recortex.clients.instruction_files import (
    MOST_FILES,
    InstructionFile,
    importing,
    inside,
    instruction_files,
    notes,
    persons_file,
)
from recortex.deadlines import within
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory, Source
from recortex.domain.search import MemoryQuery
from recortex.domain.text import RULE, UNNAMED, places, with_places
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Actor, Origin, Status
from recortex.engines.citations import hash_of
from recortex.engines.extraction.sentences import domain_of, objection
from recortex.engines.instructions import Statement, Written, parse
from recortex.engines.privacy import Draft
from recortex.engines.similarity import content_hash
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, read_regular
from recortex.text.words import meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices


# -- reads a project's instruction files, those they import, a client's own notes and the person's file


MOST_BYTES = 128 * 1024
"""Of one file."""
# A file of a repository is text that others wrote: one that makes a pattern slow is left out.
SECONDS = 5.0
"""Of the processor that reading one file may take."""
# Each statement becomes a memory: files with thousands of lines would be most of a store.
MOST_STATEMENTS = 600
"""Statements of all files of a project."""
IMPORT_DEPTH = 4
"""Files that import one another in a row, as Claude Code follows them."""


class Read(NamedTuple):
    """A file with what it says.

    Attributes:
        slow: it was left out, since reading it took too long; what is known of it stays.
    """

    file: InstructionFile
    statements: tuple[Statement, ...]
    lines: list[bytes]
    imports: tuple[str, ...] = ()
    slow: bool = False


def files_of(
    root: Path, clients: frozenset[str] | None, notes_in: Sequence[Path], persons: Sequence[Path] = ()
) -> list[InstructionFile]:
    """The person's, those of a project, and a client's notes on it, that one of these clients loads.

    Of all clients where `clients` is None.
    """
    own = map(persons_file, persons)
    found = [*own, *instruction_files(root), *(file for folder in notes_in for file in notes(folder))]
    return [file for file in found if clients is None or file.clients & clients]


def reads(root: Path, files: Sequence[InstructionFile]) -> Iterator[Read]:
    """The files with what they say, and those that they import; none twice, `MOST_STATEMENTS` in all."""
    # Resolved once: where the root lies behind a link (`/tmp` on macOS), imports would seem to lie outside
    # of it.
    real = os.path.realpath(root)
    done: dict[str, Read] = {}
    # Breadth first: what the client loads itself counts before what that imports.
    waiting = [(file, 0) for file in files]
    while waiting and len(done) < MOST_FILES:
        file, depth = waiting.pop(0)
        known = done.get(file.name)
        if known is not None:
            # A file that several files import speaks for the clients of all of them.
            file = replace(known.file, clients=known.file.clients | file.clients)
            # Files may import one another in a circle, which ends here: nothing new is said of this one.
            if file == known.file:
                continue
        read = known._replace(file=file) if known else _read(file)
        if read is not None:
            done[file.name] = read
            more = _imported(read, real) if depth < IMPORT_DEPTH else ()
            waiting += [(other, depth + 1) for other in more]
    left = MOST_STATEMENTS
    for one in done.values():
        yield one._replace(statements=one.statements[: max(0, left)])
        left -= len(one.statements)


def _read(file: InstructionFile) -> Read | None:
    """A file with what it says; None where it cannot be read."""
    try:
        data = _data(file)
    except (OSError, UntrustedFileError):
        return None
    try:
        with within(SECONDS):
            # A byte that is no UTF-8 must not hide the rest of the file.
            parsed = parse(data.decode("utf-8", "replace"))
    except TimeoutError:
        return Read(file, (), [], slow=True)
    return Read(file, parsed.statements, data.splitlines(keepends=True), parsed.imports)


def _data(file: InstructionFile) -> bytes:
    """What stands in a file; what is believed as the agent's or person's word must belong to this user."""
    if file.speaker == "repository":
        return read_regular(file.path, MOST_BYTES)
    # The person may keep the own file elsewhere, and have a link to it.
    return read_own(file.path, MOST_BYTES, links=file.speaker == "person")


def _imported(read: Read, real_root: str) -> Iterator[InstructionFile]:
    """The files of the project that a file imports, for the clients that follow imports."""
    clients = read.file.clients & importing()
    for name in read.imports if clients and not read.file.outside else ():
        with suppress(OSError, ValueError):
            path = Path(os.path.realpath(read.file.path.parent / name))
            # Links may lead out of the project: a clone must not make it read a file of the person's.
            if path.is_file() and inside(path, real_root):
                yield InstructionFile(path, path.relative_to(real_root).as_posix(), clients)


# -- keeps in step with a project's instruction files: what they say becomes memories, with its lines


JOB = "instructions"
"""The name under which the store notes that the person asked for all files, of whichever client."""
CONFIDENCE, PRIORITY = 0.6, 4
"""Below those of what sessions taught: where a client is given both, its own memories come first."""
REWORDED = 0.6
"""The share of words in order from which on a new statement is a former one, reworded."""
SESSIONS = 200
"""Sessions that are looked at for the clients that work here."""
_OPERATION = "reread"
LIVING = (Status.ACTIVE, Status.PROPOSED)


@dataclass(slots=True)
class Reading:
    """What was read, and what changed.

    Attributes:
        files: names of the files that were read.
        merged: statements that a memory said already.
        ended: memories whose statement no longer stands anywhere.
        new: the memories that were added.
        shared: folders of notes that were not read, since they may be another project's, each with its path.
        slow: names of files that were left out, since reading them took too long.
    """

    files: tuple[str, ...] = ()
    statements: int = 0
    merged: int = 0
    ended: int = 0
    new: list[Memory] = field(default_factory=list)
    shared: dict[Path, str] = field(default_factory=dict)
    slow: tuple[str, ...] = ()

    @property
    def left_out(self) -> list[str]:
        """A line for each file that took too long."""
        return [f"{shown(name)}: left out: reading it took longer than {SECONDS:.0f} s" for name in self.slow]

    @property
    def changed(self) -> bool:
        """Whether a memory was added or ended."""
        return bool(self.new or self.merged or self.ended)


_Key = tuple[str, str]  # a file's name and a statement's hash
_Said: TypeAlias = "tuple[Read, Statement]"
_ORIGINS = {"repository": Origin.REPOSITORY, "agent": Origin.AGENT, "person": Origin.USER}


def keep_in_step(services: StoreServices, now: datetime) -> Reading:
    """Read the instruction files of a project anew where one may have changed, and follow what they say.

    Of a store that several projects may share nothing is read: a file never speaks beyond its project.

    Args:
        services: the project's store.
        now: the time.
    """
    if _shared(services) or not services.settings["hooks.instructions"]:
        return Reading()
    sessions = services.store.sessions.recent(SESSIONS)
    clients = frozenset(session.client or UNNAMED for session in sessions)
    transcripts = (one.transcript for one in sessions if (one.client or UNNAMED) == UNNAMED)
    # The person's own file counts as well: it changes without any file of the project changing.
    folders = sorted(filter(None, {notes_beside(path) for path in transcripts}))
    elsewhere = [*folders, *_persons(services)]
    # This runs after each turn, and mostly nothing has changed: times and sizes are looked at first.
    if not changed(services.location, services.root, now.timestamp(), elsewhere=elsewhere):
        return Reading()
    asked = services.store.maintenance.all().get(JOB)
    return _read_and_follow(services, None if asked else clients, list(map(Path, folders)), now)


def read_first(services: StoreServices, now: datetime, notes_in: Sequence[Path]) -> Reading:
    """Read the instruction files of a project as its memory is made: of Claude Code and what worked there.

    Rules for other clients, which a clone may bring, speak only after the person asked for all files.

    Args:
        services: the project's store.
        now: the time.
        notes_in: folders in which Claude Code keeps its notes on this project.
    """
    if _shared(services) or not services.settings["hooks.instructions"]:
        return Reading()
    if services.store.maintenance.all().get(JOB):
        return _read_and_follow(services, None, notes_in, now)
    clients = {session.client or UNNAMED for session in services.store.sessions.recent(SESSIONS)}
    return _read_and_follow(services, frozenset(clients | {UNNAMED}), notes_in, now)


def read_everything(
    services: StoreServices, now: datetime, notes_in: Sequence[Path], *, dry_run: bool = False
) -> Reading:
    """Read all instruction files of a project, whichever clients load them, as the person asks.

    They are read from then on.

    Args:
        services: the project's store.
        now: the time.
        notes_in: folders in which Claude Code keeps its notes on this project.
        dry_run: only look.
    """
    if _shared(services):
        return Reading()
    if dry_run:
        own, shared = list(map(Path, _persons(services))), _sharers(services, notes_in)
        mine = [folder for folder in notes_in if folder not in shared]
        read = list(reads(services.root, files_of(services.root, None, mine, own)))
        names, slow = _named(read)
        return Reading(names, sum(len(one.statements) for one in read), shared=shared, slow=slow)
    # Noted before reading: from then on each pass reads all files.
    services.store.maintenance.note(JOB, now, {})
    return _read_and_follow(services, None, notes_in, now)


def _shared(services: StoreServices) -> bool:
    """Whether several projects may use the store: which file of which project it was is not known then."""
    return services.scope is None and not services.location.remote


def _persons(services: StoreServices) -> list[str]:
    return persons(services.location, services.root, services.settings.claude_folder)


def _read_and_follow(
    services: StoreServices, clients: frozenset[str] | None, notes_in: Sequence[Path], now: datetime
) -> Reading:
    """Read the files that one of these clients loads, or all."""
    root, own = services.root, list(map(Path, _persons(services)))
    shared = _sharers(services, notes_in)
    files = files_of(root, clients, [folder for folder in notes_in if folder not in shared], own)
    # Looked at before they are read: a file that changes meanwhile differs at the next look.
    looks = looks_of(root, [*own, *notes_in, *(one.path for one in files)])
    read = list(reads(root, files))
    looks |= looks_of(root, [one.file.path for one in read if one.file not in files])
    # Let the memories say what the files do.
    # By file and text, so that a line that only moved within its file is the same statement.
    wanted = {(one.file.name, said.hash): (one, said) for one in read for said in one.statements}
    # Of every status: what was archived when a branch was left comes back with the branch.
    found = services.store.memories.find(MemoryQuery(statuses=(), descending=False))
    names, slow = _named(read)
    reading = Reading(names, len(wanted), slow=slow)
    _Following(services, now, wanted, found, reading).run()
    reading.shared = shared
    note(services.location, root, looks, now.timestamp())
    return reading


def _sharers(services: StoreServices, notes_in: Sequence[Path]) -> dict[Path, str]:
    project = services.location.project
    return sharers(services.location, project, notes_in) if project else {}


def _named(read: Sequence[Read]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the files that were read, and of those that were left out."""
    return tuple(one.file.name for one in read if not one.slow), tuple(
        one.file.name for one in read if one.slow
    )


@dataclass(slots=True)
class _Following:
    """One comparison of what the files say with what the memories do.

    Attributes:
        wanted: all statements, each with its file.
        found: all memories, before anything is changed.
    """

    services: StoreServices
    now: datetime
    wanted: Mapping[_Key, _Said]
    found: Sequence[Memory]
    reading: Reading

    def run(self) -> None:
        """Update what still stands, add what is new, and end what is gone."""
        written = [memory for memory in self.found if places(memory.metadata)]
        fresh = dict(self.wanted)
        for memory in written:
            for name, place in places(memory.metadata).items():
                for hash_ in place.get("hashes", ()):
                    fresh.pop((name, hash_), None)
        gone = [memory for memory in written if self._update(memory)]
        self._known_before(fresh)
        self._revive(fresh)
        # What is new is kept: `added` are the memories, each with the name of its file.
        drafts = [_draft(read, said) for read, said in fresh.values()]
        # Not linked to what resembles them: hundreds of lines of one file would become hubs of the graph.
        kept = self.services.ingestion.keep(drafts, now=self.now, actor=Actor.IMPORT, link=False)
        self.reading.new += [one.memory for one in kept if one.added]
        self.reading.merged += sum(not one.added for one in kept)
        added = [(name, one.memory) for (name, _), one in zip(fresh, kept, strict=True)]
        said_again = {memory.id for _, memory in added}
        # Ended last: a reworded statement needs the new memories, one of which takes its place.
        for memory in gone:
            if memory.id not in said_again:
                self._end(memory, added)

    def _update(self, memory: Memory) -> bool:
        """Bring a memory's places up to date; True where it stands in no file any more."""
        kept: dict[str, dict[str, Any]] = {}
        links: list[FileLink] = []
        for name, place in places(memory.metadata).items():
            hashes = [hash_ for hash_ in place.get("hashes", ()) if (name, hash_) in self.wanted]
            # A file that took too long says neither that it has the statement nor that it lost it.
            if name in self.reading.slow:
                kept[name] = place
                links += [link for link in memory.files if link.path == shown(name)]
            elif hashes:
                said = self.wanted[name, hashes[0]]
                kept[name] = _place(*said) | {"hashes": hashes}
                links += _links(*said)
        if kept and kept != places(memory.metadata):
            self._change(memory, kept, links, evidence=_less(memory, len(kept)))
        return not kept

    def _known_before(self, fresh: dict[_Key, _Said]) -> None:
        """Note of other memories that they stand in a file: those that say a statement, or a part of one.

        The statements that one of them is are taken out of `fresh`.
        """
        keys = {f"{name}\0{hash_}": (name, hash_) for name, hash_ in self.wanted}
        written = Written((id_, self.wanted[key][1].text, ()) for id_, key in keys.items())
        for memory in self.found:
            # An event happened once: no rule tells of it, however alike the words are.
            alive = memory.status in LIVING and not KINDS[memory.kind].event
            key = keys.get(written.saying(memory.text)) if alive and not places(memory.metadata) else None
            if key is None:
                continue
            read, said = self.wanted[key]
            # Only the same words take the statement out; a memory that says a part of it leaves it to be
            # kept.
            same = key in fresh and set(meaning(memory.text)) == set(meaning(said.text))
            if same:
                del fresh[key]
                self.reading.merged += 1
            place = {read.file.name: _place(read, said)}
            self._change(memory, place, _links(read, said), evidence=memory.evidence + same)

    def _revive(self, fresh: dict[_Key, _Said]) -> None:
        """Bring back what stood in a file before, such as on another branch, and take it out of `fresh`."""
        own = {memory.id: memory for memory in self.found if memory.source.rule == RULE}
        # Only what ended with its file: what a person rejected or replaced does not come back.
        resting = {memory.content_hash: memory for memory in own.values() if _rests(memory, own)}
        again: dict[str, Any] = {"status": Status.ACTIVE, "superseded_by": None, "valid_until": None}
        for key, (read, said) in list(fresh.items()):
            memory = resting.pop(content_hash(said.kind, said.text), None)
            if memory is not None:
                del fresh[key]
                word = again | _word_of(read, memory)
                self._change(memory, {read.file.name: _place(read, said)}, _links(read, said), **word)
                self.reading.merged += 1

    def _end(self, memory: Memory, added: Sequence[tuple[str, Memory]]) -> None:
        """End what no file says any more; what sessions taught too stays, without its place."""
        self.reading.ended += 1
        own = memory.source.rule == RULE and memory.status in LIVING
        successor = _reworded(memory, added) if own else None
        if successor is not None:
            self._change(memory, {}, memory.files)
            self.services.ingestion.supersede(
                successor, memory, now=self.now, actor=Actor.IMPORT, reworded=True
            )
            return
        # More evidence than places means that somebody else said it, too.
        taught = memory.evidence > len(places(memory.metadata))
        status = memory.status if taught or not own else Status.ARCHIVED
        self._change(memory, {}, [], status=status, evidence=_less(memory, 0 if taught else 1))

    def _change(
        self, memory: Memory, files: Mapping[str, dict[str, Any]], links: Sequence[FileLink], **more: Any
    ) -> None:
        """Keep a memory with other places, and the links to their lines instead of those before."""
        names = {shown(name) for name in (*places(memory.metadata), *files)}
        others = tuple(link for link in memory.files if link.path not in names)
        metadata = with_places(memory.metadata, files)
        new = replace(memory, metadata=metadata, files=(*others, *links), **more)
        self.services.ingestion.change(memory, new, now=self.now, actor=Actor.IMPORT, operation=_OPERATION)


def _less(memory: Memory, left: int) -> int:
    """Its evidence without the files in which it no longer stands."""
    return max(1, memory.evidence - max(0, len(places(memory.metadata)) - left))


def _rests(memory: Memory, own: Mapping[str, Memory]) -> bool:
    """Whether a memory ended as its file changed: another statement took its place, or none."""
    # Superseded by another statement of a file; what a person's word took the place of stays ended.
    if memory.status is Status.SUPERSEDED:
        return memory.superseded_by in own
    return memory.status is Status.ARCHIVED and not places(memory.metadata)


def _word_of(read: Read, memory: Memory) -> dict[str, Any]:
    """Whose word a memory is now, where another's file says it than before."""
    origin = _ORIGINS[read.file.speaker]
    if origin is memory.origin:
        return {}
    source = replace(memory.source, path=shown(read.file.name))
    return {"origin": origin, "trust": TRUST_OF_ORIGIN[origin], "source": source}


def _draft(read: Read, said: Statement) -> Draft:
    name = shown(read.file.name)
    dangles = objection(said.text, meant=True) == "dangling"
    return Draft(
        kind=Kind(said.kind if said.kind in KINDS else "architecture"),
        text=said.text,
        confidence=CONFIDENCE,
        priority=PRIORITY,
        tags=(said.heading[:60],) if said.heading else (),
        domain=domain_of(said.text),
        files=tuple(_links(read, said)),
        source=Source(path=name, rule=RULE, client=UNNAMED if read.file.speaker == "agent" else ""),
        origin=_ORIGINS[read.file.speaker],
        # What refers to something beside it is found when it is asked for, and never given alone.
        status=Status.PROPOSED if dangles else Status.ACTIVE,
        metadata=with_places(
            {"commands": list(said.commands)} if said.commands else {}, {read.file.name: _place(read, said)}
        ),
    )


def _place(read: Read, said: Statement) -> dict[str, Any]:
    return {
        "hashes": [said.hash],
        "lines": f"{said.first}-{said.last}",
        "clients": " ".join(sorted(read.file.clients)),
    }


def _links(read: Read, said: Statement) -> list[FileLink]:
    """The lines that say it; a file outside the project cannot be linked."""
    if read.file.outside:
        return []
    cited = hash_of(read.lines, said.first, said.last)
    return [FileLink(shown(read.file.name), said.first, said.last, cited)]


def _reworded(memory: Memory, added: Sequence[tuple[str, Memory]]) -> Memory | None:
    """The new statement of the same file that says most nearly the same in other words."""
    words = meaning(memory.text)
    alike = [
        (SequenceMatcher(None, words, meaning(new.text), autojunk=False).ratio(), -place, new)
        # Of equally alike ones the first in the file.
        for place, (name, new) in enumerate(added)
        if name in places(memory.metadata)
    ]
    share, _, best = max(alike, default=(0.0, 0, None), key=lambda one: one[:2])
    return best if share >= REWORDED else None


# -- what a session teaches that an instruction file says already: it is not learned again
