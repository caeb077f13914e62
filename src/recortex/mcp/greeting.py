"""The first answers of a connection, given before the protocol SDK is loaded.

Importing the SDK takes about a second, and clients start a session without a server that is not ready. What
they ask first has answers that are known at once: who are you, which tools, resources
and prompts have you. Only requests in their
plain form are answered here; everything else is left to the SDK. The SDK then gets to see the same lines, so
that its session is in step, and what it answers to those already answered is not sent again. A test compares
both answers in every protocol version.
"""

from __future__ import annotations

import json
from typing import Any

from recortex.mcp.offers import CAPABILITIES, LISTS, listed_prompts

# Those in which the SDK (mcp 2.3) answers alike; a version that is not here is left to it.
HANDSHAKE_VERSIONS = frozenset(("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"))
MODERN_VERSION = "2026-07-28"

_RESERVED = "io.modelcontextprotocol/"
_INITIALIZE = frozenset(("protocolVersion", "capabilities", "clientInfo"))
_MODERN = frozenset(_RESERVED + name for name in ("protocolVersion", "clientInfo", "clientCapabilities"))
_LONGEST = 100_000  # bytes of a request that is answered here
_MOST = 50  # requests that are: a client asks for each list once or twice


class Greeting:
    """Answers the opening requests of one connection.

    Attributes:
        begun: the tools were listed, so that the client has started.
        done: it has said all that it can.
    """

    def __init__(self, *, server: dict[str, str], instructions: str, tools: list[dict[str, Any]]) -> None:
        self._server = server
        self._about = {"capabilities": CAPABILITIES, "instructions": instructions}
        self._lists = {"tools/list": {"tools": tools}, **LISTS}
        self._era = ""
        self._left = _MOST
        self.begun = self.done = False

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """The answer to a request; None where there is none to give here.

        After a request that it cannot answer it is done: the order of answers stays that of the requests.
        """
        message = _parsed(line)
        if str(message.get("method")).startswith("notifications/"):
            return None
        result = self._result(message) if self._left else None
        if result is None:
            self.done = True
            return None
        self._left -= 1
        self.begun = self.begun or message["method"] == "tools/list"
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _result(self, message: dict[str, Any]) -> dict[str, Any] | None:
        params = message.get("params") or {}
        if set(message) - {"jsonrpc", "id", "method", "params"} or not _is_id(message.get("id")):
            return None
        match message.get("method"):
            case "initialize" if not self._era and _is_handshake(params):
                self._era = "handshake"
                self._hears(params["clientInfo"])
                return {
                    **self._about,
                    "protocolVersion": params["protocolVersion"],
                    "serverInfo": self._server,
                }
            case "server/discover" if self._is_modern(params):
                return self._complete({**self._about, "supportedVersions": [MODERN_VERSION]})
            case str(name) if name in self._lists and self._is_modern(params):
                return self._complete(self._lists[name])
            case str(name) if name in self._lists and self._era == "handshake" and not params:
                return self._lists[name]
        return None

    def _is_modern(self, params: Any) -> bool:
        if self._era == "handshake" or not _is_enveloped(params):
            return False
        self._era = "modern"
        self._hears(params["_meta"][_RESERVED + "clientInfo"])
        return True

    def _hears(self, client: dict[str, Any]) -> None:
        """Tell of prompts as the client takes them."""
        self._lists["prompts/list"] = listed_prompts(client["name"])

    def _complete(self, result: dict[str, Any]) -> dict[str, Any]:
        """A result as the stateless protocol wants it."""
        stamp = {_RESERVED + "serverInfo": self._server}
        return {**result, "resultType": "complete", "cacheScope": "private", "ttlMs": 0, "_meta": stamp}


def _parsed(line: bytes) -> dict[str, Any]:
    """The message, or an empty one where it is none."""
    try:
        message: Any = json.loads(line) if len(line) < _LONGEST else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return {}
    return message if isinstance(message.get("params", {}), dict) else {}


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_handshake(params: dict[str, Any]) -> bool:
    """Whether the parameters of `initialize` are the usual ones, in a version that is answered here."""
    return (
        set(params) == _INITIALIZE
        and isinstance(params["protocolVersion"], str)
        and params["protocolVersion"] in HANDSHAKE_VERSIONS
        and _is_capabilities(params["capabilities"])
        and _is_implementation(params["clientInfo"])
    )


def _is_enveloped(params: dict[str, Any]) -> bool:
    """Whether the only parameter is the envelope of a stateless request."""
    meta = params.get("_meta")
    return (
        set(params) == {"_meta"}
        and isinstance(meta, dict)
        and set(meta) >= _MODERN
        and meta[_RESERVED + "protocolVersion"] == MODERN_VERSION
        and _is_capabilities(meta[_RESERVED + "clientCapabilities"])
        and _is_implementation(meta[_RESERVED + "clientInfo"])
    )


def _is_capabilities(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


def _is_implementation(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("name", "version"))
