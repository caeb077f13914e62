"""Learning from a transcript: reading, extraction and ingestion joined, resumable from a checkpoint."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.app.hooks import told_id
from recortex.app.past_sessions import TurnPlaces
from recortex.app.projects import of_info, shown
from recortex.codebase.git import GitContext, relative, working_tree
from recortex.codebase.manifests import WorkingTree
from recortex.domain.exchange import ExchangeQuery, Turn
from recortex.domain.kinds import kind_of
from recortex.domain.maintenance import Checkpoint
from recortex.domain.memory import FileLink, Memory, Relation, Source
from recortex.domain.reports import Extracted, Found
from recortex.domain.search import MemoryQuery
from recortex.domain.text import RULE, bounded_time
from recortex.domain.vocabulary import Actor, Origin, Scope, Status
from recortex.engines.exchanges import SessionBuilder
from recortex.engines.exchanges.service import decision, terms
from recortex.engines.extraction.extractor import learned
from recortex.engines.extraction.sentences import COMMAND
from recortex.engines.instructions import Written
from recortex.engines.privacy import Draft, redact
from recortex.engines.similarity import is_uncertain
from recortex.engines.supersession import scope_of
from recortex.engines.usage import NOTHING, GivenTexts
from recortex.errors import RecortexError
from recortex.formats.transcripts import TranscriptReader, open_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recortex.app.application import StoreServices
    from recortex.app.hooks import Window
    from recortex.domain.exchange import Exchange, SessionInfo
    from recortex.domain.reports import Candidate
    from recortex.engines.ingestion.service import Kept
    from recortex.engines.prompting import Edge
    from recortex.engines.prompting.service import Adviser


# -- keeping what is said in a session, while its transcript is read


def make_again(services: StoreServices, path: Path, *, now: datetime, keep: Collection[str]) -> set[str]:
    """Make the exchanges of a session again from its whole transcript; returns the session's id.

    Args:
        services: of the store that keeps them.
        path: the transcript.
        now: when that is.
        keep: sessions of which another file was read just now: what is kept of others goes first.

    Raises:
        FormatError: the file is no transcript that Recortex reads.
    """
    reader = open_transcript(path)
    listener = ExchangeListener(services, reader)
    deque(listener.hearing(TurnPlaces.from_services(services).own(reader, reader)), maxlen=0)
    with services.store.transaction():
        session = of_info(reader.info).session_id
        if session not in keep:
            services.store.exchanges.delete_session(session)
        listener.keep(now)
    return {session}


class ExchangeListener:
    """Builds exchanges out of the turns that pass by, and keeps them.

    Args:
        services: of the store that keeps them.
        reader: of the transcript.
        branch, folder: where the session works, if known; for a transcript that does not say it.
    """

    def __init__(
        self, services: StoreServices, reader: TranscriptReader, *, branch: str = "", folder: str = ""
    ) -> None:
        self._store = services.store
        self._reader = reader
        self._branch, self._folder = branch, folder
        self._builder: SessionBuilder | None = None

    def hearing(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The turns, each after it was taken into account."""
        for turn in turns:
            if self._builder is None:
                self._builder = self._resumed()
            self._builder.take(turn)
            yield turn

    def keep(self, now: datetime) -> int:
        """Keep what has come or grown; returns how many exchanges changed."""
        if self._reader.interrupted:
            self._builder = self._builder or self._resumed()
            self._builder.ends("interrupted")
        if self._builder is None or not self._builder.changed:
            return 0
        changed = map(_named_safely, self._builder.changed.values())
        found = [(one, terms(one, _decided_files(one))) for one in changed]
        with self._store.transaction():
            return self._store.exchanges.put(found, now)

    @property
    def made(self) -> frozenset[str]:
        """The ids of the exchanges that have come or grown."""
        return frozenset(one.id for one in self._builder.changed.values()) if self._builder else frozenset()

    def _resumed(self) -> SessionBuilder:
        """From where the last pass ended; from nothing where the file is read from its beginning."""
        info = of_info(self._reader.info)
        info = replace(info, branch=info.branch or self._branch, cwd=info.cwd or self._folder)
        builder = SessionBuilder(info, _without_secrets)
        if self._reader.resumed:
            builder.current, builder.work = self._store.exchanges.growing(info.session_id)
        return builder


