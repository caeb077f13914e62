"""What a session will probably need next: four strategies over what is kept, and one list of what they say.

Weights are those of `bench/prediction.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta
from math import log, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.jobs import Job, Outcome
from recortex.app.predicted import NEXT, Kept, PredictionCache, Predictions, time_to_live
from recortex.codebase.git import branch_and_commit, files_at_work
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.text import name_of_file
from recortex.domain.vocabulary import Scope
from recortex.engines.retrieval.question import paths_in
from recortex.text.words import path_words, topic_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.app.jobs import Work
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.session import Signal


Strategy = Literal["files", "patterns", "time", "behaviour"]

# Fitted on nine open projects (bench/RESULTS.md, "Prediction"). Time has little weight: the latest session
# alone has what is needed in .202 of the prompts, files alone in .465.
WEIGHTS: dict[Strategy, float] = {"files": 0.6, "patterns": 0.5, "behaviour": 0.45, "time": 0.1}
"""The confidence in what each strategy predicts first."""
AGREEMENT, AGREES = 0.05, 0.3
"""What another strategy adds that says the same, and how much of its best it has to say."""
STEPS_IN_VIEW, FADING = 6, 0.7
"""The last exchanges of a session whose files are in view, and what one more exchange leaves of a file."""
STEPS_LATELY, COOLING = 40, 0.93
"""The same of the project, for the files that are being worked on."""
AT_WORK, BESIDE = 0.5, 0.3
"""How far a file is in view that git says is changed, and one that calls or is called by one in view."""
# A fifth is left: of different files, the five hold what is needed for .628 of the prompts instead of .566
# (open projects); penalties of .6 to 1 give .60 to .63.
COVERED, COMPARED = 0.8, 80
"""How much less counts what is only about files that others of the list are about, and of how many of the
best candidates the list is chosen."""
# A pasted log would otherwise decide what an exchange is about.
MOST_READ = 2_500
"""Characters of a text whose words are compared."""


class Candidate(NamedTuple):
    """A memory or an exchange that may be needed.

    Attributes:
        place: what those share that say the same: the exchange that a memory was learned from.
        names: of the files that it is about, without their folders and in lower case.
        words: their stems.
        patterns: ids of code patterns that it is linked to.
        session: that it comes from; empty where none is known.
        at: when it was said, in seconds since 1970 UTC.
        used: how often it is used, 0 to 1.
    """

    id: str
    place: str
    names: frozenset[str]
    words: frozenset[str]
    patterns: frozenset[str] = frozenset()
    session: str = ""
    at: int = 0
    used: float = 0.0
    memory: bool = False


class Signals(NamedTuple):
    """What is known of the moment.

    Attributes:
        view: names of the files in view, and how far each is, 0 to 1.
        lately: the same of files that the project's last exchanges were about.
        words: stems of what was said last, of the branch's name and of its last commit.
        patterns: ids of code patterns in view.
        asked: whether somebody asks about the files in view.
    """

    view: Mapping[str, float]
    lately: Mapping[str, float]
    words: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    asked: bool = False


class Predicted(NamedTuple):
    """What will probably be needed.

    Attributes:
        confidence: 0 to 1.
        because: the strategies that say so, the surest first.
    """

    id: str
    memory: bool
    confidence: float
    because: tuple[Strategy, ...]


class Step(NamedTuple):
    """An exchange by the names of its files and the stems of its words."""

    names: frozenset[str]
    words: frozenset[str]


# -- signals


def names_of(text: str, files: Iterable[str] = ()) -> frozenset[str]:
    """The names of files in a text, and of the given ones, without their folders and in lower case."""
    said = (
        name
        for name in map(name_of_file, paths_in(text))
        # A version such as "3.11.2" has dots like a file's name, and would be the rarest file of all.
        if "." in name and not name.replace(".", "").isdigit()
    )
    return frozenset((*said, *filter(None, map(name_of_file, files))))


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that a text begins with."""
    return topic_stems(text, MOST_READ)


def step_of(exchange: Exchange, touched: Iterable[str] = ()) -> Step:
    """An exchange as a step; `touched` are files that were read or written in it."""
    text = f"{exchange.asked}\n{exchange.message}\n{exchange.outcome}"
    said = "\n".join((text, *exchange.failed, *exchange.passed))
    return Step(names_of(said, (*exchange.files, *touched)), stems_of(text))


