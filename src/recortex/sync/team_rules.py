"""What the log of a team server holds, and what it takes: values and checks, without the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.lean import msgspec, replace
from recortex.sync.protocol import MODULUS, SyncError, SyncVersion, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from recortex.app.access import Right

NOTHING = b'"body":null'
"""What the payload of a version holds that says nothing; inside a text, the quotes would be escaped."""


class Limits(NamedTuple):
    """What a new workspace may hold, and how fast each of its tokens may ask.

    Attributes:
        versions: at most.
        bytes: of all versions together.
        rate: requests a second, of one token, in the long run.
        burst: requests at once.
    """

    versions: int = 5_000_000
    bytes: int = 10 * 1024**3
    rate: float = 30.0
    burst: float = 600.0


class DeniedError(SyncError):
    """The server does not do what was asked.

    Args:
        status: of HTTP.
        code: for programs.
        message: for people.
        hint: what to do next.
        pause: seconds to wait before it may be asked again.
    """

    def __init__(self, status: int, code: str, message: str, hint: str, *, pause: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.status, self.code, self.pause = status, code, pause


class Caller(NamedTuple):
    """Whoever sent a request, once the token was accepted.

    Attributes:
        replica: that the token belongs to; empty before it is used for the first time.
        public_key: the replica's.
    """

    workspace: str
    token: str
    member: str
    scope: Right
    replica: str
    public_key: bytes


class Row(NamedTuple):
    """A version as the log keeps it.

    Attributes:
        payload: as it is sent.
        parents: the ids of the versions that it follows.
        summand: its share of the hash of a set.
        hollow: it does not say anything any more, so its memory has to be one that was purged.
    """

    counter: int
    id: bytes
    memory: str
    purges: bool
    payload: bytes
    parents: tuple[bytes, ...]
    summand: int
    hollow: bool = False


class State(NamedTuple):
    """What a workspace holds.

    Attributes:
        vector: the counter that each replica has reached.
        set_hash: of all versions.
    """

    vector: Mapping[str, int]
    set_hash: int


class MemberToken(NamedTuple):
    """A token without its secret."""

    member: str
    token: str
    scope: str
    replica: str
    made_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None


class Page(NamedTuple):
    """A part of what a replica has not.

    Attributes:
        payloads: of each replica the next versions in their order.
        cards: of replicas that the other one has nothing of, as they were sent.
        applied: what replicas have applied, the latest first, as they were sent.
        purges: of each memory of which an emptied version is among these, unless they are among these too.
        more: whether there are other versions.
        state: of the whole workspace, as of the same moment.
    """

    payloads: Sequence[bytes]
    cards: Sequence[bytes]
    applied: Sequence[bytes]
    purges: Sequence[bytes]
    more: bool
    state: State


def hollow(payload: bytes) -> bytes:
    """A version without what it says."""
    return msgspec.json.encode(replace(parse(payload, SyncVersion), body=None))


def added(rows: Sequence[tuple[str, int, str]]) -> State | None:
    """The counters and hashes of replicas together."""
    if not rows:
        return None
    vector = {replica: counter for replica, counter, _ in rows if counter}
    return State(vector, sum(int(total) for *_, total in rows) % MODULUS)


def told(vector: str | Mapping[str, int], set_hash: int) -> bytes:
    """What a workspace holds, as a server says it; `vector` may be JSON already."""
    known = msgspec.Raw(vector.encode()) if isinstance(vector, str) else vector
    return msgspec.json.encode({"vector": known, "set_hash": f"{set_hash:064x}"})


def accepted(row: Sequence[Any] | None) -> Sequence[Any]:
    """A row that ends with why the token ended, whether it is admitted, what it lacks for that, and its rate.

    Raises:
        DeniedError: it is none of the workspace, or no longer valid, or asks too often.
    """
    hint = "Ask an admin of the workspace for a new link: recortex sync invite NAME"
    if row is None:
        raise DeniedError(401, "unauthorized", "The server does not know this token.", hint)
    ended, admitted, missing, rate = row[-4:]
    if ended:
        raise DeniedError(401, "token_ended", f"The token was {ended}.", hint)
    if not admitted:
        pause = max(0.05, missing / rate)
        raise DeniedError(
            429, "too_many", "Too many requests.", "What is not sent yet stays queued.", pause=pause
        )
    return row


def new_rows(rows: Sequence[Row], reached: int, there: Mapping[int, Any]) -> Sequence[Row]:
    """Those that the log has not yet.

    Raises:
        DeniedError: the log has others under the same numbers, or some between are missing.
    """
    known = [row for row in rows if row.counter in there]
    if any(hollow(bytes(there[row.counter])) != hollow(row.payload) for row in known):
        raise DeniedError(
            409,
            "other_history",
            "The server has other versions from this replica, as after a restored backup.",
            "Nothing is lost: `recortex sync now` fetches them and goes on under a new key.",
        )
    new = [row for row in rows if row.counter > reached]
    if new and new[0].counter != reached + 1:
        raise DeniedError(
            409,
            "gap",
            f"Versions {reached + 1} to {new[0].counter - 1} of this replica are missing.",
            f"Send them from {reached + 1} on.",
        )
    return new


def check_hollow(new: Sequence[Row], gone: Collection[str]) -> None:
    """Take emptied versions only of memories that were purged here.

    Raises:
        DeniedError: one is of another memory.
    """
    for row in new:
        if row.hollow and row.memory not in gone:
            raise DeniedError(
                409,
                "not_purged",
                f"Version {row.counter} says nothing, and its memory was not purged here.",
                "Let the replica that purged it push first, then push again.",
            )


def check_parents(new: Sequence[Row], known: dict[bytes, str]) -> None:
    """Take versions only after those that they follow; `known` is of which memory each of these is.

    Raises:
        DeniedError: a parent is not here, or of another memory.
    """
    for row in new:
        if any(known.get(parent) != row.memory for parent in row.parents):
            raise DeniedError(
                409,
                "unknown_parent",
                f"Version {row.counter} follows one that is not here, or is of another memory.",
                "Let the replica that wrote the former one push first, then push again.",
            )
        known[row.id] = row.memory


def check_room(room: tuple[int, int], versions: int, size: int) -> None:
    """Take no more than there is room for: versions, and bytes.

    Raises:
        DeniedError: there is too little.
    """
    if versions > room[0] or size > room[1]:
        what = "versions" if versions > room[0] else "bytes"
        raise DeniedError(
            429,
            "quota",
            f"The workspace has no room for more {what}.",
            "What is not sent yet stays queued; who runs the server can raise the limit.",
            pause=3_600,
        )
