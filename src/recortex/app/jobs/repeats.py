"""What later sessions show: what the person says again, and names that were given up.

Only what was said since the last run is looked up, in the index of what was said; a message is read again for
nothing else. What came of it is known by the places where it was said, so running it twice changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.app.jobs.work import Outcome
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import Source
from recortex.domain.search import MemoryQuery
from recortex.domain.time import same_moment
from recortex.domain.vocabulary import Actor, Origin, Status
from recortex.engines.exchanges.service import asked_words
from recortex.engines.extraction.extractor import is_momentary
from recortex.engines.ingestion.output_redaction import Draft
from recortex.engines.repetition import Likeness, Repeat, Said, as_wish, rarity, repeat, wishes
from recortex.engines.similarity import marked, query_terms
from recortex.engines.supersession.reading import NOTE as READING_NOTE
from recortex.engines.supersession.reading import Renaming, mentions, names_old_alone, renamings
from recortex.errors import EmbeddingError
from recortex.text.languages import negations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.app.jobs.work import Work
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.engines.repetition import Wish


NAME, RULE, NOTE = "repeats", "person_repeated", "repeated"
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
    found, likeness = finder.alike(said)
    made = repeat(found, likeness)
    if made is None:
        # No repeat yet; where a proposal of another session says the same, that one rises.
        store = work.services.store
        ids = [id_ for id_, _ in store.search.candidates(query_terms(said.wish.text))]
        waiting = [one for one in store.memories.get(ids) if _may_rise(one, said)]
        worded = [as_wish(one.text) for one in waiting]
        likeness = finder.likeness([said.wish, *worded])
        same = [one for one, text in zip(waiting, worded, strict=True) if likeness.same(said.wish, text)]
        return bool(same) and _raise(work, same[0], Repeat(said, ()))
    known = _known(work, finder, made)
    if known is None:
        return _add(work, made)
    if known.status in _PUT_AWAY and not _faded(work, known):
        return False  # a person put it away, or something took its place
    return _raise(work, known, made)


def _may_rise(memory: Memory, said: Said) -> bool:
    proposed = memory.status is Status.PROPOSED and memory.source.rule != RULE
    by_person = memory.origin is Origin.USER
    copied = said.at is not None and same_moment(memory.valid_from, said.at)
    return proposed and by_person and not copied and memory.source.session not in {"", said.session}


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
    """Let a known memory have the new evidence: it rises, and takes the clearer wording where it is ours."""
    # The known places with the new ones; beyond what is kept, of each session one.
    told = {(session, turn) for session, turn in [*known.metadata.get(NOTE, ()), *_places(made)]}
    if len(told) > _MOST_PLACES:
        told = set({session: (session, turn) for session, turn in sorted(told)}.values())
    places = [list(place) for place in sorted(told)[:_MOST_PLACES]]
    if places == known.metadata.get(NOTE):
        return False
    elsewhere = {one.session for one in (made.said, *made.others)} - {known.source.session}
    ours = known.source.rule == RULE
    again = bool(elsewhere) and known.status is Status.PROPOSED and not is_momentary(known.text)
    rises = made.is_lasting if ours else again
    status = Status.ACTIVE if rises or known.status is Status.ACTIVE else Status.PROPOSED
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


# -- what was said with a name that was given up waits for review: memories say what holds by today's names


RENAMES_NAME = "renames"
RENAMES_BATCH = 200
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
    said = _shown(work, [*_of_sessions(texts, active), *_of_memories(active)][:MOST_RENAMINGS], active)
    told = [*said, *_of_git(work, active)][:MOST_RENAMINGS]
    counted = sum(_review(work, memory, told) for memory in active if _may_wait(memory))
    if last:
        work.services.store.maintenance.note(RENAMES_NAME, work.now, {"key": last})
    return Outcome({READING_NOTE: counted})


def _read(work: Work) -> tuple[list[tuple[datetime, str]], int]:
    """What was said newly and before it, in order of time; and the key of the last that was read."""
    store = work.services.store
    done = store.maintenance.all().get(RENAMES_NAME)
    last = done.outcome.get("key", 0) if done else 0
    key, said = max(0, last - LOOKED_BACK), []
    while found := store.exchange_search.added_after(key, RENAMES_BATCH):
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


def _may_wait(memory: Memory) -> bool:
    """Whether a change of a name may put a memory up for review: not what is pinned, and not a record."""
    return not memory.pinned and memory.origin is not Origin.REPOSITORY


def _shown(work: Work, told: Sequence[_Told], active: Sequence[Memory]) -> list[_Told]:
    """Those changes that bear on a memory and that the project's code shows; none where there is no code."""
    project = work.services.location.project
    bearing = [
        one
        for one in told
        if any(_may_wait(each) and names_old_alone(each.text, one.renaming) for each in active)
    ]
    if project is None or not bearing:
        return []
    from recortex.codebase.line_history import replaced_names

    pairs = dict.fromkeys((one.renaming.old, one.renaming.new) for one in bearing)
    shown = set(replaced_names(project.root, pairs))
    # One that was taken back is needed to know that.
    return [
        one for one in told if one.renaming in shown or Renaming(one.renaming.new, one.renaming.old) in shown
    ]


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
    if not given_up or READING_NOTE in memory.metadata:
        return False
    renaming, at = max(given_up, key=lambda one: one.at)
    reason = f"`{renaming.old}` is `{renaming.new}` since {at:%Y-%m-%d}"
    waiting = replace(
        memory, status=Status.PROPOSED, metadata={**memory.metadata, READING_NOTE: list(renaming)}
    )
    work.services.ingestion.change(
        memory, waiting, now=work.now, actor=Actor.VALIDATION, operation="withdraw", reason=reason
    )
    return True


def _undone(one: _Told, told: Sequence[_Told]) -> bool:
    """Whether the old name came back later."""
    back = Renaming(one.renaming.new, one.renaming.old)
    return any(other.renaming == back and other.at > one.at for other in told)
