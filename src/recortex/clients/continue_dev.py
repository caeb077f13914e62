"""Sessions of Continue, from its command line or an editor: one JSON document each, without times or ids.

Its command line finds servers in `config.yaml` alone, not those that editors find in `.continue/mcpServers`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import NAME
from recortex.errors import FormatError
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head
from recortex.formats.transcripts.pieces import (
    Header,
    Parsed,
    Piece,
    Raw,
    Result,
    decode,
    decode_any,
    decode_optional,
    fingerprint,
    plain,
    spoken,
    tool_call,
    with_carried,
)

_SUCCEEDED = {"done": True, "errored": False, "canceled": False}


class _Document(msgspec.Struct, rename="camel", gc=False):
    session_id: str | None = None
    workspace_directory: str | None = None
    history: list[Raw] | None = None


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    content: Raw = Raw()


class _Item(msgspec.Struct, rename="camel", gc=False):
    message: Raw = Raw()
    editor_state: Raw = Raw()
    tool_call_states: list[Raw] | None = None
    conversation_summary: str | None = None
    recortex: str | None = None


class _State(msgspec.Struct, rename="camel", gc=False):
    tool_call_id: str | None = None
    tool_call: Raw = Raw()
    status: str | None = None
    output: Raw = Raw()


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The items of the history, each with an id. Raises MalformedLineError."""
    document = decode(raw, _Document)
    folder = document.workspace_directory or ""
    header = Header(document.session_id or "", cwd=folder.removeprefix("file://"))
    items, so_far = list[bytes](), fingerprint(folder)
    for one in document.history or ():
        value = decode_any(one)
        if not isinstance(value, dict):
            items.append(bytes(one))
            continue
        # The same words after the same words are the same: a fork repeats them, under another session's id.
        said = as_mapping(value.get("message"))
        so_far = fingerprint(so_far, str(said.get("role")), plain(said.get("content")))
        items.append(msgspec.json.encode({**value, "recortex": so_far}))
    return header, items


class ContinueParser:
    """Reads one item at a time; keeps nothing between them."""

    def parse(self, raw: bytes) -> Parsed:
        """Read an item. Raises MalformedLineError."""
        item = decode(raw, _Item)
        message = decode(item.message, _Message)
        uuid, text = item.recortex or "", plain(decode_any(message.content))
        piece = Piece("user", uuid=uuid)
        if item.conversation_summary:
            piece = replace(piece, role="summary")
            return spoken(piece, [item.conversation_summary])
        if message.role == "user":
            typed = decode_any(item.editor_state)
            typed = typed if isinstance(typed, str) and typed.strip() else text
            parsed = spoken(replace(piece, ends_calls=True), [typed])
            return with_carried(parsed, text) if typed != text else parsed
        if message.role != "assistant":
            return Parsed(skipped=f"message/{message.role}"[:80])
        states = [decode_optional(state, _State) for state in item.tool_call_states or ()]
        calls = tuple(_call(state) for state in states)
        results = tuple(
            Result(one.tool_call_id or "", _SUCCEEDED[one.status], plain(decode_any(one.output)))
            for one in states
            if one.status in _SUCCEEDED
        )
        return spoken(replace(piece, role="assistant", calls=calls, results=results), [text])


def _call(state: _State) -> Any:
    function = as_mapping(as_mapping(decode_any(state.tool_call)).get("function"))
    name = function.get("name")
    return tool_call(
        state.tool_call_id or "", name if isinstance(name, str) else "", function.get("arguments")
    )


# -- our server in its settings: an item of a list in YAML, put in and taken out as text: all else stays


_KEY = "mcpServers:"
_NAMED = frozenset((f"name: {NAME}", f"name: '{NAME}'", f'name: "{NAME}"'))


class _Servers(NamedTuple):
    """A text around its list of servers: what stands before it, its head, its items, what stands behind."""

    before: str
    head: str = ""
    items: tuple[str, ...] = ()
    after: str = ""

    @property
    def ours(self) -> str:
        named = (one for one in self.items if not _NAMED.isdisjoint(_told(one)))
        return next(named, "")