def _named_safely(exchange: Exchange) -> Exchange:
    """The exchange as it is kept: without secrets in the names of its branch and folder."""
    return replace(exchange, branch=shown(exchange.branch), folder=shown(exchange.folder))


def _decided_files(exchange: Exchange) -> list[str]:
    """The files that an exchange decided something about, relative to the checkout, as memories name them."""
    if not decision(exchange):
        return []
    folder = Path(exchange.folder)
    tree = working_tree(folder) if folder.is_dir() else folder
    return [shown(relative(str(folder / file), tree)) for file in exchange.files]


def _without_secrets(text: str) -> str:
    return redact(text).text


# -- learning from a transcript: reading, extraction and ingestion joined, resumable from a checkpoint


MAX_QUOTE = 240
"""Characters of a quote that are kept as evidence."""
EVIDENCE = "language model"
"""What the evidence of a relation begins with that a language model found."""
_NO_GIT = GitContext()


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a transcript taught, and the memories that are new.

    Attributes:
        exchanges: of it that are new or have grown.
        turns: those that were read, where a window kept them.
        more: there is more to read: the pass ended at its limit.
        elsewhere: the roots of other projects in which turns of it were said: nothing of those is here.
    """

    extracted: Extracted
    added: tuple[Memory, ...]
    exchanges: int = 0
    turns: tuple[Turn, ...] = ()
    more: bool = False
    elsewhere: tuple[Path, ...] = ()


class Live(NamedTuple):
    """Extra context for a session captured live or right after it ended.

    Attributes:
        window: bounds the pass and keeps its turns; None: the whole rest of the file is one pass.
        adviser: a language model that is asked about those turns beside the rules.
        given: texts that the agent was shown; repeating them is no evidence.
        git: the state of the checkout that it works in.
        folder: where it works.
    """

    window: Window | None = None
    adviser: Adviser | None = None
    given: GivenTexts = NOTHING
    git: GitContext = _NO_GIT
    folder: str = ""


TRANSCRIPT_ONLY = Live()
"""No live context: only the transcript is known."""
CONTEXT_TURNS, CONTEXT_BYTES = 100, 1_000_000
"""How far back a pass looks at what was read before. With 100 turns, sessions that are read a message at a
time teach all 74 active statements of the development transcripts; without any, 67 (bench/extraction.py
--passes)."""


def learn(
    services_for: Callable[[Scope], StoreServices],
    path: Path,
    *,
    clock: Callable[[], datetime],
    final: bool,
    dry_run: bool,
    live: Live = TRANSCRIPT_ONLY,
    trusted_file: bool = True,
) -> Lesson:
    """Read a transcript from its checkpoint and keep what it teaches.

    The checkpoint moves after the memories are kept; a kill in between only means reading the same lines
    again: what was learned from them is matched by session and turn, so it is not added twice.

    Args:
        services_for: gives the store for what concerns the project, and the one for what concerns the person.
        path: the transcript.
        clock: gives the time.
        final: nothing more will be written to it.
        dry_run: keep nothing, and read from the beginning.
        live: extra context of a live session.
        trusted_file: a client's hook or a person named the file. One that an agent named may have been
            written by anybody: what it teaches waits in quarantine, and nothing is withdrawn.

    Raises:
        FormatError: the file is no transcript that Recortex reads.
    """
    services, place = services_for(Scope.PROJECT), shown(str(path.resolve()))
    known = None if dry_run or not trusted_file else services.store.ledger.checkpoint(place)
    reader, anew = _reader(path, known, final=final)
    earlier, known = (known, None) if anew else (None, known)
    listener = ExchangeListener(services, reader, branch=live.git.branch, folder=live.folder)
    places = TurnPlaces.from_services(services)
    own = places.own(live.window.select(reader) if live.window else reader, reader)
    turns = _in_time(own, reader, clock())
    found = learned(listener.hearing(turns), reader.info, before=_before(path, known, places))
    candidates = found.candidates
    if live.window and live.adviser and not dry_run:
        asked = list(places.own(live.window.turns, reader))
        candidates += _advised(live.adviser, asked, of_info(reader.info))
    candidates = [one for one in candidates if one.speaker == "user" or not live.given.echoed_by(one.text)]
    if dry_run:
        return Lesson(_extracted(reader, candidates, None), ())
    drafts = [_draft(one, of_info(reader.info), services.root, live.git, clock()) for one in candidates]
    tree = WorkingTree(working_tree(services.root))
    drafts = [_checked(draft, tree) for draft in drafts]
    if not trusted_file:
        drafts = [replace(draft, origin=Origin.IMPORT, status=None) for draft in drafts]
    kept = _keep(services_for, not_learned_again(services, drafts), clock())
    if trusted_file:
        _withdraw(
            services_for,
            [_draft(one, of_info(reader.info), services.root, live.git, clock()) for one in found.withdrawn],
            clock(),
        )
    # The model's judgement is stored beside both memories, so both must be in the project's store.
    new = [one.memory for one in kept if one.added and one.memory.scope is Scope.PROJECT]
    if live.adviser and new:
        _classify_edges(services, live.adviser, new, now=clock(), session=of_info(reader.info).session_id)
    exchanges = 0
    if trusted_file:
        if known is None and earlier is None:
            _take_back_in(reader.others, services_for, clock())
        exchanges = listener.keep(clock())
        if reader.revoked and known is not None:
            _take_back(services_for, path, known, clock())
        if earlier is not None:
            _take_back_missing(services_for, listener, path, clock())
        read = live.window.read if live.window else reader.counts.turns
        _move_checkpoint(services, place, reader, known, read, clock())
    return Lesson(
        _extracted(reader, candidates, kept),
        tuple(one.memory for one in kept if one.added),
        exchanges=exchanges,
        turns=tuple(live.window.turns) if live.window else (),
        more=live.window.more if live.window else False,
        elsewhere=tuple(sorted(places.elsewhere)),
    )


def _reader(path: Path, known: Checkpoint | None, *, final: bool) -> tuple[TranscriptReader, bool]:
    """From where earlier passes ended; from the beginning if the client may have written all of it anew."""
    reader = open_transcript(
        path, cursor=known.position if known else 0, final=final, first_index=known.turns if known else 0
    )
    return (open_transcript(path, final=final), True) if reader.rewritten else (reader, False)


def _take_back_in(
    others: Iterable[Path], services_for: Callable[[Scope], StoreServices], now: datetime
) -> None:
    """Put away what earlier passes learned of turns in a session's other files, behind which it went back."""
    again: set[str] = set()
    ledger = services_for(Scope.PROJECT).store.ledger
    for other in others:
        if seen := ledger.checkpoint(shown(str(other.resolve()))):
            again |= _take_back(services_for, other, seen, now, keep=again)


