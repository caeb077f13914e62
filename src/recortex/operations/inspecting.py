"""Looking at how the memory works: inspect."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from recortex.app.backends import generation_of
from recortex.app.brief import BUDGET
from recortex.app.brief_cache import FOLDER, LARGEST
from recortex.app.changes import unread
from recortex.app.diagnosis import Due, pending
from recortex.app.hooks import STATUS, read_status
from recortex.app.jobs.reembedding import waiting_chunks, waiting_exchanges
from recortex.app.projects import shown
from recortex.codec import loads
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.session import Signal
from recortex.domain.text import day_of, to_micros
from recortex.engines.decay import confidence, curve
from recortex.engines.privacy import output_redacted
from recortex.engines.usage import Efficiency, counts, efficiency
from recortex.errors import InvalidInputError
from recortex.lean import Value, field
from recortex.operations.base import Operations, bounded, filled, scope_name
from recortex.operations.context import Named, named
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.session import Session

DAY = timedelta(days=1)
_MICROS = 86_400_000_000
_AHEAD = 365
"""Days for which the confidence of a memory is told ahead."""
_STEP = 7


class Series(Value, frozen=True, kw_only=True):
    """One thing over time.

    Attributes:
        days: days since 1970 (UTC), in order.
        values: what it was on each of them.
    """

    name: str
    days: tuple[int, ...]
    values: tuple[float, ...]


def daily(all_services: Sequence[StoreServices], since: datetime, until: datetime) -> tuple[Series, ...]:
    """How many memories there were each day, what sessions were given and used, and contradictions."""
    first, last = _day(since), _day(until)
    days = tuple(range(first, last + 1))
    added, disputed = Counter[int](), Counter[int]()
    none = [0, 0, 0]
    got: dict[int, list[int]] = {}
    for services in all_services:
        found = services.store.statistics.daily(first * _MICROS)
        added.update(found.added)
        disputed.update(found.contradictions)
        for day, numbers in found.given.items():
            got[day] = [one + more for one, more in zip(got.get(day, none), numbers, strict=True)]
    return (
        _summed("memories", added, days),
        _summed("contradictions", disputed, days),
        *(
            Series(name=name, days=days, values=tuple(float(got.get(day, none)[place]) for day in days))
            for place, name in enumerate(("given", "used", "tokens given"))
        ),
    )


def fading(services: StoreServices, memory: Memory, now: datetime) -> Series:
    """How sure a memory was since it was last used, and will be for a year if nobody uses it."""
    (standing,) = services.store.statistics.find_by_ids([memory.id])
    central = services.store.search.centralities([standing.key]).get(standing.key, 0.0)
    fall = curve(standing, central)
    days = tuple(range(min(fall.start // _MICROS, _day(now)), _day(now) + _AHEAD + 1, _STEP))
    values = tuple(round(confidence(fall, day * _MICROS), 4) for day in days)
    return Series(name="confidence", days=days, values=values)


def _day(at: datetime) -> int:
    return to_micros(at) // _MICROS


def _summed(name: str, numbers: Mapping[int, int], days: Sequence[int]) -> Series:
    """How many there are at the end of each day."""
    before = sum(number for day, number in numbers.items() if day < days[0])
    values = accumulate((numbers.get(day, 0) for day in days), initial=before)
    return Series(name=name, days=tuple(days), values=tuple(map(float, values))[1:])


# -- the drawing: one chart below the other, as one SVG element

_WIDTH, _HEIGHT, _GAP, _LEFT, _TOP = 720, 120, 46, 64, 24
_STYLE = (
    "<style>svg{background:#fff}text{font:12px system-ui,sans-serif;fill:#1d2129}"
    "path{fill:none;stroke:#1f5fbf;stroke-width:2}line{stroke:#d9dce1}</style>"
)


def drawn(charts: Sequence[Series]) -> str:
    """The series as one SVG element, each in a chart of its own with its least and greatest value."""
    height = len(charts) * (_HEIGHT + _GAP)
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    parts = [_chart(one, place * (_HEIGHT + _GAP)) for place, one in enumerate(charts)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    title = f"<title>{escape(', '.join(one.name for one in charts))}</title>"
    return "\n".join([head, title, _STYLE, *parts, "</svg>"])


def _chart(one: Series, top: int) -> str:
    most, least = max(one.values, default=0.0), min(0.0, *one.values)
    first, last = one.days[0], one.days[-1]
    right, bottom = _WIDTH - 12, top + _TOP + _HEIGHT - 20

    def place(day: int, value: float) -> str:
        across = _LEFT + (right - _LEFT) * (day - first) / max(last - first, 1)
        up = (bottom - top - _TOP) * (value - least) / ((most - least) or 1)
        return f"{across:.1f} {bottom - up:.1f}"

    line = " L".join(place(day, value) for day, value in zip(one.days, one.values, strict=True))
    return "\n".join(
        [
            f'<text x="{_LEFT}" y="{top + 14}">{escape(one.name)}</text>',
            f'<line x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>',
            f'<text x="{_LEFT - 6}" y="{top + _TOP + 6}" text-anchor="end">{most:,.3g}</text>',
            f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">{least:,.3g}</text>',
            f'<text x="{_LEFT}" y="{bottom + 16}">{day_of(first)}</text>',
            f'<text x="{right}" y="{bottom + 16}" text-anchor="end">{day_of(last)}</text>',
            f'<path d="M{line}"/>',
        ]
    )


# -- looking at how the memory works: inspect


MICRO = 1_000_000
USUAL_DAYS, MOST_DAYS = 90, 3_650
"""Days of a picture, and at most."""
MANY_UNREAD = 100
"""What was kept since the last session always waits for the end of the next one."""
MOST_FILES = 1_000
"""Cached briefs that are looked at."""
LATEST = 2.0**33
"""Seconds since 1970 that a brief may say it was made at: the year 2242."""


class StoreCounts(Value, frozen=True, kw_only=True):
    """What is counted of one store.

    Attributes:
        scope: project, global, or all for a store that holds both.
        without_vector: memories that wait for their vector; `recortex backfill` makes them.
        exchanges: what is kept of what was said in sessions.
        exchanges_without_vectors: those that wait for them.
        documents, chunks: what was ingested, and its parts.
        chunks_without_vectors: parts that wait for them; until then all of these are found by their words.
    """

    scope: str
    path: str
    memories: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    relations: int
    without_vector: int
    exchanges: int = 0
    exchanges_without_vectors: int = 0
    documents: int = 0
    chunks: int = 0
    chunks_without_vectors: int = 0


class StoreFigures(StoreCounts, frozen=True, kw_only=True):
    """One store in figures.

    Attributes:
        consolidation: what was learned since somebody last looked for duplicates.
    """

    consolidation: Due


class BriefCache(Value, frozen=True, kw_only=True):
    """The briefs that are kept for the next session starts.

    Attributes:
        stale: how many are older than a day, or than the last change of a store; they are made anew when
            needed.
        newest_at: when the newest was made.
    """

    files: int = 0
    stale: int = 0
    newest_at: datetime | None = None


class ModelCosts(Value, frozen=True, kw_only=True):
    """What a language model was paid today; it is never called unless it is switched on."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    refused: int = 0
    failed: int = 0


