"""The last sessions of a branch and folder, for the brief."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.naming import shown
from recortex.domain.exchange import ExchangeQuery
from recortex.engines.brief.page import SESSIONS
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.domain.exchange import Exchange
    from recortex.ports.exchanges import ExchangeRecords

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
    names = dict.fromkeys(one.session for one in records.find(here) if _on(one, branch))
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
