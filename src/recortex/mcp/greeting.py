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
import logging
import os
import re
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


# -- resources and prompts as the protocol lists them: what a person takes into a conversation beside the


BRIEF, MEMORY = "recortex://brief", "recortex://memory/"
TEXT = "text/plain"
RESOURCES: list[dict[str, Any]] = [
    {
        "name": "brief",
        "title": "Brief",
        "uri": BRIEF,
        "description": "What a session starts with: rules, decisions, warnings about the files at work.",
        "mimeType": TEXT,
    }
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "name": "memory",
        "title": "Memory",
        "uriTemplate": f"{MEMORY}{{id}}",
        "description": "One memory whole, by its id or the first characters of it.",
        "mimeType": TEXT,
    }
]
WORDS = 16
"""Words of a question or task that a client passes on which splits it."""
SPLITTING = frozenset({"claude-code"})
"""Clients that give each word as an argument of its own, in order, also between quotes, and drop those for
which there is none (Claude Code 2.1.330). Others give the whole text as the one argument that they are told
of, and show each argument as a field to fill in."""


def _prompt(name: str, title: str, description: str, first: str, what: str) -> dict[str, Any]:
    asked = {"name": first, "description": what, "required": True}
    return {"name": name, "title": title, "description": description, "arguments": [asked]}


def _split(prompt: dict[str, Any]) -> dict[str, Any]:
    more = [
        {"name": f"word{number}", "description": "The next word.", "required": False}
        for number in range(2, WORDS + 1)
    ]
    return prompt | {"arguments": [*prompt["arguments"], *more]}


PROMPTS = [
    _prompt("recall", "Recall", "Ask with what memory knows of it.", "question", "In plain words."),
    _prompt(
        "context",
        "Context",
        "Begin a task with what is known for it: warnings, rules, decisions, how it is done.",
        "task",
        "What is to be done, with the paths in view.",
    ),
]
LISTS: dict[str, dict[str, Any]] = {
    "resources/list": {"resources": RESOURCES},
    "resources/templates/list": {"resourceTemplates": TEMPLATES},
    "prompts/list": {"prompts": PROMPTS},
}
"""The answers to the requests for what there is, beside the tools."""
SPLIT_PROMPTS: dict[str, Any] = {"prompts": list(map(_split, PROMPTS))}
"""The answer to the request for prompts, for a client that splits what is typed."""


def listed_prompts(client: str) -> dict[str, Any]:
    """The prompts as a client is told of them, by the name that it gives itself."""
    return SPLIT_PROMPTS if client in SPLITTING else LISTS["prompts/list"]


CAPABILITIES: dict[str, dict[str, bool]] = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "prompts": {"listChanged": False},
}


# -- the first answers of a connection, given before the protocol SDK is loaded


# Those in which the SDK (mcp 2.3) answers alike; a version that is not here is left to it.
HANDSHAKE_VERSIONS = frozenset(("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"))
MODERN_VERSION = "2026-07-28"

_RESERVED = "io.modelcontextprotocol/"
_LONGEST = 100_000  # bytes of a request that is answered here
_MOST = 50  # requests that are: a client asks for each list once or twice


