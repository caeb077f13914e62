"""What was said with a name that was given up waits for review: memories say what holds by today's names.

Statements of a change are looked for in what was newly said and a little before it, in memories, and in git's
record of renamed files. One in a session counts where the new name is spoken of afterwards, and more than the
old one. Running it twice changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.jobs.work import Outcome
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.supersession.renames import Renaming, mentions, names_old_alone, renamings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.jobs.work import Work
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory

NAME, NOTE = "renames", "renamed"
"""Of the job, and of what a memory's metadata tells."""
BATCH = 200
LOOKED_BACK = 150
"""Exchanges before the new ones: a change counts when the new name is spoken of again."""
MOST_RENAMINGS = 500


class _Told(NamedTuple):
    """A change of a name, and when it was told."""

    renaming: Renaming
    at: datetime


def follow_renames(work: Work) -> Outcome:
    """Look for names that were given up, and let memories with these alone wait for review."""
    active = list(work.services.store.memories.find(MemoryQuery(statuses=(Status.ACTIVE,))))
    texts, last = _read(work)
    told = [*_of_sessions(texts, active), *_of_memories(active), *_of_git(work, active)][:MOST_RENAMINGS]
    counted = sum(_review(work, memory, told) for memory in active if not memory.pinned)
    if last:
        work.services.store.maintenance.note(NAME, work.now, {"key": last})
    return Outcome({NOTE: counted})


def _read(work: Work) -> tuple[list[tuple[datetime, str]], int]:
    """What was said newly and before it, in order of time; and the key of the last that was read."""
    store = work.services.store
    done = store.maintenance.all().get(NAME)
    last = done.outcome.get("key", 0) if done else 0
    key, said = max(0, last - LOOKED_BACK), []
    while found := store.exchange_search.added_after(key, BATCH):
        key = found[-1][0]
        said += [(one.ended_at, _text(one)) for _, one in found if one.ended_at]
        if work.left() <= 0:
            break
    return sorted(said, key=lambda one: one[0]), max(key, last)


def _text(exchange: Exchange) -> str:
    return f"{exchange.message}\n{exchange.opening}\n{exchange.conclusion}"


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


def _of_memories(active: Sequence[Memory]) -> Iterator[_Told]:
    """The changes that a memory tells which was told on purpose."""
    for memory in active:
        if not memory.source.rule:
            yield from (_Told(one, memory.valid_from) for one in dict.fromkeys(renamings(memory.text)))


def _of_git(work: Work, active: Sequence[Memory]) -> Iterator[_Told]:
    """The files that git knows to be renamed, of those that a memory is linked to."""
    project = work.services.location.project
    cited = {file.path for memory in active for file in memory.files}
    if project is None or not cited:
        return
    from recortex.codebase.git import renamed_files

    for old, new, at in renamed_files(project.root):
        if old in cited and not (project.root / old).exists():
            yield _Told(Renaming(old, new), at)


def _review(work: Work, memory: Memory, told: Sequence[_Told]) -> bool:
    """Let a memory wait for review that was said before a change and has the old name alone."""
    since = [one for one in told if one.at > memory.valid_from]
    given_up = [one for one in since if names_old_alone(memory.text, one.renaming) and not _undone(one, told)]
    if not given_up or NOTE in memory.metadata:
        return False
    renaming, at = max(given_up, key=lambda one: one.at)
    reason = f"`{renaming.old}` is `{renaming.new}` since {at:%Y-%m-%d}"
    waiting = replace(memory, status=Status.PROPOSED, metadata={**memory.metadata, NOTE: list(renaming)})
    work.services.ingestion.change(
        memory, waiting, now=work.now, actor=Actor.VALIDATION, operation="withdraw", reason=reason
    )
    return True


def _undone(one: _Told, told: Sequence[_Told]) -> bool:
    """Whether the old name came back later."""
    back = Renaming(one.renaming.new, one.renaming.old)
    return any(other.renaming == back and other.at > one.at for other in told)
