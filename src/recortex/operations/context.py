"""What a session and a task start with: surface, context, frame."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.brief import brief
from recortex.app.projects import shown
from recortex.codebase.git import branch_and_commit
from recortex.domain.context import Context, Frame
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.vocabulary import Actor, Scope
from recortex.engines.exchanges import first_sentence
from recortex.engines.exchanges.service import decision
from recortex.engines.privacy import output_redacted, record_redacted
from recortex.engines.privacy.table import rules_in_use
from recortex.errors import ConfigError, InvalidInputError, PermissionsError, RecortexError, StoreBusyError
from recortex.filesystem import read_own
from recortex.lean import Value, lazy_module
from recortex.operations.base import Operations, check_budget, check_length, filled
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.app import given as given_memories
    from recortex.app import knowledge as knowledge_of
    from recortex.app.application import StoreServices
    from recortex.app.given import Asking
    from recortex.domain.search import Chunk, Hit
    from recortex.engines import compression, context
    from recortex.engines.context import Assembled as LaidOut
    from recortex.engines.context import Known, Offer
    from recortex.engines.context import LaidOut as FrameLaidOut
    from recortex.engines.retrieval import explaining as intents
    from recortex.engines.retrieval import service as retrieval_service
    from recortex.engines.retrieval.service import Meaning
else:
    context = lazy_module("recortex.engines.context")
    given_memories = lazy_module("recortex.app.given")
    intents = lazy_module("recortex.engines.retrieval.explaining")
    knowledge_of = lazy_module("recortex.app.knowledge")
    compression = lazy_module("recortex.engines.compression")
    retrieval_service = lazy_module("recortex.engines.retrieval.service")


MOST_NAMED = 50
"""Files, and patterns, that may be given."""
MAX_TASK = 20_000
MOST_MATRIX = 65_536
"""Bytes of a matrix of intents."""
TOLD = ("task", "files", "intent", "budget")
"""The parameters of `context` that agents are told of by default."""


class ContextOperations(Operations):
    """context."""

    @operation(core=True, read_only=True, told=TOLD)
    def context(
        self,
        task: str,
        *,
        files: Sequence[str] = (),
        patterns: Sequence[str] = (),
        intent: str = "",
        budget: int = 2_000,
        session: str = "",
        again: bool = False,
    ) -> Context:
        """Show what is known for a task, within a budget: warnings, rules, decisions, how it is done, facts.

        Call it before you begin, with the files you are going to touch. It leaves out what this session was
        already given.

        Args:
            task: what you are going to do, in plain words.
            files: paths of files in view.
            patterns: ids of code patterns that matter.
            intent: such as fix_bug, add_feature or refactor; by default guessed from the task.
            budget: maximum number of tokens.
            session: id of the session that asks; by default the one of the client that runs the server.
            again: include what the session was already given.
        """
        began = time.monotonic()
        check_budget(budget, context.ASSEMBLING_LEAST_BUDGET, context.ASSEMBLING_MOST_BUDGET)
        check_length("task", task, MAX_TASK)
        if max(len(files), len(patterns)) > MOST_NAMED:
            raise InvalidInputError(f"At most {MOST_NAMED} files and as many patterns can be given.")
        asking = given_memories.Asking(self._app, session)
        intent = _intent(intent, task, files, asking.actions)
        boosts = _boosts(intent, self._app.settings["context.matrix"])
        known = knowledge_of.Knowledge(self._app, task, files, patterns)
        offers = known.offers(boosts)
        # What the session has in its context is not given twice.
        fresh = [one for one in offers if again or asking.is_new(one.memory)]
        asides = [
            *map(context.of_document, known.written()),
            *map(context.of_exchange, known.find_exchanges()),
        ]
        asides = [one for one in asides if again or one.id not in asking.receipts]
        laid = context.assemble(fresh, asides, boosts, budget, self._app.count_tokens)
        known_already = {one.memory.id for one in offers} - {one.memory.id for one in fresh}
        saved = min(sum(asking.receipts[id_].tokens for id_ in known_already), budget)
        _note(asking, laid, fresh, intent, began, saved)
        counts = {"budget": laid.crowded_out, "given": len(known_already)}
        return Context(
            task=task,
            intent=intent,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            entries=laid.entries,
            left_out={reason: number for reason, number in counts.items() if number},
            degraded=known.degraded,
        )


def _boosts(intent: str, matrix: str) -> Mapping[str, float]:
    """By how much each kind counts for an intent, with the person's own matrix where a file of one is set.

    Raises:
        ConfigError: it cannot be read, or is none.
    """
    if not matrix:
        return intents.boosts(intent)
    try:
        # Of this user alone, as it decides what agents are told.
        text = read_own(Path(matrix).expanduser(), MOST_MATRIX, links=True).decode()
        return intents.boosts(intent, intents.read_matrix(text))
    except (OSError, UnicodeDecodeError, RecortexError) as error:
        hint = "Mend it, or empty the setting `context.matrix`."
        raise ConfigError(f"{matrix} cannot be used: {error}", hint=hint) from error


def _intent(given: str, task: str, files: Sequence[str], actions: Sequence[str]) -> str:
    """The intent that was given, if there is such a one, else that of the task, files and last actions.

    Raises:
        InvalidInputError: there is none of that name.
    """
    if given and given not in intents.rules():
        raise InvalidInputError(
            f"There is no intent {given[:40]!r}.", hint=f"Intents: {', '.join(intents.rules())}."
        )
    return given or intents.classify(task, files, actions)


def _note(
    asking: Asking, laid: LaidOut, offers: Sequence[Offer], intent: str, began: float, saved: int
) -> None:
    memories = {one.memory.id: one.memory for one in offers}
    given = [(memories[one.id], one.relevance, one.tokens) for one in laid.entries if one.id in memories]
    asking.note(given, intent, round(1_000 * (time.monotonic() - began)), saved)


# -- A task with what is known for it, laid out for a model: frame


MAX_TEXT = 200_000
"""Characters of a task, a state or instructions."""
CANDIDATES = 60
"""Memories that are asked for; some 40 lines fill the usual share."""
CATCH_UP = 32
"""Memories without a vector that are embedded first, as in `recall`."""
COUNT_SECONDS = 0.25
"""How long an answer waits for another writer, to count what it gave."""


class FrameOperations(Operations):
    """frame."""

    @operation(read_only=True)
    def frame(
        self,
        task: str,
        *,
        budget: int = 15_500,
        state: str = "",
        instructions: str = "",
        files: Sequence[str] = (),
    ) -> Frame:
        """Lay out a prompt for a task with what documents and memories know, the best at both ends.

        Args:
            task: in plain words.
            budget: maximum number of tokens.
            state: how far the work is.
            instructions: for the answer.
            files: paths of files in view.
        """
        began = time.monotonic()
        given = {"task": task, "state": state, "instructions": instructions}
        if not task.strip():
            raise InvalidInputError("The task is empty.", hint="Say what is to be done.")
        for name, text in given.items():
            check_length(name, text, MAX_TEXT)
        check_budget(budget, context.LEAST_BUDGET, context.MOST_BUDGET)
        in_play = retrieval_service.InPlay(tuple(files), frozenset())
        asked = []
        for services in self._app.all_services():
            services.catch_up(CATCH_UP)
            asked.append((services, services.retrieval.meaning(task, recipe="frame", in_play=in_play)))
        only = MemoryQuery(kinds=ANSWERING, valid_at=self._app.clock())
        number, knowledge = self._knowledge(asked, task, only)
        hits, degraded = self._learnings(asked, task, only)
        laid = context.lay_out(given, knowledge, _weighed(hits), budget, self._app.count_tokens)
        self._count_told(asked, laid)
        self._keep_receipts(task, hits, laid, began)
        return Frame(
            task=task,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            sections=laid.sections,
            knowledge=laid.knowledge,
            learnings=laid.learnings,
            left_out=max(number - len(laid.chunks), 0) + len(hits) - len(laid.learnings),
            degraded=degraded,
        )

    def _knowledge(
        self, asked: Sequence[tuple[StoreServices, Meaning]], task: str, only: MemoryQuery
    ) -> tuple[int, Iterator[Known]]:
        """How many parts of the project's documents bear on a task, and these, best first."""
        for services, meaning in asked:
            if services.scope is not Scope.GLOBAL:
                number, found = services.chunk_retrieval.for_frame(
                    task, now=self._app.clock(), meaning=meaning, only=only
                )
                if number:
                    return number, _redacted(services, found)
        return 0, iter(())

    def _learnings(
        self, asked: Sequence[tuple[StoreServices, Meaning]], task: str, only: MemoryQuery
    ) -> tuple[list[Hit], tuple[str, ...]]:
        """The memories that bear on a task, best first, and what could not be used."""
        found = [
            services.retrieval.recall(
                task,
                limit=CANDIDATES,
                now=self._app.clock(),
                recipe="frame",
                only=only,
                floor=self._app.settings["recall.floor"],
                meaning=meaning,
            )
            for services, meaning in asked
        ]
        # What a later memory contradicts may have ended.
        standing = (hit for one in found for hit in one.hits if not hit.disputed)
        hits = sorted(standing, key=lambda hit: -hit.score)
        degraded = tuple(dict.fromkeys(note for one in found for note in one.degraded))
        return [replace(hit, memory=output_redacted(hit.memory)) for hit in hits], degraded

    def _count_told(self, asked: Sequence[tuple[StoreServices, Meaning]], laid: FrameLaidOut) -> None:
        """Count what was given: what is often needed ranks a little higher."""
        for services, _ in asked:
            # The ids do not say in which of the stores a memory is.
            store, ids = services.store, [one.id for one in laid.learnings]
            memories = [one.id for one in store.memories.get(ids)] if ids else []
            chunks = laid.chunks if services.scope is not Scope.GLOBAL else ()
            if memories or chunks:
                with (
                    suppress(StoreBusyError, PermissionsError),
                    store.transaction(patience=COUNT_SECONDS),
                ):
                    store.memories.touch(memories, self._app.clock())
                    store.documents.touch(chunks, self._app.clock())

    def _keep_receipts(self, task: str, hits: Sequence[Hit], laid: FrameLaidOut, began: float) -> None:
        """Keep receipts of the memories that an agent's session was given."""
        memories = {hit.memory.id: hit.memory for hit in hits}
        given = [(memories[one.id], one.score, one.tokens) for one in laid.learnings]
        given_memories.Asking(self._app).note(
            given, intents.classify(task), round(1_000 * (time.monotonic() - began))
        )