class _Request(msgspec.Struct, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: str
    id: int | str | None = None
    params: dict[str, Any] = {}


class _Implementation(msgspec.Struct):
    name: str
    version: str


class _Handshake(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The parameters of `initialize`."""

    protocol_version: str
    capabilities: dict[str, dict[str, Any]]
    client_info: _Implementation


class _Meta(msgspec.Struct):
    progress: int | str | None = msgspec.field(name="progressToken", default=None)


class _Listing(msgspec.Struct, forbid_unknown_fields=True):
    """The parameters of a request for a whole list. Codex names a token for its progress."""

    meta: _Meta = msgspec.field(name="_meta", default_factory=_Meta)


class _Envelope(msgspec.Struct):
    """What a stateless request says of its client."""

    version: Literal["2026-07-28"] = msgspec.field(name=f"{_RESERVED}protocolVersion")
    client: _Implementation = msgspec.field(name=f"{_RESERVED}clientInfo")
    capabilities: dict[str, dict[str, Any]] = msgspec.field(name=f"{_RESERVED}clientCapabilities")


class _Enveloped(msgspec.Struct, forbid_unknown_fields=True):
    meta: _Envelope = msgspec.field(name="_meta")


_REQUESTS = msgspec.json.Decoder(_Request)


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
        result = None
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # the SDK says what is wrong
            asked = _REQUESTS.decode(line[:_LONGEST])  # one that was cut is no JSON
            if asked.method.startswith("notifications/"):
                return None
            result = self._result(asked) if self._left and asked.id is not None else None
        if result is None:
            self.done = True
            return None
        self._left -= 1
        self.begun = self.begun or asked.method == "tools/list"
        return {"jsonrpc": "2.0", "id": asked.id, "result": result}

    def _result(self, asked: _Request) -> dict[str, Any] | None:
        """The result, if the request has its plain form. Raises `msgspec.DecodeError` for others."""
        if asked.method == "initialize" and not self._era:
            shaken = msgspec.convert(asked.params, _Handshake)
            if shaken.protocol_version not in HANDSHAKE_VERSIONS:
                return None
            self._begin("handshake", shaken.client_info)
            version = {"protocolVersion": shaken.protocol_version, "serverInfo": self._server}
            return {**self._about, **version}
        if self._era == "handshake":
            msgspec.convert(asked.params, _Listing)
            return self._lists.get(asked.method)
        if asked.method != "server/discover" and asked.method not in self._lists:
            return None
        self._begin("modern", msgspec.convert(asked.params, _Enveloped).meta.client)
        versions = {**self._about, "supportedVersions": [MODERN_VERSION]}
        result = self._lists.get(asked.method, versions)
        # The stateless protocol says with each result whose it is, and how long it holds.
        stamp = {_RESERVED + "serverInfo": self._server}
        return {**result, "resultType": "complete", "cacheScope": "private", "ttlMs": 0, "_meta": stamp}

    def _begin(self, era: str, client: _Implementation) -> None:
        """Go on in this protocol, and tell of prompts as the client takes them."""
        self._era = era
        self._lists["prompts/list"] = listed_prompts(client.name)


# -- the process's standard streams as a line protocol that nothing else in the process can write to


_LOG = logging.getLogger(__name__)

# Twice what an operation takes in; a longer line is refused, never held in memory.
LONGEST_LINE = 16 * 1024 * 1024
NEVER_SENT = -32600
"""JSON-RPC's code of an invalid request."""
_CHUNK = 64 * 1024
_KEPT = 4_096
"""Bytes of the beginning and the end of a refused line that are looked through for its id."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_ID = rb'"id"\s{0,20}:\s{0,20}(?P<id>\d{1,20}|"(?:[^"\\]|\\.){0,200}")'
_OTHER = rb'"(?:jsonrpc|method)"\s{0,20}:\s{0,20}"[^"]{0,200}"'
_FIRST = re.compile(rb"\s{0,20}\{\s{0,20}(?:" + _OTHER + rb"\s{0,20},\s{0,20}){0,2}" + _ID)
_LAST = re.compile(_ID + rb"\s{0,20}(?:,\s{0,20}" + _OTHER + rb"\s{0,20}){0,2}\}\s{0,20}\Z")


class Wire:
    """Lines in, lines out.

    Args:
        reading, writing: file descriptors that are this object's own.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.Lock()

    @classmethod
    def claim(cls) -> Self:
        """Take the standard streams.

        From now on a stray `print` goes to standard error, and a stray read finds the end.
        """
        reading, writing = os.dup(_STDIN), os.dup(_STDOUT)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, _STDIN)
        os.close(nothing)
        sys.stdout.flush()
        os.dup2(_STDERR, _STDOUT)
        return cls(reading, writing)

    def lines(self) -> Iterator[bytes]:
        """Each line that arrives, without its end, until the client closes the stream.

        Blank ones are left out. One that is too long is answered with an error as soon as it ends.
        """
        pending = bytearray()
        beginning = b""  # of a line that is too long
        while chunk := os.read(self._reading, _CHUNK):
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                pending += part
                if beginning:
                    self._refuse_long(beginning, bytes(pending[-_KEPT:]))
                elif pending.strip():
                    yield bytes(pending)
                pending.clear()
                beginning = b""
            pending += rest
            if beginning:
                del pending[:-_KEPT]
            elif len(pending) > LONGEST_LINE:
                _LOG.warning("A message of more than %d bytes was refused.", LONGEST_LINE)
                beginning = bytes(pending[:_KEPT])
                del pending[:-_KEPT]
        if beginning:
            self._refuse_long(beginning, bytes(pending))
        elif pending.strip():
            yield bytes(pending)

    def _refuse_long(self, beginning: bytes, end: bytes) -> None:
        """Answer a line that was too long, where one of its ends tells its id."""
        found = _FIRST.match(beginning) or _LAST.search(end)
        if found is None:
            return
        most = LONGEST_LINE // 1024**2
        with suppress(ValueError):  # what is no JSON is no request
            named = json.loads(found["id"])
            self.refuse(named, f"The message is longer than {most} MB. Send less at once: several calls.")

    def refuse(self, named: Any, why: str) -> None:
        """Answer a request that was not taken, so that nobody waits for it.

        Args:
            named: its id.
            why: it was not.
        """
        error = {"code": NEVER_SENT, "message": why}
        with suppress(OSError):  # the client is gone: reading will find out
            self.send(json.dumps({"jsonrpc": "2.0", "id": named, "error": error}).encode())

    def send(self, line: bytes) -> None:
        """Write a line.

        Raises:
            OSError: the client is gone.
        """
        data = memoryview(line + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._writing, data) :]
