"""Why a call gave no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.errors import RecortexError

if TYPE_CHECKING:
    from recortex.domain.model_call import Reason


class CallError(RecortexError):
    """A call of the language model gave no answer.

    Args:
        reason: the word for it.
        message: a sentence without a key and without a word of what was sent or answered.
        paid: it may have cost what was reserved, since the model was asked and nobody knows how far it came.
        again: it may work if it is tried again.
        pause: seconds that the provider asks to wait before that.
    """

    code = "model_unavailable"
    hint = "What was learned by rules stands; `recortex status` shows the calls."

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        paid: bool = False,
        again: bool = False,
        pause: float | None = None,
    ) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.paid = paid
        self.again = again
        self.pause = pause
