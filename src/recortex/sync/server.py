"""`recortex serve --team URL`: the team server over HTTP.

It accepts what a replica wrote itself, signed, in the name of the member whose token it is, and gives
everything to everyone in the workspace. It never reads what versions say.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
import traceback
from contextlib import asynccontextmanager
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import psycopg
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from psycopg_pool import PoolTimeout
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from recortex.app.access import Right
from recortex.lean import Value, msgspec
from recortex.sync import protocol
from recortex.sync.membership import Checker, LoginError, Provider
from recortex.sync.protocol import (
    MOST_BYTES,
    MOST_VERSIONS,
    PROTOCOL,
    PURGE,
    Batch,
    Card,
    RefusedError,
    SyncError,
    add_to_hash,
    check_vector,
    check_version,
    inflate,
    parse,
    parse_batch,
    replica_of,
    signed,
    signed_applied,
    signed_card,
)
from recortex.sync.team_rules import Caller, DeniedError, Row
from recortex.sync.team_store import TeamStore, digest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from starlette.requests import Request

SETTINGS = "RECORTEX_TEAM"
"""The environment variable by which a server tells its worker processes what to serve."""
_BODY_SECONDS = 15.0
_INLINE = 16 * 1024
"""Bytes of a body up to which checking it takes less than handing it to another thread."""
_VERSION_BYTES = 780_000
"""Of the versions in an answer; cards, acknowledgements, purges and the vector need the rest of a batch."""
_TOO_LARGE = f"A request has at most {MOST_BYTES:,} bytes, also after it is unpacked."
_LOGIN_DAYS = 30
_MOST_DAYS = 3_650
_LONGEST_NAME = 200


# -- what clients send


class Join(Value, frozen=True):
    """The first request of a replica, which names its key."""

    card: Card


class Pull(Value, frozen=True):
    """What the replica has, and how many versions it takes."""

    vector: dict[str, int]
    limit: int = MOST_VERSIONS


class Login(Value, frozen=True):
    """An ID token."""

    id_token: str


class Invite(Value, frozen=True):
    """A token for somebody."""

    member: str
    scope: Right = Right.WRITE
    days: int = 90


class Revoke(Value, frozen=True):
    """A token, or a member."""

    name: str


class TeamSettings(Value, frozen=True):
    """What a server serves."""

    url: str
    issuer: str = ""
    client: str = ""
    connections: int = 8


# -- the application


def application() -> Starlette:
    """The application of a worker process."""
    return team_application(msgspec.json.decode(os.environ[SETTINGS], type=TeamSettings))


def team_application(settings: TeamSettings) -> Starlette:
    """Everything that a team server answers."""
    store = TeamStore(settings.url, size=settings.connections)
    checker = Checker(Provider(settings.issuer, settings.client)) if settings.issuer else None

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await store.open()
        gc.freeze()  # what stays is not searched for what can go: that held all requests up
        try:
            yield
        finally:
            await store.close()

    team = _Team(store, checker)
    routes = {
        "token": (team.token, "GET"),
        "join": (team.join, "POST"),
        "push": (team.push, "POST"),
        "pull": (team.pull, "POST"),
        "status": (team.status, "GET"),
        "login": (team.provider, "GET"),
        "log-in": (team.log_in, "POST"),
        "renew": (team.renew, "POST"),
        "invite": (team.invite, "POST"),
        "revoke": (team.revoke, "POST"),
        "members": (team.members, "GET"),
    }
    return Starlette(
        routes=[
            Route(f"{protocol.ROOT}/{{workspace}}/{name}", _answered(act), methods=[method])
            for name, (act, method) in routes.items()
        ],
        lifespan=lifespan,
    )


def _answered(act: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """A route that answers with JSON, and with an error's reason."""

    async def answer(request: Request) -> Response:
        try:
            _check_protocol(request)
            body = msgspec.json.encode(await act(request))
            return _response(request, HTTPStatus.OK, body)
        except DeniedError as refused:
            more = {"retry-after": str(max(1, round(refused.pause)))} if refused.pause else {}
            return _error(request, refused.status, refused.code, refused.message, refused.hint, more)
        except LoginError as failed:
            return _error(request, HTTPStatus.UNAUTHORIZED, failed.code, failed.message, failed.hint, {})
        except RefusedError as refused:
            return _error(request, HTTPStatus.BAD_REQUEST, refused.code, refused.message, refused.hint, {})
        except (psycopg.OperationalError, PoolTimeout):
            return _error(
                request,
                HTTPStatus.SERVICE_UNAVAILABLE,
                "store_unavailable",
                "The server's database cannot be reached.",
                "What is not sent yet stays queued.",
                {"retry-after": "5"},
            )
        except Exception as failed:  # noqa: BLE001  a client gets an answer, the log the traceback
            traceback.print_exception(failed)
            why = f"The server failed ({type(failed).__name__})."
            return _error(request, HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", why, "Try again.", {})

    return answer


class _Team:
    """What the routes do."""

    def __init__(self, store: TeamStore, checker: Checker | None) -> None:
        self._store = store
        self._checker = checker

    async def token(self, request: Request) -> Mapping[str, Any]:
        """Whose a token is: what a replica has to know before it makes its card."""
        caller, _, _ = await self._token(request)
        return {"workspace": caller.workspace, "member": caller.member, "scope": caller.scope}

    async def join(self, request: Request) -> Mapping[str, Any]:
        caller, moment, raw = await self._token(request)
        card = parse(_unpacked(request, raw), Join).card
        key = _check_card(card, caller)
        _check_proof(request, raw, moment, key)
        await self._store.bind(caller, card.replica, key, msgspec.json.encode(card))
        return {"workspace": caller.workspace, "member": caller.member, "scope": caller.scope}

    async def push(self, request: Request) -> msgspec.Raw:
        workspace, token = _workspace(request), _bearer(request)
        caller = await self._store.known(workspace, token)
        if caller is None:
            caller, body = await self._asked(request, Right.READ)
            return msgspec.Raw(await self._store.push(caller, **await self._pushed(caller, body)))
        # What appends accepts the token as well; a request that does not get that far is counted, too.
        raw = await _body(request)
        try:
            pushed = await self._pushed(caller, _proven(request, caller, _moment(request), raw, Right.READ))
        except SyncError:
            await self._store.enter(workspace, token)
            raise
        return msgspec.Raw(await self._store.push(caller, **pushed, token=token))

    async def _pushed(self, caller: Caller, body: bytes) -> dict[str, Any]:
        """What a push hands over, once it is known to be the caller's own."""
        small = len(body) <= _INLINE
        batch = parse_batch(body, caller.workspace)
        if batch.versions or batch.purges or batch.cards:
            _check_scope(caller, Right.WRITE)  # a reader tells what it has applied, and nothing else
        named = {one.replica for one in batch.cards} | {one.replica for one in batch.applied}
        if named - {caller.replica}:
            raise _not_yours("A card or an acknowledgement is another replica's.")
        rows = _rows(caller, batch) if small else await run_in_threadpool(_rows, caller, batch)
        card = next(iter(batch.cards), None)
        if card:
            _check_card(card, caller)
        applied = next(iter(batch.applied), None)
        if applied and not _is_signed(
            caller.public_key, applied.signature, signed_applied(applied, caller.workspace)
        ):
            raise RefusedError("What the replica has applied is not signed by it.")
        return {
            "rows": rows,
            "promised": _promised(caller, batch),
            "card": msgspec.json.encode(card) if card else None,
            "applied": msgspec.json.encode(applied) if applied else None,
        }

    async def pull(self, request: Request) -> msgspec.Raw:
        caller, body = await self._asked(request, Right.READ)
        wanted = parse(body, Pull)
        limit = min(max(wanted.limit, 1), MOST_VERSIONS)
        vector = check_vector(wanted.vector)
        while True:
            page = await self._store.pull(caller, vector, limit=limit, most=_VERSION_BYTES)
            answer = {
                "workspace": caller.workspace,
                "versions": list(map(msgspec.Raw, page.payloads)),
                "cards": list(map(msgspec.Raw, page.cards)),
                "applied": list(map(msgspec.Raw, page.applied)),
                "purges": list(map(msgspec.Raw, page.purges)),
                "more": page.more,
            } | _state(page.state)
            body = msgspec.json.encode(answer)
            if len(body) <= MOST_BYTES or limit == 1:
                return msgspec.Raw(body)
            limit = max(1, min(limit, len(page.payloads)) // 2)

    async def status(self, request: Request) -> Mapping[str, Any]:
        caller, _ = await self._asked(request, Right.READ)
        state, waiting = await self._store.state(caller), await self._store.waiting(caller)
        return {
            "workspace": caller.workspace,
            "member": caller.member,
            "scope": caller.scope,
            "waiting": [dict(zip(("memory_id", "replica", "member"), one, strict=True)) for one in waiting],
        } | _state(state)

    async def provider(self, request: Request) -> Mapping[str, str]:  # noqa: ARG002  a route has one
        if self._checker is None:
            raise DeniedError(
                404, "no_provider", "This server has no OpenID provider.", "Ask an admin for a link to join."
            )
        return self._checker.provider._asdict()

    async def log_in(self, request: Request) -> Mapping[str, str]:
        """Give a token to a member whom the provider knows; an ID token is taken once."""
        if self._checker is None:
            return await self.provider(request)
        given = parse(_unpacked(request, await _body(request)), Login).id_token
        member = await run_in_threadpool(self._checker.email, given)
        workspace = _workspace(request)
        if not await self._store.is_member(workspace, member):
            raise DeniedError(
                403,
                "no_member",
                f"{member} is no member of {workspace}.",
                f"Ask an admin of the workspace: recortex sync invite {member}",
            )
        caller = Caller(workspace, "", member, Right.WRITE, "", b"")
        token = await self._store.invite(caller, member, Right.WRITE, _LOGIN_DAYS, login=digest(given))
        return {"token": token}

    async def renew(self, request: Request) -> Mapping[str, str]:
        """A token for another replica of the same member, as after a copy of the store was used."""
        caller, _ = await self._asked(request, Right.READ)
        return {"token": await self._store.renew(caller)}

    async def invite(self, request: Request) -> Mapping[str, str]:
        caller, body = await self._asked(request, Right.ADMIN)
        wanted = parse(body, Invite)
        if not _is_name(wanted.member) or not 0 <= wanted.days <= _MOST_DAYS:
            raise _invalid(f"An invitation needs a name, and days from 0 to {_MOST_DAYS}.")
        token = await self._store.invite(caller, wanted.member, wanted.scope, wanted.days)
        return {"token": token}

    async def revoke(self, request: Request) -> Mapping[str, int]:
        caller, body = await self._asked(request, Right.ADMIN)
        name = parse(body, Revoke).name
        if not _is_name(name):
            raise _invalid("That is no token and no member.")
        return {"revoked": await self._store.revoke(caller, name)}

    async def members(self, request: Request) -> list[Any]:
        caller, _ = await self._asked(request, Right.ADMIN)
        return [one._asdict() for one in await self._store.members(caller)]

    async def _token(self, request: Request) -> tuple[Caller, int, bytes]:
        """Who sends a request, by the token alone; the time that its proof names; its body."""
        caller = await self._store.enter(_workspace(request), _bearer(request))
        return caller, _moment(request), await _body(request)

    async def _asked(self, request: Request, needed: Right) -> tuple[Caller, bytes]:
        """Who sends a request, once token and key prove that they may; its body before compression.

        Raises:
            DeniedError: they may not.
        """
        caller, moment, raw = await self._token(request)
        return caller, _proven(request, caller, moment, raw, needed)


# -- checks


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.isascii() or "\0" in token:
        raise DeniedError(
            401, "unauthorized", "This needs a token.", "Join the workspace: recortex sync join LINK"
        )
    return token.strip()


def _moment(request: Request) -> int:
    moment = request.headers.get(protocol.PROOF, "").partition(".")[0]
    return int(moment) if moment.isdecimal() and len(moment) < 16 else 0  # noqa: PLR2004  a bound


def _proven(request: Request, caller: Caller, moment: int, raw: bytes, needed: Right) -> bytes:
    """The body before compression, of a request that the key proves and the scope allows.

    Raises:
        DeniedError: it does not.
    """
    if not caller.replica or request.headers.get(protocol.REPLICA, "") != caller.replica:
        raise DeniedError(
            403,
            "other_replica",
            "The token belongs to another machine, or to none yet.",
            "Join the workspace with a link of your own: recortex sync join LINK",
        )
    _check_proof(request, raw, moment, caller.public_key)
    _check_scope(caller, needed)
    return _unpacked(request, raw)


def _check_scope(caller: Caller, needed: Right) -> None:
    if not caller.scope.covers(needed):
        raise DeniedError(
            403,
            "not_allowed",
            f"This needs the scope {needed}; the token has {caller.scope}.",
            f"Ask an admin of the workspace: recortex sync invite {caller.member} --right {needed}",
        )


def _check_protocol(request: Request) -> None:
    spoken = request.headers.get(protocol.PROTOCOL_HEADER, "")
    if spoken != str(PROTOCOL):
        older = spoken.isdecimal() and len(spoken) < 10 and int(spoken) > PROTOCOL  # noqa: PLR2004  a bound
        raise DeniedError(
            426,
            "protocol",
            f"This server speaks protocol {PROTOCOL}, not {spoken[:10] or 'none'}.",
            "Upgrade the server's Recortex." if older else "pip install --upgrade recortex",
        )


def _check_proof(request: Request, raw: bytes, moment: int, key: bytes) -> None:
    """Refuse a request that the replica did not sign, or not now."""
    now = time.time()
    signature = request.headers.get(protocol.PROOF, "").partition(".")[2]
    path = request.scope["raw_path"].decode("latin-1")
    path = path[path.index(protocol.ROOT) :]
    text = protocol.signed_request(request.method, path, moment, raw)
    if not _is_signed(key, signature, text):
        raise DeniedError(
            401,
            "unsigned",
            "The request is not signed with the key of the token's replica.",
            "Join the workspace with a link of your own: recortex sync join LINK",
        )
    if abs(now - moment / 1000) > protocol.SKEW:
        raise DeniedError(
            401, "clock", "The request was signed at another time.", "Set the clock of one of the machines."
        )


def _rows(caller: Caller, batch: Batch) -> list[Row]:
    """The versions of a push, once each is known to be the caller's own and whole.

    Raises:
        DeniedError: one is not the caller's.
        RefusedError: one is not what it says.
    """
    rows = list[Row]()
    for version in batch.versions:
        if version.replica != caller.replica or version.author != caller.member:
            raise _not_yours(
                f"Version {version.counter} was written by another replica, or in another's name."
            )
        check_version(version, purged=True)  # whether it was is asked where that is known
        if not _is_signed(caller.public_key, version.signature, signed(version, caller.workspace)):
            raise RefusedError(f"Version {version.counter} is not signed by its replica.")
        if rows and version.counter != rows[-1].counter + 1:
            raise RefusedError("The versions do not follow one another without a gap.")
        rows.append(
            Row(
                counter=version.counter,
                id=bytes.fromhex(version.id),
                memory=version.memory_id,
                purges=version.operation == PURGE,
                payload=msgspec.json.encode(version),
                parents=tuple(map(bytes.fromhex, version.parents)),
                summand=int(add_to_hash("", [version]), 16),
                hollow=version.body is None and version.operation != PURGE,
            )
        )
    return rows


def _promised(caller: Caller, batch: Batch) -> set[str]:
    """The memories that the caller's replica purges in a version that comes later."""
    return {
        one.memory_id
        for one in batch.purges
        if one.replica == caller.replica
        and one.operation == PURGE
        and check_version(one)
        and _is_signed(caller.public_key, one.signature, signed(one, caller.workspace))
    }


def _check_card(card: Card, caller: Caller) -> bytes:
    """The key of a replica that the caller may use.

    Raises:
        DeniedError: it is another's.
        RefusedError: it is no card.
    """
    try:
        key = bytes.fromhex(card.public)
        ours = replica_of(card.public) == card.replica
    except ValueError:
        raise RefusedError("The replica's card has no key.") from None
    if not ours or not _is_signed(key, card.signature, signed_card(card, caller.workspace)):
        raise RefusedError("The replica's card is not signed with its key.")
    if card.author != caller.member:
        raise _not_yours(f"The card names {card.author!r}; the token is {caller.member}'s.")
    return key


def _not_yours(message: str) -> DeniedError:
    return DeniedError(403, "not_yours", message, "Each replica pushes what it wrote itself.")


def _state(state: Any) -> dict[str, Any]:
    return {"vector": state.vector, "set_hash": f"{state.set_hash:064x}"}


def _workspace(request: Request) -> str:
    name: str = request.path_params["workspace"]
    if not _is_name(name):
        raise DeniedError(404, "no_workspace", "There is no such workspace.", "Look at the link again.")
    return name


def _is_name(text: str) -> bool:
    return text.isprintable() and text == text.strip() and 0 < len(text) <= _LONGEST_NAME


def _invalid(message: str) -> DeniedError:
    return DeniedError(400, "invalid_input", message, "`recortex sync --help` says what is accepted.")


def _is_signed(key: bytes, signature: str, text: bytes) -> bool:
    try:
        _key(key).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=4_096)
def _key(key: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key)


async def _body(request: Request) -> bytes:
    """The body as it was sent.

    Raises:
        DeniedError: it is larger than it may be, or does not arrive.
    """
    parts, size = [], 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise DeniedError(413, "too_large", _TOO_LARGE, "Send fewer versions.")
                parts.append(part)
    except TimeoutError:
        raise DeniedError(408, "too_slow", "The request did not arrive in time.", "Try again.") from None
    return b"".join(parts)


def _unpacked(request: Request, raw: bytes) -> bytes:
    encoding = request.headers.get("content-encoding", "")
    if encoding not in {"", "identity", "gzip"}:
        raise DeniedError(
            415, "bad_encoding", "The body's encoding is unknown.", "Send it as gzip, or as it is."
        )
    try:
        return inflate(raw) if encoding == "gzip" else raw
    except RefusedError as refused:
        raise DeniedError(413, "too_large", refused.message, "Send fewer versions.") from None


def _response(request: Request, status: int, body: bytes, more: Mapping[str, str] | None = None) -> Response:
    headers = {protocol.PROTOCOL_HEADER: str(PROTOCOL), "cache-control": "no-store", **(more or {})}
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, encoding = protocol.packed(body)
        headers |= {"content-encoding": encoding} if encoding else {}
    return Response(body, status, headers, media_type="application/json")


def _error(
    request: Request, status: int, code: str, message: str, hint: str, more: Mapping[str, str]
) -> Response:
    told = {"status": "error", "error": {"code": code, "message": message, "hint": hint}}
    if status == HTTPStatus.UNAUTHORIZED:
        more = {**more, "www-authenticate": "Bearer"}
    return _response(request, status, msgspec.json.encode(told), more)