def _take_back(
    services_for: Callable[[Scope], StoreServices],
    path: Path,
    known: Checkpoint,
    now: datetime,
    *,
    keep: Collection[str] = (),
) -> set[str]:
    """Put away what earlier passes learned of turns that the person has taken back since.

    Returns the session whose exchanges were made again.

    Args:
        services_for: as in `learn`.
        path: the transcript.
        known: how far they had read it.
        now: the time.
        keep: as in `make_again`.
    """
    standing = {turn.uuid for turn in open_transcript(path)}
    gone = [turn.uuid for turn in open_transcript(path, until=known.position) if turn.uuid not in standing]
    for scope in Scope:
        with suppress(RecortexError):  # the person's own store may not be there
            _unsay(services_for(scope), gone, known.session_id, now)
    return make_again(services_for(Scope.PROJECT), path, now=now, keep=keep)


def _take_back_missing(
    services_for: Callable[[Scope], StoreServices], listener: ExchangeListener, path: Path, now: datetime
) -> None:
    """Put away what earlier passes made of turns that the client has left out of its file since.

    What was said later than all that stands in a document is in a later one of the session.
    """
    reader = open_transcript(path)
    turns = list(reader)
    session, standing = of_info(reader.info).session_id, {turn.uuid for turn in turns}
    last = max((turn.at for turn in turns if turn.at), default=None)
    if last is None:
        return
    standing |= {told_id(turn.text) for turn in turns if turn.role == "assistant"}
    if reader.in_lines:
        last = datetime.max.replace(tzinfo=UTC)
    for scope in Scope:
        with suppress(RecortexError):  # the person's own store may not be there
            services = services_for(scope)
            found = services.store.memories.find(MemoryQuery(statuses=(), session=session))
            gone = {one.source.turn_id for one in found if one.valid_from <= last} - standing
            _unsay(services, sorted(gone - {""}), session, now)
    store = services_for(Scope.PROJECT).store
    with store.transaction():
        later = (
            one
            for one in store.exchanges.find(ExchangeQuery(session=session))
            if (one.ended_at or datetime.max.replace(tzinfo=UTC)) > last
        )
        store.exchanges.delete_session(session, keep=listener.made | {one.id for one in later})


