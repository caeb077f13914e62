"""The key with which this installation signs its exports, so that it recognises its own."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.errors import PermissionsError, UntrustedFileError
from recortex.filesystem import read_own

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = "export.key"
BYTES = 32


def key(home: Path) -> bytes:
    """The key in a person's data folder, made when it is first needed; mode 0600.

    Raises:
        UntrustedFileError: the file is a link, another user's, or no key.
        PermissionsError: it cannot be written or read.
    """
    path = home / FILE
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f"{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
        if not os.path.lexists(path):
            try:
                with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(secrets.token_bytes(BYTES))
                with suppress(FileExistsError):
                    os.link(part, path)  # fails where another process was first: its key counts
            finally:
                part.unlink(missing_ok=True)
        found = read_own(path, BYTES)
    except OSError as error:
        raise PermissionsError(f"{path} cannot be used: {error}.") from error
    if len(found) != BYTES:
        raise UntrustedFileError(
            f"{path} is not a key.", hint="Move it away: the next export makes a new one."
        )
    return found


def signer(key_: bytes) -> hmac.HMAC:
    """What signs a text that is given in parts: `update` takes one, `hexdigest` gives the signature."""
    return hmac.new(key_, digestmod=hashlib.sha256)


def signature(key_: bytes, parts: Iterable[bytes]) -> str:
    """The signature of a text, in hexadecimal."""
    made = signer(key_)
    for part in parts:
        made.update(part)
    return made.hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two signatures are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())
