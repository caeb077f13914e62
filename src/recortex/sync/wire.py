"""What a team server and its clients agree on besides the protocol's values: paths, headers, proofs.

A token alone opens nothing once it belongs to a replica: each request is signed with the replica's key, too.
"""

from __future__ import annotations

import gzip
import hashlib
from datetime import datetime

from recortex.lean import Value

ROOT = "/sync/v1"
REPLICA, PROOF, PROTOCOL_HEADER = "recortex-replica", "recortex-proof", "recortex-protocol"
SKEW = 300.0
"""Seconds by which the time of a proof may differ from the server's."""
_WORTH = 512
"""Bytes from which on compression pays."""


def signed_request(method: str, path: str, moment: int, body: bytes) -> bytes:
    """What a replica signs to prove that a request is its own.

    Args:
        method: of HTTP.
        path: from `ROOT` on.
        moment: when, in milliseconds.
        body: as it is sent.
    """
    parts = ("recortex-request", method, path, str(moment), hashlib.sha256(body).hexdigest())
    return "\n".join(parts).encode()


def packed(body: bytes) -> tuple[bytes, str]:
    """A body, compressed where that pays, and the name of its encoding; empty where it is as it was."""
    if len(body) < _WORTH:
        return body, ""
    return gzip.compress(body, 1, mtime=0), "gzip"


class Access(Value, frozen=True, kw_only=True):
    """A token of the workspace, without its secret.

    Attributes:
        member: whose it is.
        token: the part of it that is no secret; `revoke` takes it, or the member's name.
        scope: read, write or admin.
        used_at: when it was last used.
    """

    member: str
    token: str
    scope: str
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None
