"""What `remember`, `edit` and `recall` are given.

Each field is a parameter of the operation, with its default and its help.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any, Literal

from recortex.app import naming
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.explanation import Recipe
from recortex.domain.kinds import kind_of
from recortex.domain.search import MemoryQuery
from recortex.domain.spelled import AnyDomain, AnyImportance, AnyOrigin, AnyScope, AnyStatus
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import Domain, Scope, Status

Among = Literal["all", "memories", "exchanges", "documents"]


@dataclass(frozen=True, slots=True)
class NewMemory:
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

    text: str = ""
    _: KW_ONLY
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


@dataclass(frozen=True, slots=True)
class MemoryEdit:
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

    id: str
    _: KW_ONLY
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


@dataclass(frozen=True, slots=True)
class RecallQuestion:
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

    query: str
    _: KW_ONLY
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
    usual = (Status.ACTIVE, Status.SUPERSEDED) if filters["valid_at"] else (Status.ACTIVE,)
    for name in ("recorded_after", "recorded_before", "as_of", "valid_at"):
        filters[name] = filters[name] and as_utc(filters[name])
    return MemoryQuery(
        kinds=tuple(map(kind_of, kinds)),
        statuses=usual if statuses is None else tuple(map(Status, statuses)),
        tags=tuple(tags),
        files=tuple(map(naming.shown, files)),
        domains=tuple(map(Domain, domains)),
        session=naming.shown(session),
        **filters,
    )


def exchange_query(only: MemoryQuery) -> ExchangeQuery | None:
    """The same filters for exchanges; None where one is given that no exchange passes."""
    if only.tags or only.files or only.domains or only.scope is Scope.GLOBAL:
        return None
    until = min(filter(None, (only.recorded_before, only.as_of)), default=None)
    return ExchangeQuery(session=only.session, since=only.recorded_after, until=until)


def document_query(only: MemoryQuery) -> MemoryQuery | None:
    """The same filters for documents; None where one is given that no document passes."""
    none = only.tags or only.session or only.as_of or only.scope is Scope.GLOBAL
    return None if none else only