class SessionFigures(Value, frozen=True, kw_only=True):
    """A session on one line."""

    id: str
    client: str
    branch: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    end_reason: str
    captured_at: datetime | None
    efficiency: Efficiency


class Given(Value, frozen=True, kw_only=True):
    """A memory that was given in a session, or an exchange that was told with a file.

    Attributes:
        memory: its id; `kind` and `summary` are empty where it is gone.
        kind: of the memory, or "exchange".
        channel: surface (the brief), prompt, or file.
        subject: the touched file.
        context: counts compactions before it.
        used_as: quoted, file or command; empty where no use was seen.
    """

    memory: str
    kind: str
    summary: str
    channel: str
    subject: str
    context: int
    at: datetime
    score: float
    tokens: int
    used_as: str
    used_at: datetime | None


class SessionReceipts(Value, frozen=True, kw_only=True):
    """What was given in a session, what was seen of it, and what it was worth."""

    session: SessionFigures
    given: tuple[Given, ...]
    signals: tuple[Signal, ...] = ()
    seen: dict[str, int] = field(default_factory=dict)


class Delivery(Given, frozen=True, kw_only=True):
    """When and how one memory was given, and what came of it; `session` is where."""

    session: str


class MemoryUse(Value, frozen=True, kw_only=True):
    """Where a memory was given, latest first, and how sure it is over time."""

    id: str
    given: tuple[Delivery, ...]
    confidence: Series


