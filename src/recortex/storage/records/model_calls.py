"""Calls of a language model: what they cost and what came of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from recortex.domain.model_call import ModelCall, Spending
from recortex.domain.time import from_micros, to_micros

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.domain.model_call import Limit
    from recortex.storage.database import Database


_COLUMNS = (
    *("provider", "model", "purpose", "session", "input_tokens", "output_tokens"),
    *("micro_usd", "milliseconds", "outcome"),
)
"""The columns after the time, in the order of the queries."""


class ModelCallRecords:
    """The ledger of a store. Several processes share one budget through it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("model_calls")

    def reserve(self, call: ModelCall, limit: Limit) -> int | None:
        """Note a call with the most that it can cost.

        None (and noted as refused) where the UTC day has no room.

        The sum and the row are one write transaction, so two processes cannot both take the last of a budget.
        """
        with self._database.transaction():
            spent = self.spent_today(call.at)
            fits = (
                spent.tokens + call.input_tokens + call.output_tokens <= limit.tokens
                and spent.micro_usd + call.micro_usd <= limit.micro_usd
            )
            number = self._insert(
                call
                if fits
                else replace(call, input_tokens=0, output_tokens=0, micro_usd=0, outcome="refused")
            )
        return number if fits else None

    def _insert(self, call: ModelCall) -> int:
        values = (to_micros(call.at), *(getattr(call, name) for name in _COLUMNS))
        number: int = self._database.value(self._sql["reserve"], values)
        return number

    def settle(self, number: int, call: ModelCall) -> None:
        """Put what a call really cost, and what came of it, in place of the reserve."""
        values = (
            number,
            call.model,
            call.input_tokens,
            call.output_tokens,
            call.micro_usd,
            call.milliseconds,
            call.outcome,
        )
        with self._database.transaction():
            self._database.rows(self._sql["settle"], values)

    def spent_today(self, now: datetime) -> Spending:
        """What was spent on the UTC day of `now`."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        bounds = (to_micros(day), to_micros(day + timedelta(days=1)))
        calls, tokens, micro_usd, refused, failed = self._database.rows(self._sql["spent"], bounds)[0]
        return Spending(calls=calls, tokens=tokens, micro_usd=micro_usd, refused=refused, failed=failed)

    def recent(self, limit: int) -> list[ModelCall]:
        """The last calls, newest first."""
        return [
            ModelCall(at=from_micros(at), **dict(zip(_COLUMNS, values, strict=True)))
            for at, *values in self._database.rows(self._sql["recent"], (limit,))
        ]
