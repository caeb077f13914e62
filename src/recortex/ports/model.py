"""What is needed of a language model, and of the record of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.model_call import Answer, Limit, ModelCall, Request, Spending, Unavailable


class LanguageModel(Protocol):
    """A language model behind a budget. It raises no error but those of the store that holds its ledger."""

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of how it is set up, such as a model without a known price."""

    def ask(self, request: Request) -> Answer | Unavailable:
        """Ask, within the time and the budget that are set.

        Not to be called inside a transaction of the store.
        """


class ModelCalls(Protocol):
    """The ledger of calls. Each method is its own short transaction."""

    def reserve(self, call: ModelCall, limit: Limit) -> int | None:
        """Note a call with the most that it can cost, if the UTC day has room for it.

        Returns:
            Its number; None where there is no room: it is then noted as refused, at no cost.
        """

    def settle(self, number: int, call: ModelCall) -> None:
        """Put what a call really cost, and what came of it, in place of the reserve."""

    def spent_today(self, now: datetime) -> Spending:
        """What was spent on the UTC day of `now`."""

    def recent(self, limit: int) -> list[ModelCall]:
        """The last calls, newest first."""