class Inspection(Value, frozen=True, kw_only=True):
    """How the memory works.

    Attributes:
        captures: counts and times of the capture process: its last run and all of them.
        receipts: of the session that was asked for.
        memory: the use of the memory that was asked for.
        series: figures by day, where they were asked for.
        picture: the series, or the memory's confidence, as SVG, where it was asked for.
        notices: what a person may want to do.
    """

    stores: tuple[StoreFigures, ...] = ()
    briefs: BriefCache = BriefCache()
    sessions: tuple[SessionFigures, ...] = ()
    captures: dict[str, Any] = field(default_factory=dict)
    model: ModelCosts = ModelCosts()
    receipts: SessionReceipts | None = None
    memory: MemoryUse | None = None
    series: tuple[Series, ...] = ()
    picture: str = ""
    notices: tuple[str, ...] = ()


class InspectionOperations(Operations):
    """inspect."""

    @operation(read_only=True, told=("session", "limit"))
    def inspect(
        self,
        *,
        session: str = "",
        limit: int = 20,
        id: str = "",  # noqa: A002  the contract's name
        days: int = 0,
        plot: bool = False,
    ) -> Inspection:
        """Show what sessions were given and used, what is kept and what waits.

        With a session: what it was given, with scores and tokens, and what was used.

        Args:
            session: id of a session, or its first characters.
            limit: maximum number of sessions to list; for one session, of signals.
            id: a memory: where it was given, and how sure it is over time.
            days: figures of so many days, by day.
            plot: draw them as SVG, for a file: recortex inspect --plot > memory.svg
        """
        if id:
            return self._of_memory(id, bounded(limit), drawing=plot)
        now, past = self._app.clock(), days or (USUAL_DAYS if plot else 0)
        series: tuple[Series, ...] = ()
        if past:
            series = daily(self._app.all_services(), now - bounded(past, most=MOST_DAYS) * DAY, now)
        all_services = self._app.all_services()
        limit = bounded(limit)
        stores = tuple(
            StoreFigures(**figures(services), consolidation=pending(services)) for services in all_services
        )
        notices = [one.consolidation.notice for one in stores if one.consolidation.notice]
        waiting = sum(one.without_vector for one in stores)
        if waiting and self._app.settings["embedder"] != "none":
            notices.append(f"{waiting} memories have no vector yet: `recortex backfill` makes them.")
        left = sum(len(unread(services)) for services in all_services)
        if left > MANY_UNREAD:
            notices.append(f"{left:,} memories wait to be compared with others for changes of mind.")
        spent = [services.store.model_calls.total_today(self._app.clock()) for services in all_services]
        return Inspection(
            stores=stores,
            briefs=self._briefs(),
            sessions=() if session else self._sessions(all_services, limit),
            captures=read_status(next(iter(self._app.locations.values())).place(STATUS)),
            model=ModelCosts(
                calls=sum(one.calls for one in spent),
                tokens=sum(one.tokens for one in spent),
                usd=round(sum(one.micro_usd for one in spent) / MICRO, 6),
                refused=sum(one.refused for one in spent),
                failed=sum(one.failed for one in spent),
            ),
            receipts=self._receipts(all_services, session, limit) if session else None,
            series=series,
            picture=drawn(series) if plot else "",
            notices=tuple(notices),
        )

    def _of_memory(self, id_: str, limit: int, *, drawing: bool) -> Inspection:
        services, memory = self._app.locate(id_)
        found = [
            one
            for each in self._app.all_services()
            for one in each.store.sessions.receipts_of(memory.id, limit)
        ]
        summary = output_redacted(memory).summary
        use = MemoryUse(
            id=memory.id,
            given=tuple(filled(Delivery, one, kind=memory.kind, summary=summary) for one in found),
            confidence=fading(services, memory, self._app.clock()),
        )
        return Inspection(memory=use, picture=drawn([use.confidence]) if drawing else "")

    def _sessions(self, all_services: Sequence[StoreServices], limit: int) -> tuple[SessionFigures, ...]:
        found = [
            (services, one) for services in all_services for one in services.store.sessions.recent(limit)
        ]
        found.sort(key=lambda entry: entry[1].seen_at, reverse=True)
        return tuple(_session_figures(services, one) for services, one in found[:limit])

    def _receipts(self, all_services: Sequence[StoreServices], wanted: str, limit: int) -> SessionReceipts:
        services, session = self._session(all_services, shown(wanted.strip()))
        receipts = services.store.sessions.receipts(session.id)
        signals = services.store.sessions.signals(session.id)
        known = named(all_services, [one.memory for one in receipts])
        return SessionReceipts(
            session=_session_figures(services, session),
            given=tuple(filled(Given, one, **known.get(one.memory, Named())._asdict()) for one in receipts),
            signals=tuple(signals[-limit:]),
            seen=counts(signals),
        )

    def _session(self, all_services: Sequence[StoreServices], wanted: str) -> tuple[StoreServices, Session]:
        found = {
            id_: services
            for services in all_services
            for id_ in (services.store.sessions.ids_beginning(wanted) if wanted else ())
        }
        if wanted in found:
            found = {wanted: found[wanted]}
        if len(found) > 1:
            raise InvalidInputError(
                f"Several sessions have ids that begin with {wanted[:40]!r}.", hint="Give more characters."
            )
        for id_, services in found.items():
            session = services.store.sessions.get(id_)
            if session is not None:
                return services, session
        raise InvalidInputError(
            f"There is no session {wanted[:40]!r}.", hint="`recortex inspect` lists the last ones."
        )

    def _briefs(self) -> BriefCache:
        locations = list(self._app.locations.values())
        files = [path for one in locations for path in sorted(one.place(FOLDER).glob("*.json"))[:MOST_FILES]]
        state = (generation_of(locations) if files else "", self._app.settings[BUDGET])
        now = self._app.clock().timestamp()
        made = [_made(path) for path in files]
        newest = max((at for at, _, _ in made), default=0.0)
        return BriefCache(
            files=len(files),
            stale=sum(of != state or not at <= now < until for at, until, of in made),
            newest_at=datetime.fromtimestamp(newest, UTC) if newest > 0 else None,
        )


