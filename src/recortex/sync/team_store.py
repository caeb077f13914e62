"""The log of a team server in PostgreSQL: members, tokens, versions, purges, limits, audit.

It neither searches nor merges: it keeps what each replica wrote, in the order in which the replica wrote it,
and gives it to the others. Each method is one transaction, and each transaction sees one workspace, which
row-level security ensures besides the conditions of its statements.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.types.numeric import Int8
from psycopg_pool import AsyncConnectionPool

from recortex.app.access import PREFIX, Right
from recortex.sync.protocol import MODULUS, Applied, parse
from recortex.sync.team_rules import (
    NOTHING,
    PURGE_LOCK,
    Caller,
    DeniedError,
    Limits,
    MemberToken,
    Page,
    Push,
    Pushes,
    Row,
    State,
    accepted,
    added,
    check_hollow,
    check_parents,
    check_room,
    hollow,
    new_rows,
    told,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Mapping, Sequence

    from psycopg import AsyncConnection

ROLE = "recortex_team"
_SCHEMA_LOCK = 0x5EC2
"""The advisory lock of whoever makes the tables."""
_MOST_ROWS = 4_000
"""Of a list for people."""
_MOST_APPLIED, _APPLIED_BYTES = 20, 200_000
"""Acknowledgements in an answer: each has a vector, so that all of a large team would fill it."""
_MOST_CALLERS = 10_000
"""Whom a process remembers."""
_TABLES = "workspaces members tokens replicas versions audit".split()


def digest(secret: str) -> bytes:
    """What is kept of a token: it has 256 random bits, so that nobody can try them all."""
    return hashlib.sha256(secret.encode()).digest()


def make_tables(url: str, *, partitions: int = 0) -> None:
    """Make the tables where they are missing, as a role that may create a schema.

    Args:
        url: of the database.
        partitions: that each table is split into by the hash of the workspace; 0: none.

    Raises:
        psycopg.Error: the database cannot be reached, or the role may not.
    """
    text = files("recortex.sync").joinpath("team.sql").read_text("utf-8")
    if partitions:
        text = text.replace("/*by workspace*/", "PARTITION BY HASH (workspace)")
        head, mark, tail = text.partition("DO $$")
        parts = "".join(
            f"CREATE TABLE IF NOT EXISTS {table}_p{number} PARTITION OF {table}"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number});\n"
            for table in _TABLES
            for number in range(partitions)
        )
        text = f"{head}{parts}{mark}{tail}"
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
        connection.execute(text.encode())


def make_workspace(url: str, name: str, admin: str, limits: Limits) -> str:
    """Make a workspace where it is missing; a token of its admin, or nothing where some admin has one.

    Raises:
        psycopg.Error: the database cannot be reached, or the role may not.
    """
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('recortex.team', %s, true)", (name,))
        connection.execute(
            "INSERT INTO recortex_team.workspaces VALUES (%s, now(), %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (name, *limits),
        )
        usable = connection.execute(
            "SELECT FROM recortex_team.tokens WHERE workspace = %s AND scope = 'admin'"
            " AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) LIMIT 1",
            (name,),
        ).fetchone()
        if usable is not None:
            return ""
        token = _new_token()
        connection.execute(
            "INSERT INTO recortex_team.members (workspace, member) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (name, admin),
        )
        connection.execute(_ADDED, (*_kept(name, token), admin, Right.ADMIN, None, None, limits.burst))
        return token


_ADDED = (
    "INSERT INTO recortex_team.tokens (workspace, token, hash, member, scope, expires_at, login, level)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)


_WHOSE = """
SELECT t.member, t.scope, t.replica, r.public_key FROM recortex_team.tokens t
JOIN recortex_team.replicas r ON r.workspace = t.workspace AND r.replica = t.replica
WHERE t.workspace = %s AND t.token = %s AND t.hash = %s
"""


def _new_token() -> str:
    return f"{PREFIX}{secrets.token_hex(6)}_{secrets.token_urlsafe(32)}"


def _kept(workspace: str, token: str) -> tuple[str, str, bytes]:
    return workspace, token_id(token), digest(token)


def token_id(token: str) -> str:
    """The part of a token that is no secret; empty where it is none."""
    head, _, secret = token.removeprefix(PREFIX).partition("_")
    return head if token.startswith(PREFIX) and secret else ""


class TeamStore:
    """The log, through a pool of connections that act as a role without rights beyond it.

    Args:
        url: of the database.
        size: connections at most.
    """

    def __init__(self, url: str, *, size: int = 8) -> None:
        self._pool = AsyncConnectionPool(
            url, min_size=1, max_size=size, open=False, timeout=10.0, configure=_as_server
        )
        self._pushes = Pushes(self._pool)
        self._callers = dict[tuple[str, bytes], Caller]()

    async def open(self) -> None:
        """Connect."""
        await self._pool.open()

    async def close(self) -> None:
        """End all connections."""
        await self._pool.close()

    @asynccontextmanager
    async def _within(self, workspace: str, *, reading: bool = False) -> AsyncIterator[AsyncConnection[Any]]:
        """A transaction that sees one workspace. One that reads sees it as of one moment."""
        async with self._pool.connection() as connection, connection.pipeline(), connection.transaction():
            if reading:
                await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            await connection.execute("SELECT set_config('recortex.team', %s, true)", (workspace,))
            yield connection

    async def enter(self, workspace: str, token: str) -> Caller:
        """Accept a token, and count the request.

        Raises:
            DeniedError: the token is none of this workspace, or no longer valid, or asks too often.
        """
        async with self._pool.connection() as connection:
            found = await connection.execute(
                "SELECT * FROM recortex_team.enter(%s, %s, %s)", _kept(workspace, token)
            )
            row = await found.fetchone()
        return self._remembered(workspace, token, *accepted(row)[:4])

    def _remembered(
        self, workspace: str, token: str, member: str, scope: str, replica: str, key: Any
    ) -> Caller:
        caller = Caller(workspace, token_id(token), member, Right(scope), replica, bytes(key or b""))
        if replica:
            if len(self._callers) >= _MOST_CALLERS:
                self._callers.clear()
            self._callers[workspace, digest(token)] = caller
        return caller

    async def known(self, workspace: str, token: str) -> Caller | None:
        """Whose a token is, if it belongs to a replica; asked once by each process.

        None of that ever changes. Whether the token is still valid does: `enter` and `push` say so.
        """
        if there := self._callers.get((workspace, digest(token))):
            return there
        async with self._within(workspace) as connection:
            found = await connection.execute(_WHOSE, _kept(workspace, token))
            row = await found.fetchone()
        return self._remembered(workspace, token, *row) if row else None

    async def bind(self, caller: Caller, replica: str, public_key: bytes, card: bytes) -> None:
        """Give a token to the replica that uses it first; every other one is refused from then on.

        Raises:
            DeniedError: the token or the replica belongs to another.
        """
        async with self._within(caller.workspace) as connection:
            bound = await connection.execute(
                "UPDATE recortex_team.tokens SET replica = %s WHERE workspace = %s AND token = %s"
                " AND replica IN ('', %s)",
                (replica, caller.workspace, caller.token, replica),
            )
            await connection.execute(
                "INSERT INTO recortex_team.replicas (workspace, replica, public_key, member, card)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (caller.workspace, replica, public_key, caller.member, card),
            )
            found = await connection.execute(
                "SELECT public_key, member FROM recortex_team.replicas WHERE workspace = %s AND replica = %s",
                (caller.workspace, replica),
            )
            owner = await found.fetchone()
            own = (public_key, caller.member)
            if bound.rowcount != 1 or owner is None or (bytes(owner[0]), owner[1]) != own:
                raise DeniedError(
                    403,
                    "other_replica",
                    "This link was used on another machine, or by somebody else.",
                    "Ask an admin of the workspace for a link of your own: recortex sync invite NAME",
                )
            await _note(connection, caller, "join", replica)

    async def push(
        self,
        caller: Caller,
        rows: Sequence[Row],
        *,
        promised: Collection[str] = (),
        card: bytes | None = None,
        applied: bytes | None = None,
        token: str = "",
    ) -> bytes:
        """Append versions to the log of the caller's replica. Those that it has already change nothing.

        Args:
            caller: whose versions they are.
            rows: with counters that follow one another.
            promised: memories that a later version of the replica purges.
            card: the replica's, where it is to replace the former one.
            applied: what the replica has applied, likewise.
            token: the caller's, where it was not accepted for this request yet.

        Returns:
            What the workspace holds then, as JSON.

        Raises:
            DeniedError: the token is no longer valid, or asks too often; or the versions do not follow
                what is there, contradict it, or exceed the quota.
        """
        workspace, replica = caller.workspace, caller.replica
        if token and rows and not any(row.purges or row.hollow for row in rows):
            push = Push(*_kept(workspace, token), replica, rows, card, applied)
            if answer := await self._pushes.append(push):
                return answer
        elif token:
            await self.enter(workspace, token)
        parents = list({parent for row in rows for parent in row.parents})
        purged = list({row.memory for row in rows if row.purges})
        async with self._within(workspace) as connection:
            # A purge waits for those who write, and they for it: a version that arrives at the same time
            # would else keep what it says.
            await connection.execute(
                f"SELECT pg_advisory_xact_lock{'' if purged else '_shared'}(%s, hashtext(%s))",
                (PURGE_LOCK, workspace),
            )
            if rows:  # two that have room one by one may have none together
                await connection.execute(
                    "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_ROOM_LOCK, workspace)
                )
            counter = await connection.execute(
                "SELECT counter FROM recortex_team.replicas WHERE workspace = %s AND replica = %s FOR UPDATE",
                (workspace, replica),
            )
            there = await connection.execute(
                "SELECT counter, payload FROM recortex_team.versions"
                " WHERE workspace = %s AND replica = %s AND counter = ANY(%s)",
                (workspace, replica, [row.counter for row in rows]),
            )
            known = await connection.execute(
                "SELECT id, memory FROM recortex_team.versions WHERE workspace = %s AND id = ANY(%s)",
                (workspace, parents),
            )
            gone = await connection.execute(
                "SELECT DISTINCT memory FROM recortex_team.versions"
                " WHERE workspace = %s AND purges AND memory = ANY(%s)",
                (workspace, list({row.memory for row in rows})),
            )
            room = await connection.execute(_ROOM, (workspace, workspace))
            reached = (await counter.fetchone() or (0,))[0]
            new = new_rows(rows, reached, dict(await there.fetchall()))
            if new:
                gone_by_now = {*purged, *(one for (one,) in await gone.fetchall())}
                check_hollow(new, gone_by_now.union(promised))
                check_parents(new, {bytes(one): memory for one, memory in await known.fetchall()})
                check_room(await room.fetchone() or (0, 0), len(new), sum(len(row.payload) for row in new))
                await self._append(connection, caller, new, gone_by_now)
            if purged:
                await self._hollow(connection, caller, purged)
            if card or applied:
                await connection.execute(
                    "UPDATE recortex_team.replicas SET card = coalesce(%s, card),"
                    " applied = coalesce(%s, applied), applied_at = now()"
                    " WHERE workspace = %s AND replica = %s",
                    (card, applied, workspace, replica),
                )
            return told(*await _state(connection, workspace))

    async def _append(
        self, connection: AsyncConnection[Any], caller: Caller, new: Sequence[Row], gone: Collection[str]
    ) -> None:
        payloads = [hollow(row.payload) if row.memory in gone else row.payload for row in new]
        columns = ([getattr(row, name) for row in new] for name in ("counter", "id", "memory", "purges"))
        await connection.execute(
            "INSERT INTO recortex_team.versions (workspace, replica, counter, id, memory, purges, payload)"
            " SELECT %s, %s, *"
            " FROM unnest(%s::bigint[], %s::bytea[], %s::text[], %s::boolean[], %s::bytea[])",
            (caller.workspace, caller.replica, *columns, payloads),
        )
        size, total = sum(map(len, payloads)), str(sum(row.summand for row in new) % MODULUS)
        await connection.execute(
            "UPDATE recortex_team.replicas SET counter = %s, bytes = bytes + %s,"
            " set_hash = mod(set_hash + %s::numeric, %s::numeric) WHERE workspace = %s AND replica = %s",
            (new[-1].counter, size, total, str(MODULUS), caller.workspace, caller.replica),
        )

    async def _hollow(
        self, connection: AsyncConnection[Any], caller: Caller, memories: Sequence[str]
    ) -> None:
        """Remove what all versions of some memories say; that there were such versions remains."""
        found = await connection.execute(
            "SELECT replica, counter, payload FROM recortex_team.versions"
            " WHERE workspace = %s AND memory = ANY(%s) AND NOT purges",
            (caller.workspace, memories),
        )
        rows = [(replica, counter, hollow(bytes(one))) for replica, counter, one in await found.fetchall()]
        await connection.execute(
            "UPDATE recortex_team.versions v SET payload = h.payload"
            " FROM unnest(%s::text[], %s::bigint[], %s::bytea[]) AS h (replica, counter, payload)"
            " WHERE v.workspace = %s AND v.replica = h.replica AND v.counter = h.counter",
            ([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], caller.workspace),
        )
        await _note(connection, caller, "purge", " ".join(memories))

    async def pull(self, caller: Caller, vector: Mapping[str, int], *, limit: int, most: int) -> Page:
        """What a replica with this vector has not.

        Args:
            caller: who asks.
            vector: the counter that it has of each replica.
            limit: versions at most.
            most: bytes of versions at most; a single one may be larger.
        """
        async with self._within(caller.workspace, reading=True) as connection:
            names, counters = list(vector), [Int8(one) for one in vector.values()]
            own = (caller.workspace, limit)
            found = await connection.execute(_SINCE, (names, counters, *own, *own, most))
            latest = await connection.execute(
                "SELECT replica, applied FROM (SELECT replica, applied, applied_at, row_number() OVER latest"
                " AS place, sum(octet_length(applied)) OVER latest AS total FROM recortex_team.replicas"
                " WHERE workspace = %s AND applied IS NOT NULL WINDOW latest AS (ORDER BY applied_at DESC,"
                " replica)) told WHERE place <= %s AND total <= %s ORDER BY applied_at DESC",
                (caller.workspace, _MOST_APPLIED, _APPLIED_BYTES),
            )
            state = await _state(connection, caller.workspace)
            rows, applied = await found.fetchall(), await latest.fetchall()
            there = {(row[0], row[1]) for row in rows}
            empty = list({row[2] for row in rows if NOTHING in bytes(row[3])})
            purging = await connection.execute(
                "SELECT DISTINCT ON (memory) replica, counter, payload FROM recortex_team.versions"
                " WHERE workspace = %s AND purges AND memory = ANY(%s) ORDER BY memory, replica, counter",
                (caller.workspace, empty),
            )
            purges = [row for row in await purging.fetchall() if (row[0], row[1]) not in there]
            named = {row[0] for row in (*rows, *applied, *purges)}
            named -= {one for one, reached in vector.items() if reached}
            cards = await connection.execute(
                "SELECT card FROM recortex_team.replicas WHERE workspace = %s AND replica = ANY(%s)",
                (caller.workspace, list(named)),
            )
            shown = [bytes(card) for (card,) in await cards.fetchall()]
        reached = dict(vector)
        for replica, counter, *_ in rows:
            reached[replica] = max(counter, reached.get(replica, 0))
        more = any(reached.get(replica, 0) < counter for replica, counter in state.vector.items())
        payloads, told_by = [bytes(row[-1]) for row in rows], [bytes(row[-1]) for row in purges]
        return Page(payloads, shown, [bytes(one) for _, one in applied], told_by, more, state)

    async def invite(
        self, caller: Caller, member: str, scope: Right, days: int, *, login: bytes | None = None
    ) -> str:
        """Make a token for a member, who is added where there is none of that name.

        Args:
            caller: the admin.
            member: the name.
            scope: what the token allows.
            days: for which it is valid; 0: until it is revoked.
            login: the digest of what it is given for; it is given once.

        Raises:
            DeniedError: it was given before.
        """
        token = _new_token()
        ends = datetime.now(UTC) + timedelta(days=days) if days else None
        kept = (*_kept(caller.workspace, token), member, scope, ends, login)
        try:
            async with self._within(caller.workspace) as connection:
                await connection.execute(
                    "INSERT INTO recortex_team.members (workspace, member) VALUES (%s, %s)"
                    " ON CONFLICT (workspace, member) DO UPDATE SET removed_at = NULL",
                    (caller.workspace, member),
                )
                await connection.execute(
                    "INSERT INTO recortex_team.tokens"
                    " (workspace, token, hash, member, scope, expires_at, login, level)"
                    " SELECT %s, %s, %s, %s, %s, %s, %s, burst"
                    " FROM recortex_team.workspaces WHERE workspace = %s",
                    (*kept, caller.workspace),
                )
                await _note(connection, caller, "invite", f"{member} {scope} {token_id(token)}")
        except psycopg.errors.UniqueViolation:
            raise DeniedError(
                401, "used_login", "This log-in was used before.", "Log in again: recortex sync login"
            ) from None
        return token

    async def state(self, caller: Caller) -> State:
        """What the workspace holds."""
        async with self._within(caller.workspace, reading=True) as connection:
            return await _state(connection, caller.workspace)

    async def waiting(self, caller: Caller) -> list[tuple[str, str, str]]:
        """Memories that were purged, each with a replica that has not said so, and with whose it is."""
        async with self._within(caller.workspace, reading=True) as connection:
            purges = await connection.execute(
                "SELECT memory, replica, counter FROM recortex_team.versions WHERE workspace = %s AND purges"
                " ORDER BY received_at DESC LIMIT %s",
                (caller.workspace, _MOST_ROWS),
            )
            replicas = await connection.execute(
                "SELECT replica, member, applied FROM recortex_team.replicas WHERE workspace = %s",
                (caller.workspace,),
            )
            asked, all_ = await purges.fetchall(), await replicas.fetchall()
        done = {one: parse(bytes(applied), Applied).vector if applied else {} for one, _, applied in all_}
        late = (
            (memory, replica, member)
            for memory, writer, counter in asked
            for replica, member, _ in all_
            if replica != writer and done[replica].get(writer, 0) < counter
        )
        return list(islice(late, _MOST_ROWS))

    async def members(self, caller: Caller) -> list[MemberToken]:
        """The tokens of all members, without their secrets, newest first."""
        async with self._within(caller.workspace, reading=True) as connection:
            found = await connection.execute(
                "SELECT member, token, scope, replica, made_at, expires_at, revoked_at, used_at"
                " FROM recortex_team.tokens WHERE workspace = %s ORDER BY made_at DESC LIMIT %s",
                (caller.workspace, _MOST_ROWS),
            )
            rows = await found.fetchall()
        return [MemberToken(*row) for row in rows]

    async def is_member(self, workspace: str, member: str) -> bool:
        """Whether somebody belongs to the workspace now."""
        async with self._within(workspace, reading=True) as connection:
            found = await connection.execute(
                "SELECT FROM recortex_team.members"
                " WHERE workspace = %s AND member = %s AND removed_at IS NULL",
                (workspace, member),
            )
            return await found.fetchone() is not None

    async def renew(self, caller: Caller) -> str:
        """A token like the caller's for another replica of the same member."""
        token = _new_token()
        async with self._within(caller.workspace) as connection:
            await connection.execute(
                "INSERT INTO recortex_team.tokens"
                " (workspace, token, hash, member, scope, expires_at, level)"
                " SELECT workspace, %s, %s, member, scope, expires_at, level FROM recortex_team.tokens"
                " WHERE workspace = %s AND token = %s",
                (*_kept(caller.workspace, token)[1:], caller.workspace, caller.token),
            )
            await _note(connection, caller, "renew", token_id(token))
        return token

    async def revoke(self, caller: Caller, name: str) -> int:
        """Refuse a token, or all tokens of a member, from now on; returns how many were valid."""
        async with self._within(caller.workspace) as connection:
            done = await connection.execute(
                "UPDATE recortex_team.tokens SET revoked_at = now()"
                " WHERE workspace = %s AND %s IN (token, member) AND revoked_at IS NULL",
                (caller.workspace, name),
            )
            await connection.execute(
                "UPDATE recortex_team.members SET removed_at = now() WHERE workspace = %s AND member = %s",
                (caller.workspace, name),
            )
            await _note(connection, caller, "revoke", name)
        return done.rowcount


