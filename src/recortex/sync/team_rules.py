"""What the log of a team server holds, and what it takes: values and checks, without the database."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg.types.numeric import Int8

from recortex.lean import msgspec, replace
from recortex.sync.protocol import MODULUS, SyncError, SyncVersion, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from psycopg_pool import AsyncConnectionPool

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


# -- pushes to a team server that wait at the same time are written in one transaction
#
# Nearly every push is versions that nobody has sent before. What such pushes of a workspace cost the
# database, a transaction with its quota, its state and its wait for the disk, is then paid once for all
# that wait. Each is still judged on its own, and answered once it is committed.


PURGE_LOCK = 0x5EC3
"""The first number of the advisory lock by which purges wait for those who write."""
_LARGE = 64 * 1024
"""Bytes of a push that does not join others: they would wait for it."""
_MOST = 100
"""Pushes in a transaction."""


class Push(NamedTuple):
    """New versions of a replica, by a token that this process knows; none is emptied, or purges.

    Attributes:
        token, hash: of the caller.
        card, applied: what replaces the former ones; None: they stay.
    """

    workspace: str
    token: str
    hash: bytes
    replica: str
    rows: Sequence[Row]
    card: bytes | None
    applied: bytes | None

    @property
    def size(self) -> int:
        """Bytes of all versions."""
        return sum(len(row.payload) for row in self.rows)


class _Waiting(NamedTuple):
    push: Push
    answer: asyncio.Future[bytes | None]


class _Queue:
    """The pushes of a workspace that wait, and the lock of whoever writes some of them."""

    def __init__(self) -> None:
        self.writing, self.waiting = asyncio.Lock(), list[_Waiting]()

    def taken(self) -> list[_Waiting]:
        """The next ones that can be written together: one of a token, one of a replica."""
        there = [one for one in self.waiting if not one.answer.done()]
        group, seen = list[_Waiting](), set[str]()
        for one in there:
            names = {one.push.token, one.push.replica}
            if len(group) < _MOST and not names & seen:
                group.append(one)
            seen |= names
        chosen = set(map(id, group))
        self.waiting = [one for one in there if id(one) not in chosen]
        return group


class Pushes:
    """Writes what is pushed.

    Args:
        pool: of connections that act as the server's role.
    """

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._queues = dict[str, _Queue]()

    async def append(self, push: Push) -> bytes | None:
        """Accept the token, count the request and append the versions; the answer says what is there then.

        Returns:
            None where the token was accepted, and nothing was written: something has to be looked at.

        Raises:
            DeniedError: the token is no longer valid, or asks too often.
        """
        if push.size > _LARGE:
            return _answer((await self._written([push]))[0])
        queue = self._queues.setdefault(push.workspace, _Queue())
        own = _Waiting(push, asyncio.get_running_loop().create_future())
        queue.waiting.append(own)
        try:
            # Whoever gets the lock writes for all who wait, so most find their answer when they get it.
            while not own.answer.done():
                async with queue.writing:
                    if not own.answer.done():
                        await self._write(queue)
            return own.answer.result()
        finally:
            own.answer.cancel()  # who has gone does not wait

    async def _write(self, queue: _Queue) -> None:
        """Write a group and answer each of it; who has no answer, because this one ended, waits again."""
        group = queue.taken()
        try:
            try:
                found = await self._written([one.push for one in group])
            except psycopg.OperationalError as error:
                found = [error] * len(group)
            except psycopg.Error:
                found = [await self._alone(one.push) for one in group]
            for one, row in zip(group, found, strict=True):
                _settle(one.answer, row)
        finally:
            queue.waiting[:0] = [one for one in group if not one.answer.done()]

    async def _alone(self, push: Push) -> Any:
        """The same of one, after something in its group could not be written."""
        try:
            return (await self._written([push]))[0]
        except psycopg.Error as error:
            return error

    async def _written(self, pushes: Sequence[Push]) -> list[Any]:
        """What the database says of each: None where it does not know the token."""
        rows = [(place, row) for place, one in enumerate(pushes, 1) for row in one.rows]
        parents = list(chain.from_iterable(_parents(place, one.rows) for place, one in enumerate(pushes, 1)))
        values = (
            pushes[0].workspace,
            Int8(PURGE_LOCK),
            [one.token for one in pushes],
            [one.hash for one in pushes],
            [one.replica for one in pushes],
            [Int8(one.rows[0].counter) for one in pushes],
            [Int8(len(one.rows)) for one in pushes],
            [Int8(one.size) for one in pushes],
            [str(sum(row.summand for row in one.rows) % MODULUS) for one in pushes],
            [one.card for one in pushes],
            [one.applied for one in pushes],
            [Int8(place) for place, _ in rows],
            [Int8(row.counter) for _, row in rows],
            [row.id for _, row in rows],
            [row.memory for _, row in rows],
            [row.payload for _, row in rows],
            [Int8(place) for place, _, _ in parents],
            [parent for _, parent, _ in parents],
            [memory for _, _, memory in parents],
        )
        async with self._pool.connection() as connection:
            found = await connection.execute(_APPEND, values)
            told_rows = await found.fetchall()
        state = next((told(vector, int(total)) for *_, vector, total in told_rows if vector), None)
        by_place = {row[0]: (state if row[1] else None, *row[2:-2]) for row in told_rows if row[0]}
        return [by_place.get(place) for place in range(1, len(pushes) + 1)]


def _settle(answer: asyncio.Future[bytes | None], row: Any) -> None:
    if answer.done():
        return
    try:
        answer.set_result(_answer(row))
    except Exception as error:  # noqa: BLE001  whoever waits raises it
        answer.set_exception(error)


def _answer(row: Any) -> bytes | None:
    if isinstance(row, psycopg.Error):
        raise row
    state: bytes | None = accepted(row)[0]
    return state


def _parents(place: int, rows: Sequence[Row]) -> list[tuple[int, bytes, str]]:
    """What has to be there: the parents that are not in the push itself, each of the same memory."""
    inside, outside = set[tuple[bytes, str]](), dict[tuple[bytes, str], None]()
    for row in rows:
        outside |= {one: None for parent in row.parents if (one := (parent, row.memory)) not in inside}
        inside.add((row.id, row.memory))
    return [(place, parent, memory) for parent, memory in outside]


_APPEND = (
    "SELECT * FROM recortex_team.append_all(%s, %s::int, %s, %s, %s, %s, %s, %s, %s::numeric[], %s::bytea[],"
    " %s::bytea[], %s, %s, %s, %s, %s, %s::bigint[], %s::bytea[], %s::text[])"
)
