"""Keeps memories of a project's decision records in step with their files."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blake3 import blake3

from recortex.app.application import is_own, mark_of
from recortex.app.citations import cite
from recortex.app.projects import shown
from recortex.codebase.git import branch_and_commit, relative
from recortex.codebase.line_history import file_histories
from recortex.codebase.record_files import ENDINGS, find, place
from recortex.deadlines import within
from recortex.decisions.collection import NOTED, RULE, collected, draft_of, noted, state_of
from recortex.decisions.collection import Collection as CollectionCollection
from recortex.decisions.record import MOST_FILES, Record, dated, read_record
from recortex.domain.memory import Memory, Relation
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Status
from recortex.engines.ingestion import normalise
from recortex.engines.privacy import Draft, redact
from recortex.errors import CausalCycleError, RecortexError, UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.decisions.collection import Collection as Records
    from recortex.decisions.collection import State
    from recortex.domain.code import FileHistory
    from recortex.ports.store import Relations


# -- reads the files of a project's decision records; of each that is left out it tells why


MOST_BYTES = 512 * 1024
"""Of one record."""
# A folder that was given by mistake, such as a home directory, ends here.
MOST_RECORDS = 2_000
# Patterns are run on text that others wrote; a file that takes longer is left out and reported.
SECONDS = 10.0
"""For one record."""
# A line of progress for each file would be more output than the result.
READER = 2
"""Counted up when records are read in another way, so that known ones are read again."""
_TOLD_EVERY = 20


class File(NamedTuple):
    """A file with a record, and the hash of its bytes."""

    record: Record
    hash: str


@dataclass(slots=True)
class RecordFiles:
    """The records in some folders.

    Attributes:
        root: of the project.
        wanted: paths from there that were asked for; what is beside them is read, but not counted.
        files: those with a record, by their path.
        unread: paths of which nothing is known now.
        looked_at, skipped, problems: how many were looked at, left out by the reason, and what is odd.
    """

    root: Path
    wanted: Sequence[str]
    files: dict[str, File] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    looked_at: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    _hashes: dict[str, str] = field(default_factory=dict)

    def covers(self, path: str) -> bool:
        """Whether a path was asked for, or lies in a folder that was."""
        return any(name in {".", path} or path.startswith(f"{name}/") for name in self.wanted)

    def read(self, places: Sequence[Path], progress: Callable[[str, int, int], None]) -> None:
        """Read every record in these folders, and beside these files."""
        paths = list(dict.fromkeys(path for one in places for path in self._found(one)))
        if len(paths) > MOST_RECORDS:
            self.problems.append(f"only the first {MOST_RECORDS:,} of {len(paths):,} files were read")
        last = min(len(paths), MOST_RECORDS)
        for number, path in enumerate(paths[:last], 1):
            self._take(path)
            if number % _TOLD_EVERY == 0 or number == last:
                progress("reading records", number, last)
        self.unread |= {relative(str(path), self.root) for path in paths[last:]}

    def _found(self, folder: Path) -> list[Path]:
        """The files in a folder; of a file the records beside it, which it may name."""
        if folder.is_file():
            # Records name each other by number or link, and a number can only be resolved when its file was
            # read.
            beside = (one for one in folder.parent.iterdir() if one.suffix.lower() in ENDINGS)
            return sorted({folder, *(one for one in beside if one.is_file() and not one.is_symlink())})
        try:
            found = find(place(str(folder), self.root), ENDINGS)
        except OSError as error:
            self.problems.append(f"{folder}: {error.strerror or error}")
            return []
        self.problems += [f"{relative(str(path), self.root)}: {why}" for path, why in found.passed_over]
        return found.files

    def _take(self, path: Path) -> None:
        name = relative(str(path), self.root)
        self.looked_at += self.covers(name)
        try:
            # Nothing but regular files: reading a named pipe in a cloned repository would never end.
            data = read_regular(path, MOST_BYTES)
            # Editors on Windows put a byte order mark first, and the title after it would be no heading.
            text = data.decode("utf-8-sig")
            # A name with bytes that are no UTF-8 cannot be stored, nor shown; found here, it is reported.
            name.encode()
        except (UntrustedFileError, OSError, UnicodeError) as error:
            self._leave(name, _why(error, path))
            return
        hash_ = str(blake3(data).hexdigest())
        # The name becomes part of the memory, its source and its links, so it must not hold what is
        # redacted.
        if shown(name) != name:
            self._leave(name, "its name holds a secret")
        # A copy of a record, as in an archive, would give one decision twice.
        elif twin := self._hashes.get(hash_):
            self._leave(name, "another record has the same text", f" ({twin})")
        else:
            self._read(name, text, hash_)

    def _read(self, name: str, text: str, hash_: str) -> None:
        try:
            with within(SECONDS):
                read = read_record(name, text)
        except TimeoutError:
            self._leave(name, f"left out: reading it took longer than {SECONDS:.0f} s")
            return
        if isinstance(read, Record):
            self._hashes[hash_] = name
            self.problems += [f"{name}: {read.problem}"] if read.problem and self.covers(name) else []
            self.files[name] = File(read, f"{READER}:{hash_}")
        else:
            self.skipped[str(read)] += self.covers(name)

    def _leave(self, name: str, why: str, more: str = "") -> None:
        self.unread.add(name)
        if self.covers(name):
            self.skipped[why] += 1
            self.problems.append(f"{shown(name).encode('utf-8', 'replace').decode()}: {why}{more}")


def _why(error: Exception, path: Path) -> str:
    """Why a file cannot be read, in words that are the same for all such files."""
    if isinstance(error, UntrustedFileError):
        said = error.message.removeprefix(str(path)).partition(":")[0].strip()
        return f"it {said}"
    return "it is no UTF-8 text" if isinstance(error, UnicodeError) else "it cannot be read"


# -- relates the memories of decision records as the records say


_Ends = tuple[str, str, RelationType]


def relate(
    relations: Relations,
    records: Records,
    memories: Mapping[str, Memory],
    touched: Collection[str],
    now: datetime,
) -> int:
    """Keep the relations of some records; what they say no more is taken back. Returns how many are new.

    Args:
        relations: of the store, in a transaction.
        records: all of them, as they were read together.
        memories: by the record's key.
        touched: keys of the records that are new or changed.
        now: the time.
    """
    wanted, new = set[_Ends](), 0
    for edge in records.edges:
        ends = memories.get(edge.source), memories.get(edge.target)
        if not {edge.source, edge.target} & set(touched) or None in ends:
            continue
        source, target = (one.id for one in ends if one)
        # Two records whose text is the same have one memory: it is not related to itself.
        if source != target:
            wanted.add((source, target, edge.type))
            # The key first: by it the relations of a record are found again, and taken back when it
            # changes.
            said = (redact(f"{edge.said_by}: {edge.sentence}").text,)
            # A record that is only proposed does not end another one yet.
            holds = edge.type is not RelationType.SUPERSEDES or edge.target in records.successors
            status = RelationStatus.ACTIVE if holds else RelationStatus.SUGGESTED
            new += _put(relations, Relation(source, target, edge.type, now, evidence=said, status=status))
    for key in touched:
        if key in memories:
            begins = f"{key}: "
            for one in relations.find_touching([memories[key].id]):
                own = any(reason.startswith(begins) for reason in one.evidence)
                # `_restate` takes that one back, together with the end of the old memory.
                if own and one.type is not RelationType.SUPERSEDES and _ends(one) not in wanted:
                    relations.remove(*_ends(one))
    return new


def _put(relations: Relations, relation: Relation) -> bool:
    """Keep a relation; one that is there with its evidence stays as it is."""
    for one in relations.find_touching([relation.source_id]):
        if _ends(one) == _ends(relation):
            if one.evidence and one.status is relation.status:
                return False
            relation = replace(relation, strength=one.strength)
    try:
        return relations.put(relation)
    except CausalCycleError:  # two records that each say they follow from the other
        return False


def _ends(relation: Relation) -> _Ends:
    return relation.source_id, relation.target_id, relation.type


# -- keeps memories of a project's decision records in step with their files


_OPERATION = "reread"
_HELD, _GONE = "held", "gone"
"""States that no record has by itself: an agent's import waits for the person; the file is gone."""