def _unsay(services: StoreServices, turns: Sequence[str], session: str, now: datetime) -> None:
    services.ingestion.unsay(
        turns, session, now=now, actor=Actor.EXTRACTION, reason="the person took it back"
    )


def _before(path: Path, known: Checkpoint | None, places: TurnPlaces) -> deque[Turn]:
    """The last turns of the project that were read in earlier passes, numbered as they were then."""
    before: deque[Turn] = deque(maxlen=CONTEXT_TURNS)
    if known is None or not known.position:
        return before
    reader = open_transcript(path, cursor=max(0, known.position - CONTEXT_BYTES), final=False)
    for turn in reader:
        if turn.end > known.position:
            break
        before.append(turn)
    first = known.turns - len(before)
    numbered = (replace(turn, index=first + place) for place, turn in enumerate(before))
    return deque(places.own(numbered, reader))


def _by_scope(
    services_for: Callable[[Scope], StoreServices], drafts: Sequence[Draft]
) -> dict[Scope, list[int]]:
    """The places of the drafts for each store.

    Where the person's own cannot be opened, the project keeps all.
    """
    places: dict[Scope, list[int]] = {}
    for place, draft in enumerate(drafts):
        places.setdefault(draft.scope, []).append(place)
    if Scope.GLOBAL in places:
        try:
            services_for(Scope.GLOBAL)
        except RecortexError:
            return {Scope.PROJECT: list(range(len(drafts)))}
    return places


def _keep(
    services_for: Callable[[Scope], StoreServices], drafts: Sequence[Draft], now: datetime
) -> list[Kept]:
    """Keep each draft in the store for its scope; the results stand in the same order."""
    kept: dict[int, Kept] = {}
    for scope, places in _by_scope(services_for, drafts).items():
        of_scope = [replace(drafts[place], scope=scope) for place in places]
        found = services_for(scope).ingestion.keep(of_scope, now=now, actor=Actor.EXTRACTION)
        kept.update(zip(places, found, strict=True))
    return [kept[place] for place in range(len(drafts))]


def _withdraw(services_for: Callable[[Scope], StoreServices], drafts: Sequence[Draft], now: datetime) -> None:
    """Put away what an earlier pass kept and this one takes back."""
    for scope, places in _by_scope(services_for, drafts).items():
        services_for(scope).ingestion.withdraw(
            [drafts[place] for place in places],
            now=now,
            actor=Actor.EXTRACTION,
            reason="taken back later in the session",
        )


