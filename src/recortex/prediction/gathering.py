"""What a store knows of the moment, and what may be needed; and predictions made ahead, for the next turn."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.predicted import NEXT, Kept, PredictionCache, Predictions, time_to_live
from recortex.codebase.git import branch_and_commit, files_at_work
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.prediction.engine import (
    AT_WORK,
    BESIDE,
    Candidate,
    Predicted,
    Signals,
    Step,
    focused,
    merged,
    names_of,
    predict,
    scored,
    signals_of,
    stems_of,
    step_of,
)
from recortex.text.words import path_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.session import Signal

# Read after each turn, so it is bounded.
MOST_EXCHANGES, MOST_MEMORIES = 400, 400
"""The latest of each that may be predicted."""
MOST_USED = 100
LIVE, MOST_LIVE = timedelta(days=1), 3
"""Sessions that were seen within a day, and how many of them predictions are made ahead for."""
MOST_FILES, EACH = 64, 5
"""Files that predictions are made ahead for, and how many for each (bench/prediction.py)."""


class Prospect:
    """What a project's store tells of the moment, read once.

    Args:
        services: of the store.
        tree: the working tree; None where there is none here.
        now: the time.
    """

    def __init__(self, services: StoreServices, tree: Path | None, now: datetime) -> None:
        self._store, self._now = services.store, now
        query = ExchangeQuery(work=False, limit=MOST_EXCHANGES)
        self._exchanges = list(self._store.exchanges.find(query))
        signals = {one: self._store.sessions.signals(one) for one in {one.session for one in self._exchanges}}
        self._steps = [step_of(one, _touched(one, signals[one.session])) for one in self._exchanges]
        day = now - LIVE
        written = (
            one for each in signals.values() for one in each if one.name == "written" and one.at >= day
        )
        self.changes = sum(1 for _ in written)
        only = MemoryQuery(kinds=ANSWERING, valid_at=now, limit=MOST_MEMORIES)
        self._memories = list(self._store.memories.find(only))
        used = self._store.sessions.used_lately(MOST_USED)
        self._used = {id_: 1.0 - place / MOST_USED for place, id_ in enumerate(used)}
        self._at_work = files_at_work(tree) if tree else ()
        self._branch = " ".join(path_words(branch_and_commit(tree)[0])) if tree else ""

    def signals(
        self,
        session: str,
        files: Sequence[str] = (),
        beside: Sequence[str] = (),
        patterns: Sequence[str] = (),
    ) -> Signals:
        """The signals of a session.

        Args:
            session: its id; empty, or one that is not known: the next one.
            files: paths in view.
            beside: those that call or are called by these.
            patterns: ids of code patterns in view.
        """
        own = [step for one, step in self._told() if one.session == session]
        # A session that has said nothing yet probably goes on where the last one ended.
        last = self._exchanges[0].session if self._exchanges else ""
        own = own or [step for one, step in self._told() if one.session == last]
        view = (
            dict.fromkeys(beside, BESIDE) | dict.fromkeys(self._at_work, AT_WORK) | dict.fromkeys(files, 1.0)
        )
        found = signals_of(own, self._steps, files=view, said=self._branch, patterns=patterns)
        return focused(found, names_of("", files), names_of("", beside)) if files else found

    def candidates(self, session: str) -> list[Candidate]:
        """What may be needed in a session: what does not come from itself, which the agent has in view."""
        found = [
            Candidate(one.id, one.id, step.names, step.words, session=one.session, at=_seconds(one.ended_at))
            for one, step in self._told()
            if one.session != session
        ]
        found += (
            self._candidate(one) for one in self._memories if not session or one.source.session != session
        )
        return found

    def predict(
        self,
        session: str,
        limit: int,
        files: Sequence[str] = (),
        beside: Sequence[str] = (),
        patterns: Sequence[str] = (),
    ) -> list[Predicted]:
        """What a session will probably need."""
        return predict(self.signals(session, files, beside, patterns), self.candidates(session), limit)

    def ahead(self, session: str) -> Predictions:
        """Predictions for a session, whatever comes into view, and for each of the files worked on lately."""
        signals, candidates = self.signals(session), self.candidates(session)
        names = sorted(signals.lately, key=lambda name: (-signals.lately[name], name))[:MOST_FILES]
        scores = scored(signals, candidates)
        # Any session that has no prediction of its own takes this one, whatever file it looks at.
        by_file = {NEXT: _kept(merged(scores, candidates, EACH))}
        for name in names:
            # Only these two strategies depend on the file in view; the other two are computed once.
            scores |= scored(focused(signals, (name,)), candidates, ("files", "patterns"))
            by_file[name] = _kept(merged(scores, candidates, EACH))
        return Predictions(session, self._now.timestamp(), time_to_live(self.changes), by_file)

    def _told(self) -> list[tuple[Exchange, Step]]:
        return list(zip(self._exchanges, self._steps, strict=True))

    def _candidate(self, memory: Memory) -> Candidate:
        source = memory.source
        holding = (one.id for one in self._exchanges if one.holds(source.session, source.turn))
        return Candidate(
            memory.id,
            # The exchange that holds the memory's turn; else equal texts share a place by their hash.
            next(holding, memory.content_hash or memory.id),
            names_of(memory.text, (link.path for link in memory.files)),
            stems_of(memory.text),
            frozenset(link.id for link in memory.patterns),
            source.session,
            _seconds(memory.recorded_at),
            self._used.get(memory.id, 0.0),
            memory=True,
        )


def preload(services: StoreServices, tree: Path | None, now: datetime, session: str = "") -> int:
    """Make predictions ahead: for the session, for those that are live, and for the next one.

    Returns how many files they are for.
    """
    prospect = Prospect(services, tree, now)
    live = [one.id for one in services.store.sessions.recent(MOST_LIVE) if now - one.seen_at < LIVE]
    # The session that asks comes first: the count that is returned is of it.
    made = [prospect.ahead(one) for one in dict.fromkeys((session or NEXT, *live, NEXT))]
    PredictionCache(services.location).keep(made)
    return len(made[0].by_file) - 1


def _kept(found: Sequence[Predicted]) -> tuple[Kept, ...]:
    return tuple(Kept(*one) for one in found)


def _touched(exchange: Exchange, signals: Sequence[Signal]) -> list[str]:
    """The files that hooks saw being read or written during an exchange."""
    # Histories that were imported from elsewhere may have no times.
    begin, end = exchange.started_at, exchange.ended_at
    if begin is None or end is None:
        return []
    return [one.subject for one in signals if one.name in {"read", "written"} and begin <= one.at <= end]


def _seconds(at: datetime | None) -> int:
    return int(at.timestamp()) if at else 0