@dataclass(slots=True)
class Outcome:
    """What became of the files; `looked_at` is the sum of the counts below it.

    Attributes:
        skipped: how many files were left out, by the reason.
        ended: memories whose record is gone; they are archived.
        memories: those that were added or changed.
        drafts: what a dry run would add.
    """

    looked_at: int = 0
    added: int = 0
    merged: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    renamed: int = 0
    relations: int = 0
    problems: list[str] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)


class DecisionImport:
    """One import of the records in some folders.

    Args:
        app: the opened application.
        services: the project's store.
        held: an agent asks for it: what is new waits in quarantine, and nothing known is changed.
        dry_run: only look.
    """

    def __init__(self, app: Application, services: StoreServices, *, held: bool, dry_run: bool) -> None:
        self._app, self._services = app, services
        self._held, self._dry_run = held, dry_run
        self._now = app.clock()
        self._mark = mark_of(services)
        self._read = RecordFiles(app.root, ())
        self._memories: dict[str, Memory] = {}  # by the record's path
        self._histories: dict[str, FileHistory] = {}
        self._by_key: dict[str, Record] = {}
        self._whole = CollectionCollection()
        self._gone: list[str] = []
        self.done = Outcome()

    def run(self, places: Sequence[Path]) -> Outcome:
        """Read the records in these folders, or these files, and follow what they say.

        Of a file that is named its folder is read too, for the records that it names.
        """
        root = self._app.root
        self._read = RecordFiles(root, [relative(str(one), root) for one in places])
        self._read.read(places, self._app.progress)
        endings = {"".join(Path(path).suffixes[-1:]) for path in self._read.files}
        self._histories = file_histories(root, sorted(endings))
        for path, file in self._read.files.items():
            self._read.files[path] = file._replace(record=dated(file.record, self._histories.get(path)))
        self._by_key = {file.record.key: file.record for file in self._read.files.values()}
        # Relations only make sense over all records: the successor of one may be a file that was not asked
        # for.
        self._whole = collected(list(self._by_key.values()))
        told = [f"{path}: {why}" for path, why in self._whole.problems if self._read.covers(path)]
        self.done.looked_at, self.done.skipped = self._read.looked_at, self._read.skipped
        self.done.problems = [*self._read.problems, *told]
        # One transaction: a reader never sees a record that is replaced without the one that replaced it.
        with self._services.store.transaction():
            # The memories of records, and of these, by path, the ones whose file is gone.
            # Every status: what was archived or superseded by an earlier import must be found, or it would
            # be added again.
            query = MemoryQuery(statuses=(), origins=(Origin.REPOSITORY,), descending=False)
            found = self._services.store.memories.find(query)
            own = (one for one in found if one.source.rule == RULE and _noted(one, self._mark))
            known = {one.metadata[NOTED]["path"]: one for one in own}
            self._memories = {path: one for path, one in known.items() if path in self._read.files}
            rest = {path: one for path, one in known.items() if path not in self._read.files}
            gone = {
                path: one
                for path, one in rest.items()
                # What could not be read today is not gone: an unreadable or oversized file must not archive
                # its memory.
                if path not in self._read.unread
                and (self._read.covers(path) or not (self._app.root / path).exists())
            }
            self._gone = list(gone)
            # Renames are looked for before anything is archived, or a renamed record would lose its
            # history.
            followed = self._follow(gone)
            self._write(gone, followed)
        return self.done

    @property
    def paths(self) -> list[str]:
        """The files of the records that were asked for, those that are gone included."""
        return [*(path for path in self._read.files if self._read.covers(path)), *self._gone]

    def _write(self, gone: dict[str, Memory], followed: dict[str, Memory]) -> None:
        new, changed = self._sorted(followed)
        self._add(new)
        for path in changed:
            self._change(path)
        # An agent that imports must not change the standing of what a person has accepted: it only adds,
        # held in quarantine.
        if not self._held:
            for path in (*new, *changed):
                self._settle(path)
            for memory in gone.values():
                self._end(memory)
            # At the end, when every record has its memory.
            self._relate([*new, *changed])

    def _follow(self, gone: dict[str, Memory]) -> dict[str, Memory]:
        """Find records whose file has another name now: by the text, else by the number in that folder."""
        followed: dict[str, Memory] = {}
        for path, file in self._read.files.items():
            if path in self._memories or not self._read.covers(path):
                continue
            same = [old for old, memory in gone.items() if memory.metadata[NOTED].get("hash") == file.hash]
            same = same or [
                old
                for old, memory in gone.items()
                if file.record.number is not None
                and memory.metadata[NOTED].get("number") == file.record.number
                and posixpath.dirname(old) == posixpath.dirname(path)
            ]
            # Two candidates would be a guess: it counts as a new record then.
            if len(same) == 1:
                self._memories[path] = followed[path] = gone.pop(same[0])
        self.done.renamed = len(followed)
        return followed

    def _sorted(self, followed: dict[str, Memory]) -> tuple[list[str], list[str]]:
        """The paths of records that are new, and of those that say or stand otherwise than before."""
        new, changed = list[str](), list[str]()
        for path, file in self._read.files.items():
            memory = self._memories.get(path)
            if not self._read.covers(path):
                continue
            if memory is None:
                new.append(path)
                continue
            was = memory.metadata[NOTED]
            # As long as the person has not let it in, what the file says now does not make it a change.
            state = _HELD if self._held and was["state"] == _HELD else self._state(path).name
            differs = (was["hash"], was["state"]) != (file.hash, state)
            if not differs and path not in followed:
                self.done.unchanged += 1
            elif self._held:
                self.done.skipped["it changed, which waits for the person to import it"] += 1
            else:
                changed.append(path)
                self.done.changed += 1
        return new, changed

    def _state(self, path: str) -> State:
        record = self._read.files[path].record
        successor = self._successor(record)
        since = None
        if successor:
            since = successor.date or self._now
        return state_of(record, successor, self._histories.get(path), since, self._now)

    def _successor(self, record: Record) -> Record | None:
        return self._by_key.get(self._whole.successors.get(record.key, ""))

    def _draft(self, path: str) -> Draft:
        file = self._read.files[path]
        root, commit = self._app.root, branch_and_commit(self._app.root)[1]
        links = [cite(root, path, 1, file.record.lines, commit)]
        links += [cite(root, name, None, None, commit) for name in self._named(file.record)]
        state, history = self._state(path), self._histories.get(path)
        draft = draft_of(
            self._disambiguate(file.record), state, hash_=file.hash, history=history, files=links
        )
        if self._held:
            waiting = {NOTED: noted(file.record, _HELD, file.hash)}
            draft = replace(draft, status=Status.QUARANTINED, valid_until=None, metadata=waiting)
        return replace(draft, metadata={NOTED: {**draft.metadata[NOTED], **self._mark}})

    def _disambiguate(self, record: Record) -> Record:
        """The record, with its file's name in the title where others have its number and title."""
        same = (record.number, record.title.lower())
        twins = sum(
            (one.record.number, one.record.title.lower()) == same for one in self._read.files.values()
        )
        return replace(record, title=f"{record.title} ({record.key})") if twins > 1 else record

    def _named(self, record: Record) -> list[str]:
        """The files of the project that a record names, but for other records."""
        found: dict[str, None] = {}
        base = posixpath.dirname(record.path)
        # A path may be written from the root or from the record's own folder.
        for name in record.files:
            for path in (posixpath.normpath(name), posixpath.normpath(posixpath.join(base, name))):
                inside = (
                    not path.startswith(("..", "/")) and path not in self._read.files and path != record.path
                )
                # A bare name such as `config.yaml` would cite any file of that name; only paths are taken.
                if inside and "/" in name and (self._app.root / path).is_file():
                    found[path] = None
        # Tested without the limit first: what holds a secret must not use up a place.
        return [path for path in found if shown(path) == path][:MOST_FILES]

    def _add(self, new: Sequence[str]) -> None:
        drafts = [self._draft(path) for path in new]
        self.done.drafts += drafts
        if self._dry_run:
            self.done.added += len(drafts)
            return
        for number, (path, draft) in enumerate(zip(new, drafts, strict=True), 1):
            try:
                # Not linked to what resembles it: records are related as they say themselves.
                (kept,) = self._services.ingestion.keep(
                    [draft], now=self._now, actor=Actor.IMPORT, link=False
                )
            except RecortexError as error:
                self.done.skipped["it cannot be kept"] += 1
                self.done.problems.append(f"{path}: {error.message}")
                continue
            self._memories[path] = kept.memory
            self.done.memories.append(kept.memory)
            self.done.added += kept.added
            self.done.merged += not kept.added
            self._app.progress("keeping records", number, len(new))

    def _change(self, path: str) -> None:
        """Let the memory of a record say what its file does now; the former state stays in the history."""
        old, draft = self._memories[path], self._draft(path)
        if self._dry_run:
            self.done.drafts.append(draft)
            return
        said = normalise(draft, id_=old.id, now=self._now, count=self._services.count_tokens).memory
        taken = ("content", "text", "summary", "tags", "domain", "files", "valid_from", "source")
        new = replace(
            old,
            **{name: getattr(said, name) for name in taken},
            # The state stays as it was until `_settle` compares it, or a change of the status would be
            # missed.
            metadata={
                **old.metadata,
                NOTED: {**draft.metadata[NOTED], "state": old.metadata[NOTED]["state"]},
            },
            # A corrected date of beginning may lie after the end that is kept.
            valid_until=max(old.valid_until, said.valid_from) if old.valid_until else None,
        )
        self._memories[path] = self._changed(old, new, f"{path} changed")
        self.done.memories.append(self._memories[path])

    def _changed(self, old: Memory, new: Memory, reason: str) -> Memory:
        return self._services.ingestion.change(
            old, new, now=self._now, actor=Actor.IMPORT, operation=_OPERATION, reason=reason
        )

    def _settle(self, path: str) -> None:
        """Give the memory of a record the standing that it has now."""
        memory, state = self._memories.get(path), self._state(path)
        if memory is None or self._dry_run:
            return
        was = memory.metadata[NOTED]["state"]
        successor = self._successor(self._read.files[path].record)
        heir = self._memories.get(successor.path) if successor else None
        if heir is not None and memory.superseded_by != heir.id:
            self._supersede(path, memory, heir)
        elif state.name != was:
            self._restate(path, memory, state)

    def _supersede(self, path: str, memory: Memory, heir: Memory) -> None:
        ingestion, store = self._services.ingestion, self._services.store
        # Read again: writing a record before this one may have changed either of them.
        heir, memory = store.memories.get([heir.id, memory.id])
        ingestion.supersede(heir, memory, now=self._now, actor=Actor.IMPORT)
        (ended,) = store.memories.get([memory.id])
        state = self._state(path).name
        metadata = {**ended.metadata, NOTED: {**ended.metadata[NOTED], "state": state}}
        self._memories[path] = ended
        if ended.metadata[NOTED]["state"] != state:
            self._memories[path] = self._changed(ended, replace(ended, metadata=metadata), "")

    def _restate(self, path: str, memory: Memory, state: State) -> None:
        (memory,) = self._services.store.memories.get([memory.id])
        if memory.superseded_by:
            # The file no longer says that it was superseded, so the relation that ended it must go as well.
            self._services.store.relations.remove(memory.superseded_by, memory.id, RelationType.SUPERSEDES)
        until = max(state.until, memory.valid_from) if state.until else None
        new = replace(
            memory,
            status=state.status,
            superseded_by=None,
            valid_until=until,
            metadata={**memory.metadata, NOTED: {**memory.metadata[NOTED], "state": state.name}},
        )
        record = self._read.files[path].record
        self._memories[path] = self._changed(memory, new, f"{path} says: {record.status or 'no status'}")

    def _end(self, memory: Memory) -> None:
        """Put away the memory of a record whose file is gone."""
        was = memory.metadata[NOTED]
        if was["state"] == _GONE:
            return
        self.done.ended += 1
        if self._dry_run:
            return
        # What was superseded or rejected has ended already, and keeps saying how.
        standing = memory.status in {Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED}
        metadata = {**memory.metadata, NOTED: {**was, "state": _GONE}}
        status = Status.ARCHIVED if standing else memory.status
        self._changed(memory, replace(memory, status=status, metadata=metadata), f"{was['path']} was deleted")

    def _relate(self, touched: Sequence[str]) -> None:
        keys = {self._read.files[path].record.key for path in touched}
        if self._dry_run:
            self.done.relations = sum(bool(keys & {one.source, one.target}) for one in self._whole.edges)
            return
        files = self._read.files
        memories = {files[path].record.key: one for path, one in self._memories.items() if path in files}
        relations = self._services.store.relations
        self.done.relations = relate(relations, self._whole, memories, keys, self._now)


def _noted(memory: Memory, mark: Mapping[str, str]) -> bool:
    """Whether a memory names its record, and that is this project's."""
    named: Any = memory.metadata.get(NOTED)
    return isinstance(named, dict) and {"path", "hash", "state"} <= named.keys() and is_own(named, mark)
