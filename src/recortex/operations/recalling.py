"""Answers each part of a question from every store."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Literal

from recortex.codebase.git import released_at
from recortex.domain.exchange import SHOWN
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.vocabulary import Scope, Status
from recortex.engines.copies import folded
from recortex.engines.privacy import record_redacted
from recortex.engines.retrieval.question import agreement, periods, split, untimed
from recortex.engines.retrieval.scorer import LIFT
from recortex.engines.retrieval.weights import answers
from recortex.lean import NamedTuple, replace
from recortex.operations.base import document_query, exchange_query
from recortex.telemetry import span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.search import ChunkHit, Empty, Hit, Recall
    from recortex.engines.exchanges.service import FoundExchange
    from recortex.engines.retrieval.service import Meaning, Retrieval
    from recortex.operations.base import RecallQuestion


# -- versions that a question names, as the days on which they were released


_SINCE_VERSION = re.compile(
    r"\b(since|after|before|until|till)\s+(?:the\s+)?(?:version\s+|release\s+)?"
    r"(v?\d{1,4}(?:\.\d{1,4}){1,3})\b(?!\.?\d)",
    re.IGNORECASE,
)


def with_days(text: str, root: Path) -> str:
    """The text with `since 2.0` as `since 2026-02-03`, where a tag of the repository is that version.

    Args:
        text: a question.
        root: the top of the working tree.
    """
    if not _SINCE_VERSION.search(text):
        return text

    def day(found: re.Match[str]) -> str:
        at = released_at(root, found[2])
        return f"{found[1]} {at:%Y-%m-%d}" if at else found[0]

    return _SINCE_VERSION.sub(day, text)


# -- answers each part of a question from every store


CATCH_UP = 32
"""Memories without a vector that a recall embeds first: about a quarter of a second (bench/embeddings.py)."""
MOST_ASKED = 8
"""How many more memories are asked for than told: proposed ones and near-copies crowd out no other."""


class Part(NamedTuple):
    """The answer to one part of a question.

    Attributes:
        found: what each store finds.
        hits: of all stores, without proposed memories, best first.
        waiting: proposed memories that answer.
        said: exchanges.
        documents: parts of documents.
        untimely: how many memories would answer, but are not true now.
    """

    found: list[Recall]
    hits: list[Hit]
    waiting: list[Hit]
    said: list[FoundExchange]
    documents: list[ChunkHit]
    untimely: int = 0


class Recalling:
    """Answers questions from the stores of an application."""

    def __init__(self, app: Application) -> None:
        self._app = app

    def questions(self, asked: RecallQuestion) -> list[RecallQuestion]:
        """The questions that a question is made of, with versions as the days of their release."""
        settings, query = self._app.settings, asked.query
        if settings["recall.times"]:
            query = with_days(query, self._app.root)
        return [replace(asked, query=one) for one in (split(query) if settings["recall.parts"] else (query,))]

    def part(self, asked: RecallQuestion, only: MemoryQuery, limit: int) -> Part:
        """The answer to one question.

        Where copies and proposals leave too few hits, so many more are asked for.
        """
        # What a language model takes for an answer, where it is to be asked; mostly empty.
        wanted = self._app.settings["recall.hypothesis"] and asked.recipe != "keyword"
        adviser = self._app.adviser if wanted else None
        hypothesis = adviser.hypothesis(asked.query) if adviser else ""
        stores = [
            (services, services.retrieval.meaning(asked.query, recipe=asked.recipe, hypothesis=hypothesis))
            for services in self._app.all_services(asked.scope)
        ]
        most = limit + MOST_ASKED
        while True:
            found = [
                self._ask(services, meaning, asked, only, most)
                for services, meaning in (stores if asked.tells_memories else ())
            ]
            every = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)
            active = [hit for hit in every if not (asked.mixes and _waits(hit))]
            # Few hits where no store had more to give, or enough of them: asking for more would change
            # nothing.
            if all(len(one.hits) < most for one in found) or len(folded(active)) >= limit:
                break
            # Four times as many: near-copies of one memory may fill any smaller number.
            most *= 4
        waiting = [hit for hit in every if asked.mixes and _waits(hit) and answers(hit)]
        said, documents = self._find_exchanges(stores, asked, only), self._documents(stores, asked, only)
        return Part(found, active, waiting, said, documents, self._untimely(stores, asked, only, limit))

    def _untimely(
        self,
        stores: Sequence[tuple[StoreServices, Meaning]],
        asked: RecallQuestion,
        only: MemoryQuery,
        limit: int,
    ) -> int:
        """How many memories would answer if they were true now."""
        now, given = only.valid_at, asked.valid_at or asked.as_of
        if now is None or given or not asked.tells_memories:
            return 0
        # Proposals are left out: they are not known to be true at any time.
        others = replace(only, valid_at=None, not_valid_at=now, statuses=(Status.ACTIVE,))
        return sum(
            len(self._recalled(services.retrieval, asked, others, meaning, limit).hits)
            for services, meaning in stores
            # Most stores have no memory that ended, so that a second search is rarely made.
            if services.store.memories.any_untimely(now)
        )

    def most(self, name: Literal["exchanges", "documents"], asked: RecallQuestion) -> int:
        """How many exchanges, or parts of documents, a recall gives at most; 0 where none are wanted."""
        # A filter that only memories pass asks for memories.
        told = asked.among in {"all", name} and not asked.filters_memories
        usual: int = self._app.settings[f"recall.{name}"] if told else 0
        if asked.limit is None or not usual:
            return usual
        # A limit is for the kind that was asked for; of others it gives no more than usual.
        return asked.limit if asked.among == name else min(asked.limit, usual)

    def _documents(
        self, stores: Sequence[tuple[StoreServices, Meaning]], asked: RecallQuestion, only: MemoryQuery
    ) -> list[ChunkHit]:
        """Parts of the project's documents that answer."""
        filters, limit = document_query(only), self.most("documents", asked)
        if filters is None or not limit:
            return []
        found: list[ChunkHit] = []
        for services, meaning in stores:
            if services.scope is Scope.GLOBAL:
                continue
            ask = partial(
                services.chunk_retrieval.recall,
                asked.query,
                now=self._app.clock(),
                meaning=meaning,
                recipe=asked.recipe,
                only=filters,
                floor=asked.floor and self._app.settings["recall.floor"],
            )
            # When documents alone are asked for, records are what is wanted, too.
            every = asked.among == "documents"
            told = ask(limit=limit)
            if told and not every:
                from recortex.app.knowledge import without_records

                told = without_records(services, ask, limit, told)
            found += map(record_redacted, services.chunk_retrieval.with_freshness(told))
        return found

    def _find_exchanges(
        self, stores: Sequence[tuple[StoreServices, Meaning]], asked: RecallQuestion, only: MemoryQuery
    ) -> list[FoundExchange]:
        """What was said in the project's sessions and may answer."""
        filters = exchange_query(only)
        times = periods(asked.query, self._app.clock()) if self._app.settings["recall.times"] else ()
        # What a time says is compared with the exchange's own time, and must not be looked for as words.
        query = untimed(asked.query) if times else asked.query
        limit = self.most("exchanges", asked)
        if filters is None or not limit:
            return []
        return [
            found
            for services, meaning in stores
            if services.scope is not Scope.GLOBAL
            for found in services.exchange_retrieval.find(
                query,
                limit=limit,
                only=filters,
                vector=meaning.vector,
                words=asked.recipe != "semantic",
                when=(lambda at: LIFT * agreement(times, at)) if times else None,
            )
        ]

    def passages(self, found: Sequence[FoundExchange], room: int = SHOWN) -> tuple[ExchangeHit, ...]:
        """The exchanges with what answers in them, in at most so many tokens together, or a few more."""
        if not found:
            return ()
        retrieval = self._app.services(Scope.PROJECT).exchange_retrieval
        return tuple(map(record_redacted, retrieval.show(found, room)))

    def _ask(
        self,
        services: StoreServices,
        meaning: Meaning,
        asked: RecallQuestion,
        only: MemoryQuery,
        limit: int,
    ) -> Recall:
        # A vector is needed for meaning alone.
        if asked.recipe != "keyword":
            services.catch_up(CATCH_UP)

        def ask(retrieval: Retrieval, filters: MemoryQuery, meaning: Meaning) -> Recall:
            found, now = self._recalled(retrieval, asked, filters, meaning, limit), self._app.clock()
            return retrieval.explained(found, meaning, now=now, only=filters) if asked.explain else found

        # A memory that was changed since then is found by what it said then.
        now = ask(services.retrieval, only, meaning)
        former = services.store.memories.former(only, only.as_of) if only.as_of else []
        if not former:
            return now
        before = services.retrieval_of(former)
        then = ask(before, replace(only, as_of=None), before.meaning(asked.query, recipe=asked.recipe))
        return replace(now, hits=(*now.hits, *then.hits), best=max(now.best, then.best))

    def _recalled(
        self, retrieval: Retrieval, asked: RecallQuestion, only: MemoryQuery, meaning: Meaning, limit: int
    ) -> Recall:
        with span("search"):
            return retrieval.recall(
                asked.query,
                limit=limit,
                now=self._app.clock(),
                recipe=asked.recipe,
                only=only,
                floor=asked.floor and self._app.settings["recall.floor"],
                meaning=meaning,
            )


