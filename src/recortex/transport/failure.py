"""Why a POST gave no answer."""

from __future__ import annotations

from typing import Literal

from recortex.errors import RecortexError

Why = Literal[
    "connection", "timeout", "truncated", "too_large", "not_json", "redirect", "status", "not_configured"
]
"""The words for it; `not_json` is an answer that was compressed without being asked for."""


class PostError(RecortexError):
    """A POST gave no answer.

    Args:
        reason: the word for it.
        message: a sentence without a key and without a word of what was sent or answered.
        paid: it may have cost something, since the provider was asked and nobody knows how far it came.
        again: it may work if it is tried again.
        pause: seconds that the provider asks to wait before that.
        status: of HTTP, where there was one; else 0.
        said: the first bytes of an answer that finds fault with the request; may repeat what was sent: never
            shown.
    """

    code = "provider_unavailable"

    def __init__(
        self,
        reason: Why,
        message: str,
        *,
        paid: bool = False,
        again: bool = False,
        pause: float | None = None,
        status: int = 0,
        said: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.reason: Why = reason
        self.paid = paid
        self.again = again
        self.pause = pause
        self.status = status
        self.said = said
