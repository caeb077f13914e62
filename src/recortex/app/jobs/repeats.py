"""What later sessions show: what the person says again.

Only what was said since the last run is looked up, in the index of what was said; a message is read again for
nothing else. What came of it is known by the places where it was said, so running it twice changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from recortex.app.jobs.work import Outcome
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import Source
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, Status
from recortex.engines.exchanges.service import asked_words
from recortex.engines.extraction.candidates import REPEATED
from recortex.engines.ingestion.output_redaction import Draft
from recortex.engines.repetition import Likeness, Repeat, Said, as_wish, rarity, repeat, wishes
from recortex.engines.similarity import marked, query_terms
from recortex.errors import EmbeddingError
from recortex.text.languages import negations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.application import StoreServices
    from recortex.app.jobs.work import Work
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.engines.repetition import Wish


NAME, RULE, NOTE = "repeats", REPEATED, "repeated"
"""Of the job, of the rule that its memories name, and of what their metadata tells."""
_KIND = kind_of("preference")
BATCH = 100
_MOST_WISHES = 12
"""Wishes of one message that are looked up."""
_GATHERED = 200
"""Exchanges that may say a wish again; of a wish of common words they are the latest."""
_MESSAGES = ExchangeQuery(work=False)
_LONG = 200
"""Characters of a message that nobody types twice: the same text in another session is a copy."""
_MOST_PLACES = 24
_MOST_PUT_AWAY = 500
_CONFIDENCE = {Status.ACTIVE: 0.9, Status.PROPOSED: 0.6}
_PUT_AWAY = (Status.ARCHIVED, Status.PRUNED, Status.SUPERSEDED)


def keep_repeats(work: Work) -> Outcome:
    """Look up what was said since the last run, while seconds are left."""
    store, changed = work.services.store, 0
    done = store.maintenance.all().get(NAME)
    last = done.outcome.get("key", 0) if done else 0
    finder = Finder(work.services)
    while found := store.exchange_search.added_after(last, BATCH):
        for key, exchange in found:
            # Those that are looked up: what only asks for a piece of work is found by one of these.
            changed += sum(
                _keep(work, finder, said)
                for said in [one for one in finder.heard(exchange) if one.wish.is_lasting][:_MOST_WISHES]
            )
            last = key
            if work.left() <= 0:
                break
        store.maintenance.note(NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({NOTE: changed}, "the rest follows next time", "partly")
    return Outcome({NOTE: changed})


class Finder:
    """Finds wishes that are alike; what it has read and computed is kept for a run."""

    def __init__(self, services: StoreServices) -> None:
        self._store, self._services = services.store, services
        self._heard: dict[str, list[Said]] = {}
        self._counts: dict[str, int] = {}
        self._vectors: dict[str, Any] = {}
        self._by_key: dict[int, list[Said]] = {}
        self._semantic = bool(services.embedding.wanted)

    def heard(self, exchange: Exchange) -> list[Said]:
        """The wishes of an exchange that are more than a task."""
        if exchange.id not in self._heard:
            self._heard[exchange.id] = [
                Said(
                    wish,
                    exchange.session,
                    exchange.id,
                    exchange.first_turn,
                    exchange.started_at,
                    exchange.message if len(exchange.message) > _LONG else "",
                )
                for wish in wishes(exchange.message)
                if not wish.task
            ]
        return self._heard[exchange.id]

    def alike(self, said: Said) -> tuple[list[Said], Likeness]:
        """The same wish and those that are alike to it, of all sessions, and what they were compared by."""
        # What else was said that shares words with a wish.
        search, asked = self._store.exchange_search, asked_words(said.wish.text)
        frequency = dict(zip(asked, search.frequencies(asked), strict=True)) if asked else {}
        keys = sorted(key for key, _ in search.match(frequency, _GATHERED, _MESSAGES)) if asked else []
        for key, exchange in search.exchanges([key for key in keys if key not in self._by_key]).items():
            spoken = exchange.opener == "person" and not exchange.part
            self._by_key[key] = self.heard(exchange) if spoken else []
        others = [one for key in keys for one in self._by_key.get(key, ()) if one.place != said.place]
        likeness = self.likeness([said.wish, *(one.wish for one in others)])
        others = [one for one in others if likeness.share_words(said.wish, one.wish)]
        self._embed([said.wish.text, *(one.wish.text for one in others)] if others else [])
        likeness = self.likeness([said.wish, *(one.wish for one in others)])  # of what there is by now
        return [said, *(one for one in others if likeness.alike(said.wish, one.wish))], likeness

    def likeness(self, found: Sequence[Wish]) -> Likeness:
        """What these wishes are compared by; their vectors are made when two share words."""
        words = list({word for one in found for word in one.words} - self._counts.keys())
        if words:
            self._counts |= zip(words, self._store.exchange_search.frequencies(words), strict=True)
        size = max(self._store.exchange_search.size(), 1)
        weights = {word: rarity(self._counts[word], size) for one in found for word in one.words}
        return Likeness(weights, self._cosine if self._semantic else None)

    def _embed(self, texts: Sequence[str]) -> None:
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if not (self._semantic and missing and self._services.embedder):
            return
        try:
            named = self._services.embedder.embed_named(missing)
            self._semantic = named.name == self._services.embedding.wanted
            self._vectors |= zip(missing, named.vectors, strict=True)
        except EmbeddingError:
            self._semantic = False

    def _cosine(self, one: str, other: str) -> float:
        self._embed([one, other])
        return float(self._vectors[one] @ self._vectors[other]) if self._semantic else 0.0


def _keep(work: Work, finder: Finder, said: Said) -> bool:
    """Keep what a wish, with those that are alike to it, amounts to; whether anything changed."""
    made = repeat(*finder.alike(said))
    if made is None:
        return False
    known = _known(work, finder, made)
    if known is None:
        return _add(work, made)
    if known.status in _PUT_AWAY and not _faded(work, known):
        return False  # a person put it away, or something took its place
    return _raise(work, known, made)


def _known(work: Work, finder: Finder, made: Repeat) -> Memory | None:
    """The memory that says it already, whatever its status."""
    store = work.services.store
    texts = [made.said.wish.text, *(one.wish.text for one in made.others[:_MOST_PLACES])]
    ids = dict.fromkeys(id_ for text in texts for id_, _ in store.search.candidates(query_terms(text)))
    put_away = MemoryQuery(kinds=(_KIND,), statuses=_PUT_AWAY, limit=_MOST_PUT_AWAY)
    memories = [*store.memories.get(list(ids)), *store.memories.find(put_away)]
    worded = {memory.id: as_wish(memory.text) for memory in memories}
    likeness = finder.likeness([made.said.wish, *worded.values()])
    said = {one.wish.text for one in made.others}
    return next(
        (
            memory
            for memory in memories
            if (memory.source.rule == RULE and memory.text in said)
            or likeness.same(made.said.wish, worded[memory.id])
        ),
        None,
    )


def _faded(work: Work, known: Memory) -> bool:
    """Whether it was archived only since nothing confirmed it."""
    entries = work.services.store.ledger.entries(known.id)
    return any(one.actor is Actor.DECAY and one.at == known.updated_at for one in entries)


def _add(work: Work, made: Repeat) -> bool:
    said = made.said
    places = work.services.store.exchanges.get([said.place])
    status = Status.ACTIVE if made.is_lasting else Status.PROPOSED
    source = Source(
        session=said.session,
        turn=said.turn,
        speaker="user",
        client=places[0].client if places else "",
        quote=said.wish.text,
        rule=RULE,
        branch=places[0].branch if places else "",
    )
    draft = Draft(
        kind=_KIND,
        text=said.wish.text,
        confidence=_CONFIDENCE[status],
        source=source,
        origin=Origin.USER,
        status=status,
        valid_from=made.latest,
        metadata={NOTE: sorted(_places(made))[:_MOST_PLACES]},
    )
    (kept,) = work.services.ingestion.keep([draft], now=work.now, actor=Actor.LEARNING)
    counted = replace(kept.memory, evidence=max(kept.memory.evidence, made.sessions))
    _change(work, kept.memory, counted, f"said in {made.sessions} sessions")
    return True


def _raise(work: Work, known: Memory, made: Repeat) -> bool:
    """Let a known memory have the new evidence: it takes the clearer wording where it is ours."""
    # The known places with the new ones; beyond what is kept, of each session one.
    told = {(session, turn) for session, turn in [*known.metadata.get(NOTE, ()), *_places(made)]}
    if len(told) > _MOST_PLACES:
        told = set({session: (session, turn) for session, turn in sorted(told)}.values())
    places = [list(place) for place in sorted(told)[:_MOST_PLACES]]
    if places == known.metadata.get(NOTE):
        return False
    elsewhere = {one.session for one in (made.said, *made.others)} - {known.source.session}
    ours = known.source.rule == RULE
    active = (ours and made.is_lasting) or known.status is Status.ACTIVE
    status = Status.ACTIVE if active else Status.PROPOSED
    new = replace(
        known,
        status=status,
        evidence=max(known.evidence, made.sessions if ours else len(elsewhere) + 1),
        confidence=max(known.confidence, _CONFIDENCE[status]),
        metadata={**known.metadata, NOTE: places},
    )
    if ours and made.sessions >= known.evidence and not _edited(work, known):
        content = KINDS[known.kind].from_text(made.said.wish.text)
        new = replace(new, content=content, text=content.text(), summary="")
    return _change(work, known, new, f"said in {made.sessions} sessions")


def _change(work: Work, old: Memory, new: Memory, reason: str) -> bool:
    if old == new:
        return False
    work.services.ingestion.change(
        old, new, now=work.now, actor=Actor.LEARNING, operation="merge", reason=reason
    )
    return True


def _edited(work: Work, known: Memory) -> bool:
    """Whether somebody changed a memory that only this job had written."""
    return any(one.actor is not Actor.LEARNING for one in work.services.store.ledger.entries(known.id))


def _places(made: Repeat) -> list[list[str | int]]:
    """Where it was said, in order of time: sessions with the turn."""
    return [[one.session, one.turn] for one in (made.said, *made.others)]


# -- what an agent wrote of the person's own words gives way to them, so that one thing is known once


RETOLD_NAME, COUNT = "retold", "retold"
RETOLD_BATCH = 100
APART = timedelta(days=1)
"""The most between what the person said and what the agent wrote of it."""
ADDED = 0.3
"""The share of the agent's words, by rarity, that the person need not have said: more is something new."""

