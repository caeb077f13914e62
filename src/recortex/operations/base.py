"""The base class of all groups of operations, and what several of them use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from recortex.app import projects
from recortex.app.projects import shown
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds import kind_of
from recortex.domain.memory import Memory
from recortex.domain.search import MemoryQuery, Recipe
from recortex.domain.text import as_utc, to_micros
from recortex.domain.vocabulary import (
    Actor,
    AnyDomain,
    AnyImportance,
    AnyOrigin,
    AnyScope,
    AnyStatus,
    Domain,
    RelationType,
    Scope,
    Status,
)
from recortex.engines.privacy import output_redacted
from recortex.engines.similarity import BY_WORDS, SAME_MATTER, SUGGESTED
from recortex.errors import EmbeddingError, InvalidInputError, StorageError
from recortex.lean import Value, lazy_module, names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from _typeshed import DataclassInstance

    from recortex.app import hooks, wiring
    from recortex.app.application import Application, StoreServices
    from recortex.app.jobs import running as job_running
    from recortex.app.jobs import table as job_table
    from recortex.codebase import git
    from recortex.codebase import git as git_files
    from recortex.domain.memory import Citation, FileLink, Relation
    from recortex.domain.search import Document
    from recortex.engines import decay
    from recortex.engines.ingestion.service import Kept
    from recortex.formats.hook_events import HookEvent
    from recortex.telemetry import ToFile
else:
    wiring = lazy_module("recortex.app.wiring")
    hooks = lazy_module("recortex.app.hooks")
    git_files = lazy_module("recortex.codebase.git")
    job_running = lazy_module("recortex.app.jobs.running")
    job_table = lazy_module("recortex.app.jobs.table")
    decay = lazy_module("recortex.engines.decay")
    git = lazy_module("recortex.codebase.git")


Result = TypeVar("Result", bound="DataclassInstance")

MAX_LIMIT = 1000
MAX_OFFSET = 1_000_000_000
MAX_DEPTH = 10
"""Relations that a walk follows one after the other."""
MAX_LINE = 999_999_999
"""The highest line number of a cited file."""


class Operations:
    """Operations on an opened application.

    The facade is made of several such groups, and each can be opened alone.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        url: str | None = None,
        clock: Callable[[], datetime] | None = None,
        actor: Actor = Actor.USER,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Self:
        """Find the store of the project that `path` lies in; the working directory's, unless said.

        The store itself is opened, or made, when an operation needs it.

        Args:
            path: any folder in the project.
            url: a store instead of the project's own: sqlite:///FILE.
            clock: gives the current time, aware; a test can live through years with it.
            actor: on whose behalf changes are made, for the audit log.
            progress: told of long work: what, how much is done, how much there is.

        Raises:
            ConfigError: a setting or the URL cannot be used.
        """
        return cls(wiring.application(path, url=url, clock=clock, actor=actor, progress=progress))

    @classmethod
    def of(cls, other: Operations) -> Self:
        """This group of operations on what another one has opened."""
        return cls(other._app)

    def warm(self) -> None:
        """Load the embedding model now, so that the first recall does not wait for it."""
        self._app.probe_embedder()

    def attend(self, event: HookEvent) -> str:
        """Do what a moment of an agent's session asks for.

        Returns the marked text for the agent, mostly empty.
        """
        return hooks.handle(wiring.hook_context(self._app.root, app=self._app), event)

    @property
    def address(self) -> str:
        """What hooks know a server of this store by."""
        return next(iter(self._app.locations.values())).address

    @property
    def home(self) -> Path:
        """The folder of the person's data."""
        return self._app.project.home

    @property
    def project_name(self) -> str:
        """What people call the project."""
        return self._app.project.name

    def now(self) -> datetime:
        """The current time."""
        return self._app.clock()

    def relations_among(self, ids: Sequence[str]) -> list[Relation]:
        """The relations whose ends are both among these memories."""
        known = frozenset(ids)
        return [
            one
            for services in self._app.readable_services()
            for one in services.store.relations.find_touching(ids)
            if one.source_id in known and one.target_id in known
        ]

    def documents_known(self) -> list[Document]:
        """The documents that were read in, by path."""
        return [one for services in self._app.readable_services() for one in services.store.documents.all()]

    def changes(self) -> tuple[object, ...]:
        """What is another value once anything that is remembered has changed."""
        return tuple(services.store.statistics.generation() for services in self._app.readable_services())

    @property
    def metered(self) -> ToFile | None:
        """What is told how long each operation takes."""
        return self._app.metered

    @property
    def unwritten(self) -> list[str]:
        """A line on each open store that cannot be written, so that nothing new is kept in it."""
        return self._app.unwritten

    def _faded(self, services: StoreServices, memories: Sequence[Memory]) -> Sequence[Memory]:
        """The memories of a store with the confidence that is left now."""
        return decay.faded(memories, services.store, to_micros(self._app.clock()))

    def _present(self, query: MemoryQuery, scope: AnyScope | None = None) -> list[Memory]:
        """The memories of all stores that pass, with the confidence that is left now."""
        return [
            memory
            for services in self._app.all_services(scope)
            for memory in self._faded(services, services.store.memories.find(query))
        ]

    def _changed(
        self, services: StoreServices, old: Memory, new: Memory, operation: str, reason: str = ""
    ) -> Memory:
        """The new state of a memory as it is kept, on behalf of whoever asked for the change."""
        now, actor = self._app.clock(), self._app.actor
        return services.ingestion.change(old, new, now=now, actor=actor, operation=operation, reason=reason)

    def close(self) -> None:
        """Close the stores; the object can be used again and opens them anew."""
        # Only where something was written: most processes read, and would open a store for nothing.
        if self.metered and self.metered.flush() and self.metered.wrote:
            self._count_timings()
        self._app.close()

    def _count_timings(self) -> None:
        """Count in the store how long operations took, as after a session: a store may never see one."""
        jobs = [one for one in job_table.AFTER_SESSION if one.name == "metrics"]
        with suppress(StorageError):
            own = next(iter(self._app.locations.values()))
            for services in (one for one in self._app.all_services() if one.location is own):
                job_running.run(services, self._app.clock, self._app.settings, jobs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Later:
    """A method of a group that is not imported yet: asked for, it gives a class all that the group has."""

    def __init__(self, to: type[Operations], module: str, group: str, name: str) -> None:
        self._to, self._module, self._group, self._name = to, module, group, name

    def __get__(self, instance: Operations | None, owner: type[Operations]) -> Any:
        # All methods of the group at once: from then on, the class is as if the group had been imported.
        declared = vars(getattr(import_module(self._module), self._group))
        for name, value in declared.items():
            if not name.startswith("__"):
                setattr(self._to, name, value)
        return declared[self._name].__get__(instance, owner)


def outside(path: str, app: Application) -> Path:
    """The file to write, if it is not a store's own.

    Raises:
        InvalidInputError: it is, or no file can have that name.
    """
    if "\0" in path:
        raise InvalidInputError("A path cannot have a NUL character.", hint="Give another path.")
    place = Path(path).absolute()
    if any(location.is_part(place) for location in app.locations.values()):
        raise InvalidInputError(f"{path} is the store itself.", hint="Give another path.")
    return place


def bounded(limit: int, *, most: int = MAX_LIMIT) -> int:
    """A limit that can be given.

    Raises:
        InvalidInputError: it is below 1 or above `most`.
    """
    if not 1 <= limit <= most:
        raise InvalidInputError(f"The limit must be from 1 to {most}, not {limit}.")
    return limit


def check_budget(budget: int, least: int, most: int) -> None:
    """Refuse a budget of tokens that cannot be kept.

    Raises:
        InvalidInputError: it is below the least or above the most.
    """
    if not least <= budget <= most:
        raise InvalidInputError(f"The budget must be from {least} to {most:,} tokens, not {budget}.")


def check_length(name: str, text: str, most: int) -> None:
    """Refuse a text that is too long to be worked with.

    Raises:
        InvalidInputError: it has more characters than that.
    """
    if len(text) > most:
        raise InvalidInputError(f"The {name} has more than {most:,} characters.", hint="Give its gist.")


def check_offset(offset: int) -> None:
    """Refuse a number of things to skip that no list has.

    Raises:
        InvalidInputError: it is below 0 or too high.
    """
    if not 0 <= offset <= MAX_OFFSET:
        raise InvalidInputError(f"The offset must be from 0 to {MAX_OFFSET:,}.")


def problems_of(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """A line for each file that was left out, by path and reason; secrets in names are not shown."""
    return tuple(f"{shown(path)}: {why}" for path, why in left_out.items())


def file_link(text: str, root: Path) -> FileLink:
    """The file of `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`, with a hash of its lines if it can be read.

    Raises:
        InvalidInputError: there is no path, or the lines run backwards.
    """
    path, first, last = _parts(text.strip())
    if not path or (first is not None and last is not None and not 1 <= first <= last <= MAX_LINE):
        raise InvalidInputError(
            f"{text[:80]!r} is not a file.", hint="Give PATH, PATH:LINE or PATH:FIRST-LAST."
        )
    from recortex.app.citations import cite

    return cite(root, git_files.relative(path, root), first, last, git.branch_and_commit(root)[1])


def _parts(text: str) -> tuple[str, int | None, int | None]:
    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    if not first.isdecimal() or (last and not last.isdecimal()):
        return text, None, None
    most = MAX_LINE + 1  # a longer number is too large in any case, and is not computed
    start, end = (int(word) if len(word) < len(str(most)) else most for word in (first, last or first))
    return path, start, end


def filled(result: type[Result], source: object, **more: Any) -> Result:
    """A result with the given fields; the others are those of the same name of another value."""
    names = set(names_of(result)) - more.keys()
    return result(**{name: getattr(source, name) for name in names if hasattr(source, name)}, **more)


def scope_name(services: StoreServices) -> str:
    """The scope of a store's memories; `all` where it holds both."""
    return services.scope.value if services.scope else "all"


def embed_exchanges(app: Application) -> None:
    """Give the exchanges that wait their vectors; those that get none are found by their words."""
    for services in app.all_services():
        waiting, done = services.store.exchange_vectors.count_waiting(), 0
        with suppress(EmbeddingError):
            while made := services.exchange_embedding.embed_batch():
                done += made
                app.progress("embedding exchanges", done, max(waiting, done))


def embed_all(app: Application, memories: Sequence[Memory], *, quiet: bool = False) -> None:
    """Give new memories their vectors, each in its own store."""
    for scope in dict.fromkeys(memory.scope for memory in memories):
        own = [memory for memory in memories if memory.scope is scope]
        told = {} if quiet else {"progress": app.progress}
        app.services(scope).embedding.embed(own, **told)


# -- what `remember` answers: the memory as it is kept, and what was known of the matter before


Done = Literal["merged", "confirmed", "replaced", "linked", "contradicts"]
MOST_KNOWN = 3


class Known(Value, frozen=True, kw_only=True):
    """A memory that a new one repeats, replaces or resembles.

    Attributes:
        said_on: since when it is true.
        done: merged: word for word the same, it counts once more; confirmed: it says the same and more, and
            counts once more; replaced: the new one took its place; linked: both are kept and related;
            contradicts: both are kept, and cannot both be true.
    """

    id: str
    text: str
    said_on: date
    status: Status
    done: Done


class AnsweredMemory(Memory, frozen=True, kw_only=True, eq=False):
    """A memory with something beside it, equal to the same memory read elsewhere."""

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same memory in the same state."""
        return isinstance(other, Memory) and _state(self) == _state(other)

    __hash__ = None  # type: ignore[assignment]  # a memory holds what cannot be hashed


class RememberedMemory(AnsweredMemory, frozen=True, kw_only=True, eq=False):
    """The memory that was kept.

    Attributes:
        known: what was known of the same matter, at most three; where it was merged or confirmed, the memory
            itself, and nothing was added.
    """

    known: tuple[Known, ...] = ()


class OpenedMemory(AnsweredMemory, frozen=True, kw_only=True, eq=False):
    """A memory with what became of the code that it cites.

    Attributes:
        cited: of each place that can be compared, what became of it: "src/a.py:4-9: 2 of 6 lines differ"; and
            how each pattern that it is linked to stands, as counted last.
    """

    cited: tuple[str, ...] = ()


def opened(memory: Memory, citations: Sequence[Citation], states: Sequence[str] = ()) -> OpenedMemory:
    """A memory with what became of the places that it cites, and how its patterns stand."""
    told = tuple(one.outcome or f"{one.was}: {one.state}" for one in citations if one.state != "none")
    return OpenedMemory(**_state(memory), cited=(*told, *states))


def answered(services: StoreServices, kept: Kept) -> RememberedMemory:
    """The answer for a memory that was kept, with its relations made."""
    return RememberedMemory(**_state(kept.memory), known=tuple(_known(services, kept))[:MOST_KNOWN])


def _state(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in Memory.__struct_fields__}


def _known(services: StoreServices, kept: Kept) -> Iterator[Known]:
    memory = kept.memory
    if not kept.added:
        yield _describe_known(memory, "confirmed" if kept.confirmed else "merged")
        return
    # First what was replaced: only a few are told, and that matters most.
    done: dict[str, Done] = {memory.supersedes: "replaced"} if memory.supersedes else {}
    # The strongest first, as only a few are told.
    found = sorted(services.store.relations.find_touching([memory.id]), key=lambda one: -one.strength)
    for relation in found:
        other = relation.target_id if relation.source_id == memory.id else relation.source_id
        if relation.type is RelationType.CONTRADICTS:
            # A contradiction counts more than being about the same matter.
            done[other] = "contradicts"
        elif _same_matter(relation):
            done.setdefault(other, "linked")
    for one in services.store.memories.get(list(done)):
        yield _describe_known(one, done[one.id])


def _same_matter(relation: Relation) -> bool:
    """Whether two memories are likely to say the same, by many common words or by their vectors."""
    by = relation.evidence[0] if relation.evidence else ""
    return relation.inferred and (
        by.startswith(SAME_MATTER) or (by == BY_WORDS and relation.strength >= SUGGESTED)
    )


def _describe_known(memory: Memory, done: Done) -> Known:
    clean = output_redacted(memory)
    return Known(
        id=memory.id, text=clean.text, said_on=memory.valid_from.date(), status=memory.status, done=done
    )


# -- what `remember`, `edit` and `recall` are given


Among = Literal["all", "memories", "exchanges", "documents"]


class _Text(Value, frozen=True):
    """The one part of a new memory that is given without its name."""

    text: str = ""


class NewMemory(_Text, frozen=True, kw_only=True):
    """What is to be remembered.

    Attributes:
        text: one statement, complete in itself.
        kind: such as decision, tribal (a gotcha), preference, procedural, insight.
        content: the kind's own fields, instead of the text or beside it.
        summary: a one-line summary; by default one is made from the text.
        importance: how much it matters.
        priority: the importance as a number from 1 to 10; overrides `importance`.
        confidence: how certain it is, from 0 to 1.
        pinned: it never fades and is never archived.
        tags: words to find and group it by.
        domain: the area of the software.
        files: files it is about: PATH, PATH:LINE or PATH:FIRST-LAST.
        functions: functions or methods it is about.
        patterns: ids of code patterns it explains.
        constraints: ids of constraints it sets or lifts.
        source: where it was learned: session, turn, speaker, url, commit and so on; plain text is taken as
            the session.
        origin: who said it; text from tools, web pages and imports is quarantined.
        status: its status; by default the origin decides.
        scope: this project, or global: about the person and their tools, in every project.
        valid_from: when it became true; by default now.
        valid_until: when it stops being true.
        recorded_at: when it was recorded, for imports.
        supersedes: id of the memory it replaces.
        metadata: anything else, stored as it is.
        from_exchange: id of the exchange it was learned from. Without a text, the person's message there is
            taken.
    """

    kind: str = "insight"
    content: Mapping[str, Any] | None = None
    summary: str = ""
    importance: AnyImportance | None = None
    priority: int | None = None
    confidence: float = 1.0
    pinned: bool = False
    tags: Sequence[str] = ()
    domain: AnyDomain = Domain.GENERAL
    files: Sequence[str] = ()
    functions: Sequence[str] = ()
    patterns: Sequence[str] = ()
    constraints: Sequence[str] = ()
    source: Mapping[str, Any] | str | None = None
    origin: AnyOrigin | None = None
    status: AnyStatus | None = None
    scope: AnyScope = Scope.PROJECT
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    recorded_at: datetime | None = None
    supersedes: str | None = None
    metadata: Mapping[str, Any] | None = None
    from_exchange: str = ""


class _Id(Value, frozen=True):
    """The one part of an edit that is given without its name."""

    id: str


class MemoryEdit(_Id, frozen=True, kw_only=True):
    """What is to be changed of a memory; None leaves a field as it is.

    Attributes:
        id: the memory's id, or its first characters.
        text: the new text.
        content: the kind's fields to change.
        kind: the new kind; the text stays.
        summary: the new one-line summary.
        importance: how much it matters.
        priority: from 1 to 10.
        confidence: from 0 to 1.
        pinned: whether it never fades.
        tags: the new tags, in place of the old.
        domain: the area of the software.
        files: the files it is about, in place of the old.
        valid_from: when it became true.
        valid_until: when it stopped being true.
        metadata: the new metadata, in place of the old.
        reason: why it is changed.
    """

    text: str | None = None
    content: Mapping[str, Any] | None = None
    kind: str | None = None
    summary: str | None = None
    importance: AnyImportance | None = None
    priority: int | None = None
    confidence: float | None = None
    pinned: bool | None = None
    tags: Sequence[str] | None = None
    domain: AnyDomain | None = None
    files: Sequence[str] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    reason: str = ""


class _Query(Value, frozen=True):
    """The one part of a question that is given without its name."""

    query: str


class RecallQuestion(_Query, frozen=True, kw_only=True):
    """What is to be recalled.

    Attributes:
        query: the question.
        limit: maximum of memories, exchanges and document parts; by default 8, 5 and 3.
        kinds: only these kinds; raw code is found only if named here.
        tags: only memories with one of these tags.
        files: only memories about one of these files, or folders ending in a slash.
        domains: only these areas of the software.
        statuses: by default what is active and true now.
        scope: only the project's memories, or only the global ones.
        session: only what was learned in this session.
        recorded_after: only what was recorded since this time.
        recorded_before: only what was recorded before this time.
        as_of: only what was known at that time.
        valid_at: what was true at that time, even if superseded since; by default now.
        recipe: how to rank: hybrid (words and meaning), keyword, semantic, or as `frame` does.
        budget: maximum number of tokens in the answer.
        floor: no answer rather than an irrelevant one.
        among: what to search.
        explain: show which words matched and what each signal adds to the score.
    """

    limit: int | None = None
    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    files: Sequence[str] = ()
    domains: Sequence[AnyDomain] = ()
    statuses: Sequence[AnyStatus] | None = None
    scope: AnyScope | None = None
    session: str = ""
    recorded_after: datetime | None = None
    recorded_before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    recipe: Recipe = "hybrid"
    budget: int | None = None
    floor: bool = True
    among: Among = "all"
    explain: bool = False

    @property
    def mixes(self) -> bool:
        """Whether proposed memories may stand apart beside active ones: no status and no time is set."""
        return self.statuses is None and self.valid_at is None and self.as_of is None

    @property
    def tells_memories(self) -> bool:
        """Whether memories are asked for."""
        return self.among in {"all", "memories"}

    @property
    def filters_memories(self) -> bool:
        """Whether a filter is set that only memories pass."""
        return bool(self.kinds) or self.statuses is not None or self.valid_at is not None


# -- the filters of `recall` and `list`, as stores take them


def memory_query(
    *,
    kinds: Sequence[str],
    statuses: Sequence[AnyStatus] | None,
    tags: Sequence[str],
    files: Sequence[str],
    domains: Sequence[AnyDomain],
    session: str,
    **filters: Any,
) -> MemoryQuery:
    """The filters as stores take them: active memories, unless other statuses are asked for.

    For a time in the world also what was superseded later.
    """
    # What was superseded later was true at that time.
    usual = (Status.ACTIVE, Status.SUPERSEDED) if filters["valid_at"] else (Status.ACTIVE,)
    for name in ("recorded_after", "recorded_before", "as_of", "valid_at"):
        filters[name] = filters[name] and as_utc(filters[name])
    return MemoryQuery(
        kinds=tuple(map(kind_of, kinds)),
        statuses=usual if statuses is None else tuple(map(Status, statuses)),
        tags=tuple(tags),
        files=tuple(map(projects.shown, files)),
        domains=tuple(map(Domain, domains)),
        session=projects.shown(session),
        **filters,
    )


def exchange_query(only: MemoryQuery) -> ExchangeQuery | None:
    """The same filters for exchanges; None where one is given that no exchange passes."""
    if only.tags or only.files or only.domains or only.scope is Scope.GLOBAL:
        return None
    # What was said later than a time was not known then.
    until = min(filter(None, (only.recorded_before, only.as_of)), default=None)
    return ExchangeQuery(session=only.session, since=only.recorded_after, until=until)


def document_query(only: MemoryQuery) -> MemoryQuery | None:
    """The same filters for documents; None where one is given that no document passes."""
    # Documents are kept as they are now: of what they said at another time nothing is known.
    none = only.tags or only.session or only.as_of or only.scope is Scope.GLOBAL
    return None if none else only
