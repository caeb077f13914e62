"""What a prompt or a touched file brings to mind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.codebase.files import freshness
from recortex.domain.exchange import word_of_file
from recortex.domain.hit import ANSWERING
from recortex.domain.kinds import KINDS
from recortex.domain.query import MemoryQuery
from recortex.domain.session import Receipt
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Scope
from recortex.engines.decay.present import faded
from recortex.engines.ingestion.output_redaction import all_output_redacted
from recortex.engines.sessions.relevance_gate import is_relevant
from recortex.engines.sessions.wording import FOR_PROMPT, block, for_file, line, said_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.hooks.context import HookContext
    from recortex.domain.hit import Hit, Recipe
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.memory import Memory
    from recortex.domain.session import Channel, Session

ASKED = 2_000
"""Characters of a prompt that are asked for: what follows is mostly pasted text."""
WARNINGS = 3
"""Memories about one file: more would be skimmed."""
DECISIONS = 20
"""Exchanges that decided something about one file, of which the latest is told."""
WARNING_KINDS = tuple(kind for kind, content in KINDS.items() if content.category in {"gotcha", "decision"})


def for_prompt(context: HookContext, event: HookEvent) -> str:
    """The few memories that answer a prompt and were not given before; mostly none."""
    prompt = event.prompt.strip()
    session = context.seen(event)
    if not context.settings["hooks.prompt"]:
        return ""
    known = _given(context, session)
    hits = [hit for hit in _answers(context, prompt[:ASKED], len(known)) if hit.memory.id not in known]
    few = list(
        _within(context.settings["hooks.prompt_tokens"], hits[: context.settings["hooks.prompt_limit"]])
    )
    given = _give(context, session, [(hit.memory, hit.score) for hit in few], "prompt")
    return block(FOR_PROMPT, _lines(context, given))


def for_files(context: HookContext, event: HookEvent, paths: Sequence[str]) -> str:
    """The warnings and decisions about the files that a tool is to touch, once per session and file."""
    session = context.sessions.get(event.session) or context.seen(event)
    told = {one.subject for one in context.sessions.receipts(session.id) if one.context == session.context}
    return "\n".join(
        text for path in paths if path not in told and (text := _warnings(context, session, path))
    )


def _warnings(context: HookContext, session: Session, path: str) -> str:
    query = MemoryQuery(
        files=(path,), kinds=WARNING_KINDS, valid_at=context.clock(), order="importance", limit=WARNINGS
    )
    now = to_micros(context.clock())
    found = [
        memory
        for services in context.app.readable_services()
        for memory in faded(services.store.memories.find(query), services.store, now)
    ][:WARNINGS]
    known = _given(context, session)
    new = [(memory, memory.confidence) for memory in found if memory.id not in known]
    given = _give(context, session, new, "file", subject=path)
    return block(for_file(path), [*_lines(context, given), *_decision(context, session, path)])


def _decision(context: HookContext, session: Session, path: str) -> Iterator[str]:
    """The line of the latest exchange that decided something about a file, once in a context."""
    word = word_of_file(path)
    found = [
        exchange
        for services in context.app.all_services(Scope.PROJECT)
        for exchange in services.store.exchange_search.exchanges(
            [key for key, _ in services.store.exchange_search.match({word: 1}, DECISIONS, None)]
        ).values()
    ]
    if not found:
        return
    from recortex.engines.exchanges.deciding import decision
    from recortex.engines.privacy import redact

    latest = max(found, key=lambda one: one.ended_at.timestamp() if one.ended_at else 0.0)
    line = said_line(latest, redact(decision(latest)).text)
    receipt = _receipt(context, session, latest.id, Scope.PROJECT, "file", path)
    if decision(latest) and context.sessions.give([replace(receipt, tokens=len(line) // 4)]):
        yield line


def _answers(context: HookContext, prompt: str, known: int) -> list[Hit]:
    """What the stores answer, best first, the project's before the person's own; no access is counted."""
    recipe: Recipe = "hybrid" if context.ready() else "keyword"
    now = context.clock()
    limit = context.settings["hooks.prompt_limit"] + known
    found = [
        hit
        for services in context.app.readable_services()
        for hit in services.retrieval.recall(
            prompt,
            limit=limit,
            now=now,
            recipe=recipe,
            only=MemoryQuery(kinds=ANSWERING, valid_at=now),
            decayed=False,
        ).hits
        if is_relevant(prompt, hit.memory, hit.score, hit.signals.get("semantic", 0.0))
    ]
    once = {hit.memory.content_hash: hit for hit in reversed(found)}
    return sorted(once.values(), key=lambda hit: -hit.score)


def _within(budget: int, hits: Sequence[Hit]) -> Iterator[Hit]:
    for hit in hits:
        budget -= hit.memory.tokens
        if budget >= 0:
            yield hit


def _given(context: HookContext, session: Session) -> set[str]:
    receipts = context.sessions.receipts(session.id)
    return {one.memory for one in receipts if one.context == session.context}


def _give(
    context: HookContext,
    session: Session,
    memories: Sequence[tuple[Memory, float]],
    channel: Channel,
    subject: str = "",
) -> list[Memory]:
    """Note what is given; what another hook of the session gave meanwhile is left out."""
    receipts = [
        replace(
            _receipt(context, session, memory.id, memory.scope, channel, subject),
            score=round(score, 4),
            tokens=memory.tokens,
        )
        for memory, score in memories
    ]
    kept = {one.memory for one in context.sessions.give(receipts)} if receipts else set()
    return [memory for memory, _ in memories if memory.id in kept]


def _receipt(
    context: HookContext, session: Session, given: str, scope: Scope, channel: Channel, subject: str
) -> Receipt:
    return Receipt(
        session=session.id,
        context=session.context,
        memory=given,
        scope=scope,
        channel=channel,
        at=context.clock(),
        subject=subject,
    )


def _lines(context: HookContext, memories: Sequence[Memory]) -> list[str]:
    return [line(memory, freshness(context.root, memory.files)) for memory in all_output_redacted(memories)]
