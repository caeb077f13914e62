"""The team server as its clients see it."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self
from urllib.parse import quote, unquote, urlsplit

import httpx2

from recortex.domain.text import clean
from recortex.errors import InvalidInputError
from recortex.lean import Value, msgspec, replace
from recortex.sync import protocol
from recortex.sync.protocol import (
    MOST_BYTES,
    PROTOCOL,
    Batch,
    Card,
    OfflineError,
    RefusedError,
    Reply,
    Vector,
    inflate,
    parse,
    parse_batch,
)
from recortex.transport import objection, pause_of
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_TRIES = 4
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 8.0
"""Seconds between two tries, each about twice as long as the one before; a longer wait is the caller's."""
_TIMEOUT, _STATUS_TIMEOUT = 30.0, 3.0
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed. Repeating one changes nothing twice."""


class TurnedDownError(RefusedError):
    """The team server refuses what was asked; asking again changes nothing.

    Args:
        code: the server's word for why.
        message: for people.
        hint: what to do next.
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class BusyError(OfflineError):
    """The team server does not answer now; what is not sent yet stays queued.

    Args:
        message: for people.
        hint: what to do next.
        pause: seconds that the server asks to wait.
    """

    def __init__(self, message: str, hint: str, *, pause: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.pause = pause


class _ClockError(OfflineError):
    """The server's clock is another; by how much is known now."""


class Waiting(Value, frozen=True):
    """A memory that was purged, and a replica that has not said that it erased it."""

    memory_id: str
    replica: str
    member: str


class _Status(Value, frozen=True):
    waiting: tuple[Waiting, ...]


class Place(NamedTuple):
    """A workspace on a team server.

    Attributes:
        base: the server's URL.
        workspace: its name.
    """

    base: str
    workspace: str

    @property
    def url(self) -> str:
        """Both in one, without a token."""
        return f"{self.base}/{quote(self.workspace, safe='')}"


def read_link(link: str) -> tuple[Place, str]:
    """A link to join by: where, and the token, which is empty where it has none.

    Raises:
        InvalidInputError: it is none.
    """
    hint = "A link looks like https://HOST/WORKSPACE#rcx_…; an admin makes one: recortex sync invite NAME"
    bare, _, token = link.strip().partition("#")
    base, _, name = bare.rstrip("/").rpartition("/")
    workspace = unquote(name)
    if why := objection(base, secret=True, setting="The server of the link"):
        raise InvalidInputError(why, hint=hint)
    if not urlsplit(base).netloc or not workspace.isprintable() or not workspace.strip():
        raise InvalidInputError("The link names no workspace.", hint=hint)
    return Place(base, workspace), token


class Signer(Protocol):
    """The private key of a replica."""

    def sign(self, data: bytes, /) -> bytes:
        """The signature of a text."""


class HttpTransport:
    """Requests to one workspace, each signed with the replica's key.

    Args:
        place: which workspace.
        token: that opens it.
        replica: the id of this replica.
        key: the replica's.
        sleep: how to wait between two tries.
    """

    def __init__(
        self,
        place: Place,
        token: str,
        replica: str,
        key: Signer,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place, self.name = place, place.url
        self._token = token
        self._replica = replica
        self._key = key
        self._sleep = sleep
        self._ahead = 0.0  # seconds that the server's clock is ahead of ours
        self._client = httpx2.Client(trust_env=False, follow_redirects=False, timeout=_TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def token(self) -> dict[str, Any]:
        """The member that the token was made for, and what it allows."""
        return parse(self.ask("token"), dict[str, Any])

    def join(self, card: Card) -> None:
        """Make the token this replica's own.

        Raises:
            TurnedDownError: it was used by another, or is of another person.
        """
        self.ask("join", {"card": card})

    @property
    def secret(self) -> str:
        """The token in use."""
        return self._token

    def become(self, replica: str, key: Signer, card: Card) -> None:
        """Go on as another replica of the same member, with a token of its own."""
        token = parse(self.ask("renew", {}), dict[str, str])["token"]
        self._token, self._replica, self._key = token, replica, key
        self.join(card)

    def push(self, batch: Batch) -> Reply:
        """Send what this replica wrote; the server takes from each replica only its own.

        Raises:
            OfflineError: the server cannot be reached, or asks to wait.
            RefusedError: it refuses the batch.
        """
        own = tuple(one for one in batch.versions if one.replica == self._replica)
        cards = tuple(one for one in batch.cards if one.replica == self._replica)
        applied = tuple(one for one in batch.applied if one.replica == self._replica)
        sent = replace(batch, versions=own, cards=cards, applied=applied, vector={})
        return parse(self.ask("push", sent), Reply)

    def pull(self, vector: Vector, limit: int) -> Batch:
        """What this replica has not, up to so many versions.

        Raises:
            OfflineError: the server cannot be reached, or asks to wait.
            RefusedError: it refuses, or answers what is no batch of the workspace.
        """
        answer = self.ask("pull", {"vector": vector, "limit": limit})
        return parse_batch(answer, self.place.workspace)

    def waiting(self) -> tuple[Waiting, ...]:
        """Who has not erased what was purged, as far as the server knows; it is not waited for long.

        Raises:
            OfflineError: the server cannot be reached.
            RefusedError: it refuses.
        """
        answer = self._once("status", "GET", b"", "", timeout=_STATUS_TIMEOUT)
        return parse(answer, _Status).waiting

    def ask(self, name: str, value: Any = None) -> bytes:
        """The JSON that the server answers to a request; it is tried again where that may help.

        Args:
            name: of the route.
            value: what to send; None: nothing, with GET.

        Raises:
            OfflineError: there is no answer.
            TurnedDownError: the server refuses.
        """
        body, encoding = protocol.packed(msgspec.json.encode(value)) if value is not None else (b"", "")
        pause, left, corrected = _FIRST_PAUSE, _TRIES, False
        while True:
            try:
                return self._once(name, "GET" if value is None else "POST", body, encoding)
            except _ClockError:
                if corrected:
                    raise TurnedDownError(
                        "clock",
                        "The server does not accept the time of this machine.",
                        "Set the clock, then try again.",
                    ) from None
                corrected = True  # from now on, requests say the server's time
            except BusyError as error:
                left -= 1
                wait = max(error.pause, pause)
                if not left or wait > _LONGEST_PAUSE:
                    raise
                pause *= 2
                self._sleep(wait * random.uniform(0.5, 1.5))  # noqa: S311  clients do not come all at once

    def _once(
        self, name: str, method: str, body: bytes, encoding: str, *, timeout: float = _TIMEOUT
    ) -> bytes:
        path = f"{protocol.ROOT}/{quote(self.place.workspace, safe='')}/{name}"
        moment = int((time.time() + self._ahead) * 1000)
        proof = self._key.sign(protocol.signed_request(method, path, moment, body)).hex()
        headers = {
            "accept-encoding": "gzip",
            "content-type": "application/json",
            "user-agent": f"recortex/{__version__}",
            protocol.PROTOCOL_HEADER: str(PROTOCOL),
            protocol.REPLICA: self._replica,
            protocol.PROOF: f"{moment}.{proof}",
        }
        if self._token:  # whoever logs in has none yet
            headers["authorization"] = f"Bearer {self._token}"
        if encoding:
            headers["content-encoding"] = encoding
        raw = bytearray()
        try:
            with self._client.stream(
                method, self.place.base + path, content=body, headers=headers, timeout=timeout
            ) as response:
                for chunk in response.iter_raw():
                    raw += chunk
                    if len(raw) > MOST_BYTES:
                        raise self._not_understood(response.status_code)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise BusyError(
                f"The team server {self.place.base} cannot be reached ({type(error).__name__}).",
                "Nothing is lost: what is not sent yet stays queued.",
            ) from None
        answer = inflate(bytes(raw)) if response.headers.get("content-encoding") == "gzip" else bytes(raw)
        if response.status_code == httpx2.codes.OK:
            return answer
        raise self._refused(response.status_code, response.headers, answer)

    def _refused(self, status: int, headers: Mapping[str, str], answer: bytes) -> Exception:
        """Why a request was not carried out."""
        try:
            error = msgspec.json.decode(answer)["error"]
            code, message, hint = (clean(str(error[name]))[:400] for name in ("code", "message", "hint"))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, LookupError, TypeError):
            return self._not_understood(status)
        if code == "clock" and (date := headers.get("date")):
            self._ahead = (_instant(date) - datetime.now(UTC)).total_seconds()
            return _ClockError(message, hint=hint)
        if status in _AGAIN:
            return BusyError(message, hint, pause=pause_of(headers) or 0.0)
        return TurnedDownError(code, message, hint)

    def _not_understood(self, status: int) -> Exception:
        message = f"{self.place.base} does not answer as a team server does (HTTP {status})."
        hint = "Check the link, and the proxy in front of the server."
        if status in _AGAIN:  # a proxy says so while the server starts
            return BusyError(message, hint)
        return TurnedDownError("not_understood", message, hint)


def _instant(date: str) -> datetime:
    try:
        found = parsedate_to_datetime(date)
    except ValueError:
        return datetime.now(UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
