"""What stands before every page and route: who asks, from where, how much, how often.

Browsers send requests to this machine on behalf of any page that is open in them. So a request has to name
this server as its host (which a name that was made to point here does not), must not come from another site,
and carries a cookie that other sites' requests never have. Programs send a token instead.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict, deque
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse

from recortex.errors import RecortexError
from recortex.web.answers import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from recortex.app.access import Right, Tokens

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
LARGEST_BODY = 1024 * 1024
BODY_SECONDS = 15.0
"""Seconds within which a request's body has to arrive."""
# Inline scripts are forbidden, so that text of a memory which got into a page unescaped would do nothing.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{styles}; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY.format(styles=""),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_KEPT = {"/static/vendor/": "public, max-age=31536000, immutable", "/static/": "no-cache"}
"""What a browser keeps: files with a version in their name; others, if it asks whether they changed."""
ENTER = "/enter"
AGENTS = "/mcp"
PROGRAMS = ("/api/", AGENTS)
"""What tokens open; pages are for browsers."""
_OPEN = ("/static/",)
_SAFE = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({"same-origin", "none"})
# The link stands in a terminal, and perhaps in its log: it works once, and for ten minutes only.
_LINK_SECONDS = 600.0
# The bound keeps a program that comes through links again and again from filling the memory.
_MOST_SESSIONS = 64
_MOST_LINKS = 32
_REFUSALS, _REFUSAL_SECONDS = 20, 60.0
"""Wrong links and tokens from which on all are refused for a while, so that nobody tries many."""
_WRITES, _WRITE_SECONDS = 10_000, 10.0
"""Writes of one browser or token from which on it has to wait."""


class Visitor:
    """Whoever sent a request that was let through.

    Attributes:
        right: what they may do.
        csrf: what a page's forms carry; empty for programs.
        name: by which writes are counted.
        said: what was done last, which the next page tells.
    """

    def __init__(self, name: str, right: Right, csrf: str = "") -> None:
        self.name = name
        self.right = right
        self.csrf = csrf
        # Told once, by the page that follows a form's redirect.
        self.said = ""


class Doors:
    """Links that open once, and the browsers that came through one.

    Args:
        right: what they may do.
        clock: seconds, never running backwards.
    """

    def __init__(self, right: Right, clock: Callable[[], float] = time.monotonic) -> None:
        self._right = right
        self._clock = clock
        self._links: OrderedDict[str, float] = OrderedDict()
        self._sessions: OrderedDict[str, Visitor] = OrderedDict()

    def link(self) -> str:
        """The secret of a new link."""
        secret = secrets.token_urlsafe(32)
        self._links[secret] = self._clock() + _LINK_SECONDS
        while len(self._links) > _MOST_LINKS:
            self._links.popitem(last=False)
        return secret

    def enter(self, secret: str) -> str:
        """The cookie's value for whoever comes through a link; empty where it is none, or was used before."""
        # Taken out before its time is looked at: whatever comes of it, a link is used once.
        if self._links.pop(secret, 0.0) < self._clock():
            return ""
        cookie = secrets.token_urlsafe(32)
        # Only the beginning of the cookie is in the name, which may be shown.
        self._sessions[cookie] = Visitor(f"browser {cookie[:8]}", self._right, secrets.token_urlsafe(32))
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return cookie

    def visitor(self, cookie: str) -> Visitor | None:
        """Who has that cookie."""
        return self._sessions.get(cookie)