def _advised(adviser: Adviser, turns: Sequence[Turn], info: SessionInfo) -> Iterator[Candidate]:
    """What the language model finds in all of the turns, one request at a time.

    It ends when the model is unavailable.
    """
    rest = list(turns)
    while rest:
        found = adviser.extract(rest, info)
        yield from found.candidates
        if found.unavailable or not found.turns:
            return
        rest = rest[found.turns :]


def _classify_edges(
    services: StoreServices, adviser: Adviser, new: Sequence[Memory], *, now: datetime, session: str
) -> int:
    """Ask how new memories relate to the known ones that resemble them; returns how many relations it gave.

    What it says stands beside what words and vectors found; where it sees nothing, that stays as it was.
    """
    relations = services.store.relations.find_touching([memory.id for memory in new])
    pairs = [pair for one in relations if is_uncertain(one) and (pair := _pair(services, one))]
    if not pairs:
        return 0
    edges = adviser.edges(pairs, session=session)
    with services.store.transaction():
        return services.store.relations.put_all([_relation(edge, now) for edge in edges])


def _pair(services: StoreServices, relation: Relation) -> tuple[Memory, Memory] | None:
    found = services.store.memories.get([relation.source_id, relation.target_id])
    return (found[0], found[1]) if len(found) > 1 else None


def _relation(edge: Edge, now: datetime) -> Relation:
    return Relation(
        edge.source_id,
        edge.target_id,
        edge.type,
        now,
        strength=edge.strength,
        evidence=(f"{EVIDENCE}: {edge.reason}",),
        inferred=True,
        status=edge.status,
    )


def _in_time(turns: Iterable[Turn], reader: TranscriptReader, now: datetime) -> Iterator[Turn]:
    """The turns; one whose time is missing or impossible has that of the turn before, or of its session."""
    last: datetime | None = None
    for turn in turns:
        started = of_info(reader.info).started_at
        if turn.at is None and last is None and started is None:
            yield turn
            continue
        last = bounded_time(turn.at, now, last, started)
        yield turn if turn.at == last else replace(turn, at=last)


def _move_checkpoint(
    services: StoreServices,
    place: str,
    reader: TranscriptReader,
    known: Checkpoint | None,
    turns: int,
    now: datetime,
) -> None:
    before = known.turns if known and not reader.restarted else 0
    moved = Checkpoint(
        path=place,
        session_id=of_info(reader.info).session_id,
        client=reader.client,
        position=reader.cursor,
        turns=before + turns,
        extracted_at=now,
    )
    if known is None or moved.position != known.position:
        with services.store.transaction():
            services.store.ledger.save_checkpoint(moved)


def _draft(candidate: Candidate, info: SessionInfo, root: Path, git: GitContext, now: datetime) -> Draft:
    said_at = bounded_time(candidate.at, now, info.started_at)
    commit = git.commits[0] if git.commits else ""
    source = Source(
        session=info.session_id,
        turn=candidate.turn_index,
        turn_id=candidate.turn_uuid,
        speaker=candidate.speaker,
        client=info.client,
        path=info.path,
        quote=redact(candidate.quote).text[:MAX_QUOTE],
        rule=candidate.rule,
        branch=info.branch or shown(git.branch),
        commit=commit,
    )
    return Draft(
        kind=kind_of(candidate.kind),
        text=candidate.text,
        confidence=candidate.confidence,
        domain=candidate.domain,
        tags=candidate.tags,
        files=_files(candidate, info, root, commit),
        source=source,
        origin=candidate.origin,
        status=Status.ACTIVE if candidate.active else Status.PROPOSED,
        scope=scope_of(candidate),
        valid_from=said_at if candidate.at else None,
        metadata=_metadata(candidate, git),
    )


def _files(candidate: Candidate, info: SessionInfo, root: Path, commit: str) -> tuple[FileLink, ...]:
    paths = dict.fromkeys(_relative_path(file, info, root) for file in candidate.files)
    return tuple(FileLink(path, commit=commit) for path in paths)


