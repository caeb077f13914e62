"""What will probably be needed next: predict, preload."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.given import Asking
from recortex.app.predicted import NEXT, PredictionCache, neighbours_of, still_there
from recortex.domain.text import clean
from recortex.domain.vocabulary import Scope
from recortex.operations.base import Operations, bounded
from recortex.operations.context import named
from recortex.operations.registry import operation
from recortex.prediction.engine import EACH, Prospect, names_of, preload
from recortex.terminal import plural, short

if TYPE_CHECKING:
    from recortex.app.application import StoreServices
    from recortex.app.predicted import Kept
    from recortex.prediction.engine import Predicted
    from recortex.terminal import Terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbablyNeeded:
    """A memory or an exchange that will probably be needed.

    Attributes:
        kind: of the memory, or `exchange`.
        confidence: 0 to 1.
        because: what says so, the surest first: files in view, their patterns, behaviour, or the time.
    """

    id: str
    kind: str
    summary: str
    confidence: float
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What will probably be needed: the surest first, then what is about other files before more of it.

    Attributes:
        cached: it was worked out ahead.
    """

    predicted: tuple[ProbablyNeeded, ...]
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Preloaded:
    """Predictions that were worked out ahead.

    Attributes:
        files: for how many files.
        hits, misses: how often a prediction was there when it was asked for, and how often not.
    """

    files: int
    hits: int
    misses: int


class PredictionOperations(Operations):
    """predict, preload."""

    @operation(read_only=True, told=("files",))
    def predict(
        self, *, files: Sequence[str] = (), patterns: Sequence[str] = (), limit: int = EACH, session: str = ""
    ) -> Prediction:
        """Show what will probably be needed next.

        Args:
            files: paths in view.
            patterns: ids of code patterns in view.
            limit: at most so many.
            session: by default the one that asks.
        """
        most = bounded(limit)
        # At most one: predictions are made of the project's store alone, and the loop is for projects
        # without one.
        for services in self._projects():
            asking = session or self._asking()
            cache, now = PredictionCache(services.location), self._app.clock()
            known = None
            # Only these questions are worked out ahead; for anything else there is nothing to look up.
            if len(files) <= 1 and most <= EACH and not patterns:
                name = next(iter(names_of("", files)), NEXT)
                # A prediction that is older than the file's last change is not used.
                known = cache.find(asking, name, now.timestamp(), self._changed_at(files))
            cache.count(hit=known is not None)
            if known is not None:
                # Between the prediction and now, a memory may have been erased or replaced; exchanges are
                # looked up below.
                there = {one.id for one in still_there(services, known, now)}
                kept = [one for one in known if one.id in there or not one.memory]
                return self._prediction(services, kept[:most], cached=True)
            beside = neighbours_of(self._app, list(files))
            found = Prospect(services, self._app.tree, now).predict(asking, most, files, beside, patterns)
            return self._prediction(services, found)
        return Prediction(predicted=())

    @operation(idempotent=True, told=("session",))
    def preload(self, *, session: str = "") -> Preloaded:
        """Predict ahead, as after each turn.

        Args:
            session: by default the one that asks.
        """
        for services in self._projects():
            files = preload(services, self._app.tree, self._app.clock(), session or self._asking())
            cache = PredictionCache(services.location)
            return Preloaded(files=files, hits=cache.hits, misses=cache.misses)
        return Preloaded(files=0, hits=0, misses=0)

    def _projects(self) -> Sequence[StoreServices]:
        return self._app.all_services(Scope.PROJECT)

    def _asking(self) -> str:
        session = Asking(self._app).session
        return session.id if session else NEXT

    def _changed_at(self, files: Sequence[str]) -> float:
        """When one of the files was changed last; 0 where none is there."""
        times = [0.0]
        for file in files:
            with suppress(OSError, ValueError):
                times.append((self._app.tree / file).stat().st_mtime)
        return max(times)

    def _prediction(
        self, services: StoreServices, found: Sequence[Predicted] | Sequence[Kept], *, cached: bool = False
    ) -> Prediction:
        known = named([services], [one.id for one in found])
        return Prediction(
            predicted=tuple(
                ProbablyNeeded(
                    id=one.id,
                    kind=known[one.id].kind,
                    summary=known[one.id].summary,
                    confidence=one.confidence,
                    because=tuple(one.because),
                )
                for one in found
                if one.id in known
            ),
            cached=cached,
        )


# -- predictions as people read them


def prediction(value: Prediction, terminal: Terminal) -> str:
    """A line for each, with what says so below it."""
    lines = [
        f"{terminal.style(f'{one.confidence:.2f}', 'green')}  "
        f"{terminal.style(short(one.id), 'cyan')}  {one.kind}\n"
        f"{terminal.wrap(clean(one.summary), indent=6)}\n      {', '.join(one.because)}"
        for one in value.predicted
    ]
    return "\n".join(lines) or "Nothing is predicted: nothing that is known is about what is worked on."


def preloaded(value: Preloaded, _: Terminal) -> str:
    """For how many files, and how often that was of use."""
    looks = value.hits + value.misses
    used = f" {value.hits} of {plural(looks, 'look')} found their prediction." if looks else ""
    return f"Predicted for the next turn, and for {plural(value.files, 'file')}.{used}"