class Rate:
    """Counts by name what happened within the last seconds."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: dict[str, deque[float]] = {}

    def over(self, name: str, *, count: bool = True) -> bool:
        """Whether it happened too often; counts it once more unless it did."""
        now = time.monotonic()
        times = self._times.setdefault(name, deque())
        # A sliding window: with fixed ones, twice as many would pass around each border.
        while times and times[0] < now - self._seconds:
            times.popleft()
        if len(times) >= self._most:
            return True
        if count:
            times.append(now)
        return False


class Guard:
    """Lets through what may pass, and gives every answer its headers.

    Args:
        app: behind it; finds the `Visitor` in the scope's state.
        doors: of browsers.
        tokens: of programs.
        now: the time that tokens expire by.
        names: that this server may be asked for by besides those of this machine, with a token.
        read_only: nothing can be changed.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        doors: Doors,
        tokens: Tokens,
        now: Callable[[], datetime],
        names: Collection[str] = (),
        read_only: bool = False,
    ) -> None:
        self._app = app
        self._doors = doors
        self._tokens = tokens
        self._now = now
        # A dot at the end of a name means the same host.
        self._hosts = LOCAL.union(name.lower().rstrip(".") for name in names)
        self._read_only = read_only
        self._refused = Rate(_REFUSALS, _REFUSAL_SECONDS)
        self._written = Rate(_WRITES, _WRITE_SECONDS)
        self.busy = 0
        self.last_at = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no WebSocket is served
            return
        # `recortex serve` ends when nobody uses it, and sees so by these two.
        self.busy += 1
        try:
            await self._guarded(scope, receive, _with_headers(scope["path"], send))
        finally:
            self.busy -= 1
            self.last_at = time.monotonic()

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        answer = self._stranger(scope, headers)
        local = _name_of(headers.get("host", "")) in LOCAL
        # Links are for a browser on this machine; from elsewhere one comes with a token.
        if answer is None and local and scope["path"] == ENTER and scope["method"] in _SAFE:
            answer = self._enter(scope)
        if answer is None and not scope["path"].startswith(_OPEN):
            try:
                visitor = self._visitor(scope, headers)
            except (RecortexError, OSError) as error:  # the file of tokens
                answer = refusal(scope, HTTPStatus.SERVICE_UNAVAILABLE, "tokens_unreadable", str(error))
                await answer(scope, receive, send)
                return
            if visitor is None:
                answer = self._unknown(scope, headers)
            else:
                scope.setdefault("state", {})["visitor"] = visitor
                scope["state"]["read_only"] = self._read_only
                # What agents send is read by the SDK, as it comes.
                if scope["method"] not in _SAFE and scope["path"] != AGENTS:
                    try:
                        receive = await self._body(headers, receive)
                    except _RefusedError as refused:
                        answer = refusal(scope, refused.status, refused.code, refused.why)
                    else:
                        answer = await self._unwanted(scope, headers, visitor, receive)
        await (answer or self._app)(scope, receive, send)

    def _stranger(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """The answer to what does not come from this server's own pages, or from a program."""
        # A name of another site that was made to point to this machine (DNS rebinding) still stands in this
        # header.
        host = headers.get("host", "")
        # Of two hosts, a proxy might have checked the one and we the other.
        if len(headers.getlist("host")) != 1 or _name_of(host) not in self._hosts:
            return refusal(
                scope, HTTPStatus.FORBIDDEN, "wrong_host", f"This server is not known as {host[:80]!r}."
            )
        origin = headers.get("origin")
        # Programs do not send this header, and are asked for a token.
        site = headers.get("sec-fetch-site", "none")
        # A person may follow a link from elsewhere: the cookie does not come along, so that it shows nothing.
        looks = scope["method"] in _SAFE and headers.get("sec-fetch-mode") == "navigate"
        # Forms of pages without a referrer have the origin "null"; where from is said by the other header.
        own = {host, ""} if origin == "null" and headers.get("sec-fetch-site") == "same-origin" else {host}
        foreign = origin is not None and urlsplit(origin).netloc not in own
        if foreign or (site not in _OWN_SITE and not looks):
            return refusal(
                scope, HTTPStatus.FORBIDDEN, "wrong_origin", "Another site's page cannot use this server."
            )
        return None

    def _enter(self, scope: Scope) -> ASGIApp:
        secret = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        # Looked at without counting: only wrong links count.
        if self._refused.over("link", count=False):
            return _too_many(scope)
        cookie = self._doors.enter(secret)
        if not cookie:
            self._refused.over("link")
            return refusal(
                scope,
                HTTPStatus.FORBIDDEN,
                "used_link",
                "This link was used before, or is too old. `recortex serve` gives a new one.",
            )
        answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        # Not readable by scripts, and never sent along on behalf of another site.
        answer.set_cookie(_cookie_name(scope), cookie, httponly=True, samesite="strict", path="/")
        return answer

    def _visitor(self, scope: Scope, headers: Headers) -> Visitor | None:
        kind, _, secret = headers.get("authorization", "").partition(" ")
        if kind:
            # Refused before the token is looked up: while somebody tries many, a right one tells nothing
            # either.
            if kind.lower() != "bearer" or self._refused.over("token", count=False):
                return None
            if not scope["path"].startswith(PROGRAMS):
                return None
            token = self._tokens.find(secret.strip(), self._now())
            if token is None:
                self._refused.over("token")
                return None
            return Visitor(f"token {token.id}", token.right)
        # Agents send a token even on this machine: a page's cookie opens no tool.
        if _name_of(headers["host"]) not in LOCAL or scope["path"].startswith(AGENTS):
            return None
        return self._doors.visitor(cookie_parser(headers.get("cookie", "")).get(_cookie_name(scope), ""))

    def _unknown(self, scope: Scope, headers: Headers) -> ASGIApp:
        if headers.get("authorization") and self._refused.over("token", count=False):
            return _too_many(scope)
        return refusal(
            scope,
            HTTPStatus.UNAUTHORIZED,
            "unauthorized",
            "Open the link that `recortex serve` prints; programs send a token (`recortex tokens add`).",
        )

    async def _body(self, headers: Headers, receive: Receive) -> Receive:
        """The body, read whole, as a channel that gives it once more."""
        with suppress(ValueError):
            # A length that is no number is not believed; what comes is counted below in any case.
            if int(headers.get("content-length", "0")) > LARGEST_BODY:
                raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", _TOO_LARGE)
        parts, size = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    # The client has left: whoever reads the body next sees that, and stops.
                    if message["type"] == "http.disconnect":
                        return _replayed(message)
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > LARGEST_BODY:
                        raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", _TOO_LARGE)
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise _RefusedError(
                HTTPStatus.REQUEST_TIMEOUT, "too_slow", "The request did not arrive in time."
            ) from None
        return _replayed({"type": "http.request", "body": b"".join(parts), "more_body": False}, receive)

    async def _unwanted(
        self, scope: Scope, headers: Headers, visitor: Visitor, receive: Receive
    ) -> ASGIApp | None:
        """The answer to a write that is refused before anybody looks at what it says."""
        if visitor.csrf:
            given = headers.get("x-csrf-token", "")
            # Forms of a page cannot set a header: there it is a field.
            if not given and headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
                body = (await receive()).get("body", b"")
                given = parse_qs(body.decode("utf-8", "replace")).get("csrf", [""])[0]
            # In constant time, as the time that a comparison takes would tell how much of it is right.
            if not secrets.compare_digest(given.encode(), visitor.csrf.encode()):
                return refusal(
                    scope,
                    HTTPStatus.FORBIDDEN,
                    "stale_page",
                    "Load the page again, then repeat what you did.",
                )
        if self._written.over(visitor.name):
            return _too_many(scope)
        return None


class _RefusedError(Exception):
    def __init__(self, status: HTTPStatus, code: str, why: str) -> None:
        super().__init__(why)
        self.status, self.code, self.why = status, code, why


_TOO_LARGE = f"A request has at most {LARGEST_BODY // 1024} KB."


def _too_many(scope: Scope) -> ASGIApp:
    answer = refusal(scope, HTTPStatus.TOO_MANY_REQUESTS, "too_many", "Too many requests; wait a minute.")
    answer.headers["retry-after"] = str(round(_REFUSAL_SECONDS))
    return answer


def _name_of(host: str) -> str:
    """The host's name in lower case without its port, and without the brackets of an IPv6 address."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _cookie_name(scope: Scope) -> str:
    """Cookies of one host are shared by its ports: the name tells servers apart."""
    server: Any = scope.get("server") or ("", 0)
    return f"recortex_{server[1]}"


def _replayed(message: Message, then: Receive | None = None) -> Receive:
    """A channel that gives a message to everybody who asks for the body, and waits for the end after that."""
    given = 0

    async def give() -> Message:
        nonlocal given
        given += 1
        # the guard may look at it first, then the page does
        return message if given <= 2 or then is None else await then()  # noqa: PLR2004

    return give


def _with_headers(path: str, send: Send) -> Send:
    kept = next((value for start, value in _KEPT.items() if path.startswith(start)), "no-store")

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", kept)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
