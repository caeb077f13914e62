"""Calls of a language model: what they cost and what came of them."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from recortex.domain.model_call import ModelCall, Spending
from recortex.domain.time import to_micros
from recortex.lean import replace
from recortex.storage.database import Records
from recortex.storage.records.values import read, stored
from recortex.storage.tables import MODEL_CALLS

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.domain.model_call import Limit


class ModelCallRecords(Records):
    """The ledger of a store. Several processes share one budget through it."""

    topic = "model_calls"

    def reserve(self, call: ModelCall, limit: Limit) -> int | None:
        """Note a call with the most that it can cost.

        None (and noted as refused) where the UTC day has no room.

        The sum and the row are one write transaction, so two processes cannot both take the last of a budget.
        """
        with self._database.transaction():
            spent = self.total_today(call.at)
            fits = (
                spent.tokens + call.input_tokens + call.output_tokens <= limit.tokens
                and spent.micro_usd + call.micro_usd <= limit.micro_usd
            )
            if not fits:
                call = replace(call, input_tokens=0, output_tokens=0, micro_usd=0, outcome="refused")
            number: int = self._named("reserve", stored(call, MODEL_CALLS.written))[0][0]
        return number if fits else None

    def settle(self, number: int, call: ModelCall) -> None:
        """Put what a call really cost, and what came of it, in place of the reserve."""
        with self._database.transaction():
            self._named("settle", {**stored(call, MODEL_CALLS.written), "seq": number})

    def total_today(self, now: datetime) -> Spending:
        """What was spent on the UTC day of `now`."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        spent = self._rows("spent", to_micros(day), to_micros(day + timedelta(days=1)))[0]
        calls, tokens, micro_usd, refused, failed = spent
        return Spending(calls=calls, tokens=tokens, micro_usd=micro_usd, refused=refused, failed=failed)

    def recent(self, limit: int) -> list[ModelCall]:
        """The last calls, newest first."""
        return [read(ModelCall, MODEL_CALLS.written, row) for row in self._rows("recent", limit)]
