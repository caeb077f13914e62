"""The account of one memory: where it was learned, what became of it, what speaks for and against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.citations import cited_by
from recortex.domain.cleaning import clean
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds.base import shorten
from recortex.domain.reasons import Claim, Evidence
from recortex.engines.ingestion.output_redaction import output_redacted, record_redacted
from recortex.engines.privacy import redact
from recortex.engines.reasons.narrative import QUOTED, SHORT, links, of_links, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recortex.app.store_services import StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.reasons import Section

_WHO = {"user": "the person", "assistant": "the agent"}


def account(services: StoreServices, root: Path, memory: Memory) -> list[Claim]:
    """What a store and a working tree know of a memory, in sentences with their evidence.

    Args:
        services: the store that keeps it.
        root: of the project, whose files it may cite.
        memory: as it is shown.
    """
    return [
        *_learned(services, memory),
        *_changed(services, memory),
        *_cited(services, root, memory),
        *_related(services, memory),
    ]


def _learned(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """Where it comes from: a session's turn, a commit, a file, or somebody's own words."""
    source, on = memory.source, f"{min(memory.recorded_at, memory.valid_from):%Y-%m-%d}"
    own = Evidence("memory", memory.id, words_of(memory, SHORT))
    if source.session:
        found = _exchange(services, memory)
        who = _WHO.get(source.speaker, source.speaker or "somebody")
        said = shorten(clean(redact(source.quote).text or (found.message if found else "")), QUOTED)
        text = f"It was learned on {on} from what {who} said in session {source.session[:SHORT]}"
        rests_on = Evidence("exchange", found.id, said) if found else own
        yield Claim("history", f"{text}: “{said}”" if said else f"{text}.", (rests_on,))
    if source.commit:
        yield Claim(
            "history",
            f"It comes from commit {source.commit[:7]}.",
            (own, Evidence("commit", source.commit)),
        )
    if not (source.session or source.commit):
        place = (
            f" from {shorten(clean(source.path or source.url), SHORT)}" if source.path or source.url else ""
        )
        yield Claim("history", f"It was recorded on {on}{place}; its origin is {memory.origin}.", (own,))


def _exchange(services: StoreServices, memory: Memory) -> Exchange | None:
    """The exchange that a memory was learned in; None where it is not kept, or the turn is unknown."""
    turn = memory.source.turn
    if turn is None:
        return None
    said = services.store.exchanges.find(ExchangeQuery(session=memory.source.session, work=False))
    return next((record_redacted(one) for one in said if one.first_turn <= turn <= one.last_turn), None)


def _changed(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """How often it was changed, when last and why, and when it was last found to hold."""
    own = (Evidence("memory", memory.id),)
    versions = services.store.memories.history(memory.id)
    if len(versions) > 1:
        last = max(versions, key=lambda one: one.version)
        reason = f": {shorten(clean(redact(last.reason).text), QUOTED)}" if last.reason else ""
        times = "once" if last.version == 2 else f"{last.version - 1} times"  # noqa: PLR2004
        text = f"It was changed {times} since, last on {last.recorded_from:%Y-%m-%d} by {last.changed_by}"
        yield Claim("history", f"{text}{reason}.", own)
    if memory.validated_at:
        yield Claim("support", f"It was last found to hold on {memory.validated_at:%Y-%m-%d}.", own)
    if memory.evidence > 1:
        yield Claim("support", f"It was learned {memory.evidence} times.", own)
    if memory.valid_until:
        yield Claim("conflicts", f"It holds until {memory.valid_until:%Y-%m-%d}.", own)


def _cited(services: StoreServices, root: Path, memory: Memory) -> Iterator[Claim]:
    """What became of the code that it cites."""
    for one in cited_by([services], [memory], "renames", tree=root)[memory.id]:
        if one.state == "none":
            continue
        section: Section = "support" if one.state in {"fresh", "moved"} else "conflicts"
        told = one.told or f"{one.was} reads as it did"
        yield Claim(section, f"Cited code: {told.rstrip('.')}.", (Evidence("memory", memory.id),))


def _related(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """What led to it, what came of it, what speaks for and against it: the relations that it has itself."""
    found = links([memory.id], services.store.relations.of, depth=1, least=0.0)
    ends = {id_ for one in found for id_ in (one.relation.source_id, one.relation.target_id)}
    memories = {one.id: output_redacted(one) for one in services.store.memories.get(sorted(ends))}
    yield from of_links(found, memories | {memory.id: memory}, [memory.id])
