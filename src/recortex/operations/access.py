"""Tokens of programs that use the HTTP API: tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from recortex.app.access import Right, Tokens
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.access import Token

_MOST_DAYS = 3_650


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A token that was made, without its secret.

    Attributes:
        right: read; write: also remember, edit and review; admin: everything that a person can do.
        state: valid, expired or revoked.
    """

    id: str
    name: str
    right: Right
    made_at: datetime
    expires_at: datetime | None
    state: Literal["valid", "expired", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensShown:
    """The tokens, and what was done.

    Attributes:
        secret: of the token that was made now; it is not kept and cannot be shown again.
    """

    tokens: tuple[IssuedToken, ...]
    secret: str = ""


class AccessOperations(Operations):
    """tokens."""

    @operation(person=True)
    def tokens(
        self,
        action: Literal["list", "add", "revoke"] = "list",
        *,
        name: str = "",
        right: Right = Right.READ,
        days: int = 90,
    ) -> TokensShown:
        """List, make or revoke the tokens by which programs use `recortex serve`.

        Args:
            action: list, add (shows the new token once) or revoke.
            name: of the token; to revoke one, also its id.
            right: what it allows: read; write (also remember, edit, review); admin (everything).
            days: for which it is valid; 0: until it is revoked.
        """
        if not 0 <= days <= _MOST_DAYS:
            raise InvalidInputError(f"The days must be from 0 to {_MOST_DAYS}, not {days}.")
        tokens, now, secret = Tokens(self._app.project.home), self._app.clock(), ""
        if action == "add":
            _, secret = tokens.add(name, right, now, days)
        elif action == "revoke":
            tokens.revoke(name, now)
        return TokensShown(tokens=_issued(tokens.all(), now), secret=secret)


def _issued(tokens: Sequence[Token], now: datetime) -> tuple[IssuedToken, ...]:
    def state(token: Token) -> Literal["valid", "expired", "revoked"]:
        if token.revoked_at:
            return "revoked"
        return "valid" if token.is_valid(now) else "expired"

    return tuple(
        IssuedToken(
            id=one.id,
            name=one.name,
            right=one.right,
            made_at=one.made_at,
            expires_at=one.expires_at,
            state=state(one),
        )
        for one in tokens
    )
