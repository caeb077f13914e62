"""Sessions of Continue, from its command line or an editor: one JSON document each, without times or ids."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import Client
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


# -- what the client is: its files and settings


def _is_continue(head: Head) -> bool:
    return head.document and head.mentions("sessionId", "workspaceDirectory", "history")


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
    ),
)
