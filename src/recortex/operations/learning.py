"""Learning from sessions: extract, import."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.brief_cache import forget_briefs
from recortex.app.jobs.capture import after_import
from recortex.app.jobs.instructions import Reading, keep_in_step, read_everything
from recortex.app.jobs.learning import learn, make_again
from recortex.app.memory_import import MemoryImport
from recortex.app.past_sessions import claim, describe_unread, is_ours, notes_folder
from recortex.app.whole_stores import export_key, is_signed
from recortex.codec import storable
from recortex.domain.reports import Extracted
from recortex.domain.vocabulary import Actor, Origin, Scope
from recortex.errors import FormatError, InvalidInputError, PersonNeededError, RecortexError
from recortex.formats.importers import FORMAT, IMPORTERS, importers, read_rows
from recortex.formats.session_files import CLIENTS, MOST_ENTRIES, find_sessions
from recortex.formats.transcripts import format_names, open_transcript
from recortex.formats.transcripts.stored import is_web_export
from recortex.importers import Where, discover, recognise, sources
from recortex.operations.agents import WAITING, readable, within_reach
from recortex.operations.base import Operations, embed_all, embed_exchanges
from recortex.operations.moving import Imported, RowsRead, adopt, foreign
from recortex.operations.projects import MOST_COMMITS, import_commits, import_records
from recortex.operations.recording import draft_of, new_memory
from recortex.operations.registry import operation, taking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.app.application import Application
    from recortex.app.jobs.learning import Lesson
    from recortex.domain.memory import Memory
    from recortex.formats.session_files import SessionFile
    from recortex.importers import Source
    from recortex.operations.base import NewMemory


# -- imports memories of other systems


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


# -- the operations


RULES = "rules"
ADR, GIT = "adr", "git"
IN_PROJECT = "specstory"
"""The client that keeps its histories in the projects, where they come with a clone."""
_EXAMPLES = 3
_CAME_ALONG = (
    "Histories in the project may have come with it: what they teach waits in quarantine, and what was said"
    " in them is not kept. If they are your own: recortex import specstory --trust"
)


class LearningOperations(Operations):
    """extract, import."""

    @operation(told=("path",))
    def extract(
        self, path: str, *, final: bool = True, embed: bool = True, dry_run: bool = False
    ) -> Extracted:
        """Learn from one transcript, starting where the last pass ended.

        Args:
            path: the transcript, of any client that Recortex can read.
            final: the session is over; otherwise its last message, which may be unfinished, is left for the
                next pass.
            embed: make the vectors now.
            dry_run: only show what would be learned, from the beginning.
        """
        return self._learn(Path(path), final=final, embed=embed, dry_run=dry_run).extracted

    @operation(told=("format", "path", "quarantine", "dry_run"))
    @taking(Importing)
    def import_(self, wanted: Importing) -> Imported:
        """Learn from all past sessions of a client, or read memories from an export or from notes.

        Running it again adds only what is new. Without a path, the client's own history is read, but only
        what belongs to this project.
        """
        if wanted.path and not wanted.format:
            wanted = replace(wanted, format=wanted.path, path="")
        if not (wanted.format or wanted.discover):
            raise InvalidInputError(
                "What is to be imported?", hint="Name a format or a path; `--discover` looks for memories."
            )
        if wanted.trust and self._app.actor is Actor.AGENT:
            raise PersonNeededError("Only the person says that others' exports and histories are trusted.")
        done = import_memories(self._app, wanted) or self._imported(self._recognised(wanted))
        # Exported memories are taken in as they are.
        if wanted.embed and not wanted.dry_run and wanted.format != "jsonl":
            after_import(self._app)
        return done

    def _imported(self, wanted: Importing) -> Imported:
        format_, path = wanted.format, wanted.path
        own: dict[str, Callable[..., Imported]] = {
            RULES: partial(self._import_rules, path),
            ADR: partial(import_records, self._app, path),
            GIT: partial(
                import_commits,
                self._app,
                path,
                since=wanted.since,
                limit=wanted.limit,
                afresh=wanted.rebuild,
            ),
        }
        if format_ in own:
            return own[format_](embed=wanted.embed, dry_run=wanted.dry_run)
        exported, sessions_of = format_ == "jsonl", {*CLIENTS, "any"}
        if exported or format_ in IMPORTERS or (format_ not in sessions_of and format_ in importers()):
            if not path:
                raise InvalidInputError(f"Which {format_} file?", hint=f"recortex import {format_} FILE")
            return self._import_export(wanted) if exported else self._import_rows(wanted)
        if format_ not in sessions_of and format_ not in format_names():
            known = (*format_names(), "any", "jsonl", *own, *importers())
            raise InvalidInputError(
                f"There is no format {format_[:40]!r}.", hint=f"Formats: {', '.join(known)}."
            )
        path = str(readable(self._app, path)) if path else ""
        client = None if format_ == "any" else format_
        found = find_sessions(
            client,
            Path(path) if path else None,
            home=Path.home(),
            config=self._app.settings.claude_folder if client == "claude-code" else None,
            project=self._app.root,
            progress=self._app.progress,
        )
        if path and not (found.sessions or found.others) and Path(path).is_file():
            open_transcript(path)  # raises, with the reason
        reached = [one for one in found.sessions if not path or within_reach(self._app, one.path)]
        named = Path(path) if path else None
        sessions = [one for one in reached if is_ours(self._app.project, one, named)]
        unread = [f"{place}: {_why_unknown(place)}" for place in found.unknown] if path else []
        unread += [f"{place}: cannot be read" for place in found.unreadable]
        problems = [*_of_others(found.others, path), *_left_alone(found.aside, path)] if path else []
        problems += _elsewhere(len(reached) - len(sessions), path) if path and sessions else []
        if found.cut:
            problems.append(
                f"{path}: only the first {MOST_ENTRIES:,} files were looked at; give a narrower folder"
            )
        if not sessions:
            return Imported(
                format=format_,
                problems=(*problems, *unread),
                unread=len(unread),
                dry_run=wanted.dry_run,
                places=tuple(map(str, found.places)),
                elsewhere=len(found.sessions),
            )
        return self._import_sessions(wanted, sessions, problems, unread)

    def _recognised(self, wanted: Importing) -> Importing:
        """The same with the format of a path that was given alone: an export, notes, or sessions."""
        place = wanted.format
        if wanted.path or not place or not Path(place).exists():
            return wanted
        seen = recognise(readable(self._app, place))[1]
        if isinstance(seen.first, dict) and seen.first.get("format") == FORMAT:
            return replace(wanted, format="jsonl", path=place)
        if Path(place).suffix.lower() == ".md":
            return replace(wanted, format="markdown", path=place)
        if not (seen.folder or is_web_export(Path(place))):
            try:
                open_transcript(Path(place))
            except FormatError as error:
                raise FormatError(
                    f"{place} is nothing that can be imported: it is {seen}.",
                    hint="`recortex import --help` lists what can be; `recortex ingest` reads documents.",
                ) from error
        return replace(wanted, format="any", path=place)

    def _rebuild(self, sessions: Sequence[SessionFile]) -> Iterator[str]:
        """Make the exchanges of sessions again; gives the files that cannot be read, with the reason."""
        if self._app.actor is Actor.AGENT:
            raise PersonNeededError("Only the person has exchanges made again.")
        services, known = self._app.services(Scope.PROJECT), set[str]()
        for session in sessions:
            try:
                known |= make_again(services, session.path, now=self._app.clock(), keep=known)
            except (RecortexError, OSError) as error:
                yield f"{session.path}: {error}"

    def _import_sessions(
        self, wanted: Importing, sessions: Sequence[SessionFile], problems: list[str], unread: list[str]
    ) -> Imported:
        trust, dry_run = wanted.trust, wanted.dry_run
        lessons: list[Lesson] = []
        learned: list[Memory] = []
        total = sum(one.size for one in sessions)
        done = 0
        for session in sessions:
            try:
                lesson = self._learn(session.path, final=True, embed=False, dry_run=dry_run, trust=trust)
                learned += lesson.added
                if _nothing_read(lesson.extracted):
                    unread.append(f"{session.path}: none of its {lesson.extracted.lines} lines can be read")
                else:
                    lessons.append(replace(lesson, added=()))
            except (RecortexError, OSError) as error:
                unread.append(f"{session.path}: {error}")
            done += session.size
            self._app.progress("reading sessions", done, total)
        if wanted.rebuild and not dry_run:
            unread += self._rebuild([one for one in sessions if trust or not self._came_along(one.path)])
        if not trust and any(self._came_along(one.path) for one in sessions):
            problems.append(_CAME_ALONG)
        if wanted.embed and not dry_run:
            embed_all(self._app, learned)
            embed_exchanges(self._app)
        found = [one for lesson in lessons for one in lesson.extracted.found]
        new = [one for one in found if one.outcome in {"added", "dry_run"}]
        return Imported(
            format=wanted.format,
            files=len(lessons),
            unchanged=sum(lesson.extracted.lines == 0 for lesson in lessons),
            lines=sum(lesson.extracted.lines for lesson in lessons),
            turns=sum(lesson.extracted.turns for lesson in lessons),
            added=len(new),
            merged=sum(one.outcome == "merged" for one in found),
            proposed=sum(one.status in WAITING for one in new),
            by_kind=dict(Counter(one.kind for one in new).most_common()),
            problems=(*problems, *unread),
            unread=len(unread),
            dry_run=dry_run,
            exchanges=sum(lesson.exchanges for lesson in lessons),
        )

    def _came_along(self, path: Path) -> bool:
        """Whether a history stands in the project, where anybody may have put it."""
        inside = path.resolve().is_relative_to(self._app.root.resolve())
        return inside and open_transcript(path).client == IN_PROJECT

    def _learn(self, path: Path, *, final: bool, embed: bool, dry_run: bool, trust: bool = False) -> Lesson:
        # An agent may name a transcript that somebody forged, and a clone may bring one.
        lesson = learn(
            self._app.services,
            path,
            clock=self._app.clock,
            final=final,
            dry_run=dry_run,
            trusted_file=not self._app.limited and (trust or not self._came_along(path)),
        )
        if embed:
            embed_all(self._app, lesson.added, quiet=True)
        if not dry_run:
            forget_briefs(list(self._app.locations.values()))  # they tell how the last sessions ended
        return lesson

    def _import_export(self, wanted: Importing) -> Imported:
        from recortex.formats import importers

        key = export_key(self._app.project.home)
        records, problems = importers.read_jsonlines(
            Path(wanted.path), lambda parts, signature: is_signed(key, parts, signature)
        )
        # An agent may have been made to import an old export, and so to bring back what was put away since.
        quarantine = wanted.quarantine or self._app.limited
        if self._app.limited and records.exchanges:
            problems = (*problems, f"{len(records.exchanges)} exchanges are left to the person to import")
            records = replace(records, exchanges=())
        if not (records.own or wanted.trust):
            records, quarantine = foreign(records, self._app.clock()), True
        return adopt(
            self._app, records, problems, quarantine=quarantine, embed=wanted.embed, dry_run=wanted.dry_run
        )

    def _import_rules(self, path: str, *, embed: bool, dry_run: bool) -> Imported:
        """Read the project's instruction files; an agent cannot say that all of them are to be read.

        Nor whose the notes of a client are; a person says it by naming their folder.
        """
        services, now = self._app.services(Scope.PROJECT), self._app.clock()
        folder = notes_folder(self._app.settings.claude_folder, self._app.root)
        if path and self._app.limited:
            raise PersonNeededError("Only the person says whose the notes in a folder are.")
        if path and Path(path).expanduser().resolve() not in {folder.resolve(), folder.parent.resolve()}:
            raise InvalidInputError(
                f"{path} is not where Claude Code keeps notes on this project.",
                hint="`recortex import rules` reads what this project says; it needs no path.",
            )
        if self._app.limited:
            reading = Reading() if dry_run else keep_in_step(services, now)
        else:
            if path and not dry_run:
                claim(services.location, folder)
            reading = read_everything(services, now, [folder], dry_run=dry_run)
        if embed and not dry_run:
            embed_all(self._app, reading.new)
        return Imported(
            format=RULES,
            files=len(reading.files),
            lines=reading.statements,
            added=reading.statements if dry_run else len(reading.new),
            merged=reading.merged,
            proposed=sum(memory.status in WAITING for memory in reading.new),
            by_kind=dict(Counter(memory.kind for memory in reading.new)),
            problems=(
                *(" ".join(describe_unread(*one)) for one in reading.shared.items()),
                *reading.left_out,
            ),
            dry_run=dry_run,
        )

    def _import_rows(self, wanted: Importing) -> Imported:
        """Take in what an importer reads, in quarantine: nobody knows who wrote it."""
        format_ = wanted.format
        rows = (
            new_memory(row, place)
            for place, row in enumerate(storable(read_rows(format_, Path(wanted.path))))
        )
        drafts = [draft_of(self._app, _untrusted(row, wanted.path)) for row in rows]
        if wanted.dry_run:
            return Imported(format=format_, files=1, added=len(drafts), dry_run=True)
        services = self._app.services(Scope.PROJECT)
        kept = services.ingestion.keep(drafts, now=self._app.clock(), actor=self._app.actor)
        added = [one.memory for one in kept if one.added]
        if wanted.embed:
            embed_all(self._app, added)
        new = len(added)  # all of them wait
        return Imported(
            format=format_,
            files=1,
            added=new,
            merged=len(kept) - new,
            proposed=new,
            by_kind=dict(Counter(memory.kind for memory in added)),
        )


def _why_unknown(place: Path) -> str:
    return "not a transcript" if place.stat().st_size else "is empty"


def _nothing_read(extracted: Extracted) -> bool:
    """Whether a file that begins like a transcript could not be read: cut off, or broken in every line."""
    broken = extracted.malformed == extracted.lines or not extracted.position
    return bool(extracted.lines) and not extracted.turns and broken


def _elsewhere(count: int, path: str) -> list[str]:
    """Where sessions of other projects are to be imported, if there are any."""
    others = "session of another project" if count == 1 else "sessions of other projects"
    return [f"{path}: {count} {others}, not read here; import them in their own projects"] if count else []


def _left_alone(files: Sequence[Path], path: str) -> list[str]:
    """How many other files of a client's are there, so that a format that is not known yet is noticed."""
    if not files:
        return []
    such = ", ".join(dict.fromkeys(one.name for one in files[:_EXAMPLES]))
    are = "file is no transcript and was" if len(files) == 1 else "files are no transcripts and were"
    return [f"{path}: {len(files)} {are} left alone: {such}{', …' if len(files) > _EXAMPLES else ''}"]


def _of_others(sessions: Sequence[SessionFile], path: str) -> list[str]:
    """What sessions of other clients than asked for are, and what reads them."""
    counts = Counter(one.client for one in sessions)
    return [
        f"{path}: {count} {'session' if count == 1 else 'sessions'} of {client}, not read now;"
        f" `recortex import {client} {shlex.quote(path)}` reads {'it' if count == 1 else 'them'}"
        for client, count in counts.most_common()
    ]


def _untrusted(row: NewMemory, path: str) -> NewMemory:
    """A memory of a file as it may be taken in: of this project, without an origin, rank or status."""
    source = row.source or {"path": path}
    own = replace(row, origin=Origin.IMPORT, status=None, scope=Scope.PROJECT, source=source)
    return replace(own, pinned=False, supersedes=None)
