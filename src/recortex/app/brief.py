"""The brief of a session's start: from the cache where it is fresh, else made; in a file too if asked for.

The hook imports this module: what making a brief needs is loaded only when one is made.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app import brief_cache as cache
from recortex.app.backends import generation_of
from recortex.app.brief_cache import FILE, FOLDER, Brief, Cached, Item, Line
from recortex.app.projects import shown
from recortex.codebase.git import working_tree
from recortex.domain.maintenance import Degradation
from recortex.domain.text import loads, to_micros
from recortex.domain.vocabulary import Origin, Scope, Status, Trust
from recortex.errors import RecortexError, StorageError
from recortex.filesystem import alone
from recortex.lean import lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from recortex.app import last_sessions
    from recortex.app import predicted as neighbour_files
    from recortex.app.application import Application, StoreServices
    from recortex.app.projects import Location
    from recortex.codebase import git as git_files
    from recortex.domain import exchange, search
    from recortex.domain.maintenance import MemoryStatistics
    from recortex.domain.memory import Memory
    from recortex.domain.session import Outcome
    from recortex.engines import brief as brief_engine
    from recortex.engines import privacy
    from recortex.engines.brief import BriefEntry, Ranked
    from recortex.engines.supersession import reading
    from recortex.text import tokens as text_tokens
else:
    brief_engine = lazy_module("recortex.engines.brief")
    git_files = lazy_module("recortex.codebase.git")
    last_sessions = lazy_module("recortex.app.last_sessions")
    exchange = lazy_module("recortex.domain.exchange")
    neighbour_files = lazy_module("recortex.app.predicted")
    privacy = lazy_module("recortex.engines.privacy")
    reading = lazy_module("recortex.engines.supersession.reading")
    search = lazy_module("recortex.domain.search")
    text_tokens = lazy_module("recortex.text.tokens")


BUDGET = "hooks.brief_tokens"
MOST_BESIDE = 3
"""Files next to those that are being worked on whose memories count more (bench/neighbours.py --brief)."""
MOST_NAMED = 500
"""Of a large store so many memories are ranked that are about files at work, or that were used."""
LATELY, LOOKED_AT = timedelta(days=7), 100
"""So many of the latest exchanges of the branch tell what is being worked on."""
MOST_UNRESOLVED = 200
"""Contradictions of which the earlier memory is left out; whoever has more of them reviews some first."""

__all__ = ["BUDGET", "Brief", "Item", "brief", "from_cache"]


def from_cache(
    locations: Sequence[Location], *, branch: str, cwd: str, now: float, budget: int, client: str = ""
) -> Brief | None:
    """The fresh brief of the hook's quick path; None where one has to be made, or a store cannot be read.

    Args:
        locations: of the stores, in the application's order: the project's, then the person's.
        branch: that is checked out.
        cwd: the session's folder.
        now: seconds since 1970 UTC.
        budget: tokens of the whole brief; one that was made for another budget is not given.
        client: the agent's.
    """
    place = _place(locations)
    cached = cache.load(place[0], branch=branch, cwd=cwd, client=client) if place else None
    with suppress(StorageError):
        # Only the numbers of the stores are read: opening them takes more time than the hook has.
        if cached and cached.fresh(generation_of(locations), now, budget):
            return cached.brief
    return None


def brief(app: Application, *, branch: str, cwd: str, client: str = "", fresh: bool = False) -> Brief:
    """What a session is told at its start.

    From the cache while nothing changed for at most a day, else made anew and kept. Where it cannot be made
    because a store is locked or damaged, the last one is given with a notice of its age.

    Args:
        app: the opened application.
        branch: that is checked out; empty where none is.
        cwd: the session's folder.
        client: the agent's: it is not told what stands in files that it loads itself.
        fresh: make it anew in any case.

    Raises:
        StorageError: it cannot be made, and none was kept.
    """
    place = _place(list(app.locations.values()))
    if place is None:
        return Brief("", 0, (), app.clock().timestamp())
    now = app.clock().timestamp()
    known = cache.load(place[0], branch=branch, cwd=cwd, client=client)
    try:
        numbers = {
            services.location.database: services.store.statistics.generation()
            for services in app.readable_services()
        }
        generation = cache.joined(
            [(one.database, numbers.get(one.database)) for one in app.locations.values()]
        )
        if known is not None and not fresh and known.fresh(generation, now, app.settings[BUDGET]):
            return known.brief
        made = _make(app, generation, branch, cwd, client)
    except StorageError:
        if known is None:
            raise
        # An old brief with its age is better than none: a store may be locked for a moment only.
        return known.stale(now)
    with suppress(OSError):  # a read-only folder: the next session makes its brief anew
        _keep(app, place, made, branch=branch, cwd=cwd, client=client)
    return made.brief


def _place(locations: Sequence[Location]) -> tuple[Path, Path] | None:
    """The folder of briefs and the lock for writing there: beside the first store that exists."""
    for location in locations:
        if not location.absent:
            return location.place(FOLDER), location.place("locks") / "surface.lock"
    return None


def _make(app: Application, generation: str, branch: str, cwd: str, client: str) -> Cached:
    now = app.clock()
    at = to_micros(now)
    all_services = app.readable_services()
    stores = _presentable(app, all_services, branch, cwd, client)
    count = text_tokens.TokenCounter(on_degradation=app.degraded).count
    shelf = _Reading(
        all_services, brief_engine.foremost(brief_engine.ranked(stores, branch=branch, now=at)), count
    )
    parted = brief_engine.passes(shelf.holding())
    sessions = _session_lines(app, branch, cwd, count) if app.settings["hooks.last_session"] else ()
    # What stands before the memories takes its part of the budget, so it is made first.
    before = "".join(line.text for line in sessions) + _renamed(all_services)
    budget = brief_engine.Budget.of_tokens(app.settings[BUDGET])
    laid_out = brief_engine.page(parted, shelf.line_of, count, budget, before)
    items = tuple(shelf.item(entry) for entry in laid_out.entries)
    made = Brief(laid_out.text, laid_out.tokens, items, now.timestamp(), sessions=sessions)
    # A memory that ends soon takes the brief's freshness along: time alone changes no generation.
    ends = [memory.valid_until.timestamp() for memory in shelf.select(laid_out.entries) if memory.valid_until]
    # A day, or until the first memory on the page ends.
    fresh_until = min([made.generated_at + cache.FRESH_SECONDS, *ends])
    return Cached(made, generation, fresh_until, budget.limit)


def _presentable(
    app: Application, all_services: Sequence[StoreServices], branch: str, cwd: str, client: str
) -> list[brief_engine.Presentable]:
    """What each store may show to a client, and what each memory has to do with the session that starts."""
    files, sessions = _at_work(app, branch, cwd)
    beside = neighbour_files.neighbours_of(app, sorted(files))[:MOST_BESIDE]
    projects = app.all_services(Scope.PROJECT)
    used = [id_ for project in projects for id_ in project.store.sessions.used_lately(MOST_NAMED)]
    found = []
    for services in all_services:
        statistics = services.store.statistics
        paths = statistics.paths()
        about, near = (statistics.about(touched(paths, some)) for some in (files, beside))
        # The latest of them, so that a file which many memories are about does not crowd out the rest.
        latest = [*about[-MOST_NAMED:], *near[-MOST_NAMED:]]
        known = statistics.foremost(to_micros(app.clock()), about=latest, ids=used, sessions=sessions)
        ended = _ended(services, known)
        memories = [one for one in known if one.id not in ended and not loads(client, one.loaded_by)]
        outcomes: dict[str, Outcome] = {}
        for project in projects:
            outcomes |= project.store.sessions.outcomes([one.id for one in memories], ("surface",))
        central = services.store.search.centralities([one.key for one in memories])
        found.append(brief_engine.Presentable(memories, central, frozenset(about), frozenset(near), outcomes))
    return found


def _ended(services: StoreServices, known: Sequence[MemoryStatistics]) -> set[str]:
    """The ids of what is left out since another memory says otherwise, until a person decides.

    Of two the earlier one; but the repository's word where the other is the person's, whenever it was said.
    """
    repositorys = [one.id for one in known if one.origin == Origin.REPOSITORY]
    persons = {one.id for one in known if one.trust == Trust.TRUSTED}.difference(repositorys)
    pairs = services.store.memories.contradicting(repositorys) if repositorys and persons else []
    # Of a pair with one word of the person and one of the repository, the repository's is left out.
    beaten = {frozenset(pair): min(pair, key=persons.__contains__) for pair in pairs if persons & {*pair}}
    earlier = last_sessions.unresolved(services, MOST_UNRESOLVED).items()
    # What the rule above decided is not decided a second time by which came later.
    return {end for later, end in earlier if frozenset((later, end)) not in beaten}.union(beaten.values())


def _at_work(app: Application, branch: str, cwd: str) -> tuple[frozenset[str], list[str]]:
    """The files that are being worked on where a session starts, and the last sessions of the branch.

    Files that are uncommitted, in the last commits, or were edited in these sessions.
    """
    projects = app.all_services(Scope.PROJECT)
    if not projects:
        return frozenset(), []
    folder = Path(cwd) if cwd else app.root
    tree = working_tree(folder) if folder.is_dir() else app.root
    now = app.clock()
    query = exchange.ExchangeQuery(branch=branch, since=now - LATELY, until=now, limit=LOOKED_AT)
    lately = [one for services in projects for one in services.store.exchanges.find(query)]
    # Paths of git may hold secrets, as other texts may.
    files = {*map(shown, git_files.files_at_work(tree)), *(path for one in lately for path in one.files)}
    return frozenset(files), list(dict.fromkeys(one.session for one in lately))


def _renamed(all_services: Sequence[StoreServices]) -> str:
    """A line on memories that wait for the person since a name in them changed; empty without any."""
    query = search.MemoryQuery(statuses=(Status.PROPOSED,), order="updated", limit=MOST_UNRESOLVED)
    found = [memory for services in all_services for memory in services.store.memories.find(query)]
    return brief_engine.renamed(
        [text for memory in found if (text := reading.describe_rename(memory.metadata))]
    )


def _session_lines(app: Application, branch: str, cwd: str, count: Callable[[str], int]) -> tuple[Line, ...]:
    """The lines on the last sessions of a branch and folder."""
    found: list[Line] = []
    for services in app.all_services(Scope.PROJECT):
        sessions = last_sessions.last_sessions(services.store.exchanges, branch, cwd, app.clock())
        found += (Line(*line) for line in brief_engine.session_lines(sessions, _short_id(services), count))
    return tuple(found)


def _short_id(services: StoreServices) -> Callable[[str], str]:
    """Shortens ids of exchanges: to the beginning, or not at all where another one begins so too."""

    def short(id_: str) -> str:
        begin = id_[: brief_engine.SHORT_ID]
        return begin if len(services.store.exchanges.ids_beginning(begin)) == 1 else id_

    return short


class _Reading:
    """The memories that may come into a brief, read whole, and their lines."""

    def __init__(
        self, all_services: Sequence[StoreServices], ranked: Sequence[Ranked], count: Callable[[str], int]
    ) -> None:
        self._all_services = all_services
        self._ranked = ranked
        self._count = count
        self._memories: dict[tuple[int, str], Memory] = {}
        for place, services in enumerate(all_services):
            ids = [one.id for one in ranked if one.store_index == place]
            self._memories |= {(place, memory.id): memory for memory in services.store.memories.get(ids)}

    def holding(self) -> list[Ranked]:
        """Those that are still there and say what still holds."""
        found = ((one, self._memories.get((one.store_index, one.id))) for one in self._ranked)
        return [one for one, memory in found if memory and brief_engine.still_holds(memory, one.group)]

    def line_of(self, one: Ranked) -> str:
        """The line of a memory; empty where it is gone meanwhile."""
        memory = self._memories.get((one.store_index, one.id))
        return (
            brief_engine.line_of(privacy.output_redacted(memory), self._short(memory.id), self._count)
            if memory
            else ""
        )

    def item(self, entry: BriefEntry) -> Item:
        """What is noted of a memory on the page."""
        one = entry.ranked
        return Item(
            one.id, self._memories[one.store_index, one.id].scope.value, round(one.rank, 4), entry.tokens
        )

    def select(self, entries: Sequence[BriefEntry]) -> list[Memory]:
        """The memories on the page."""
        return [self._memories[entry.ranked.store_index, entry.ranked.id] for entry in entries]

    def _short(self, memory_id: str) -> str:
        """The beginning of an id, or all of it where another one begins so too."""
        begin = memory_id[: brief_engine.SHORT_ID]
        alike = [
            id_ for services in self._all_services for id_ in services.store.memories.ids_beginning(begin)
        ]
        return begin if len(alike) == 1 else memory_id


def _keep(
    app: Application, place: tuple[Path, Path], made: Cached, *, branch: str, cwd: str, client: str
) -> None:
    """Keep the brief in the cache, unless another process is writing one: that is as good.

    Raises:
        OSError: the store's folder cannot be written.
    """
    folder, lock = place
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whoever else is writing one makes it from the same stores.
    with alone(lock) as mine:
        if mine:
            cache.save(folder, made, branch=branch, cwd=cwd, client=client)
            _show(app, made.brief.text)


def _show(app: Application, text: str) -> None:
    """Write the brief into the file that the settings may ask for; a failure is only recorded."""
    if not app.settings["surface.file"]:
        return
    try:
        cache.write(app.root, text)
    except (OSError, RecortexError) as error:
        with suppress(StorageError):
            app.degraded(
                Degradation("surface file", f"{FILE}: {error}", "the brief is given by the hook alone")
            )
    else:
        with suppress(StorageError):
            app.works_again("surface file")


# -- which memories are about the files that are being worked on


def touched(paths: Iterable[str], files: Collection[str]) -> list[str]:
    """Which paths that memories are linked to mean one of these files.

    Args:
        paths: `git.py` may stand for `src/git.py`, unless several of the files have that name.
        files: relative or absolute.
    """
    parted = [_parts(path) for path in files]
    names = Counter(parts[-1] for parts in parted)
    ends = {parts[start:] for parts in parted for start in range(len(parts))}
    meant = ((_parts(path), path) for path in paths)
    # A bare name means a file only where no other has it: `index.ts` may be in every folder.
    return [path for parts, path in meant if parts in ends and (len(parts) > 1 or names[parts[0]] == 1)]


def _parts(path: str) -> tuple[str, ...]:
    return tuple(
        part for part in path.rstrip(".").replace("\\", "/").split("/") if part not in {"", "."}
    ) or ("",)
