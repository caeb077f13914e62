"""Why something was found, or was not, and what hangs on it: explain, counterfactual, intervention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.context import Claim
from recortex.domain.memory import Memory
from recortex.domain.search import ANSWERING, Hit, Reason, Recall, Understood
from recortex.domain.text import as_utc, lazy
from recortex.domain.vocabulary import Status
from recortex.engines import graph
from recortex.engines.compression import SHORT_ID
from recortex.engines.graph import DEPTH, NODES, STRENGTH, Way
from recortex.engines.privacy import output_redacted
from recortex.engines.retrieval.scorer import LEAST_LIKENESS
from recortex.engines.retrieval.weights import answers, because
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_LIMIT, Operations, RecallQuestion, bounded
from recortex.operations.browsing import Reached, check_depth, fraction, known_then
from recortex.operations.registry import operation
from recortex.operations.searching import MOST_UNCHECKED, SearchOperations
from recortex.why.operations import account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.app.application import StoreServices
    from recortex.engines.graph import RelationsOf, Step


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
        # Without limit and budget, so that what they left out is found at its place.
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
        # First as it was asked: only a memory that is not there costs a second, wider search.
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
        # A near-copy is folded into the answer that is told instead.
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


# -- what would be missing without a memory, and what follows when it changes


_TEST = lazy(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", re.IGNORECASE)
Loss = Literal["falls", "weakened", "possible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """An effect of the memory that is imagined away.

    Attributes:
        loss: falls: it has no other cause; weakened: it keeps one; possible: it was prevented.
        others: ids of the causes that it keeps.
    """

    reached: Reached
    loss: Loss
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual:
    """What would be missing without a memory, nearest first; `more`: the limit was met."""

    memory: Memory
    missing: tuple[Missing, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file, function, pattern or test, and the ids of the memories that it is linked to."""

    name: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """What is to be looked at when a memory changes.

    Attributes:
        dependents: memories that rest on it, nearest first.
        files, tests, functions, patterns: what it and they are linked to; tests by the names of files.
        more: the limit was met.
    """

    memory: Memory
    dependents: tuple[Reached, ...] = ()
    files: tuple[Touched, ...] = ()
    tests: tuple[Touched, ...] = ()
    functions: tuple[Touched, ...] = ()
    patterns: tuple[Touched, ...] = ()
    more: bool = False


class ConsequenceOperations(Operations):
    """counterfactual, intervention."""

    @operation(read_only=True, person=True)
    def counterfactual(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        depth: int = DEPTH,
        min_strength: float = STRENGTH,
        limit: int = NODES,
        as_of: datetime | None = None,
    ) -> Counterfactual:
        """Show what would be missing without a memory: its effects, and which of them have other causes.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time.
        """
        check_depth(depth)
        services, memory = self._app.locate(id)
        way, most = graph.to_effects(fraction(min_strength)), bounded(limit)
        read = self._reading(services, way, most, as_of)
        # Its effects may have more causes than a walk reads.
        every = services.store.relations.find_touching if as_of is None else read
        fallen = graph.counterfactual(memory.id, read, every, way=way, depth=depth, limit=most + 1)
        shown = self._shown(services, memory, [one.step for one in fallen[:most]])
        return Counterfactual(
            memory=shown[0],
            missing=tuple(
                Missing(
                    reached=shown[1][one.step.id],
                    loss="possible" if one.freed else "weakened" if one.others else "falls",
                    others=one.others,
                )
                for one in fallen[:most]
                if one.step.id in shown[1]
            ),
            more=len(fallen) > most,
        )

    @operation(read_only=True, person=True)
    def intervention(
        self,
        id: str,  # noqa: A002
        *,
        depth: int = DEPTH,
        min_strength: float = STRENGTH,
        limit: int = NODES,
        as_of: datetime | None = None,
    ) -> Intervention:
        """Show what to update when a memory changes: memories that depend on it, files, functions, tests.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time.
        """
        check_depth(depth)
        services, memory = self._app.locate(id)
        way, most = graph.to_dependents(fraction(min_strength)), bounded(limit)
        read = self._reading(services, way, most, as_of)
        steps = graph.walk(memory.id, way, read, depth=depth, limit=most + 1)
        first, shown = self._shown(services, memory, steps[:most])
        memories = [first, *(one.memory for one in shown.values())]
        files = _touched(memories, lambda one: [link.path for link in one.files])
        return Intervention(
            memory=first,
            dependents=tuple(shown.values()),
            files=tuple(one for one in files if not is_test(one.name)),
            tests=tuple(one for one in files if is_test(one.name)),
            functions=_touched(memories, lambda one: [link.name for link in one.functions]),
            patterns=_touched(memories, lambda one: [link.name or link.id for link in one.patterns]),
            more=len(steps) > most,
        )

    def _reading(self, services: StoreServices, way: Way, most: int, as_of: datetime | None) -> RelationsOf:
        if as_of is not None:
            return known_then(services, as_utc(as_of))
        return graph.levels(services.store.relations, way, most + 1)

    def _shown(
        self, services: StoreServices, memory: Memory, steps: Sequence[Step]
    ) -> tuple[Memory, dict[str, Reached]]:
        """The memory, and those reached by id in the order of steps, without secrets."""
        near = services.store.memories.get([step.id for step in steps])
        first, *others = (output_redacted(one) for one in self._faded(services, [memory, *near]))
        found = {one.id: one for one in others}
        return first, {
            step.id: Reached(
                memory=found[step.id], depth=step.depth, path=step.path, confidence=step.confidence
            )
            for step in steps
            if step.id in found
        }


def is_test(path: str) -> bool:
    """Whether a file is a test by its name, or by that of a folder."""
    return bool(_TEST.search(path))


def _touched(memories: Iterable[Memory], names: Callable[[Memory], Iterable[str]]) -> tuple[Touched, ...]:
    """What memories are linked to, what most are linked to first."""
    found: dict[str, list[str]] = {}
    for one in memories:
        for name in dict.fromkeys(names(one)):
            found.setdefault(name, []).append(one.id)
    # What most memories are linked to is looked at first.
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Touched(name=name, memories=tuple(ids)) for name, ids in ordered)
