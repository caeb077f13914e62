"""Why a request got no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.errors import RecortexError

if TYPE_CHECKING:
    from recortex.domain.model_call import Reason


class PostError(RecortexError):
    """A request got no answer.

    Args:
        reason: why, as one word; `not_json` is also an answer that was compressed without being asked for.
        message: a sentence without the key and without anything that was sent or answered.
        paid: whether it may have cost something: the provider was asked, and how far it came is unknown.
        retry: whether it may work if it is tried again.
        pause: seconds that the provider asks to wait before that.
        status: the HTTP status, if there was one; else 0.
        body: the first bytes of an answer with status 400. They may repeat what was sent and are never shown.
    """

    code = "provider_unavailable"

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        paid: bool = False,
        retry: bool = False,
        pause: float | None = None,
        status: int = 0,
        body: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.paid = paid
        self.retry = retry
        self.pause = pause
        self.status = status
        self.body = body