def _waits(hit: Hit) -> bool:
    return hit.memory.status is Status.PROPOSED


# -- why a recall has no answer: the reason that is true, so that whoever asked knows what to do next


def explained(app: Application, found: Recall, only: MemoryQuery, limit: int) -> Recall:
    """The same answer, and where it is empty why.

    Args:
        app: the opened application.
        found: the answer, which may be empty.
        only: the filters of the question.
        limit: of memories.
    """
    if found.hits or found.exchanges or found.documents or found.unchecked:
        return found
    if found.needed:
        return replace(found, empty="budget")
    reason, withheld = _reason(app, found, only, limit)
    return replace(found, empty=reason, withheld=withheld)


def _reason(app: Application, found: Recall, only: MemoryQuery, limit: int) -> tuple[Empty, int]:
    """Why nothing answers, and how many memories were kept back for it."""
    # The question's own time and statuses are no filter.
    usual = replace(MemoryQuery(valid_at=only.valid_at), kinds=ANSWERING, statuses=only.statuses)
    query = MemoryQuery(statuses=(Status.ACTIVE,))
    if not any(services.store.memories.count(query) for services in app.all_services()):
        return "nothing stored", 0
    # In this order, each reason leaves out what the ones after it would tell: with an empty store, no
    # filter is to blame.
    if found.untimely:
        return "time", found.withheld
    if withheld := found.withheld or _count(app, found, only, limit, floor=False):
        return "floor", withheld
    if only != usual and (others := _count(app, found, usual, limit, floor=True)):
        return "filter", others
    return "nothing in common", 0


def _count(app: Application, asked: Recall, only: MemoryQuery, limit: int, *, floor: bool) -> int:
    """How many memories would be told."""
    return sum(
        len(
            services.retrieval.recall(
                asked.query,
                limit=limit,
                now=app.clock(),
                recipe=asked.recipe,
                only=only,
                floor=floor,
                decayed=False,
            ).hits
        )
        for services in app.all_services(only.scope)
    )
