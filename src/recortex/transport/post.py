"""One POST to one address: no redirect, no proxy, no cookie, bounded in size and in time."""

from __future__ import annotations

import queue
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from recortex.transport.failure import PostError
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recortex.transport.deadline import Deadline

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_OPENED = ("connection.connect_tcp.complete", "connection.start_tls.complete")
_FAULTY, _TOO_MANY, _SERVER = 400, 429, 500
_BEGINNING = 4_096
"""Bytes that are read of an answer of 400: some providers tell there alone that the key is wrong."""
_SUCCESS, _REDIRECT = range(200, 300), range(300, 400)


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def objection(url: str, *, secret: bool, setting: str) -> str:
    """Why nothing may be sent to a base URL; empty where it may.

    A secret never travels unencrypted, but to this machine.

    Args:
        url: without the path of a single request.
        secret: whether what is sent must not be read on its way.
        setting: the name of the setting that holds the URL, for the sentence.
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
    """The body of a successful answer; at most so many bytes of it are read.

    The exchange runs in a thread of its own, because no timeout of a socket ends a server that sends a byte
    now and then; at the deadline its connection is cut, which ends the thread too.

    Raises:
        PostError: no answer, or none that may be read.
    """
    results: queue.SimpleQueue[Reply | PostError] = queue.SimpleQueue()
    line = _Line()

    def run() -> None:
        try:
            results.put(_exchange(url, headers, body, deadline, line, most=most))
        except PostError as error:
            results.put(error)
        except Exception:  # noqa: BLE001  whatever a library raises must reach the thread that waits
            results.put(PostError("connection", "The provider could not be reached.", paid=True))

    threading.Thread(target=run, name="recortex-post", daemon=True).start()
    try:
        result = results.get(timeout=deadline.left)
    except queue.Empty:
        line.cut()
        raise PostError("timeout", "The provider did not answer in time.", paid=True) from None
    if isinstance(result, PostError):
        raise result
    return _accepted(result)


class _Line:
    """The connection in use, so that another thread can cut it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._dead = False

    def watch(self, event: str, info: dict[str, Any]) -> None:
        """Take note of a connection as the library opens it."""
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
    url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline, line: _Line, *, most: int
) -> Reply:
    import httpx2

    sent = {
        **headers,
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # what is small on the wire cannot grow here
        "user-agent": f"recortex/{__version__}",
    }
    try:
        with (
            httpx2.Client(
                trust_env=False, follow_redirects=False, verify=True, timeout=max(deadline.left, 0.001)
            ) as client,
            client.stream(
                "POST", url, content=body, headers=sent, extensions={"trace": line.watch}
            ) as response,
        ):
            answer = b""
            if response.status_code in _SUCCESS:
                answer = _bounded(response.iter_raw(), deadline, most)
            elif response.status_code == _FAULTY:
                answer = _beginning(response.iter_raw())
            return Reply(response.status_code, dict(response.headers), answer)
    except httpx2.ConnectError:
        raise PostError("connection", "The provider could not be reached.", again=True) from None
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


def _beginning(chunks: Iterator[bytes]) -> bytes:
    answer = bytearray()
    for chunk in chunks:
        answer += chunk
        if len(answer) >= _BEGINNING:
            break
    return bytes(answer[:_BEGINNING])


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
    again = reply.status == _TOO_MANY or reply.status >= _SERVER
    message = f"The provider answered HTTP {reply.status}."
    raise PostError(
        "status", message, again=again, pause=_pause(reply.headers), status=reply.status, said=reply.body
    )


def _pause(headers: Mapping[str, str]) -> float | None:
    """Seconds that `retry-after` asks for, in seconds or until a date (RFC 9110, 10.2.3).

    None where it does not say.

    A date is reckoned from the answer's own: the server's clock may be far from ours.
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
