"""Where servers listen, and how they speak HTTP."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    import asyncio

PORT = 8377
_TRIED = 20
"""Ports from the usual one on that are tried where it is taken."""
_WAITING = 512
"""Connections that wait to be taken."""
_HEAD_SECONDS = 10.0
"""Seconds within which the head of a request has to arrive."""


class TimedProtocol(H11Protocol):
    """HTTP of uvicorn over h11, which also ends a connection whose request does not arrive in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.loop.call_later(_HEAD_SECONDS, self._end_silent)

    def _end_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


CONFIGURATION: dict[str, Any] = {
    "http": TimedProtocol,
    "ws": "none",
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "timeout_keep_alive": 15,
    "timeout_graceful_shutdown": 3,
    "h11_max_incomplete_event_size": 16 * 1024,
    "backlog": _WAITING,
}
"""What all our servers tell uvicorn."""


def listen(wanted: int) -> list[socket.socket]:
    """Sockets on this machine's own addresses, both with the same port.

    Raises:
        InvalidInputError: the port is taken, or none of the usual ones is free.
    """
    ports = [wanted] if wanted else [*range(PORT, PORT + _TRIED), 0]
    for port in ports:
        try:
            first = _bound(socket.AF_INET, "127.0.0.1", port)
        except (OSError, OverflowError):
            continue
        listening = [first]
        with suppress(OSError):  # a machine without IPv6
            listening.append(_bound(socket.AF_INET6, "::1", first.getsockname()[1]))
        return listening
    raise InvalidInputError(
        f"The port {wanted} cannot be used.", hint="Give another one, or leave --port out."
    )


def elsewhere(address: str, port: int) -> socket.socket:
    """A socket on an address that other machines reach.

    Raises:
        InvalidInputError: this machine has no such address.
    """
    try:
        return _bound(socket.AF_INET6 if ":" in address else socket.AF_INET, address, port)
    except OSError as error:
        raise InvalidInputError(
            f"The server cannot listen on {address[:80]}: {error.strerror}.",
            hint="Give an address of this machine.",
        ) from None


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # The protocol is named: else asyncio does not switch Nagle's algorithm off, and short answers wait 40 ms.
    made = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let a second server take the same port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(_WAITING)  # whoever opens the link at once is not turned away
    except OSError:
        made.close()
        raise
    return made
