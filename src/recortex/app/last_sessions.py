"""The last sessions of a branch and folder, for the brief."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.projects import shown
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import RelationType
from recortex.engines.brief import SESSIONS
from recortex.engines.decay import remaining
from recortex.engines.privacy import redact
from recortex.engines.validation import Doubted, doubted
from recortex.lean import replace

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.ports.search import ExchangeRecords


RECENT = (timedelta(days=2), timedelta(days=30))
"""The longer one is looked at where the shorter has too few sessions: of 20,000 exchanges that takes 40 ms.
What was left longer ago is no longer where anybody left off."""
LOOKED_AT = 200
"""The latest exchanges of the branch and folder that are looked through for sessions."""
TOLD = 8
"""The last exchanges of a session, among which one says what was asked."""
_DETACHED = "HEAD"
"""What a client writes for the branch where none is checked out."""


def last_sessions(records: ExchangeRecords, branch: str, folder: str, now: datetime) -> list[list[Exchange]]:
    """The last exchanges of the last sessions that ended on a branch and in a folder, or in one below it.

    The latest session comes first, and of each its last exchange. Texts are without secrets.

    Args:
        records: of the project's store.
        branch: as it is kept; empty where none is checked out.
        folder: where the sessions began.
        now: the time.
    """
    found: list[list[Exchange]] = []
    for back in RECENT:
        found = _since(records, branch, shown(folder), now - back)
        if len(found) == SESSIONS:
            break
    return found


def _since(records: ExchangeRecords, branch: str, folder: str, since: datetime) -> list[list[Exchange]]:
    here = ExchangeQuery(branch=branch, folder=folder, since=since, work=False, limit=LOOKED_AT)
    names = dict.fromkeys(one.session for one in records.find(here) if _on(one, branch) and not one.speaker)
    found: list[list[Exchange]] = []
    for name in names:
        exchanges = records.find(ExchangeQuery(session=name, work=False, limit=TOLD))
        if exchanges and _on(exchanges[0], branch) and _within(exchanges[0].folder, folder):
            found.append([_without_secrets(one) for one in exchanges])
        if len(found) == SESSIONS:
            break
    return found


def _on(exchange: Exchange, branch: str) -> bool:
    return (exchange.branch if exchange.branch != _DETACHED else "") == branch


def _within(folder: str, top: str) -> bool:
    return folder == top or folder.startswith((f"{top}/", f"{top}\\"))


def _without_secrets(exchange: Exchange) -> Exchange:
    """Rules may be newer than what is kept."""
    return replace(
        exchange,
        message=redact(exchange.message).text,
        conclusion=redact(exchange.conclusion).text,
        failed=tuple(redact(command).text for command in exchange.failed),
    )


# -- active memories in doubt: those that a person, or a validation, should look at first


def unresolved(services: StoreServices, most: int) -> dict[str, str]:
    """For the later memory of each contradiction that waits for a person the earlier one, by id."""
    store = services.store
    pairs = store.relations.suggested(RelationType.CONTRADICTS, most)
    ends = store.memories.get([id_ for one in pairs for id_ in (one.source_id, one.target_id)])
    known = {one.id: one for one in ends}
    found: dict[str, str] = {}
    for one in pairs:
        if one.source_id in known and one.target_id in known:
            both = (known[one.source_id], known[one.target_id])
            earlier, later = sorted(both, key=lambda end: end.valid_from)
            found[later.id] = earlier.id
    return found


def doubted_in(services: StoreServices, now: datetime, most: int) -> list[Doubted]:
    """The memories of a store in doubt, those that are used most and least sure first.

    Args:
        services: the store's.
        now: when.
        most: how many at most.
    """
    at = to_micros(now)
    rows = services.store.statistics.presentable(at)
    return list(doubted(((row, remaining(row, at)) for row in rows), unresolved(services, most), at))[:most]
