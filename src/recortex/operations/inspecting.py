"""Looking at how the memory works: inspect."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recortex.app.naming import shown
from recortex.engines.intake.showing import all_shown
from recortex.engines.sessions.efficiency import counts, efficiency
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations, bounded
from recortex.operations.consolidating import pending
from recortex.operations.registry import operation
from recortex.operations.results.inspecting import (
    BriefCache,
    Given,
    Inspection,
    ModelCosts,
    SessionFigures,
    SessionReceipts,
    StoreFigures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from recortex.app.bank import Bank
    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt, Session

MICRO = 1_000_000
MOST_FILES = 1_000
LATEST = 2.0**33
"""Seconds since 1970 that a brief may say it was made at: the year 2242."""


class Inspecting(Operations):
    """inspect."""

    @operation(read_only=True)
    def inspect(self, *, session: str = "", limit: int = 20) -> Inspection:
        """Show how the memory works: what is kept, what waits, what sessions were given and what it cost.

        With a session: its receipts, that is, what the agent was given, with scores and tokens, and whether it used it.

        Args:
            session: id of a session, or its first characters.
            limit: how many sessions to list; of one session, how many signals.
        """
        banks = self._app.banks()
        limit = bounded(limit)
        stores = tuple(map(_figures, banks))
        return Inspection(
            stores=stores,
            briefs=self._briefs(),
            sessions=() if session else self._sessions(banks, limit),
            captures=self._captures(),
            model=self._costs(banks),
            receipts=self._receipts(banks, session, limit) if session else None,
            notices=tuple(_notices(stores, embeds=self._app.settings["embedder"] != "none")),
        )

    def _sessions(self, banks: Sequence[Bank], limit: int) -> tuple[SessionFigures, ...]:
        found = [(bank, one) for bank in banks for one in bank.store.sessions.recent(limit)]
        found.sort(key=lambda entry: entry[1].seen_at, reverse=True)
        return tuple(_session_figures(bank, one) for bank, one in found[:limit])

    def _receipts(self, banks: Sequence[Bank], wanted: str, limit: int) -> SessionReceipts:
        bank, session = self._session(banks, shown(wanted.strip()))
        receipts = bank.store.sessions.receipts(session.id)
        signals = bank.store.sessions.signals(session.id)
        memories = self._memories(banks, [one.memory for one in receipts])
        return SessionReceipts(
            session=_session_figures(bank, session),
            given=tuple(_given(one, memories.get(one.memory)) for one in receipts),
            signals=tuple(signals[-limit:]),
            seen=counts(signals),
        )

    def _session(self, banks: Sequence[Bank], wanted: str) -> tuple[Bank, Session]:
        found = {
            id_: bank
            for bank in banks
            for id_ in (bank.store.sessions.ids_beginning(wanted) if wanted else ())
        }
        if wanted in found:
            found = {wanted: found[wanted]}
        if len(found) > 1:
            raise InvalidInputError(
                f"Several sessions have ids that begin with {wanted[:40]!r}.", hint="Give more characters."
            )
        for id_, bank in found.items():
            session = bank.store.sessions.get(id_)
            if session is not None:
                return bank, session
        raise InvalidInputError(
            f"There is no session {wanted[:40]!r}.", hint="`recortex inspect` lists the last ones."
        )

    def _memories(self, banks: Sequence[Bank], ids: Sequence[str]) -> dict[str, Memory]:
        found = [memory for bank in banks for memory in bank.store.memories.get(list(dict.fromkeys(ids)))]
        return {memory.id: memory for memory in all_shown(found)}

    def _costs(self, banks: Sequence[Bank]) -> ModelCosts:
        days = [bank.store.model_calls.spent_today(self._app.clock()) for bank in banks]
        return ModelCosts(
            calls=sum(one.calls for one in days), tokens=sum(one.tokens for one in days),
            usd=round(sum(one.micro_usd for one in days) / MICRO, 6), refused=sum(one.refused for one in days),
            failed=sum(one.failed for one in days),
        )  # fmt: skip

    def _captures(self) -> dict[str, Any]:
        from recortex.app.session.aftermath import STATUS, read_status

        return read_status(next(iter(self._app.locations.values())).place(STATUS))

    def _briefs(self) -> BriefCache:
        from recortex.app.backends import generation_of
        from recortex.app.surface import FOLDER

        locations = list(self._app.locations.values())
        files = [path for one in locations for path in sorted(one.place(FOLDER).glob("*.json"))[:MOST_FILES]]
        generation = generation_of(locations) if files else ""
        now = self._app.clock().timestamp()
        made = [_made(path) for path in files]
        newest = max((at for at, _, _ in made), default=0.0)
        return BriefCache(
            files=len(files),
            stale=sum(of != generation or not at <= now < until for at, until, of in made),
            newest_at=datetime.fromtimestamp(newest, UTC) if newest > 0 else None,
        )


def _made(path: Path) -> tuple[float, float, str]:
    """When a brief was made, until when it is fresh, and from which state of the stores; zeros where it cannot be read."""
    from recortex.app.surface_cache import LARGEST
    from recortex.codec import loads

    try:
        with path.open("rb") as file:
            kept = loads(file.read(LARGEST + 1))
        at = float(kept["generated_at"])
        return at if 0 < at < LATEST else 0.0, float(kept["fresh_until"]), str(kept["generation"])
    except (OSError, InvalidInputError, KeyError, TypeError, ValueError):
        return 0.0, 0.0, ""


def _figures(bank: Bank) -> StoreFigures:
    table = bank.store.memories.counts()
    by_status: dict[str, int] = {}
    for statuses in table.values():
        for status, count in statuses.items():
            by_status[status] = by_status.get(status, 0) + count
    return StoreFigures(
        scope=bank.scope.value if bank.scope else "all", path=bank.store.shown, memories=sum(by_status.values()),
        by_kind={kind: sum(statuses.values()) for kind, statuses in table.items()}, by_status=by_status,
        relations=bank.store.relations.count(), without_vector=bank.store.vectors.count_pending(),
        consolidation=pending(bank),
    )  # fmt: skip


def _session_figures(bank: Bank, session: Session) -> SessionFigures:
    receipts = bank.store.sessions.receipts(session.id)
    signals = bank.store.sessions.signals(session.id)
    return SessionFigures(
        id=session.id, client=session.client, branch=session.branch, started_at=session.started_at,
        seen_at=session.seen_at, ended_at=session.ended_at, end_reason=session.end_reason,
        captured_at=session.captured_at, efficiency=efficiency(receipts, signals),
    )  # fmt: skip


def _given(receipt: Receipt, memory: Memory | None) -> Given:
    return Given(
        memory=receipt.memory, kind=memory.kind if memory else "", summary=memory.summary if memory else "",
        channel=receipt.channel, subject=receipt.subject, context=receipt.context, at=receipt.at, score=receipt.score,
        tokens=receipt.tokens, used_as=receipt.used_as, used_at=receipt.used_at,
    )  # fmt: skip


def _notices(stores: Sequence[StoreFigures], *, embeds: bool) -> list[str]:
    due = [one.consolidation.notice for one in stores if one.consolidation.notice]
    waiting = sum(one.without_vector for one in stores)
    slow = (
        [f"{waiting} memories have no vector yet: `recortex backfill` makes them."]
        if waiting and embeds
        else []
    )
    return [*due, *slow]