_NUMBER = re.compile(r"\d[\w.]*")


def fold_retold(work: Work) -> Outcome:
    """Look at the memories that were added since the last run, while seconds are left."""
    store, folded = work.services.store, 0
    done = store.maintenance.all().get(RETOLD_NAME)
    last = done.outcome.get("key", 0) if done else 0
    finder = Finder(work.services)
    while found := store.memories.added_after(last, RETOLD_BATCH):
        for key, memory_id in found:
            for memory in store.memories.get([memory_id]):
                folded += sum(_fold(work, said, retold) for said, retold in _pairs(work, finder, memory))
            last = key
            if work.left() <= 0:
                break
        store.maintenance.note(RETOLD_NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({COUNT: folded}, "the rest follows next time", "partly")
    return Outcome({COUNT: folded})


def _pairs(work: Work, finder: Finder, memory: Memory) -> Iterator[tuple[Memory, Memory]]:
    """What the person said and what an agent wrote of it, of which one is that memory."""
    if memory.status is not Status.ACTIVE or memory.origin not in {Origin.USER, Origin.AGENT}:
        return
    store = work.services.store
    ids = [id_ for id_, _ in store.search.candidates(query_terms(memory.text)) if id_ != memory.id]
    for other in store.memories.get(ids):
        said, retold = (memory, other) if memory.origin is Origin.USER else (other, memory)
        if (said.origin, retold.origin) == (Origin.USER, Origin.AGENT) and _may_fold(said, retold):
            likeness = finder.likeness([as_wish(said.text), as_wish(retold.text)])
            if says_no_more(said.text, retold.text, likeness):
                yield said, retold


def _may_fold(said: Memory, retold: Memory) -> bool:
    active = said.status is retold.status is Status.ACTIVE
    near = abs(retold.recorded_at - said.valid_from) <= APART
    return active and near and bool(said.source.session) and not (retold.pinned or retold.files)


def says_no_more(said: str, retold: str, likeness: Likeness) -> bool:
    """Whether an agent's sentence says what the person said, and nothing besides.

    Args:
        said: the person's sentence.
        retold: the agent's.
        likeness: what the two are compared by.
    """
    exact = {*_NUMBER.findall(retold), *marked(retold)}
    if not exact <= {*_NUMBER.findall(said), *marked(said)} or bool(negations(said)) != bool(
        negations(retold)
    ):
        return False
    theirs, own = as_wish(said), as_wish(retold)
    return likeness.same(theirs, own) and likeness.share_of(own, theirs) >= 1 - ADDED


def _fold(work: Work, said: Memory, retold: Memory) -> bool:
    work.services.ingestion.supersede(
        said, retold, now=work.now, actor=Actor.LEARNING, why="the person's own words", reworded=True
    )
    return True
