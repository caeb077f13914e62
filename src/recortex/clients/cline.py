"""Cline CLI's `<id>.messages.json`: one document of messages, beside the one that says where it ran."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head
from recortex.formats.transcripts.pieces import (
    Content,
    Header,
    MalformedLineError,
    Message,
    Parsed,
    Piece,
    Raw,
    decode,
    decode_any,
    decode_optional,
    moment,
    spoken,
    with_carried,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.domain.exchange import Author

_OPENED, _CLOSED = "<user_input ", "</user_input>"
_LEAD, _PERSONS = "lead", frozenset(("", "user"))
_LARGEST = 4_000_000  # bytes of the document beside a session
_MESSAGES = ".messages.json"


class _Origin(msgspec.Struct, rename="camel", gc=False):
    mode: str | None = None
    version: str | None = None
    parent_thread_id: str | None = None


class _Document(msgspec.Struct, gc=False):
    session: str | None = msgspec.field(default=None, name="sessionId")
    agent: str | None = None
    origin: Raw = Raw()
    messages: list[Raw] | None = None


class _Message(Message, gc=False):
    ts: float | None = None
    metadata: Raw = Raw()
    by: str | None = msgspec.field(default=None, name="recortex")


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The messages, each with whose session it is. Raises MalformedLineError."""
    document = decode(raw, _Document)
    origin = decode_optional(document.origin, _Origin)
    by = "" if (origin.mode or "") in _PERSONS else "program"
    if origin.parent_thread_id or (document.agent or _LEAD) != _LEAD:
        by = "agent"  # another agent gives the instructions
    messages = document.messages or []
    header = Header(
        document.session or "", origin.version or "", parent_session=origin.parent_thread_id or ""
    )
    return header, [_marked(message, by) if by else bytes(message) for message in messages]


def _marked(message: Raw, by: str) -> bytes:
    value = decode_any(message)
    return msgspec.json.encode({**value, "recortex": by}) if isinstance(value, dict) else bytes(message)


class ClineParser:
    """Reads one message at a time; keeps nothing between them."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a message. Raises MalformedLineError."""
        message = decode(raw, _Message)
        content = Content.read(message.content)
        piece = Piece("user", uuid=message.id or "", at=moment(message.ts), sidechain=message.by == "agent")
        if message.role == "assistant":
            return content.by_agent(piece)
        if message.role != "user":
            return Parsed(skipped=f"message/{message.role}"[:80])
        if as_mapping(decode_any(message.metadata)).get("kind") == "compaction_summary":
            return spoken(replace(piece, role="summary"), content.texts)
        if content.results and not content.texts:
            return Parsed((replace(piece, role="results", results=content.results),))
        asked = [_typed(text) for text in content.texts]
        put_in = "\n".join(filter(None, (around for _, around in asked)))
        said = [typed for typed, _ in asked if typed]
        if said or message.by:
            author: Author = "program" if message.by == "program" else "person"
            piece = replace(piece, author=author, ends_calls=True, results=content.results)
            parsed = spoken(piece, said or content.texts)
        else:  # the client itself says it, such as that a tool was not used rightly
            parsed = Parsed(skipped="client")
        return with_carried(parsed, put_in) if said or not message.by else parsed


def _typed(text: str) -> tuple[str, str]:
    """What came through the line that is typed in, and what the client put around it."""
    before, opened, rest = text.partition(_OPENED)
    _, _, inner = rest.partition(">")
    said, closed, after = inner.rpartition(_CLOSED)
    return (
        (said, "\n".join(filter(None, (before.strip(), after.strip())))) if opened and closed else ("", text)
    )


def _folder(path: Path) -> str:
    """Where a session ran; of a sub-agent's, that of the one whose folder it stands in."""
    folders = (told.get("cwd") for told in _told(path))
    return next((one for one in folders if isinstance(one, str) and one), "")


def _author(path: Path) -> Author:
    """Whose the prompts are: without a terminal or an editor the client is not interactive."""
    told = next(_told(path), {})
    return "program" if (told.get("source"), told.get("interactive")) == ("cli", False) else "person"


def _told(path: Path) -> Iterator[Mapping[str, Any]]:
    """What stands beside a session: of itself, and of the one whose folder it stands in."""
    for name in dict.fromkeys((path.name.removesuffix(_MESSAGES), path.parent.name)):
        with suppress(OSError, UntrustedFileError, MalformedLineError):
            yield as_mapping(decode_any(Raw(read_regular(path.with_name(f"{name}.json"), _LARGEST))))


# -- what the client is: its files and settings


def _is_cline(head: Head) -> bool:
    named = head.name.endswith(_MESSAGES)
    return named and head.document and head.mentions("agent", "sessionId", "origin", "messages")


def _share(wish: InstallRequest) -> Share:
    home = wish.environment.home
    path = home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    return Share((JsonPart(path, home, ("mcpServers",), wish.server()),), (TOOLS_ALONE,))


CLIENTS = (
    Client(
        name="cline",
        title="Cline",
        commands=("cline",),
        history=(".cline", ("data/sessions",)),
        files=(".cursorrules", ".windsurfrules", ".clinerules", "AGENTS.md"),
        folders={".cursor/rules": (".mdc", ".md"), ".windsurf/rules": (".md",), ".clinerules": (".md",)},
        own_folders=(".clinerules", ".cline"),
        formats=(
            Format("cline", _is_cline, ClineParser, split, rewritten=True, folder=_folder, author=_author),
        ),
        share=_share,
    ),
)
