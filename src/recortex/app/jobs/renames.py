"""Names that were given up: what was said with them waits for review, since today's names differ.

A change of a name that a session or a memory tells counts where the code shows it; one that nobody told is
read from the commits that took the old name away.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.jobs.work import Outcome
from recortex.codebase.git import branch_and_commit, renamed_files
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, Status
from recortex.engines.supersession.reading import NOTE as READING_NOTE
from recortex.engines.supersession.reading import Renaming, mentions, names_old_alone, renamings
from recortex.lean import lazy_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.app.jobs.work import Work
    from recortex.codebase import line_history
    from recortex.domain.maintenance import MaintenanceRun
    from recortex.domain.memory import Memory
else:
    line_history = lazy_module("recortex.codebase.line_history")


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