def _redacted(services: StoreServices, found: Iterator[tuple[Chunk, float]]) -> Iterator[context.Known]:
    """The chunks as they may be told: those from which secrets were taken out by other rules, by the present.

    Looking through all of them each time would take longer than all else.
    """
    others = services.store.documents.by_other_rules(rules_in_use())
    records = knowledge_of.paths_of_records(services)
    for chunk, score in found:
        if chunk.path in records:  # its memory tells it, and knows whether it still holds
            continue
        yield context.Known(record_redacted(chunk) if chunk.path in others else chunk, score)


def _weighed(hits: Sequence[Hit]) -> list[compression.Weighed]:
    return [compression.Weighed(hit.memory, hit.score) for hit in hits]


# -- what a session starts with: surface


class Shown(Value, frozen=True, kw_only=True):
    """A memory in the brief.

    Attributes:
        rank: 0 to 1.
        tokens: of its line.
    """

    id: str
    scope: Scope
    rank: float
    tokens: int


class Surface(Value, frozen=True, kw_only=True):
    """What a session is told at its start.

    Attributes:
        text: the brief, between markers; empty where nothing is known.
        tokens: of the text, in cl100k_base; at most the setting `hooks.brief_tokens`.
        memories: what is in it, highest rank first.
        cached: it was made earlier, and nothing changed since.
        stale_hours: its age, where no newer one could be made.
    """

    text: str
    tokens: int
    memories: tuple[Shown, ...] = ()
    branch: str = ""
    generated_at: datetime
    cached: bool = False
    stale_hours: int | None = None


