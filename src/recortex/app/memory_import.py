"""Imports memories of other systems: what becomes of each row that a source of `importers/` reads.

Every row is accounted for: added, changed, merged, known, or refused with a reason. A row is known again by
the place that it was learned at, which is written in one transaction with its memory, so that an import that
was killed goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.citations import cite
from recortex.codebase.git import branch_and_commit, relative
from recortex.codec import storable
from recortex.domain.kinds import kind_of
from recortex.domain.memory import Memory, Relation, Source, shown
from recortex.domain.text import bounded_time, strip_injected
from recortex.domain.vocabulary import Actor, Origin, Scope, Status
from recortex.engines.ingestion import MAX_LABEL, MAX_LABELS, MAX_TEXT, normalise
from recortex.engines.ingestion.service import CHUNK
from recortex.engines.privacy import Draft, redact
from recortex.engines.similarity import place_hash, row_place, row_turn, spellings, turn_place
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.app.application import Application
    from recortex.domain.memory import FileLink
    from recortex.engines.ingestion.service import Kept
    from recortex.importers import Row
    from recortex.importers import Source as System

NOTED = "imported"
"""The key of a memory's metadata under which stands what row it was."""
_EXAMPLES = 3
_SHOWN = 160
_PRIORITY = 5  # of a row that has none
_DIGITS = 7  # of the number of a line
_OWN_TEXT = "it is what Recortex itself told an agent"
_PURGED = "you purged its memory here"
_EDITED = "it says something else now, and you changed its memory here"