def signals_of(
    own: Sequence[Step],
    lately: Sequence[Step],
    *,
    files: Mapping[str, float] | None = None,
    said: str = "",
    patterns: Collection[str] = (),
) -> Signals:
    """The signals of a moment.

    Args:
        own: steps of the session, or of the one before where it has none yet; the latest first.
        lately: steps of the project, the latest first.
        files: paths that are in view beside these, and how far each is, 0 to 1.
        said: words beside those of the last step.
        patterns: ids of code patterns in view.
    """
    view = {name_of_file(path): share for path, share in (files or {}).items()}
    for age, step in enumerate(own[:STEPS_IN_VIEW]):
        for name in step.names:
            # The strongest reason why a file is in view counts; one that is named often is not more in
            # view.
            view[name] = max(view.get(name, 0.0), FADING**age)
    worked = defaultdict[str, float](float)
    for age, step in enumerate(lately[:STEPS_LATELY]):
        for name in step.names:
            worked[name] += COOLING**age
    words = (own[0].words if own else frozenset()) | stems_of(said)
    return Signals(view, worked, words, frozenset(patterns))


def focused(signals: Signals, names: Collection[str], beside: Collection[str] = ()) -> Signals:
    """The signals where somebody asks about files, by their names: these are in view and no others.

    Args:
        signals: of the moment.
        names: of the files.
        beside: names of those next to them.
    """
    # Asked about a file, the other files of the session do not matter.
    return signals._replace(view=dict.fromkeys(beside, BESIDE) | dict.fromkeys(names, 1.0), asked=True)


# -- the strategies: each gives candidates what speaks for them, 1 to the best


class _Rarity:
    """How rare names, words and patterns are among the candidates, and how many each of these has."""

    def __init__(self, all_of: Sequence[frozenset[str]]) -> None:
        self._counts = Counter(one for each in all_of for one in each)
        self._size = len(all_of)
        self._mean = sum(map(len, all_of)) / self._size if all_of else 0.0

    def sum(self, wanted: Mapping[str, float], held: frozenset[str]) -> float:
        """What a candidate shares with the wanted ones: much where that is rare."""
        common = sorted(wanted.keys() & held)  # in order: a sum of floats depends on it
        return sum(wanted[one] * log(1.0 + self._size / self._counts[one]) for one in common)

    def shared(self, wanted: Mapping[str, float], held: frozenset[str]) -> float:
        """The same, less where the candidate has many."""
        found = self.sum(wanted, held)
        # Much as BM25 normalises length: an exchange about forty files is about each of them only a little.
        return found and found / sqrt(0.5 + 0.5 * len(held) / self._mean)


def by_files(signals: Signals, candidates: Sequence[Candidate]) -> list[float]:
    """What is about the files in view; how many others matters only where nobody asks about these."""
    rarity = _Rarity([one.names for one in candidates])
    # For a file that is asked about, it does not matter how many others an exchange is about
    # (bench/RESULTS.md, "Prediction").
    value = rarity.sum if signals.asked else rarity.shared
    return _relative([value(signals.view, one.names) for one in candidates])


def by_patterns(signals: Signals, candidates: Sequence[Candidate]) -> list[float]:
    """What is linked to the code patterns in view, or to those of what is about the files in view."""
    # Neighbours of a file in view are too far off to take their patterns over.
    view = {name for name, share in signals.view.items() if share >= AT_WORK}
    about = (one.patterns for one in candidates if one.names & view)
    wanted = dict.fromkeys(signals.patterns.union(*about), 1.0)
    rarity = _Rarity([one.patterns for one in candidates])
    return _relative([rarity.shared(wanted, one.patterns) for one in candidates])


def by_behaviour(signals: Signals, candidates: Sequence[Candidate]) -> list[float]:
    """What is about files worked on lately, shares words with what was said last, or is often used."""
    names = _Rarity([one.names for one in candidates])
    words = _Rarity([one.words for one in candidates])
    said = dict.fromkeys(signals.words, 1.0)
    worked = _relative([names.shared(signals.lately, one.names) for one in candidates])
    alike = _relative([words.shared(said, one.words) for one in candidates])
    return _relative(
        [
            0.5 * one + 0.5 * other + 0.2 * each.used
            for one, other, each in zip(worked, alike, candidates, strict=True)
        ]
    )


