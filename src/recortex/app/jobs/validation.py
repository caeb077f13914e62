"""Validates memories of a store, heals what can be, and keeps the result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.citations import SECONDS, cite, cited_by
from recortex.app.citations import heal as heal_symbols
from recortex.app.jobs import Outcome
from recortex.codebase.git import branch_and_commit, renamed_files
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Citation, mean_intact
from recortex.domain.reports import Check
from recortex.domain.search import MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Status
from recortex.engines.decay import HUB, remaining_of_all
from recortex.engines.supersession.reading import NOTE as READING_NOTE
from recortex.engines.supersession.reading import Renaming, mentions, names_old_alone, renamings
from recortex.engines.validation import Healed, Opposed, Pattern, Remedy, Subject, heal, verdict
from recortex.lean import lazy_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.app.application import StoreServices
    from recortex.app.jobs import Work
    from recortex.codebase import line_history
    from recortex.domain.maintenance import MaintenanceRun
    from recortex.domain.memory import FileLink, Memory, Reach, Relation
    from recortex.domain.reports import Verdict
else:
    line_history = lazy_module("recortex.codebase.line_history")

# -- what is needed to validate memories, for many at once: their code, relations, patterns, confidence


EXPLAINING = ("pattern_rationale",)
"""The kinds of memories that explain a pattern."""


@dataclass(frozen=True)
class _Known:
    """What the stores know of a batch of memories."""

    confidence: Mapping[str, float]
    citations: Mapping[str, Sequence[Citation]]
    commits: Mapping[str, Mapping[str, int]]
    opposed: Mapping[str, Sequence[Opposed]]
    supporters: Mapping[str, int]
    patterns: Mapping[str, Pattern]


def subjects(
    services: StoreServices, batch: Sequence[Memory], now: datetime, reach: Reach
) -> Iterator[Subject]:
    """Each memory of a store with what its validation needs; `reach`: how far its code is followed."""
    ids = [memory.id for memory in batch]
    citations = cited_by([services], batch, reach)
    relations = services.store.relations.find_touching(ids)
    opposed, supporters = _relations(services, ids, relations)
    known = _Known(
        confidence=left(services, ids, now, citations),
        citations=citations,
        commits=_commits(services, batch, citations),
        opposed=opposed,
        supporters=supporters,
        patterns=_patterns(services, batch, now),
    )
    for memory in batch:
        yield _subject(memory, known, now)


def _subject(memory: Memory, known: _Known, now: datetime) -> Subject:
    explained = {one.id: known.patterns[one.id] for one in memory.patterns if one.id in known.patterns}
    return Subject(
        memory=memory,
        now=now,
        confidence=known.confidence.get(memory.id, memory.confidence),
        citations=known.citations.get(memory.id, ()),
        commits=known.commits.get(memory.id, {}),
        opposed=known.opposed.get(memory.id, ()),
        # The memory's own evidence supports it too, but for the first time that it was said.
        supporters=known.supporters.get(memory.id, 0) + memory.evidence - 1,
        patterns={} if memory.kind in EXPLAINING else explained,
    )


def left(
    services: StoreServices,
    ids: Sequence[str],
    now: datetime,
    citations: Mapping[str, Sequence[Citation]] | None = None,
) -> dict[str, float]:
    """What decay has left of the confidence of memories, by id; by their code as it is, if that is given."""
    statistics = services.store.statistics.find_by_ids(ids) if ids else []
    if citations is not None:
        at = to_micros(now)
        statistics = [
            one._replace(standing=mean_intact(citations[one.id]), checked_at=at) for one in statistics
        ]
    hubs = services.store.search.centralities([one.key for one in statistics])
    return remaining_of_all(statistics, to_micros(now), hubs)


def hubs_of(services: StoreServices, ids: Sequence[str]) -> dict[str, float]:
    """The centrality of those memories of which it is above a half, by id."""
    statistics = services.store.statistics.find_by_ids(ids) if ids else []
    hubs = services.store.search.centralities([one.key for one in statistics])
    return {one.id: hubs.get(one.key, 0.0) for one in statistics}


def _relations(
    services: StoreServices, ids: Sequence[str], relations: Sequence[Relation]
) -> tuple[dict[str, list[Opposed]], Counter[str]]:
    """What contradicts each memory, and how many support it: active memories alone count."""
    against = [one for one in relations if one.type is RelationType.CONTRADICTS]
    # What supports a contradicting memory decides which of the two weighs more.
    others = {end for one in against for end in (one.source_id, one.target_id)} - set(ids)
    known = [*relations, *(services.store.relations.find_touching(list(others)) if others else ())]
    ends = {end for one in known for end in (one.source_id, one.target_id)}
    active = {
        one.id for one in services.store.statistics.find_by_ids(list(ends)) if one.status == Status.ACTIVE
    }
    supporting = {
        (one.source_id, one.target_id)
        for one in known
        if one.type is RelationType.SUPPORTS and one.source_id in active
    }
    supporters = Counter(target for _, target in supporting)
    opposed: defaultdict[str, dict[str, Opposed]] = defaultdict(dict)
    for one in against:
        certain = one.status is RelationStatus.ACTIVE
        for here, there in ((one.source_id, one.target_id), (one.target_id, one.source_id)):
            # What was replaced or rejected speaks against nothing.
            if there in active:
                opposed[here][there] = Opposed(there, certain, supporters[there])
    return {id_: list(found.values()) for id_, found in opposed.items()}, supporters


def _commits(
    services: StoreServices, batch: Sequence[Memory], citations: Mapping[str, Sequence[Citation]]
) -> dict[str, dict[str, int]]:
    """By memory, how many commits changed each file that cannot be compared since it was last validated."""
    named = {
        memory.id: {one.path for one in citations[memory.id] if one.state == "none"}
        for memory in batch
        if memory.files
    }
    paths = {path for each in named.values() for path in each}
    if not paths:
        return {}
    from recortex.codebase.line_history import moves

    # What happened before it was last found to hold is known.
    since = {memory.id: memory.validated_at or memory.recorded_at for memory in batch}
    with moves(services.root, seconds=SECONDS["tree"]) as known:
        at = known.commits(paths, min(since[id_] for id_, each in named.items() if each))
    counts = {
        id_: {path: sum(when > since[id_].timestamp() for when in at.get(path, ())) for path in each}
        for id_, each in named.items()
    }
    return {id_: {path: n for path, n in each.items() if n} for id_, each in counts.items()}


def _patterns(services: StoreServices, batch: Sequence[Memory], now: datetime) -> dict[str, Pattern]:
    """The patterns that the memories are linked to and that some memory explains."""
    ids = tuple(dict.fromkeys(one.id for memory in batch for one in memory.patterns))
    if not ids:
        return {}
    query = MemoryQuery(kinds=tuple(kind for kind in KINDS if kind in EXPLAINING), statuses=(), patterns=ids)
    explaining = services.store.memories.find(query)
    confidence = left(services, [one.id for one in explaining], now)
    found: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in explaining:
        for one in memory.patterns:
            found[one.id].append(memory)
    return {id_: _pattern(each, confidence) for id_, each in found.items() if id_ in ids}


def _pattern(explaining: Iterable[Memory], confidence: Mapping[str, float]) -> Pattern:
    active = [one for one in explaining if one.status is Status.ACTIVE]
    if not active:
        return Pattern(there=False)
    # Several memories may explain a pattern: the surest stands for it.
    now = max(confidence.get(one.id, 0.0) for one in active)
    return Pattern(there=True, confidence=now, base=max(one.confidence for one in active))


# -- validates memories of a store, heals what can be, and keeps the result


CHUNK, CHANGED = 200, 15
"""Memories whose results are kept in one transaction, and that are changed in one: each takes less than a
tenth of a second (bench/validation.py)."""
TOGETHER = 5_000
"""Memories that are validated together: what they cite is looked for in one pass over the files."""
Mend = Literal["safe", "all"]
"""What is healed: safe: code in another file is followed, and what is severe is flagged; all: confidence is
lowered and what is stale archived too."""


class Validated(NamedTuple):
    """A memory with what was found of it, and what was done."""

    subject: Subject
    verdict: Verdict
    healed: Healed


def validate(
    services: StoreServices,
    memories: Sequence[Memory],
    now: datetime,
    *,
    mend: Mend | None = None,
    reach: Reach = "tree",
) -> Iterator[list[Validated]]:
    """Validate memories and keep the results, chunk by chunk, each in a short transaction.

    Args:
        services: of the store that they are in.
        memories: as stored.
        now: the time to validate for.
        mend: what may be healed; None: nothing.
        reach: how far code is followed that is not where it was.
    """
    # Together, so that the files of a project are searched once.
    for first in range(0, len(memories), TOGETHER):
        batch = memories[first : first + TOGETHER]
        found = [
            Validated(subject, verdict(subject), Healed(subject.memory))
            for subject in subjects(services, batch, now, reach)
        ]
        for place in range(0, len(found), CHUNK):
            yield _chunk(services, found[place : place + CHUNK], now, mend)


def _chunk(
    services: StoreServices, found: Sequence[Validated], now: datetime, mend: Mend | None
) -> list[Validated]:
    cured = [*found] if mend is None else _healed(services, found, bold=mend == "all")
    places = [place for place, one in enumerate(cured) if one.healed.done]
    # What changes is written before the results, which say how the memories are afterwards.
    for first in range(0, len(places), CHANGED):
        with services.store.transaction():
            for place in places[first : first + CHANGED]:
                cured[place] = _written(services, cured[place], now)
    if mend is not None:
        heal_symbols(services, [one.healed.memory for one in cured])
    with services.store.transaction():
        _keep(services, cured, now)
    return cured


def _keep(services: StoreServices, found: Sequence[Validated], now: datetime) -> None:
    """Keep the results; one that differs from the last enters the audit log, but for what time alone did."""
    from recortex.engines.supersession import record

    store = services.store
    before = store.memories.verdicts([one.verdict.id for one in found])
    store.memories.check([_check(one) for one in found], now)
    for one in found:
        # Only a result that differs is an event: the audit log would otherwise grow with each run.
        if _lasting(one.verdict.short) != _lasting(before.get(one.verdict.id, "")):
            details = {"found": one.verdict.short, "score": one.verdict.score}
            record(store, one.verdict.id, "validate", Actor.VALIDATION, now, details)


def _lasting(verdict_: str) -> list[str]:
    """What was found, without what follows from the calendar: that is no event."""
    return [one for one in verdict_.split() if not one.startswith("temporal:")]


def _check(one: Validated) -> Check:
    """What is kept of a result: of the state after healing, whose moved places are cited where they are."""
    memory, verdict_ = one.healed.memory, one.verdict
    return Check(verdict_.id, memory.updated_at, verdict_.cited, verdict_.short)


def _healed(services: StoreServices, found: Sequence[Validated], *, bold: bool) -> list[Validated]:
    """The same with the memories as they are to be."""
    # Places that are elsewhere are cited there; unless it is bold, only those in another file: lines that
    # only shifted in theirs are found again each time, and citing them anew would fill the history. What
    # changed on the way keeps its hash and signature, so that it still counts as changed.
    moved = {
        one.link: one
        for each in found
        for one in each.subject.citations
        if not one.symbol and (one.path != one.link.path or (bold and one.state == "moved"))
    }
    commit = _commit(services) if moved else ""
    places = {
        link: cite(services.root, one.path, one.first, one.last, commit)
        if one.state == "moved" and link.content_hash
        else replace(link, path=one.path, line_start=one.first, line_end=one.last)
        for link, one in moved.items()
        if one.state != "gone"
    }
    # Only for what has issues, as centralities cost a walk through the graph.
    hubs = hubs_of(services, [one.verdict.id for one in found if one.verdict.issues])
    remedies = (Remedy(places, bold, hub=hubs.get(one.verdict.id, 0.0) > HUB) for one in found)
    return [
        one._replace(healed=heal(one.subject, one.verdict, remedy))
        for one, remedy in zip(found, remedies, strict=True)
    ]


def _written(services: StoreServices, one: Validated, now: datetime) -> Validated:
    """The same with the memory as it is kept; one that was changed meanwhile is left alone."""
    old = one.subject.memory
    current = services.store.memories.get([old.id])
    # Another process changed it since it was read: the next run validates it again.
    if not current or current[0].updated_at != old.updated_at:
        return one._replace(healed=Healed(old))
    operation = "archive" if one.healed.memory.status is Status.ARCHIVED else "heal"
    kept = services.ingestion.change(
        old,
        one.healed.memory,
        now=now,
        actor=Actor.VALIDATION,
        operation=operation,
        reason="; ".join(one.healed.done),
    )
    return one._replace(healed=Healed(kept, one.healed.done))


def cited_anew(services: StoreServices, memory: Memory) -> tuple[FileLink, ...]:
    """What a memory cites, as the code is now; what is gone is left out.

    A person who says that the memory holds has read the code as it is; its symbols are kept as they are, too.
    """
    heal_symbols(services, [memory], renew=True)
    commit = _commit(services)
    return tuple(
        cite(services.root, one.path, one.first, one.last, commit)
        if one.state in {"moved", "changed"} and one.link.content_hash
        else replace(one.link, path=one.path)
        for one in cited_by([services], [memory], "tree")[memory.id]
        if one.state != "gone" and not one.symbol
    )


def _commit(services: StoreServices) -> str:
    return branch_and_commit(services.root)[1]


# -- names that were given up: what was said with them waits for review, since today's names differ
#
# A change of a name that a session or a memory tells counts where the code shows it; one that nobody told
# is read from the commits that took the old name away.


NAME = "renames"
BATCH = 200
LOOKED_BACK = 150
"""Exchanges before the new ones: a change counts when the new name is spoken of again."""
MOST_RENAMINGS = 500
MOST_NAMES = 400
"""Names of code that are looked for, of the memories that were changed last."""
LATE = timedelta(days=30)
"""Commits of so long before the last run are read again: those of a branch come later than they were made.
All of a history of 13,000 commits take git seven seconds, which nobody is to pay after each session."""
MOST_CHANGED = 20
"""Memories that may have changed since the last run without all being read."""
FULL = timedelta(days=1)
"""After so long all memories are read even if nothing seems to have changed: a file may be gone."""


class _Told(NamedTuple):
    """A change of a name, and when it was told."""

    renaming: Renaming
    at: datetime


def follow_renames(work: Work) -> Outcome:
    """Look for names that were given up, and let memories with these alone wait for review."""
    noted = work.services.store.maintenance.all().get(NAME)
    (texts, last), head = _read(work), _head(work)
    if noted and _nothing_new(work, noted, texts, head):
        work.services.store.maintenance.note(NAME, work.now, {**noted.outcome, "key": last})
        return Outcome({READING_NOTE: 0})
    active = list(work.services.store.memories.find(MemoryQuery(statuses=(Status.ACTIVE,))))
    said = _shown(work, [*_of_sessions(texts, active), *_of_memories(active)][:MOST_RENAMINGS], active)
    bearing = [one for one in active if _may_wait(one)]
    since = _unread(bearing, noted, work.now)
    told = [*said, *_of_files(work, bearing, since), *_of_code(work, bearing, since)][:MOST_RENAMINGS]
    counted = sum(_review(work, memory, told) for memory in bearing)
    record = {"key": last, "head": head, "full": int(work.now.timestamp())}
    work.services.store.maintenance.note(NAME, work.now, record)
    return Outcome({READING_NOTE: counted})


def _head(work: Work) -> int:
    """The beginning of the hash of the commit that is checked out; 0 where there is none."""
    project = work.services.location.project
    return int(branch_and_commit(project.root)[1][:12] or "0", 16) if project else 0


def _nothing_new(work: Work, noted: MaintenanceRun, texts: Sequence[tuple[datetime, str]], head: int) -> bool:
    """Whether nothing can have given up a name that a memory has since all were read.

    The commit is the same, no session tells of another name, and the few memories that changed tell of none
    and are younger than the last run.
    """
    full = datetime.fromtimestamp(noted.outcome.get("full", 0), UTC)
    if noted.outcome.get("head") != head or not full <= noted.done_at <= work.now < full + FULL:
        return False
    latest = work.services.store.memories.find(MemoryQuery(order="updated", limit=MOST_CHANGED))
    changed = [one for one in latest if one.updated_at >= noted.done_at]
    return (
        len(changed) < MOST_CHANGED
        and all(one.valid_from > noted.done_at for one in changed)
        and not any(
            any(renamings(text)) for text in (*(text for _, text in texts), *(m.text for m in changed))
        )
    )


def _unread(bearing: Sequence[Memory], done: MaintenanceRun | None, now: datetime) -> dict[str, datetime]:
    """From when on commits may give up a name that a memory has, by the memory's id.

    For one that was there at the last run, those before it were read then; a run in the future was none.
    """
    read = done.done_at if done and done.done_at <= now else None
    return {
        one.id: one.valid_from if read is None or one.updated_at > read else max(one.valid_from, read - LATE)
        for one in bearing
    }


def _read(work: Work) -> tuple[list[tuple[datetime, str]], int]:
    """What was said newly and before it, in order of time; and the key of the last that was read."""
    store = work.services.store
    done = store.maintenance.all().get(NAME)
    last = done.outcome.get("key", 0) if done else 0
    key, said = max(0, last - LOOKED_BACK), []
    while found := store.exchange_search.added_after(key, BATCH):
        key = found[-1][0]
        said += [
            (one.ended_at, f"{one.message}\n{one.opening}\n{one.conclusion}")
            for _, one in found
            if one.ended_at
        ]
        if work.left() <= 0:
            break
    return sorted(said, key=lambda one: one[0]), max(key, last)


def _of_sessions(said: Sequence[tuple[datetime, str]], active: Sequence[Memory]) -> Iterator[_Told]:
    """The changes told in sessions that bear on a memory and are borne out by what was said afterwards."""
    known = "\n".join(memory.text for memory in active)
    for place, (at, text) in enumerate(said):
        for renaming in dict.fromkeys(renamings(text)):
            if renaming.old in known and _borne_out(renaming, [later for _, later in said[place + 1 :]]):
                yield _Told(renaming, at)


def _borne_out(renaming: Renaming, later: Sequence[str]) -> bool:
    """Whether the new name is spoken of afterwards, and in more places than the old one alone."""
    new = sum(mentions(text, renaming.new) for text in later if renaming.new in text)
    old = sum(names_old_alone(text, renaming) for text in later if renaming.old in text)
    return new > old


def _may_wait(memory: Memory) -> bool:
    """Whether a change of a name may put a memory up for review: not what is pinned, and not a record."""
    return not memory.pinned and memory.origin is not Origin.REPOSITORY


def _shown(work: Work, told: Sequence[_Told], active: Sequence[Memory]) -> list[_Told]:
    """Those changes that bear on a memory and that the project's code shows; none where there is no code."""
    project = work.services.location.project
    bearing = [
        one
        for one in told
        if any(_may_wait(each) and names_old_alone(each.text, one.renaming) for each in active)
    ]
    if project is None or not bearing:
        return []
    pairs = dict.fromkeys((one.renaming.old, one.renaming.new) for one in bearing)
    shown = set(line_history.replaced_names(project.root, pairs))
    # One that was taken back is needed to know that.
    return [
        one for one in told if one.renaming in shown or Renaming(one.renaming.new, one.renaming.old) in shown
    ]


