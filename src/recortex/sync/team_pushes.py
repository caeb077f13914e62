"""Pushes to a team server that wait at the same time are written in one transaction.

Nearly every push is versions that nobody has sent before. What such pushes of a workspace cost the database,
a transaction with its quota, its state and its wait for the disk, is then paid once for all that wait. Each
is still judged on its own, and answered once it is committed.
"""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg.types.numeric import Int8

from recortex.sync.protocol import MODULUS
from recortex.sync.team_rules import Row, accepted, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg_pool import AsyncConnectionPool

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