def _checked(draft: Draft, tree: WorkingTree) -> Draft:
    """The draft, only proposed where it tells of a command that the working tree does not declare."""
    by_person = draft.source is not None and draft.source.speaker == "user"
    if by_person or draft.status is not Status.ACTIVE:
        return draft
    lacking = any(map(tree.lacks, draft.metadata.get("commands", ())))
    return replace(draft, status=Status.PROPOSED) if lacking else draft


def _metadata(candidate: Candidate, git: GitContext) -> dict[str, Any]:
    """What else is known: commands that it is about, and the checkout's commits and changed files then."""
    found: dict[str, Any] = {"commands": list(candidate.commands)} if candidate.commands else {}
    if git.commits or git.files:
        found["git"] = {
            "commits": [commit[:12] for commit in git.commits],
            "files": list(map(shown, git.files)),
        }
    return found


def _relative_path(file: str, info: SessionInfo, root: Path) -> str:
    """A file that a session named, relative to the checkout that the session worked in."""
    base = Path(info.cwd) if info.cwd else root
    tree = working_tree(base) if base.is_dir() else base
    # Not Path.exists(): it raises for names that the system rejects.
    named_from_top = not os.path.exists(base / file) and os.path.exists(tree / file)  # noqa: PTH110
    return relative(str((tree if named_from_top else base) / file), tree)


def _extracted(
    reader: TranscriptReader, candidates: Sequence[Candidate], kept: Sequence[Kept] | None
) -> Extracted:
    counts, info = reader.counts, of_info(reader.info)
    return Extracted(
        path=info.path,
        client=info.client,
        session=info.session_id,
        lines=counts.lines,
        turns=counts.turns,
        skipped=sum(counts.skipped.values()),
        malformed=counts.malformed,
        position=reader.cursor,
        found=tuple(_found(one, kept[place] if kept else None) for place, one in enumerate(candidates)),
    )


def _found(candidate: Candidate, kept: Kept | None) -> Found:
    status = Status.ACTIVE if candidate.active else Status.PROPOSED
    return Found(
        text=kept.memory.text if kept else redact(candidate.text).text,
        kind=candidate.kind,
        confidence=kept.memory.confidence if kept else candidate.confidence,
        status=(kept.memory.status if kept else status).value,
        rule=candidate.rule,
        quote=redact(candidate.quote).text,
        turn=candidate.turn_index,
        outcome="dry_run" if kept is None else kept.outcome,
        id=kept.memory.id if kept else "",
        files=tuple(map(shown, candidate.files)),
    )


# -- what an instruction file says already is not learned a second time


def not_learned_again(services: StoreServices, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of a session; what a file says already is only evidence for the memory of that."""
    if not drafts:
        return []
    query = MemoryQuery(in_files=True, statuses=(Status.ACTIVE, Status.PROPOSED))
    known = {
        one.id: one
        for one in services.store.memories.find(query)
        # Of what the person said, only what stands in the person's own file.
        if one.origin is Origin.REPOSITORY or one.source.rule == RULE
    }
    if not known:
        return list(drafts)
    written = Written((id_, one.text, one.metadata.get("commands", ())) for id_, one in known.items())
    return [_as_evidence(draft, known.get(_find_stated(written, draft))) for draft in drafts]


def _find_stated(written: Written, draft: Draft) -> str:
    # Of a statement that is made of a command, another name for the command's purpose says nothing new.
    commands = draft.metadata.get("commands", ()) if draft.source.rule == COMMAND else ()
    return written.saying(draft.text) or written.running(commands)


def _as_evidence(draft: Draft, known: Memory | None) -> Draft:
    """A draft that ingestion merges with the known memory, and that changes nothing else of it."""
    if known is None:
        return draft
    return Draft(
        kind=known.kind,
        text=known.text,
        confidence=draft.confidence,
        priority=known.priority,
        domain=known.domain,
        source=draft.source,
        origin=Origin.EXTRACTION,
        status=Status.PROPOSED,
        valid_from=draft.valid_from,
    )