def by_time(_: Signals, candidates: Sequence[Candidate]) -> list[float]:
    """What comes from the last sessions; the hour and the day of the week make it worse (RESULTS.md)."""
    last: dict[str, int] = {}
    for one in candidates:
        if one.session:
            last[one.session] = max(last.get(one.session, 0), one.at)
    # By the place among the sessions, as pauses between them are of any length.
    order = {name: place for place, name in enumerate(sorted(last, key=lambda name: (-last[name], name)), 1)}
    return [1.0 / order[one.session] if one.session else 0.0 for one in candidates]


def _relative(values: list[float]) -> list[float]:
    # The strategies count in different units; the best of each becomes 1, so that weights can be compared.
    best = max(values, default=0.0)
    return [value / best for value in values] if best > 0.0 else values


STRATEGIES: dict[Strategy, Callable[[Signals, Sequence[Candidate]], list[float]]] = {
    "files": by_files,
    "patterns": by_patterns,
    "behaviour": by_behaviour,
    "time": by_time,
}


# -- one list of what they say


def predict(signals: Signals, candidates: Sequence[Candidate], limit: int) -> list[Predicted]:
    """What will probably be needed, of what says the same only the surest.

    It depends on nothing but its arguments, and not on their order: of equals the later one comes first.
    """
    return merged(scored(signals, candidates), candidates, limit)


def scored(
    signals: Signals, candidates: Sequence[Candidate], only: Collection[Strategy] = tuple(STRATEGIES)
) -> dict[Strategy, list[float]]:
    """What each strategy says, or some of them, of the candidates in their order."""
    return {name: STRATEGIES[name](signals, candidates) for name in only}


def merged(
    scores: Mapping[Strategy, Sequence[float]], candidates: Sequence[Candidate], limit: int
) -> list[Predicted]:
    """One list of what the strategies say together.

    One of them is likelier to be what is needed where they are about different files: the best one comes
    first, then whichever is best where files count little that those before are about.
    """
    found: list[tuple[float, Candidate, Predicted]] = []
    for place, one in enumerate(candidates):
        said = {name: values[place] for name, values in scores.items() if values[place] > 0.0}
        if said and (each := _merged(one, said)).confidence:
            together = sum(WEIGHTS[name] * score for name, score in said.items())
            # Rounded, since sums that differ in the last bit would give equals an order that changes
            # between machines.
            found.append((round(together, 9), one, each))
    found.sort(key=lambda each: (-each[0], -each[1].at, each[1].id))
    once: dict[str, tuple[float, Candidate, Predicted]] = {}
    # A memory and the exchange that it was learned from say the same: the better placed of them is told.
    for entry in found:
        once.setdefault(entry[1].place, entry)
    # Each choice looks at all that are left; of 400 candidates those at the end are never chosen.
    left, covered, chosen = list(once.values())[:COMPARED], frozenset[str](), list[Predicted]()
    while left and len(chosen) < limit:
        fresh = (1.0 - COVERED * len(one.names & covered) / max(len(one.names), 1) for _, one, _ in left)
        values = [value * new for (value, _, _), new in zip(left, fresh, strict=True)]
        _, one, each = left.pop(values.index(max(values)))
        covered |= one.names
        chosen.append(each)
    return chosen


def _merged(one: Candidate, said: Mapping[Strategy, float]) -> Predicted:
    """One prediction of what several strategies say: the highest confidence, and more for agreement."""
    sure = {name: WEIGHTS[name] * score for name, score in said.items()}
    first, *others = sorted(sure, key=lambda name: (-sure[name], name))
    agreeing = [name for name in others if said[name] >= AGREES]
    confidence = min(sure[first] + AGREEMENT * len(agreeing), 1.0)
    return Predicted(one.id, one.memory, round(confidence, 4), (first, *agreeing))


# -- what a store knows of the moment, and what may be needed; and predictions made ahead, for the next turn


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


# -- the job that follows each turn


def work_out(work: Work) -> Outcome:
    """Predict for the sessions that are live and for the next one; the brief is not kept waiting for it."""
    location = work.services.location
    if work.services.scope is Scope.GLOBAL or location.project is None or location.remote:
        return Outcome({}, "there is no working tree here", "skipped")
    from recortex.prediction.engine import preload

    return Outcome({"predicted": preload(work.services, location.project.root, work.now)})


JOBS = (Job("prediction", work_out),)