def _of_memories(active: Sequence[Memory]) -> Iterator[_Told]:
    """The changes that a memory tells which was told on purpose."""
    for memory in active:
        if not memory.source.rule:
            yield from (_Told(one, memory.valid_from) for one in dict.fromkeys(renamings(memory.text)))


def _of_files(work: Work, bearing: Sequence[Memory], since: Mapping[str, datetime]) -> Iterator[_Told]:
    """The files that git knows to be renamed, of those that a memory names or is linked to."""
    project = work.services.location.project
    if project is None or not bearing:
        return
    known = "\n".join([*(one.text for one in bearing), *(file.path for one in bearing for file in one.files)])
    for old, new, at in renamed_files(project.root, min(since.values())):
        if old in known and not (project.root / old).exists() and (project.root / new).exists():
            yield _Told(Renaming(old, new), at)


def _of_code(work: Work, bearing: Sequence[Memory], since: Mapping[str, datetime]) -> Iterator[_Told]:
    """The names of code that memories have, that are gone, and whose place another one took in a commit."""
    project = work.services.location.project
    if project is None:
        return
    from recortex.engines.code.naming import names_in, replaced_in

    with line_history.name_history(project.root) as history:
        if history is None:
            return
        naming: dict[str, datetime] = {}
        for memory in bearing:
            for name in names_in(memory.text):
                naming[name] = min(naming.get(name, since[memory.id]), since[memory.id])
        gone = history.gone(list(naming)[-MOST_NAMES:])
        if not gone:
            return
        for removal in history.removals(gone, min(naming[one] for one in gone)):
            for old in gone:
                found = replaced_in(old, removal.hunks) if removal.at > naming[old] else None
                if found is None or not history.has(found.new):
                    continue
                # What was there before and is declared elsewhere is used instead; it is no new name.
                if found.declared or not history.has(found.new, before=removal.commit):
                    yield _Told(Renaming(old, found.new), removal.at)


def _review(work: Work, memory: Memory, told: Sequence[_Told]) -> bool:
    """Let a memory wait for review that was said before a change and has the old name alone."""
    since = [one for one in told if one.at > memory.valid_from]
    given_up = [one for one in since if names_old_alone(memory.text, one.renaming) and not _undone(one, told)]
    if not given_up or READING_NOTE in memory.metadata:
        return False
    renaming, at = max(given_up, key=lambda one: one.at)
    reason = f"`{renaming.old}` is `{renaming.new}` since {at:%Y-%m-%d}"
    waiting = replace(
        memory, status=Status.PROPOSED, metadata={**memory.metadata, READING_NOTE: list(renaming)}
    )
    work.services.ingestion.change(
        memory, waiting, now=work.now, actor=Actor.VALIDATION, operation="withdraw", reason=reason
    )
    return True


def _undone(one: _Told, told: Sequence[_Told]) -> bool:
    """Whether the old name came back later."""
    back = Renaming(one.renaming.new, one.renaming.old)
    return any(other.renaming == back and other.at > one.at for other in told)