def _told(item: str) -> set[str]:
    return {line.lstrip(" -").rstrip() for line in item.splitlines()}


def _servers(text: str) -> _Servers:
    """The list in a text. Raises FormatError where it is not written in lines."""
    lines = text.splitlines(keepends=True)
    head = next((number for number, line in enumerate(lines) if line.startswith(_KEY)), None)
    if head is None:
        return _Servers(text)
    if lines[head].removeprefix(_KEY).partition("#")[0].strip() not in {"", "[]"}:
        raise FormatError(f"What follows {_KEY} is not written in lines.")
    inside = range(head + 1, len(lines))
    end = next((at for at in inside if lines[at].strip() and lines[at][0] not in " -#"), len(lines))
    while lines[end - 1].startswith("#") or not lines[end - 1].strip():
        end -= 1
    dashes = [at for at in range(head + 1, end) if lines[at].lstrip(" ").startswith("-")]
    dashes = [at for at in dashes if _indent(lines[at]) == _indent(lines[dashes[0]])]
    items = tuple("".join(lines[at:after]) for at, after in pairwise([*dashes, end]))
    first = dashes[0] if dashes else end
    return _Servers("".join(lines[:head]), "".join(lines[head:first]), items, "".join(lines[end:]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


@dataclass(frozen=True, slots=True)
class YamlPart:
    """Our share of its settings: our server, the first in a list that is written in lines."""

    path: Path
    root: Path
    server: Mapping[str, Any]

    def added(self, text: str) -> str:
        """As of a `JsonPart`; what a person wrote into our item stays while we are started in this way."""
        wanted = [f"{key}: {json.dumps(value)}" for key, value in {"name": NAME, **self.server}.items()]
        if {*wanted[1:]} <= _told(_servers(text).ours):
            return text
        end = "\r\n" if "\r\n" in text else "\n"
        found = _servers(self.removed(text if not text or text.endswith("\n") else f"{text}{end}"))
        margin = " " * (_indent(found.items[0]) if found.items else 2)
        item = "".join(f"{margin}{'  ' if at else '- '}{line}{end}" for at, line in enumerate(wanted))
        if found.head:
            return "".join((found.before, found.head.replace(" []", "", 1), item, *found.items, found.after))
        if text.lstrip().startswith(("{", "[")):
            raise FormatError("It is not YAML that is written in lines.")
        return f"{found.before}{_KEY}{end}{item}"

    def removed(self, text: str) -> str:
        """As of a `JsonPart`."""
        found = _servers(text)
        left = [one for one in found.items if one != found.ours]
        if not found.ours:
            return text
        return "".join((found.before, found.head if left else "", *left, found.after))

    def by_hand(self) -> str:
        """As of a `JsonPart`."""
        return json.dumps({_KEY.rstrip(":"): [{"name": NAME, **self.server}]})


# -- what the client is: its files and settings


def _is_continue(head: Head) -> bool:
    return head.document and head.mentions("sessionId", "workspaceDirectory", "history")


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("CONTINUE_GLOBAL_DIR", ".continue")
    path = base / "config.yaml"
    if not path.exists():  # with one that names no model it would not start
        return Share((), (_NO_SETTINGS.format(path),))
    return Share((YamlPart(path, root, wish.server()),), (TOOLS_ALONE,))


_NO_SETTINGS = "There is no {}: Continue takes its settings from its hub. Make that file, then install again."

CLIENTS = (
    Client(
        name="continue",
        title="Continue",
        commands=("cn",),
        history=(".continue", ("sessions",)),
        files=("AGENTS.md", "CLAUDE.md"),
        folders={".continue/rules": (".md",)},
        own_folders=(".continue",),
        formats=(Format("continue", _is_continue, ContinueParser, split, rewritten=True),),
        share=_share,
    ),
)
