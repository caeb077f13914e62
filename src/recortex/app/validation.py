"""Validates memories of a store, heals what can be, and keeps the result; `subjects.py` gathers the facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.citations import cite, cited_by
from recortex.app.subjects import hubs_of, subjects
from recortex.app.symbols import heal as heal_symbols
from recortex.domain.validation import Check
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.decay.confidence import HUB
from recortex.engines.validation.healing import Healed, Remedy, heal
from recortex.engines.validation.judging import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.citation import Reach
    from recortex.domain.links import FileLink
    from recortex.domain.memory import Memory
    from recortex.domain.validation import Verdict
    from recortex.engines.validation.subject import Subject

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
    from recortex.engines.supersession.service import record

    store = services.store
    before = store.memories.verdicts([one.verdict.id for one in found])
    store.memories.check([_check(one) for one in found], now)
    for one in found:
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
    places = _places(services, found, bold=bold)
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


def _places(services: StoreServices, found: Sequence[Validated], *, bold: bool) -> dict[FileLink, FileLink]:
    """The places that are elsewhere, cited there; unless it is bold, only those in another file.

    Lines that only shifted in their file are found again each time: citing them anew would fill the history.
    What changed on the way keeps its hash and signature, so that it still counts as changed.
    """
    moved = {
        one.link: one
        for each in found
        for one in each.subject.citations
        if not one.symbol and (one.path != one.link.path or (bold and one.state == "moved"))
    }
    commit = _commit(services) if moved else ""
    return {
        link: cite(services.root, one.path, one.first, one.last, commit)
        if one.state == "moved" and link.content_hash
        else replace(link, path=one.path, line_start=one.first, line_end=one.last)
        for link, one in moved.items()
        if one.state != "gone"
    }


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
    from recortex.codebase.project import branch_and_commit

    return branch_and_commit(services.root)[1]
