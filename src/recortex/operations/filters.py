"""The filters of `recall` and `list`, as stores take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.app import naming
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds import kind_of
from recortex.domain.query import MemoryQuery
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import Domain, Scope, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.spelled import AnyDomain, AnyStatus


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
