"""Learning from sessions: extract, review, import."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.app import signing
from recortex.app.brief import forget_briefs
from recortex.app.projects import find_project
from recortex.codec import storable
from recortex.domain.lesson import Extracted
from recortex.domain.memory import Memory
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, RelationType, Scope, Status
from recortex.engines.ingestion.output_redaction import all_output_redacted
from recortex.errors import InvalidInputError, PersonNeededError, RecortexError
from recortex.operations.agents import WAITING, check_decision, limited
from recortex.operations.base import Operations, bounded, embed_all, embed_exchanges
from recortex.operations.drafts import draft_of, new_memory
from recortex.operations.exporting import Imported, adopt, foreign
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.jobs.learning import Lesson
    from recortex.app.store_services import StoreServices
    from recortex.formats.session_files import SessionFile
    from recortex.operations.inputs import NewMemory

PAIR = 2
Review = Literal["list", "approve", "reject", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two active memories that cannot both hold, as far as words tell; the newer one comes first."""

    newer: Memory
    older: Memory
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Memories that wait for a person, or that were just decided about; and pairs that cannot both hold."""

    action: Review
    memories: tuple[Memory, ...]
    waiting: int
    contradictions: tuple[Contradiction, ...] = ()


class LearningOperations(Operations):
    """extract, review, import."""

    @operation()
    def extract(
        self, path: str, *, final: bool = True, embed: bool = True, dry_run: bool = False
    ) -> Extracted:
        """Learn from one transcript, from where the last pass ended.

        Args:
            path: the transcript of any client that Recortex reads.
            final: the session is over; otherwise its last, perhaps unfinished message is left for the next
                pass.
            embed: make the vectors now.
            dry_run: only show what would be learned, from the beginning.
        """
        return self._learn(Path(path), final=final, embed=embed, dry_run=dry_run).extracted

    @operation()
    def review(
        self,
        action: Review = "list",
        ids: Sequence[str] = (),
        *,
        limit: int = 20,
    ) -> Reviewed:
        """Decide about what waits for a person: proposals, text from untrusted origins, and contradictions.

        Args:
            action: list what waits; approve (they become active) or reject (they are archived); or replace:
                of two memories that cannot both hold, the first takes the second one's place.
            ids: of the memories to decide about, or their first characters.
            limit: how many to list.
        """
        if action == "list":
            query = MemoryQuery(statuses=WAITING, order="confidence", limit=bounded(limit))
            found = [
                memory
                for services in self._app.all_services()
                for memory in services.store.memories.find(query)
            ][:limit]
            return self._reviewed(action, found, self._contradictions(limit))
        if action != "reject":
            check_decision(self._app)
        if action == "replace":
            return self._replace(ids)
        if not ids:
            raise InvalidInputError(
                f"Which memories to {action}?", hint="`recortex review list` shows their ids."
            )
        status = Status.ACTIVE if action == "approve" else Status.ARCHIVED
        located = [self._waits(id_) for id_ in ids]
        decided = [self._decide(services, memory, status, action) for services, memory in located]
        return self._reviewed(action, decided)

    def _contradictions(self, limit: int) -> tuple[Contradiction, ...]:
        found = [
            (services.store.memories.get([one.source_id, one.target_id]), one)
            for services in self._app.all_services()
            for one in services.store.relations.suggested(RelationType.CONTRADICTS, limit)
        ]
        pairs = [
            (all_output_redacted(sorted(pair, key=lambda memory: memory.valid_from)), one)
            for pair, one in found
            if len(pair) == PAIR
        ]
        return tuple(
            Contradiction(newer=newer, older=older, evidence=" ".join(one.evidence))
            for (older, newer), one in pairs[:limit]
        )

    def _replace(self, ids: Sequence[str]) -> Reviewed:
        """Let the first memory take the second one's place."""
        if len(ids) != PAIR:
            raise InvalidInputError(
                "Which memory takes which one's place?", hint="`recortex review replace NEW OLD`"
            )
        (services, new), (other, old) = (self._app.locate(id_) for id_ in ids)
        if services is not other or new.id == old.id or old.status is not Status.ACTIVE:
            raise InvalidInputError("One active memory can replace another one of the same store.")
        services.ingestion.supersede(new, old, now=self._app.clock(), actor=self._app.actor)
        return self._reviewed("replace", services.store.memories.get([new.id, old.id]))

    def _reviewed(
        self, action: Review, memories: Sequence[Memory], contradictions: tuple[Contradiction, ...] = ()
    ) -> Reviewed:
        waiting = sum(
            services.store.memories.count(MemoryQuery(statuses=WAITING))
            for services in self._app.all_services()
        )
        shown = all_output_redacted(memories)
        return Reviewed(action=action, memories=shown, waiting=waiting, contradictions=contradictions)

    @operation()
    def import_(
        self,
        format: str,  # noqa: A002  the contract's name
        path: str = "",
        *,
        embed: bool = True,
        quarantine: bool = False,
        trust: bool = False,
        rebuild: bool = False,
        dry_run: bool = False,
    ) -> Imported:
        """Learn from a whole history of sessions, or take in memories that were exported.

        Running it again adds only what is new. Without a path, a client's own history is read, as far as it
        belongs to this project.

        Args:
            format: claude-code, codex, gemini, qwen, copilot, pi, opencode, specstory, swe-agent, text or any
                (sessions); jsonl (an export); markdown (notes: each item waits in quarantine).
            path: a file or folder.
            embed: make the vectors at the end.
            quarantine: let exported memories wait for review, even those that this installation exported
                itself.
            trust: take another installation's export as it is; without it, such memories wait in quarantine.
                For the command line alone.
            rebuild: make the exchanges of these sessions again from their transcripts, also of those that
                were read before. For the command line alone.
            dry_run: only show what would be learned.
        """
        from recortex.formats.importers import IMPORTERS, importers
        from recortex.formats.session_files import CLIENTS, MOST_ENTRIES, find_sessions
        from recortex.formats.transcripts import format_names, open_transcript

        exported = format == "jsonl"
        if exported or format in IMPORTERS or (format not in {*CLIENTS, "any"} and format in importers()):
            if trust and self._app.actor is Actor.AGENT:
                raise PersonNeededError("Only the person trusts another installation's export.")
            if not path:
                raise InvalidInputError(f"Which {format} file?", hint=f"recortex import {format} FILE")
            if exported:
                return self._import_export(
                    path, embed=embed, quarantine=quarantine, trust=trust, dry_run=dry_run
                )
            return self._import_rows(format, path, embed=embed, dry_run=dry_run)
        if format not in {*CLIENTS, "any"} and format not in format_names():
            known = (*format_names(), "any", "jsonl", *importers())
            raise InvalidInputError(
                f"There is no format {format[:40]!r}.", hint=f"Formats: {', '.join(known)}."
            )
        client = None if format == "any" else format
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
        sessions = [one for one in found.sessions if path or self._is_ours(one)]
        unread = [f"{place}: {_why_unknown(place)}" for place in found.unknown] if path else []
        unread += [f"{place}: cannot be read" for place in found.unreadable]
        problems = _of_others(found.others, path) if path else []
        if found.cut:
            problems.append(
                f"{path}: only the first {MOST_ENTRIES:,} files were looked at; give a narrower folder"
            )
        if not sessions:
            return Imported(
                format=format,
                problems=(*problems, *unread),
                unread=len(unread),
                dry_run=dry_run,
                places=tuple(map(str, found.places)),
                elsewhere=len(found.sessions),
            )
        return self._import_sessions(
            format, sessions, problems, unread, embed=embed, rebuild=rebuild, dry_run=dry_run
        )

    def _rebuild(self, sessions: Sequence[SessionFile]) -> Iterator[str]:
        """Make the exchanges of sessions again; gives the files that cannot be read, with the reason."""
        from recortex.app.jobs.exchanges import make_again

        if self._app.actor is Actor.AGENT:
            raise PersonNeededError("Only the person has exchanges made again.")
        services, known = self._app.services(Scope.PROJECT), set[str]()
        for session in sessions:
            try:
                known |= make_again(services, session.path, now=self._app.clock(), keep=known)
            except (RecortexError, OSError) as error:
                yield f"{session.path}: {error}"

    def _import_sessions(
        self,
        format_: str,
        sessions: Sequence[SessionFile],
        problems: list[str],
        unread: list[str],
        *,
        embed: bool,
        rebuild: bool,
        dry_run: bool,
    ) -> Imported:
        lessons: list[Lesson] = []
        learned: list[Memory] = []
        total = sum(one.size for one in sessions)
        done = 0
        for session in sessions:
            try:
                lesson = self._learn(session.path, final=True, embed=False, dry_run=dry_run)
                learned += lesson.added
                if _nothing_read(lesson.extracted):
                    unread.append(f"{session.path}: none of its {lesson.extracted.lines} lines can be read")
                else:
                    lessons.append(replace(lesson, added=()))
            except (RecortexError, OSError) as error:
                unread.append(f"{session.path}: {error}")
            done += session.size
            self._app.progress("reading sessions", done, total)
        if rebuild and not dry_run:
            unread += self._rebuild(sessions)
        if embed and not dry_run:
            embed_all(self._app, learned)
            embed_exchanges(self._app)
        found = [one for lesson in lessons for one in lesson.extracted.found]
        new = [one for one in found if one.outcome in {"added", "dry_run"}]
        return Imported(
            format=format_,
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
        )

    def _learn(self, path: Path, *, final: bool, embed: bool, dry_run: bool) -> Lesson:
        from recortex.app.jobs.learning import learn

        # An agent may name a transcript that somebody forged.
        lesson = learn(
            self._app.services,
            path,
            clock=self._app.clock,
            final=final,
            dry_run=dry_run,
            trusted_file=not limited(self._app),
        )
        if embed:
            embed_all(self._app, lesson.added, quiet=True)
        if not dry_run:
            forget_briefs(list(self._app.locations.values()))  # they tell how the last sessions ended
        return lesson

    def _is_ours(self, session: SessionFile) -> bool:
        """Whether a session ran in this project; its place or its first turn says where."""
        from recortex.formats.transcripts import open_transcript

        if session.client == "specstory":  # looked for in this project alone
            return True
        reader = open_transcript(session.path)
        for turn in reader:
            cwd = turn.cwd or reader.info.cwd
            if not cwd or not Path(cwd).exists():
                return False
            return find_project(self._app.project.home, Path(cwd)).root == self._app.root
        return False

    def _import_export(
        self, path: str, *, embed: bool, quarantine: bool, trust: bool, dry_run: bool
    ) -> Imported:
        from recortex.formats import jsonlines

        key = signing.key(self._app.project.home)
        records, problems = jsonlines.read(
            Path(path), lambda parts, signature: signing.same(signing.signature(key, parts), signature)
        )
        # An agent may have been made to import an old export, and so to bring back what was put away since.
        quarantine = quarantine or limited(self._app)
        if limited(self._app) and records.exchanges:
            problems = (*problems, f"{len(records.exchanges)} exchanges are left to the person to import")
            records = replace(records, exchanges=())
        if not (records.own or trust):
            records, quarantine = foreign(records, self._app.clock()), True
        return adopt(self._app, records, problems, quarantine=quarantine, embed=embed, dry_run=dry_run)

    def _import_rows(self, format_: str, path: str, *, embed: bool, dry_run: bool) -> Imported:
        """Take in what an importer reads, in quarantine: nobody knows who wrote it."""
        from recortex.formats.importers import read_rows

        rows = (new_memory(row, place) for place, row in enumerate(storable(read_rows(format_, Path(path)))))
        drafts = [draft_of(self._app, _untrusted(row, path)) for row in rows]
        if dry_run:
            return Imported(format=format_, files=1, added=len(drafts), dry_run=True)
        services = self._app.services(Scope.PROJECT)
        kept = services.ingestion.keep(drafts, now=self._app.clock(), actor=self._app.actor)
        added = [one.memory for one in kept if one.added]
        if embed:
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

    def _waits(self, id_: str) -> tuple[StoreServices, Memory]:
        services, memory = self._app.locate(id_)
        if memory.status not in WAITING:
            raise InvalidInputError(
                f"The memory {memory.id} is {memory.status.value}; it does not wait for review."
            )
        return services, memory

    def _decide(self, services: StoreServices, memory: Memory, status: Status, action: str) -> Memory:
        now = self._app.clock()
        validated = now if status is Status.ACTIVE else memory.validated_at
        decided = replace(memory, status=status, validated_at=validated)
        return services.ingestion.change(memory, decided, now=now, actor=self._app.actor, operation=action)


def _why_unknown(place: Path) -> str:
    return "not a transcript" if place.stat().st_size else "is empty"


def _nothing_read(extracted: Extracted) -> bool:
    """Whether a file that begins like a transcript could not be read: cut off, or broken in every line."""
    broken = extracted.malformed == extracted.lines or not extracted.position
    return bool(extracted.lines) and not extracted.turns and broken


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
