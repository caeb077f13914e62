"""What the stores know for a task.

That is what answers it, what is about the files in view, standing rules, and what was said.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from recortex.app.citations import cited_by, describe_citations
from recortex.app.given import Asking
from recortex.app.predicted import NEXT, PredictionCache, neighbours_of, still_there
from recortex.domain.context import Bearing
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Origin, Scope, Status
from recortex.engines.brief import RULE, still_holds
from recortex.engines.context import LOOKED_AT, STANDING_KINDS, Offer, rank_rules
from recortex.engines.decay import faded
from recortex.engines.exchanges.service import USUAL
from recortex.engines.privacy import output_redacted, record_redacted
from recortex.engines.retrieval.service import InPlay, disputes
from recortex.engines.retrieval.weights import LIKELY
from recortex.engines.tables import Regression
from recortex.lean import NamedTuple, replace
from recortex.text.words import ENGLISH_MODEL, reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.app.application import Application, StoreServices
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.memory import Citation, Memory
    from recortex.domain.search import Alike, ChunkHit


# -- what a project's decision records answer: found by the parts of their files, told as their memories


DECISION_ANSWERS_LOOKED_AT = 30
"""Parts of documents that are looked at."""
LEAST = 0.1
"""The probability from which a record answers; below it, records are only near. Of the questions of the bench
with an answer 82 % have the right record first so, and 59 % of those without one are given none."""
AMONG_RECORDS = 8
"""How many more parts of documents are asked for than told, since those of records are left out."""
NEAR, MOST_NEAR = 0.005, 3
"""The least probability of a record that is told as near, and how many of them are told."""
ALIKE = Regression(-5.2, {"likeness": 16.5, "ahead": 11.3})
"""That the likest record answers, by its likeness and by how far it is ahead of the next one. Fitted to 217
questions on the records of eight projects (bench/RESULTS.md)."""
LEAST_ALIKE = 0.58
"""Above it the likest record answers: 80 % of the questions that no record answers are below it."""
BESIDE = 0.06
"""Records that are not further behind the likest one answer, too."""
BECAUSE = "its record answers the question"
_KINDS = (Kind("decision"), Kind("decision_context"))
_ANY = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED)
_TOLD = frozenset((Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED))


class RecordAnswers(NamedTuple):
    """The records that answer, and those that are only near, each the likeliest first.

    Attributes:
        paths: of all files that are records of memories.
    """

    answers: tuple[Bearing, ...]
    near: tuple[Bearing, ...]
    paths: frozenset[str] = frozenset()


def of_records(app: Application, question: str) -> RecordAnswers:
    """The memories of decision records that answer a question."""
    stores = [one for one in app.all_services() if one.scope is not Scope.GLOBAL]
    found = [_of_store(one, app, question) for one in stores if one.store.documents.count()[0]]
    return RecordAnswers(
        tuple(sorted((one for each in found for one in each.answers), key=lambda one: -one.relevance)),
        tuple(sorted((one for each in found for one in each.near), key=lambda one: -one.relevance))[
            :MOST_NEAR
        ],
        frozenset(path for each in found for path in each.paths),
    )


def _of_store(services: StoreServices, app: Application, question: str) -> RecordAnswers:
    """By likeness, where the model that it was fitted to made the vectors; else as documents answer."""
    # Whether likeness is that of the model which the chances were fitted to, and it reads the question
    wanted = services.embedder.preferred_name if services.embedder else ""
    if wanted.startswith(ENGLISH_MODEL) and reads(wanted, question):
        paths = paths_of_records(services)
        if alike := services.chunk_retrieval.alike(question, paths, BESIDE):
            return _by_likeness(services, alike, paths)
    meaning = services.retrieval.meaning(question)
    hits = services.chunk_retrieval.nearest(
        question, limit=DECISION_ANSWERS_LOOKED_AT, now=app.clock(), meaning=meaning
    )
    best: dict[str, ChunkHit] = {}
    for hit in hits:
        # The first hit of each file is its best.
        best.setdefault(hit.path, hit)
    records = filter(_may_be_told, _records(services, list(best)))
    found = [Bearing(one, best[one.source.path].score, BECAUSE) for one in records]
    return RecordAnswers(
        tuple(one for one in found if one.relevance >= LEAST),
        tuple(one for one in found if NEAR <= one.relevance < LEAST),
        frozenset(one.memory.source.path for one in found),
    )


def _by_likeness(services: StoreServices, alike: Sequence[Alike], paths: frozenset[str]) -> RecordAnswers:
    """The likest record answers, or none does; those that are hardly less like answer beside it."""
    best = alike[0].likeness
    ahead = best - alike[1].likeness if len(alike) > 1 else 0.0
    chance = ALIKE.probability({"likeness": best, "ahead": ahead})
    of_path = {one.path: one for one in alike}
    answers: list[Bearing] = []
    near: list[Bearing] = []
    for memory in filter(_may_be_told, _records(services, list(of_path))):
        one = of_path[memory.source.path]
        # A record that is less like the question answers less probably.
        bearing = Bearing(memory, round(chance * one.likeness / best, 3), BECAUSE, one.words)
        answers_too = chance >= LEAST_ALIKE and one.likeness >= best - BESIDE
        (answers if answers_too else near).append(bearing)
    return RecordAnswers(tuple(answers), tuple(near), paths)


def _may_be_told(memory: Memory) -> bool:
    """Not what waits for review, nor what a person put away; a record that says it ended is archived, too."""
    # A person who puts a record's memory away gives it no end; a record that ended has one.
    ended = memory.status is Status.ARCHIVED and memory.valid_until is not None
    return memory.status in _TOLD or ended


def _records(services: StoreServices, paths: Sequence[str]) -> list[Memory]:
    """The memories that were made of some files."""
    if not paths:
        return []
    query = MemoryQuery(files=tuple(paths), kinds=_KINDS, statuses=_ANY)
    known = set(paths)
    return [one for one in services.store.memories.find(query) if one.source.path in known]


def paths_of_records(services: StoreServices) -> frozenset[str]:
    """The files of all decision records that are known."""
    query = MemoryQuery(kinds=_KINDS, origins=(Origin.REPOSITORY,), statuses=_ANY)
    return frozenset(one.source.path for one in services.store.memories.find(query))


def without_records(
    services: StoreServices, ask: Callable[..., list[ChunkHit]], limit: int, hits: list[ChunkHit]
) -> list[ChunkHit]:
    """The parts of documents that answer and are no decision records, at most so many.

    What a record says is told by its memory, which knows whether it still holds. Only where records are
    among the first answers, more are asked for.

    Args:
        services: of the store.
        ask: takes the keyword `limit`; gives at most so many parts, the best first.
        limit: of parts.
        hits: the answer with that limit.
    """
    records = _paths(services, hits)
    if records:
        hits = ask(limit=limit + AMONG_RECORDS)
        records = _paths(services, hits)
    return [one for one in hits if one.path not in records][:limit]


def _paths(services: StoreServices, hits: Sequence[ChunkHit]) -> set[str]:
    """Which files of some parts are decision records."""
    return {one.source.path for one in _records(services, sorted({one.path for one in hits}))}


# -- what the stores know for a task


CANDIDATES = 40
"""Memories that are asked for; some 25 lines fill the usual budget."""
ABOUT = 20
"""Memories about the files in view that are looked at."""
ABOUT_FILE, WARNS_OF_FILE = 0.45, 0.65
"""The relevance of a memory about a file in view that answers nothing else, and of one that warns of it."""
LOOKED_AT_NEAR = 3
"""Memories about a file next to one in view that are looked at: it may be about both."""
ABOUT_NEAR = 0.3
"""The relevance of a memory about a file next to one in view, of each such file one (bench/neighbours.py)."""
LEAST_PREDICTED, PREDICTED = 0.45, 0.1
"""How sure a prediction has to be, and the relevance of what is predicted and answers nothing."""
WEAK = 0.5
"""How much the relevance of a weak answer counts."""
SAID = 3
"""Exchanges that may be told; as many as an answer of `recall` shows strong ones of, mostly."""
CATCH_UP = 32
"""Memories without a vector that are embedded first, as in `recall`."""


def _note(citations: Sequence[Citation]) -> str:
    """What became of cited code that does not say any more what it said."""
    return describe_citations([one for one in citations if one.state in {"changed", "gone"}])


class Knowledge:
    """What is known for one task."""

    def __init__(self, app: Application, task: str, files: Sequence[str], patterns: Sequence[str]) -> None:
        """Ask for the meaning of the task once in each store.

        Args:
            app: the opened application.
            task: in plain words.
            files: paths in view.
            patterns: ids of code patterns that matter.
        """
        self._app = app
        self._task, self._files = task, tuple(files)
        in_play = InPlay(tuple(files), frozenset(patterns))
        self._now = app.clock()
        self._only = MemoryQuery(kinds=ANSWERING, valid_at=self._now)
        self.degraded: tuple[str, ...] = ()
        self._asked = []
        for services in app.all_services():
            services.catch_up(CATCH_UP)
            # Once for all that follows: to make a vector takes most of the time.
            self._asked.append((services, services.retrieval.meaning(task, in_play=in_play)))

    def offers(self, boosts: Mapping[str, float]) -> list[Offer]:
        """Every memory that may be told, redacted; some more than once."""
        # One list, as the composer picks the highest of what is offered twice.
        found = [*self._answers(), *self._about(), *self._near(), *self._rules(boosts), *self._predicted()]
        present = self._present({one.memory.id: one.memory for one in found}.values())
        cited = cited_by(self._app.all_services(), list(present.values()), "renames", tree=self._app.tree)
        notes = {id_: _note(each) for id_, each in cited.items()}
        # What later memories say that contradict some of these, by id.
        memories = list(present.values())
        ids = [one.id for one in memories]
        # The later memory may be none of the offers itself.
        pairs = [pair for services, _ in self._asked for pair in services.contradicting(ids, self._now)]
        against = disputes((output_redacted(one), output_redacted(other)) for one, other in pairs)
        return [
            one._replace(
                memory=output_redacted(present[one.memory.id]),
                cited=notes[one.memory.id],
                disputed=against.get(one.memory.id, ""),
            )
            for one in found
        ]

    def _present(self, memories: Iterable[Memory]) -> dict[str, Memory]:
        """The memories by id, with the confidence that is left now."""
        found = list(memories)
        for services, _ in self._asked:
            found = faded(found, services.store, to_micros(self._now))
        return {memory.id: memory for memory in found}

    def find_exchanges(self) -> list[ExchangeHit]:
        """What was said in sessions and probably answers the task."""
        shown: list[ExchangeHit] = []
        for services, meaning in self._asked:
            if services.scope is not Scope.GLOBAL:
                retrieval = services.exchange_retrieval
                every = retrieval.find(self._task, limit=SAID, vector=meaning.vector)
                # What is only weak is not told unasked.
                found = [one for one in every if one.hit.score >= LIKELY]
                shown += map(record_redacted, retrieval.show(found, USUAL * len(found)))
        return shown

    def written(self) -> list[ChunkHit]:
        """Parts of the project's documents that answer the task."""
        limit = self._app.settings["recall.documents"]
        found: list[ChunkHit] = []
        for services, meaning in self._asked:
            if services.scope is not Scope.GLOBAL and limit:
                ask = partial(
                    services.chunk_retrieval.recall, self._task, now=self._now, meaning=meaning, task=True
                )
                told = without_records(services, ask, limit, ask(limit=limit))
                found += map(record_redacted, (one for one in told if not one.weak))
        return found

    def _answers(self) -> Iterator[Offer]:
        for services, meaning in self._asked:
            found = services.retrieval.recall(
                self._task,
                limit=CANDIDATES,
                now=self._now,
                only=self._only,
                meaning=meaning,
                floor=self._app.settings["recall.floor"],
                decayed=False,  # done for all offers together
            )
            self.degraded = tuple(dict.fromkeys((*self.degraded, *found.degraded)))
            for hit in found.hits:
                yield Offer(hit.memory, hit.score * (WEAK if hit.weak else 1.0), "task")

    def _about(self) -> Iterator[Offer]:
        if not self._files:
            return
        # The most important ones, since a file may have hundreds of memories.
        query = replace(self._only, files=self._files, order="importance", limit=ABOUT)
        for memory in self._found(query):
            warns = KINDS[memory.kind].category == "gotcha"
            yield Offer(memory, WARNS_OF_FILE if warns else ABOUT_FILE, "files")

    def _near(self) -> Iterator[Offer]:
        """The most important memory about each file that calls, is called by or tests those in view."""
        own = [services for services, _ in self._asked if services.scope is not Scope.GLOBAL]
        for path in neighbours_of(self._app, self._files):
            query = replace(self._only, files=(path,), order="importance", limit=LOOKED_AT_NEAR)
            found = (memory for services in own for memory in services.store.memories.find(query))
            # What is also about a file in view was offered with that.
            new = (one for one in found if not any(link.path in self._files for link in one.files))
            yield from (Offer(memory, ABOUT_NEAR, "near") for memory in islice(new, 1))

    def _predicted(self) -> Iterator[Offer]:
        """What the session will probably need, as was worked out after its last turn; it only fills up."""
        if self._app.actor is not Actor.AGENT:
            return
        session = Asking(self._app).session
        for services, _ in self._asked:
            if services.scope is not Scope.GLOBAL:
                kept = PredictionCache(services.location)
                found = kept.find(session.id if session else NEXT, NEXT, self._now.timestamp()) or ()
                sure = [one for one in found if one.confidence >= LEAST_PREDICTED]
                for memory in still_there(services, sure, self._now):
                    yield Offer(memory, PREDICTED, "predicted")

    def _rules(self, boosts: Mapping[str, float]) -> Iterator[Offer]:
        query = replace(self._only, kinds=STANDING_KINDS, order="importance", limit=LOOKED_AT)
        # As in a brief: what was said of one task is no rule for others.
        rules = [one for one in self._found(query) if still_holds(one, RULE)]
        for memory, relevance in rank_rules(rules, self._task, self._files, boosts):
            yield Offer(memory, relevance, "instruction")

    def _found(self, query: MemoryQuery) -> list[Memory]:
        return [memory for services, _ in self._asked for memory in services.store.memories.find(query)]
