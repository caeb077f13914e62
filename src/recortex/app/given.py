"""The agent's session that a question comes from, and receipts of what answers gave it.

A server that a client started belongs to the session that runs in the same process of the client: hooks have
noted which that is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from recortex.app.hooks import over, session_limits
from recortex.domain.session import Receipt, Signal
from recortex.domain.vocabulary import Actor, Scope
from recortex.errors import PermissionsError, StoreBusyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application
    from recortex.domain.memory import Memory
    from recortex.domain.session import Session
    from recortex.ports.search import Sessions

LAST = 5
"""Signals that say what a session does now."""
LATEST = 8
"""Sessions among which the one that asks is looked for."""


class Given(Protocol):
    """A memory that was given."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def scope(self) -> Scope:
        """Where it belongs."""


class Asking:
    """The session that asks, if it is known.

    Attributes:
        session: None where a person asks, or nobody noted the session.
        receipts: of what was given in the session's present context, by id.
    """

    def __init__(self, app: Application, session: str = "") -> None:
        """Look for the session: by its id, or for an agent by the client's process."""
        self._app = app
        services = app.all_services(Scope.PROJECT)
        self._sessions: Sessions | None = services[0].store.sessions if services else None
        self.session = self._found(session)
        self.receipts = self._given()

    def _found(self, wanted: str) -> Session | None:
        if self._sessions is None:
            return None
        if wanted:
            return self._sessions.get(wanted)
        if self._app.actor is not Actor.AGENT:
            return None
        client, now, limits = os.getppid(), self._app.clock(), session_limits(self._app.settings)
        running = (one for one in self._sessions.recent(LATEST) if not over(one, now, limits))
        return next((one for one in running if one.process == client), None)

    def _given(self) -> dict[str, Receipt]:
        if self._sessions is None or self.session is None:
            return {}
        found = self._sessions.receipts(self.session.id)
        return {one.memory: one for one in found if one.context == self.session.context}

    @property
    def actions(self) -> list[str]:
        """What the session did last, by the names of its signals; a failure that was mended is none."""
        if self._sessions is None or self.session is None:
            return []
        seen = self._sessions.signals(self.session.id)[-LAST:]
        mended = {one.digest for one in seen if one.name == "mended"}
        return [one.name for one in seen if one.name != "failed" or one.digest not in mended]

    def is_new(self, memory: Memory) -> bool:
        """Whether the session was not given a memory in its present state."""
        given = self.receipts.get(memory.id)
        return given is None or given.at < memory.updated_at

    def note(
        self,
        memories: Sequence[tuple[Given, float, int]],
        intent: str,
        milliseconds: int,
        tokens_saved: int = 0,
    ) -> None:
        """Keep a receipt of each memory with its score and tokens, and what was asked for how long.

        A store that is busy or read-only loses the receipts, not the answer.

        Args:
            memories: each with its score and tokens.
            intent: of the question; empty where there was none.
            milliseconds: that the answer took.
            tokens_saved: of what was left out since the session had it.
        """
        if self._sessions is None or self.session is None:
            return
        from recortex.engines.usage import noted

        session, at = self.session, self._app.clock()
        receipts = [
            Receipt(
                session=session.id,
                context=session.context,
                memory=memory.id,
                scope=memory.scope,
                channel="asked",
                at=at,
                score=round(score, 4),
                tokens=tokens,
            )
            for memory, score, tokens in memories
        ]
        asked = Signal(
            session=session.id, at=at, name="asked", subject=intent, digest=noted(milliseconds, tokens_saved)
        )
        signals = [asked] if intent else []
        with suppress(StoreBusyError, PermissionsError):
            new = {one.memory for one in self._sessions.give(receipts)}
            self._sessions.give_again([one for one in receipts if one.memory not in new])
            self._sessions.note(signals)
