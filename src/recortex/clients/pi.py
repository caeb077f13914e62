"""Pi's `.jsonl`: a header, then entries that form a tree; a fork's file repeats the entries it came from."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart
from recortex.errors import UntrustedFileError
from recortex.filesystem import open_regular
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import (
    Content,
    Header,
    MalformedLineError,
    Message,
    Parsed,
    Piece,
    Raw,
    Result,
    decode,
    decode_any,
    decode_optional,
    moment,
    plain,
    spoken,
    with_carried,
)

if TYPE_CHECKING:
    from datetime import datetime


# What the client writes before what was typed: files that were named with `@`, the skill that was called.
# What is in them may close them, so they reach to the last end.
_PUT_BEFORE = re.compile(
    r"\A\s*(?:<file name=\"[^\"\n]*\">.*</file>|<skill name=\"[^\"\n]*\" location=.*</skill>)", re.DOTALL
)
_LONGEST = 64 * 1024  # bytes of the first line of a session
_SUMMARIES = frozenset(("compaction", "branch_summary"))


class _Line(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    parent_session: str | None = None
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    summary: str | None = None
    content: Raw = Raw()
    message: Raw = Raw()


class _Message(Message, rename="camel", gc=False):
    tool_call_id: str | None = None
    is_error: bool | None = None
    stop_reason: str | None = None


class PiParser:
    """Reads the lines of one session.

    A fork, which may be in another folder, repeats its parent's entries, which are older than it.
    """

    def __init__(self) -> None:
        self._cwd = self._parents_cwd = ""
        self._begun: datetime | None = None

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        at = moment(line.timestamp)
        if line.type == "session":
            self._cwd, self._begun = line.cwd or "", at
            self._parents_cwd = _folder_of(line.parent_session or "")
            # A fork names the file that it came from, whose name ends with that session's id.
            parent = (line.parent_session or "").rpartition("_")[2].removesuffix(".jsonl")
            return Parsed(skipped="session", header=Header(line.id or "", "", self._cwd, "", parent, at))
        uuid = f"{line.id} {line.timestamp}" if line.id else ""  # ids alone are unique within a session
        repeated = bool(at and self._begun and at < self._begun)
        cwd = (self._parents_cwd if repeated else "") or self._cwd
        if line.type in _SUMMARIES:
            piece = Piece("summary", uuid=uuid, at=at, cwd=cwd)
            return spoken(piece, [line.summary or ""]).under(Header(), uuid)
        if line.type != "message":
            text = plain(decode_any(line.content)) if line.type == "custom_message" else ""
            return Parsed(skipped=line.type or "untyped", carried=text)
        piece = Piece("user", uuid=uuid, at=at, cwd=cwd)
        return _message_of(decode(line.message, _Message), piece).under(Header(), uuid)


def _folder_of(session: str) -> str:
    """The folder of the session in a file, by its first line; empty where that cannot be read."""
    path = Path(session)
    if not session or not path.is_absolute() or path.suffix != ".jsonl":
        return ""
    with suppress(OSError, ValueError, UntrustedFileError, MalformedLineError), open_regular(path) as file:
        line = decode(file.readline(_LONGEST), _Line)
        return (line.cwd or "") if line.type == "session" else ""
    return ""


def _message_of(message: _Message, piece: Piece) -> Parsed:
    content = Content.read(message.content)
    texts = content.texts
    if message.role == "toolResult":
        result = Result(message.tool_call_id or "", not message.is_error, "\n".join(texts))
        return Parsed((replace(piece, role="results", results=(result,)),))
    if message.role == "user":
        typed = [_PUT_BEFORE.sub("", text) for text in texts]
        parsed = spoken(replace(piece, ends_calls=True), typed)
        return parsed if typed == texts else with_carried(parsed, "\n".join(texts))
    if message.role != "assistant":
        return Parsed(skipped=f"message/{message.role}"[:80])
    stopped = message.stop_reason == "aborted"
    return replace(content.by_agent(piece), interrupted=True) if stopped else content.by_agent(piece)


# -- which lines the person took back


class PiTrail:
    """Entries form a tree by `parentId`; going on from an earlier one appends to it."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._chained = False  # an entry names another one, so that one without a parent has none

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG002
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        if not line.id or line.type == "session":
            return
        key = self._keys[line.id] = f"{line.id} {line.timestamp}"
        prompt = line.type == "message" and decode_optional(line.message, _Message).role == "user"
        anew = line.parent_id is None and self._chained
        trail.add(key, "" if anew else self._keys.get(str(line.parent_id)), prompt=prompt)
        self._chained = self._chained or str(line.parent_id) in self._keys
        if anew and prompt:
            trail.begins_anew()


# -- what the client is: its files and settings


def _is_pi(head: Head) -> bool:
    first = head.line_with("type", "id", "cwd", "timestamp")
    entry = head.line_with("type", "id", "parentId", "message")
    return (first is not None and first["type"] == "session") or (
        entry is not None and entry["type"] == "message"
    )


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("PI_CODING_AGENT_DIR", ".pi", "agent")
    # Else a model sees no tool of a server before it has searched for it.
    server = wish.server(exposure="direct")
    return Share((JsonPart(base / "mcp.json", root, ("mcpServers",), server),), (TOOLS_ALONE,))


CLIENTS = (
    Client(
        name="pi",
        title="Pi",
        commands=("pi",),
        files=("AGENTS.md", "AGENTS.override.md", "CLAUDE.md"),
        history=(".pi", ("agent/sessions",)),
        own_folders=(".pi",),
        formats=(Format("pi", _is_pi, PiParser, headed=True, follows=PiTrail),),
        share=_share,
    ),
)