@dataclass(slots=True)
class Outcome:
    """What became of the rows of one place; `rows` is the sum of the others and of all that was refused.

    Attributes:
        mapping: how many rows there are of each of the source's kinds, and what kind of memory they become.
        examples: some rows as they would be kept.
        memories: that are new.
    """

    rows: int = 0
    added: int = 0
    changed: int = 0
    merged: int = 0
    unchanged: int = 0
    relations: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mapping: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class MemoryImport:
    """One import from one place of a memory system.

    Args:
        app: the opened application.
        system: whose memories they are.
        trust: they are active at once; otherwise they wait in quarantine.
        everything: also what belongs to other projects.
        dry_run: only look.
    """

    def __init__(
        self, app: Application, system: System, *, trust: bool, everything: bool, dry_run: bool
    ) -> None:
        self._app, self._system = app, system
        self._services = app.services(Scope.PROJECT)
        self._trust, self._everything, self._dry_run = trust, everything, dry_run
        self._now = app.clock()
        self._commit = branch_and_commit(app.root)[1]
        self._links: dict[str, FileLink] = {}
        self._ids: dict[str, str] = {}
        """The memory of each row, by the row's id."""
        self.done = Outcome()

    def run(self, path: Path) -> Outcome:
        """Import every row of a place.

        Raises:
            FormatError: it cannot be read; nothing of it was imported.
        """
        rows = self._system.rows(path)
        self.done.rows = len(rows)
        for start in range(0, len(rows), CHUNK):
            self._keep(list(self._wanted(rows[start : start + CHUNK], path)))
            self._app.progress(
                f"importing from {self._system.name}", min(start + CHUNK, len(rows)), len(rows)
            )
        if not self._dry_run:
            self._relate(rows)
        return self.done

    def _wanted(self, rows: Iterable[Row], path: Path) -> Iterator[tuple[Row, Draft]]:
        """The rows that are to be kept, as drafts; the others are counted as refused."""
        for row in rows:
            kind = self._system.kind(row)
            # What Recortex told an agent, another system may have stored: it is not learned back.
            text, injected = strip_injected(row.text)
            if why := self._refused(row, text, injected):
                self.done.refused[why] += 1
                continue
            self._ids[row.id] = ""
            self.done.mapping[row.kind or "any", kind] += 1
            draft = self._draft(row, text, kind, path)
            if len(self.done.examples) < _EXAMPLES:
                self.done.examples.append(_example(draft))
            yield row, draft

    def _refused(self, row: Row, text: str, injected: str) -> str:
        if row.refused:
            return row.refused
        if row.id in self._ids:
            return "another row has the same id"
        # What a person purged must not come back with the next import.
        if self._services.store.ledger.buried(row_place(self._turn(row))):
            return _PURGED
        if row.project and not self._everything and not self._is_ours(row.project):
            return f"it belongs to the project {row.project[:80]}"
        if not text:
            return _OWN_TEXT if injected else "it has no text"
        return f"it is longer than {MAX_TEXT:,} characters" if len(text) > MAX_TEXT else ""

    def _is_ours(self, project: str) -> bool:
        """Whether a project, by its path or name, is this one."""
        root = self._app.root
        if project.startswith(("/", "~")) or "\\" in project or project[1:2] == ":":
            with suppress(OSError, RuntimeError):
                place = Path(project).expanduser().resolve()
                return place == root.resolve() or root.resolve() in place.parents
            return False
        # Some write a worktree as "project/worktree".
        return {root.name.lower(), self._app.project.name.lower()} & set(project.lower().split("/")) != set()

    def _draft(self, row: Row, text: str, kind: str, path: Path) -> Draft:
        name = self._system.name
        created = bounded_time(row.created, self._now, row.updated)
        since = row.valid_from or min(created, row.valid_until or created)
        # An end before the beginning is no time at all.
        until = row.valid_until if row.valid_until and row.valid_until >= since else None
        # Only what a row says: exports of one system tell more or less of a memory beside it.
        said = (row.text, row.kind, row.summary, row.valid_from, row.valid_until, row.files)
        noted = {
            "system": name,
            "id": row.id[:MAX_LABEL],
            "hash": place_hash(*map(str, said)).hex(),
            **({"kind": row.kind} if row.kind else {}),
            **({"updated": row.updated.isoformat()} if row.updated else {}),
            **({"project": row.project} if row.project else {}),
            **({"raw": dict(row.raw)} if row.raw else {}),
        }
        return Draft(
            kind=kind_of(kind),
            text=storable(text),
            summary=storable(row.summary[:_SHOWN]),
            priority=row.priority or _PRIORITY,
            confidence=1.0 if row.confidence is None else row.confidence,
            # Pinned by a stranger, it would stand in each brief.
            pinned=row.pinned and self._trust,
            tags=tuple(map(storable, filter(_short, row.tags[:MAX_LABELS]))),
            files=tuple(filter(None, map(self._link, row.files[:MAX_LABELS]))),
            source=Source(
                client=name,
                path=str(path),
                turn_id=self._turn(row),
                session=storable(row.session[:_SHOWN]),
                speaker=storable(row.speaker[:_SHOWN]),
            ),
            origin=Origin.IMPORT,
            status=Status.ACTIVE if self._trust else None,
            valid_from=since,
            valid_until=until,
            recorded_at=created,
            metadata={NOTED: storable(noted)},
        )

    def _turn(self, row: Row) -> str:
        """By what a row is known again: as a turn of a session is, by its id."""
        return row_turn(self._system.name, storable(row.id)[:MAX_LABEL])

    def _link(self, place: str) -> FileLink | None:
        """A file, or lines of it, as they are now, so that a later change of them is seen."""
        if place not in self._links:
            path, first, last = _lines(storable(place.strip()))
            inside = relative(path, self._app.root)
            if not inside.strip(".") or "\0" in inside or not _short(inside):
                return None
            self._links[place] = cite(self._app.root, inside, first, last, self._commit)
        return self._links[place]

    def _keep(self, wanted: Sequence[tuple[Row, Draft]]) -> None:
        """Keep what is new of some rows, and what changed."""
        new: list[tuple[Row, Draft]] = []
        for row, draft in wanted:
            known = self._known(draft)
            if known is None:
                new.append((row, draft))
            else:
                self._ids[row.id] = known.id
                self._again(draft, known)
        if self._dry_run:
            self.done.added += len(new)
            return
        added: list[str] = []
        for row, one in self._kept(new):
            self._ids[row.id] = one.memory.id
            match one.outcome:
                case "added":
                    self.done.added += 1
                    added.append(one.memory.id)
                    self.done.memories.append(one.memory)
                case "merged":
                    self.done.merged += 1
                case "known":
                    self.done.unchanged += 1
        if self._trust:  # whoever vouches for them now does not want them put away tonight for their age
            self._services.store.memories.touch(added, self._now)

    def _kept(self, new: Sequence[tuple[Row, Draft]]) -> Iterator[tuple[Row, Kept]]:
        """Keep new rows together; where one does not fit, each alone, so that only that one is refused."""
        keep, now = self._services.ingestion.keep, self._now
        try:
            kept = keep([draft for _, draft in new], now=now, actor=Actor.IMPORT, link=False)
            yield from zip((row for row, _ in new), kept, strict=True)
        except InvalidInputError:
            for row, draft in new:
                try:
                    (one,) = keep([draft], now=now, actor=Actor.IMPORT, link=False)
                except InvalidInputError as error:
                    self.done.refused[f"it cannot be kept: {error.message}"] += 1
                    continue
                yield row, one

    def _known(self, draft: Draft) -> Memory | None:
        """The memory that a row became in an earlier import: its own, or one that said the same."""
        store = self._services.store.memories
        found = store.get(store.learned_at(turn_place(draft.source.turn_id)))
        for one in found:
            # Equal texts of two rows have one memory: only the one whose row it was follows that row.
            if one.metadata.get(NOTED, {}).get("id") == draft.metadata[NOTED]["id"]:
                return one
        same = store.same(spellings(draft.kind, draft.text)) if found else []
        return next((one for one in found if one.id in same), None)

    def _again(self, draft: Draft, known: Memory) -> None:
        """Let a memory follow its row, unless a person has changed it since."""
        was, noted = known.metadata.get(NOTED, {}), draft.metadata[NOTED]
        if was.get("id") != noted["id"] or was.get("hash") == noted["hash"]:
            self.done.unchanged += 1
            return
        changed_by = {one.changed_by for one in self._services.store.memories.history(known.id)}
        # A person's change goes before that of the row.
        if Actor.USER in changed_by:
            self.done.refused[_EDITED] += 1
            return
        self.done.changed += 1
        if self._dry_run:
            return
        made = normalise(draft, id_=known.id, now=self._now, count=self._services.count_tokens).memory
        new = replace(
            known,
            kind=made.kind,
            text=made.text,
            content=made.content,
            summary=made.summary,
            tags=made.tags,
            files=made.files,
            valid_from=made.valid_from,
            valid_until=made.valid_until,
            metadata={**known.metadata, **draft.metadata},
        )
        self._services.ingestion.change(
            known, new, now=self._now, actor=Actor.IMPORT, operation="reread", reason="its row changed"
        )

    def _relate(self, rows: Sequence[Row]) -> None:
        """Relate memories as their rows are; what is related already stays as it is."""
        relations = [
            Relation(
                self._ids[row.id],
                self._ids[link.to],
                link.type,
                self._now,
                evidence=(redact(f"{self._system.name}: {link.words or link.type.value}").text,),
            )
            for row in rows
            for link in row.links
            if self._ids.get(row.id) and self._ids.get(link.to) and self._ids[row.id] != self._ids[link.to]
        ]
        refused: list[str] = []
        for start in range(0, len(relations), CHUNK):
            some = relations[start : start + CHUNK]
            with self._services.store.transaction():
                there = {
                    (one.source_id, one.target_id, one.type)
                    for one in self._services.store.relations.find_touching([one.source_id for one in some])
                }
                new = [one for one in some if (one.source_id, one.target_id, one.type) not in there]
                self.done.relations += self._services.store.relations.put_all(new, refused)
        self.done.problems += [f"A relation was left out. {why}" for why in refused]


