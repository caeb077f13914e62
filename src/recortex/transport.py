"""One POST to one address: no redirect, no proxy, no cookie, limited in size and time."""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from recortex.errors import RecortexError
from recortex.lean import lazy_module
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx2

    from recortex.domain.maintenance import Reason
else:
    httpx2 = lazy_module("httpx2")


# -- why a request got no answer


class PostError(RecortexError):
    """A request got no answer.

    Args:
        reason: why, as one word; `not_json` is also an answer that was compressed without being asked for.
        message: a sentence without the key and without anything that was sent or answered.
        paid: whether it may have cost something: the provider was asked, and how far it came is unknown.
        retry: whether it may work if it is tried again.
        pause: seconds that the provider asks to wait before that.
        status: the HTTP status, if there was one; else 0.
        body: the first bytes of an answer with status 400. They may repeat what was sent and are never shown.
    """

    code = "provider_unavailable"

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        paid: bool = False,
        retry: bool = False,
        pause: float | None = None,
        status: int = 0,
        body: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.paid = paid
        self.retry = retry
        self.pause = pause
        self.status = status
        self.body = body


# -- one POST to one address: no redirect, no proxy, no cookie, limited in size and time


_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_OPENED = ("connection.connect_tcp.complete", "connection.start_tls.complete")
_FAULTY, _TOO_MANY, _SERVER = 400, 429, 500
_BEGINNING = 4_096
"""Bytes that are read of an answer with status 400: some providers say only there that the key is wrong."""
_SUCCESS, _REDIRECT = range(200, 300), range(300, 400)


class Reply(NamedTuple):
    """A server's answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def objection(url: str, *, secret: bool, setting: str) -> str:
    """Why nothing may be sent to a base URL; empty if it may. Secrets go unencrypted only to this machine.

    Args:
        url: without the path of a single request.
        secret: whether what is sent must be encrypted.
        setting: the name of the setting with the URL, for the message.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return f"{setting} is not a URL."
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        return f"{setting} must look like https://HOST or http://127.0.0.1:PORT."
    if parts.username is not None or parts.password is not None:
        return f"{setting} must not hold a user or password; the key comes from the environment."
    if secret and parts.scheme == "http" and host not in _LOCAL:
        return f"{setting} must be https where a key or a memory is sent, unless it is this machine."
    return ""


def post(url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline, *, most: int) -> bytes:
    """Send a body and return that of a successful answer, which may have at most `most` bytes.

    The exchange runs in a thread of its own, since a socket's timeout does not stop a server that sends a
    byte now and then. At the deadline the connection is cut, which ends the thread too.

    Raises:
        PostError: there is no answer, or not an acceptable one.
    """
    results: queue.SimpleQueue[Reply | PostError] = queue.SimpleQueue()
    connection = _Connection()

    def run() -> None:
        try:
            results.put(_exchange(url, headers, body, deadline, connection, most=most))
        except PostError as error:
            results.put(error)
        except Exception:  # noqa: BLE001  whatever a library raises must reach the thread that waits
            results.put(PostError("connection", "The provider could not be reached.", paid=True))

    threading.Thread(target=run, name="recortex-post", daemon=True).start()
    try:
        result = results.get(timeout=deadline.left)
    except queue.Empty:
        connection.cut()
        raise PostError("timeout", "The provider did not answer in time.", paid=True) from None
    if isinstance(result, PostError):
        raise result
    return _accepted(result)


class _Connection:
    """The connection in use, so that another thread can cut it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._dead = False

    def watch(self, event: str, info: dict[str, Any]) -> None:
        """Remember each socket that the library opens (httpx's `trace` extension)."""
        opened = info.get("return_value") if event in _OPENED else None
        if opened is None:
            return
        with self._lock:
            self._sockets.append(opened.get_extra_info("socket"))
            dead = self._dead
        if dead:
            self.cut()

    def cut(self) -> None:
        """End the connection, now or as soon as there is one."""
        with self._lock:
            self._dead = True
            sockets = list(self._sockets)
        for each in sockets:
            with suppress(OSError, AttributeError):
                each.shutdown(socket.SHUT_RDWR)


def _exchange(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    deadline: Deadline,
    connection: _Connection,
    *,
    most: int,
) -> Reply:
    sent = {
        **headers,
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # so that a small answer cannot grow when it is unpacked
        "user-agent": f"recortex/{__version__}",
    }
    try:
        with (
            httpx2.Client(
                trust_env=False, follow_redirects=False, verify=True, timeout=max(deadline.left, 0.001)
            ) as client,
            client.stream(
                "POST", url, content=body, headers=sent, extensions={"trace": connection.watch}
            ) as response,
        ):
            answer = b""
            if response.status_code in _SUCCESS:
                answer = _bounded(response.iter_raw(), deadline, most)
            elif response.status_code == _FAULTY:
                answer = next(response.iter_raw(_BEGINNING), b"")
            return Reply(response.status_code, dict(response.headers), answer)
    except httpx2.ConnectError:
        raise PostError("connection", "The provider could not be reached.", retry=True) from None
    except httpx2.TimeoutException:
        raise PostError("timeout", "The provider did not answer in time.", paid=True) from None
    except (httpx2.InvalidURL, httpx2.LocalProtocolError, ValueError):
        raise PostError(
            "not_configured", "The address of the provider, or the key, cannot be sent."
        ) from None
    except (httpx2.HTTPError, httpx2.StreamError, OSError):
        raise PostError("truncated", "The connection ended before the answer did.", paid=True) from None


def _bounded(chunks: Iterator[bytes], deadline: Deadline, most: int) -> bytes:
    answer = bytearray()
    for chunk in chunks:
        answer += chunk
        if len(answer) > most:
            raise PostError("too_large", f"The answer is larger than {most} bytes.", paid=True)
        if not deadline.left:
            raise PostError("timeout", "The provider did not answer in time.", paid=True)
    return bytes(answer)


def _accepted(reply: Reply) -> bytes:
    if reply.status in _SUCCESS:
        if reply.headers.get("content-encoding", "identity") != "identity":
            raise PostError(
                "not_json", "The provider compressed its answer, which was not asked for.", paid=True
            )
        return reply.body
    if reply.status in _REDIRECT:
        raise PostError(
            "redirect",
            f"The provider sent us elsewhere (HTTP {reply.status}); redirects are not followed.",
            status=reply.status,
        )
    retry = reply.status == _TOO_MANY or reply.status >= _SERVER
    message = f"The provider answered HTTP {reply.status}."
    raise PostError(
        "status", message, retry=retry, pause=pause_of(reply.headers), status=reply.status, body=reply.body
    )


def pause_of(headers: Mapping[str, str]) -> float | None:
    """The seconds of `retry-after`, which may be a number or a date (RFC 9110, 10.2.3); None without one.

    A date is compared with that of the answer, since the server's clock may differ from ours.
    """
    text = headers.get("retry-after", "")
    if text.isascii() and text.isdecimal() and len(text) <= 9:  # noqa: PLR2004  a bound
        return float(text)
    if (until := _instant(text)) is None:
        return None
    seconds = (until - (_instant(headers.get("date", "")) or datetime.now(UTC))).total_seconds()
    return seconds if seconds > 0 else None


def _instant(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# -- the time limit of a request


class Deadline:
    """A point in monotonic time that all steps of a request share."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, 0 at least."""
        return max(0.0, self._end - time.monotonic())

    def leaves(self, seconds: float) -> bool:
        """Whether more than this many seconds are left."""
        return self.left > seconds