async def _as_server(connection: AsyncConnection[Any]) -> None:
    """Let a connection act as a role that row-level security binds, and end what hangs."""
    await connection.set_autocommit(True)
    limits = {
        "lock_timeout": "5s",
        "statement_timeout": "30s",
        "idle_in_transaction_session_timeout": "30s",
        "default_transaction_isolation": "read committed",
    }
    parts = [sql.SQL(f"SET {name} = {{}}").format(sql.Literal(to)) for name, to in limits.items()]
    await connection.execute(
        sql.SQL("; ").join([*parts, sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE))])
    )


async def _note(connection: AsyncConnection[Any], caller: Caller, action: str, detail: str) -> None:
    await connection.execute(
        "INSERT INTO recortex_team.audit (workspace, member, action, detail) VALUES (%s, %s, %s, %s)",
        (caller.workspace, caller.member, action, detail),
    )


async def _state(connection: AsyncConnection[Any], workspace: str) -> State:
    found = await connection.execute(
        "SELECT replica, counter, set_hash::text FROM recortex_team.replicas WHERE workspace = %s",
        (workspace,),
    )
    return added(await found.fetchall()) or State({}, 0)


_ROOM_LOCK = PURGE_LOCK + 1
"""The same by which pushes wait for each other's share of the quota, in `append_all` as well."""
_ROOM = """
SELECT max(w.most_versions) - coalesce(sum(r.counter), 0), max(w.most_bytes) - coalesce(sum(r.bytes), 0)
FROM recortex_team.workspaces w LEFT JOIN recortex_team.replicas r ON r.workspace = %s
WHERE w.workspace = %s
"""

_SINCE = """
WITH asked AS (SELECT * FROM unnest(%s::text[], %s::bigint[]) AS a (replica, since))
SELECT replica, counter, memory, payload FROM (
  SELECT v.replica, v.counter, v.memory, v.payload, row_number() OVER own AS place,
    sum(octet_length(v.payload)) OVER own AS total
  FROM (
    SELECT n.* FROM recortex_team.replicas r LEFT JOIN asked USING (replica) CROSS JOIN LATERAL (
      SELECT one.replica, one.counter, one.memory, one.payload FROM recortex_team.versions one
      WHERE one.workspace = %s AND one.replica = r.replica AND one.counter > coalesce(asked.since, 0)
      ORDER BY one.counter LIMIT %s
    ) n
    WHERE r.workspace = %s AND r.counter > coalesce(asked.since, 0) LIMIT %s
  ) v WINDOW own AS (ORDER BY v.replica, v.counter ROWS UNBOUNDED PRECEDING)
) sized WHERE place = 1 OR total <= %s ORDER BY replica, counter
"""