def _example(draft: Draft) -> str:
    """A row as it would be kept: what is unusual in it, and its words."""
    places = (shown(one.path, one.line_start, one.line_end) for one in draft.files if one.line_start)
    told = (
        f"priority {draft.priority}" if draft.priority != _PRIORITY else "",
        f"confidence {draft.confidence:.2g}" if draft.confidence < 1 else "",
        "pinned" if draft.pinned else "",
        *places,
    )
    more = ", ".join(filter(None, told))
    return f"{draft.kind}{f' ({more})' if more else ''}: {' '.join(draft.text.split())[:_SHOWN]}"


def _lines(place: str) -> tuple[str, int | None, int | None]:
    """What `PATH:FIRST-LAST`, `PATH:LINE` or `PATH#L1-L2` names: the path, the first and the last line."""
    path, _, lines = place.replace("#L", ":").rpartition(":")
    first, dash, last = lines.replace("L", "").partition("-")
    numbers = [
        int(one) for one in (first, last if dash else first) if one.isdecimal() and len(one) <= _DIGITS
    ]
    if not path or len(numbers) != len("12") or not 0 < numbers[0] <= numbers[1]:
        return place, None, None
    return path, numbers[0], numbers[1]


def _short(label: str) -> bool:
    """Whether a tag or a path can be kept with a memory."""
    return len(label.encode("utf-8", "replace")) < MAX_LABEL