def _made(path: Path) -> tuple[float, float, tuple[str, int]]:
    """When a brief was made, until when it is fresh, and from which state of the stores for which budget.

    Zeros where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            kept = loads(file.read(LARGEST + 1))
        at = float(kept["generated_at"])
        state = str(kept["generation"]), int(kept["budget"])
        return at if 0 < at < LATEST else 0.0, float(kept["fresh_until"]), state
    except (OSError, InvalidInputError, KeyError, TypeError, ValueError):
        return 0.0, 0.0, ("", 0)


def figures(services: StoreServices) -> dict[str, Any]:
    """What `status` and `inspect` both tell of a store, by the names of their fields."""
    counts = services.store.memories.counts()
    by_status: Counter[str] = Counter()
    for statuses in counts.values():
        by_status.update(statuses)
    return {
        "scope": scope_name(services),
        "path": services.store.shown,
        "memories": by_status.total(),
        "by_kind": {kind: sum(statuses.values()) for kind, statuses in counts.items()},
        "by_status": dict(by_status),
        "relations": services.store.relations.count(),
        "without_vector": services.store.vectors.count_pending(),
        "exchanges": services.store.exchanges.count(ExchangeQuery()),
        "exchanges_without_vectors": waiting_exchanges(services),
        "documents": services.store.documents.count()[0],
        "chunks": services.store.documents.count()[1],
        "chunks_without_vectors": waiting_chunks(services),
    }


def _session_figures(services: StoreServices, session: Session) -> SessionFigures:
    receipts = services.store.sessions.receipts(session.id)
    signals = services.store.sessions.signals(session.id)
    return filled(SessionFigures, session, efficiency=efficiency(receipts, signals))
