"""Qwen Code's `.jsonl`.

Claude-like lines (`uuid`, `parentUuid`, `sessionId`) around Gemini's content parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from recortex.clients.catalogue import Client, InstallRequest, Share
from recortex.clients.gemini import response, typed
from recortex.clients.hooks import Dialect, usual_events
from recortex.clients.installer import JsonPart
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import (
    Parsed,
    Raw,
    Result,
    SessionLine,
    decode,
    decode_optional,
    tool_call,
)

if TYPE_CHECKING:
    from recortex.domain.exchange import Author


_BY_CLIENT = frozenset(("goal_runtime", "notification", "realtime_message"))
# Commands of the client that say nothing and send nothing, such as those that open a dialog.
_BUILT_IN = [
    [f"/{name}"]
    for name in (
        *("approval-mode", "auth", "clear", "compress", "editor", "ide", "language", "mcp", "model", "new"),
        *("permissions", "plan", "quit", "resume", "rewind", "settings", "theme", "tools", "vim"),
    )
]


class _Line(SessionLine, rename="camel", gc=False):
    parent_uuid: str | None = None
    provenance: str | None = None
    system_payload: Raw = Raw()
    tool_call_result: Raw = Raw()


class _Message(msgspec.Struct, gc=False):
    parts: list[dict[str, Any]] | None = None


class _Outcome(msgspec.Struct, rename="camel", gc=False):
    status: str | None = None


class _Command(msgspec.Struct, rename="camel", gc=False):
    phase: str | None = None
    raw_command: str | None = None
    sent_to_model: bool | None = None
    output_history_items: list[Raw] | None = None


class QwenParser:
    """Reads the lines of one session.

    A command is two records, its call and its result; where it made a prompt, that is the next one.
    """

    def __init__(self) -> None:
        self._called = _Command()
        self._made_after = ""  # the record after which the next prompt is a command's

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        header = line.header(line.session_id or "")
        if line.type not in {"user", "assistant", "tool_result"}:
            self._command(line)
            return Parsed(skipped=line.label).under(header)
        message = decode(line.message, _Message)
        author = self._author(line) if line.type == "user" else "person"
        if author == "harness":
            texts = [part["text"] for part in message.parts or () if isinstance(part.get("text"), str)]
            return Parsed(skipped=line.label, carried="\n".join(texts)).under(header, line.uuid or "")
        parts = message.parts or []
        answers = [answer for part in parts if isinstance(answer := part.get("functionResponse"), dict)]
        asked = [call for part in parts if isinstance(call := part.get("functionCall"), dict)]
        results = tuple(_result(line, answer) for answer in answers)
        piece = line.piece(
            "results" if results else "user" if line.type == "user" else "assistant",
            group=line.uuid or "",
            calls=tuple(
                tool_call(str(call.get("id") or ""), str(call.get("name") or ""), call.get("args"))
                for call in asked
            ),
            results=results,
            ends_calls=line.type == "user" and not results,
            author=author,
        )
        texts = [
            part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")
        ]
        return typed(piece, texts).under(header, line.uuid or "")

    def _command(self, line: _Line) -> None:
        command = decode_optional(line.system_payload, _Command)
        if line.subtype != "slash_command" or command.phase not in {"invocation", "result"}:
            return
        if command.phase == "invocation":
            self._called, self._made_after = command, ""
            return
        called, self._called = self._called, _Command()
        sent = called.sent_to_model
        if sent is None and called.raw_command == command.raw_command and not command.output_history_items:
            sent = (called.raw_command or "").split()[:1] not in _BUILT_IN  # older versions do not say it
        self._made_after = (line.uuid or "") if sent else ""

    def _author(self, line: _Line) -> Author:
        made = bool(self._made_after) and line.parent_uuid in {None, self._made_after}
        self._made_after = ""
        by_client = line.subtype in _BY_CLIENT or line.provenance not in {None, "real_user"}
        if line.subtype == "cron":
            return "agent"
        return "harness" if by_client else "repository" if made else "person"


def _result(line: _Line, answer: dict[str, Any]) -> Result:
    result = response(answer)
    status = decode_optional(line.tool_call_result, _Outcome).status
    return Result(result.call, bool(result.ok) and status in {None, "success"}, result.output)


# -- which lines the person took back


def follow(trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG001
    """`parentUuid`, as in Claude Code; a `rewind` record is the first of the new branch."""
    line = decode(raw, _Line)
    if line.uuid:
        prompt = line.type == "user" and line.subtype is None
        trail.add(line.uuid, line.parent_uuid or ("" if line.subtype == "rewind" else None), prompt=prompt)


# -- what the client is: its files and settings


def _is_qwen(head: Head) -> bool:
    line = head.line_with("sessionId", "message")
    message = line["message"] if line else None
    return isinstance(message, dict) and "parts" in message


_FILES = "read_file|write_file|edit|notebook_edit"
# In milliseconds: 0.15 knows no other unit, 0.24 takes 1000 and more for them.
_HOOKS = Dialect(
    "qwen",
    usual_events(f"^({_FILES})$", f"^({_FILES}|run_shell_command)$", "^run_shell_command$"),
    unit=0.001,
)


# Without the first, 0.24 offers a server's tools only to a model that searches for them; without the second
# it declines every call in a session without a terminal, where nobody can be asked.
_OFFERED = {"alwaysLoadTools": True, "trust": True}
_UNASKED = "Its tools run without a question each time; `trust` in {} says so."


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("QWEN_HOME", ".qwen")
    file = base / "settings.json"
    part = JsonPart(file, root, ("mcpServers",), wish.server(**_OFFERED), wish.groups(_HOOKS))
    return Share((part,), (_UNASKED.format(file),))


CLIENTS = (
    Client(
        name="qwen",
        title="Qwen Code",
        commands=("qwen",),
        history=(".qwen", ("projects", "tmp")),
        files=("QWEN.md", "AGENTS.md"),
        imports=True,
        own_folders=(".qwen",),
        formats=(Format("qwen", _is_qwen, QwenParser, follows=lambda: follow),),
        share=_share,
    ),
)