class BriefOperations(Operations):
    """surface."""

    @operation(read_only=True)
    def surface(self, *, branch: str = "", fresh: bool = False) -> Surface:
        """Show the brief that a session starts with: what matters most, in a few hundred tokens.

        Your rules come first, then decisions, warnings about what is being worked on, and facts that proved
        useful; in each group the most certain and important ones, and those closest to the work.

        Args:
            branch: as if this branch were checked out.
            fresh: make it anew, even if nothing has changed.
        """
        current = shown(branch or branch_and_commit(self._app.root)[0])
        made = brief(self._app, branch=current, cwd=str(self._app.root), fresh=fresh)
        memories = tuple(filled(Shown, item, id=item.memory, scope=Scope(item.scope)) for item in made.items)
        if self._app.actor is Actor.AGENT:
            given_memories.Asking(self._app).note([(one, one.rank, one.tokens) for one in memories], "", 0)
        at = datetime.fromtimestamp(made.generated_at, UTC)
        return filled(Surface, made, memories=memories, branch=current, generated_at=at)


# -- what stands behind the ids of receipts: memories, and exchanges that were given with a file


class Named(NamedTuple):
    """The kind of a memory, or "exchange", and one line of what it says; both empty where it is gone."""

    kind: str = ""
    summary: str = ""


_TELLING = 8
"""Words from which on a message says by itself what an exchange was about."""


def named(all_services: Sequence[StoreServices], ids: Sequence[str]) -> dict[str, Named]:
    """Those of the ids that are still there, without secrets."""
    return dict(_found(all_services, list(dict.fromkeys(ids))))


def _found(all_services: Sequence[StoreServices], ids: list[str]) -> Iterator[tuple[str, Named]]:
    for services in all_services:
        for memory in map(output_redacted, services.store.memories.get(ids)):
            yield memory.id, Named(memory.kind, memory.summary or memory.text)
        for said in map(record_redacted, services.store.exchanges.get(ids)):
            line = " ".join((decision(said) or said.message).split())
            if len(line.split()) < _TELLING and (came := first_sentence(said.conclusion or said.outcome)):
                line = f"{line} → {came}"  # "1 + 2" says nothing by itself
            yield said.id, Named("exchange", line)
