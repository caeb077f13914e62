"""Why something was found, or was not: explain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recortex.domain.explanation import ANSWERING, Hit, Reason, Recall, Understood
from recortex.domain.memory import Memory
from recortex.domain.reasons import Claim
from recortex.domain.vocabulary import Status
from recortex.engines.compression.levels import SHORT_ID
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.retrieval.answering import answers
from recortex.engines.retrieval.floor import LEAST_LIKENESS
from recortex.engines.retrieval.vocabulary import because
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_LIMIT, Operations
from recortex.operations.inputs import RecallQuestion
from recortex.operations.registry import operation
from recortex.operations.searching import MOST_UNCHECKED, SearchOperations

if TYPE_CHECKING:
    from collections.abc import Iterator

TOLD = ("about", "query", "limit", "budget")
LEFT_OUT = 5
"""Memories that came nearest without being told."""
FILTERS = ("kinds", "tags", "files", "session", "valid_at")
_ID = re.compile(r"\s*[0-9a-fA-F-]{6,36}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that came near, and why it was not told."""

    id: str
    kind: str
    text: str
    score: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something was found, or was not.

    Attributes:
        question: that was asked; empty where a memory was asked about by itself.
        understood: how each store takes the question.
        hits: the answers, with the parts of their scores.
        left_out: what came nearest without being told.
        memory: that was asked about.
        found: whether it is among the answers.
        hit: the same memory with the parts of its score, where it was a candidate.
        reasons: why it is an answer or is none; without a question, what may keep it from being one.
        claims: of a memory where it was learned, what became of it, what speaks for and against it.
        given, used: in how many sessions it was given, and in how many of these it was used.
    """

    question: str = ""
    understood: tuple[Understood, ...] = ()
    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    memory: Memory | None = None
    found: bool = False
    hit: Hit | None = None
    reasons: tuple[Reason, ...] = ()
    claims: tuple[Claim, ...] = ()
    given: int = 0
    used: int = 0


class ExplanationOperations(Operations):
    """explain."""

    @operation(read_only=True, told=TOLD)
    def explain(
        self,
        about: str,
        *,
        query: str = "",
        kinds: Sequence[str] = (),
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        session: str = "",
        valid_at: datetime | None = None,
        limit: int | None = None,
        budget: int | None = None,
        floor: bool = True,
    ) -> Explanation:
        """Explain the answer to a question, or where a memory comes from and why it is found or not.

        Args:
            about: a question; or the id of a memory, or its first characters.
            query: if `about` is an id, the question the memory should answer.
            kinds: only memories of these kinds.
            tags: only memories with one of these tags.
            files: only memories about one of these files, or folders ending in a slash.
            session: only what was learned in this session.
            valid_at: what was true at that time, even if superseded since.
            limit: maximum number of memories.
            budget: maximum number of tokens in the answer.
            floor: no answer rather than an irrelevant one.
        """
        asks_for_memory = _ID.fullmatch(about) is not None
        if query and not asks_for_memory:
            raise InvalidInputError(
                "A question is explained by itself, or for a memory.", hint="Give its id."
            )
        asked = RecallQuestion(
            query or about, kinds=kinds, tags=tags, files=files, session=session, valid_at=valid_at,
            limit=limit, budget=budget, floor=floor, explain=True,
        )  # fmt: skip
        trial = _Trial(SearchOperations(self._app), asked)
        if not asks_for_memory:
            return Explanation(
                question=about,
                understood=trial.understood,
                hits=trial.usual.hits,
                left_out=tuple(trial.left_out()),
            )
        from recortex.app.account import account

        services, memory = self._app.locate(about)
        shown = output_redacted(next(iter(self._faded(services, [memory]))))
        outcomes = services.store.sessions.outcomes([memory.id], ["surface", "prompt", "file", "asked"])
        past = outcomes.get(memory.id)
        hit = trial.candidate(memory) if query else None
        reasons = tuple(trial.reasons(memory, hit) if query else trial.barriers(memory))
        return Explanation(
            question=query,
            understood=trial.understood if query else (),
            memory=shown,
            found=any(one.cause == "answers" for one in reasons),
            hit=hit,
            reasons=reasons,
            claims=tuple(account(services, self._app.root, shown)),
            given=past.given if past else 0,
            used=past.used if past else 0,
        )


class _Trial:
    """A question asked as it was, and with one condition after the other dropped.

    What keeps a memory from being an answer is told by what brings it back, so that it is true whatever
    `recall` does.
    """

    def __init__(self, search: SearchOperations, asked: RecallQuestion) -> None:
        self._search = search
        self._asked = asked

    @cached_property
    def usual(self) -> Recall:
        """As it was asked."""
        return self._search.answer(self._asked)

    @cached_property
    def floored(self) -> Recall:
        """Without limit and budget, of memories alone."""
        return self._ask(floor=self._asked.floor, explain=False)

    @cached_property
    def everything(self) -> Recall:
        """Also without the floor."""
        return self._ask(floor=False)

    @cached_property
    def understood(self) -> tuple[Understood, ...]:
        """How each store takes the question."""
        return tuple(self._search.understood(self._asked))

    def _ask(self, **changes: Any) -> Recall:
        wide = replace(self._asked, limit=MAX_LIMIT, budget=None, among="memories")
        return self._search.answer(replace(wide, **changes), fold=False)

    def left_out(self) -> Iterator[LeftOut]:
        """What came nearest without being told."""
        told = {hit.memory.id for hit in self.usual.hits}
        others = (hit for hit in self.everything.hits if hit.memory.id not in told)
        for hit, _ in zip(others, range(LEFT_OUT), strict=False):
            one = hit.memory
            yield LeftOut(
                id=one.id, kind=one.kind, text=one.summary or one.text, score=hit.score,
                reasons=(self._beaten(hit),),
            )  # fmt: skip

    def candidate(self, memory: Memory) -> Hit | None:
        """The memory among the candidates, whatever its status; None where it is none."""
        place = _place(self.everything, memory)
        if place:
            return self.everything.hits[place - 1]
        loosest = self._ask(floor=False, statuses=[memory.status], **_no_filters(kinds=[memory.kind]))
        place = _place(loosest, memory)
        return loosest.hits[place - 1] if place else None

    def reasons(self, memory: Memory, hit: Hit | None) -> Iterator[Reason]:
        """Why a memory is an answer to the question, or is none."""
        place = _place(self.usual, memory)
        if place:
            yield because("answers", place=place, answers=len(self.usual.hits))
            return
        barriers = [*self.barriers(memory), *self._filtered(memory)]
        yield from barriers
        if hit is None:
            yield because("candidates", number=sum(one.gathered for one in self.understood))
        elif not barriers:
            yield self._beaten(hit)
        if hit and hit.why and hit.why.without_vector and "semantic" in hit.signals:
            yield because("no vector")

    def barriers(self, memory: Memory) -> Iterator[Reason]:
        """What keeps a memory from any answer of this kind."""
        only = self._search.filters(self._asked)
        if memory.status is Status.PROPOSED and memory.status in only.statuses:
            yield because("proposed", most=MOST_UNCHECKED)
        elif memory.status not in only.statuses:
            allowed = [status for status in only.statuses if status is not Status.PROPOSED]
            yield because("status", status=memory.status, allowed=" and ".join(allowed))
        if only.valid_at and memory.valid_from > only.valid_at:
            yield because("not yet true", day=f"{memory.valid_from:%Y-%m-%d}")
        if only.valid_at and memory.valid_until and memory.valid_until <= only.valid_at:
            yield because("no longer true", day=f"{memory.valid_until:%Y-%m-%d}")
        if not self._asked.kinds and memory.kind not in ANSWERING:
            yield because("kind", kind=memory.kind)

    def _filtered(self, memory: Memory) -> Iterator[Reason]:
        """The filters that leave a memory out, each tried by itself."""
        for name in FILTERS[:-1]:  # a time is among the barriers
            value = getattr(self._asked, name)
            if value:
                kept = _no_filters(kinds=[memory.kind]) | {name: value}
                found = self._ask(floor=False, explain=False, statuses=[memory.status], **kept)
                if not _place(found, memory):
                    yield because("filter", name=f"--{name}")

    def _beaten(self, hit: Hit) -> Reason:
        """Why a candidate that passes all filters is none of the answers."""
        memory = hit.memory
        for one in self.usual.hits:
            if memory.id in one.alike:
                return because("alike", id=one.memory.id[:SHORT_ID])
        place, limit = _place(self.floored, memory), self._search.most(self._asked)
        if not place:
            return self._withheld(hit)
        if self.usual.exchanges and not answers(hit):
            return because("exchanges")
        if place > limit:
            return because("limit", place=place, limit=limit)
        return because("budget", tokens=memory.tokens, budget=self._asked.budget)

    def _withheld(self, hit: Hit) -> Reason:
        best, floor = self.everything.best, self.floored.floor
        near = max(hit.signals.get("semantic", 0.0), hit.signals.get("nearby", 0.0)) >= LEAST_LIKENESS
        if best >= floor and not (near or hit.signals.get("keyword")):
            return because("nothing in common")
        if best >= floor and hit.why:
            return because("far", behind=hit.why.behind)
        return because("floor", best=best, floor=floor)


def _no_filters(**kept: Any) -> dict[str, Any]:
    return {"kinds": (), "tags": (), "files": (), "session": "", "valid_at": None, **kept}


def _place(found: Recall, memory: Memory) -> int:
    """The place of a memory among the answers, from 1; 0 where it is none."""
    return next((place for place, hit in enumerate(found.hits, 1) if hit.memory.id == memory.id), 0)
