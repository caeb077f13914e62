"""Tokens by which programs reach `recortex serve`: kept as hashes in one file of the person's data.

A token is shown once, when it is made. It has 256 random bits, so that a plain hash of it is enough: nobody
can try them all.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from recortex.codec import convert, dumps, loads
from recortex.errors import InvalidInputError, StoreBusyError, UntrustedFileError
from recortex.filesystem import alone, read_own, replace_text
from recortex.lean import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PREFIX = "rcx_"
_FILE = "tokens.json"
_MOST_BYTES = 1024 * 1024
_MOST_TOKENS = 1_000
_PATIENCE = 5.0  # seconds to wait for another process that changes the file
_LONGEST_NAME = 80
_ID_LENGTH = 8


class Right(StrEnum):
    """What a token allows; each allows what stands before it as well."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, other: Right) -> bool:
        """Whether this is enough where the other is asked for."""
        order = list(Right)
        return order.index(self) >= order.index(other)


class Token(Value, frozen=True, kw_only=True):
    """A token without its secret.

    Attributes:
        id: the first characters of its hash.
        hash: SHA-256 of the token, in hexadecimal digits.
        revoked_at: since when it is refused by the person's wish.
    """

    id: str
    name: str
    right: Right
    hash: str
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Whether it is accepted at a time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class Tokens:
    """The tokens of a person.

    Args:
        home: the folder of their data.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / _FILE
        self._read: tuple[tuple[int, int], Sequence[Token]] = ((0, 0), ())

    def all(self) -> Sequence[Token]:
        """All of them, also those that are over, oldest first. The file is read again once it has changed.

        Raises:
            UntrustedFileError: the file is another user's, a link, or not what was written here.
        """
        try:
            status = self._path.stat()
        except OSError:
            return ()
        # By inode as well: a file that is replaced within one tick of the clock has the same time.
        state = (status.st_mtime_ns, status.st_ino)
        if state != self._read[0]:
            try:
                found = convert(loads(read_own(self._path, _MOST_BYTES)), list[Token])
            except InvalidInputError as error:
                raise UntrustedFileError(
                    f"{self._path} cannot be read: {error.message}",
                    hint="Delete it and make the tokens anew with `recortex tokens add`.",
                ) from None
            self._read = (state, found)
        return self._read[1]

    def add(self, name: str, right: Right, now: datetime, days: int) -> tuple[Token, str]:
        """Make a token and give it with its secret; `days` of 0: it does not expire.

        Raises:
            InvalidInputError: the name is empty, too long or used, or there are too many tokens.
        """
        name = " ".join(name.split())
        if not name or len(name) > _LONGEST_NAME:
            raise InvalidInputError(
                f"A token needs a name of at most {_LONGEST_NAME} characters.",
                hint="Name the program that is to use it: recortex tokens add --name dashboard",
            )
        secret = PREFIX + secrets.token_urlsafe(32)
        digest = _hash(secret)
        token = Token(
            id=digest[:_ID_LENGTH],
            name=name,
            right=right,
            hash=digest,
            made_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
        with self._changing() as known:
            if any(one.name == name and one.is_valid(now) for one in known):
                raise InvalidInputError(
                    f"There is a token with the name {name!r}.", hint="Revoke it, or choose another name."
                )
            if len(known) >= _MOST_TOKENS:
                raise InvalidInputError(f"There are {len(known)} tokens already.", hint="Revoke some first.")
            self._write([*known, token])
        return token, secret

    def revoke(self, id_or_name: str, now: datetime) -> Token:
        """Refuse a token from now on.

        Raises:
            InvalidInputError: no valid token has that id or name.
        """
        with self._changing() as known:
            wanted = [one for one in known if one.is_valid(now) and id_or_name in (one.id, one.name)]
            if not wanted:
                raise InvalidInputError(
                    f"No valid token has the id or name {id_or_name[:_LONGEST_NAME]!r}.",
                    hint="`recortex tokens` lists them.",
                )
            revoked = replace(wanted[0], revoked_at=now)
            self._write([revoked if one is wanted[0] else one for one in known])
        return revoked

    def find(self, secret: str, now: datetime) -> Token | None:
        """The token that a secret belongs to, if it is valid."""
        digest = _hash(secret)
        # In constant time, as with any secret.
        found = (one for one in self.all() if secrets.compare_digest(one.hash.encode(), digest.encode()))
        return next((one for one in found if one.is_valid(now)), None)

    @contextmanager
    def _changing(self) -> Iterator[Sequence[Token]]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(self._path.with_name(f"{_FILE}.lock"), patience=_PATIENCE) as held:
            if not held:
                raise StoreBusyError("Another process changes the tokens.", hint="Try again.")
            # Read again under the lock: another process may have added one.
            yield self.all()

    def _write(self, tokens: Sequence[Token]) -> None:
        replace_text(self._path, dumps(tokens).decode())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
