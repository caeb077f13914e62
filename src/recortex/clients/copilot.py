"""GitHub Copilot CLI's `events.jsonl`: one event on each line, `{type, data, id, timestamp, parentId}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import Client, InstallRequest, Share
from recortex.clients.hooks import Dialect, usual_events
from recortex.clients.installer import JsonPart
from recortex.domain.text import strip_injected
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import (
    Header,
    Parsed,
    Piece,
    Question,
    Raw,
    Result,
    decode,
    decode_any,
    decode_optional,
    moment,
    plain,
    spoken,
    tool_call,
)

if TYPE_CHECKING:
    from recortex.domain.exchange import Author


_ASK = "ask_user"  # the client's own; tools of MCP servers have their server's name before theirs
_ANSWER = re.compile(r"\AUser (?:responded|selected|answered): (.+)", re.DOTALL)
_NOBODY = "The user is not available to respond"  # the client answers for the person
_EXIT = re.compile(r"<(?:shellId: [^<>\n]{1,60} completed|exited) with exit code (\d{1,5})>\s*\Z")
_TYPED = frozenset(("", "user"))
# What the client tells the model of a session that runs without a person (`-p`, or a prompt that is piped).
# It stands at the beginning: further on are the instructions of the repository, which may say anything.
_UNATTENDED = "You are running in non-interactive mode"
_BEGINNING = 400  # characters


class _Line(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    id: str | None = None
    timestamp: str | float | None = None
    agent_id: str | None = None
    data: Raw = Raw()


class _Data(msgspec.Struct, rename="camel", gc=False):
    session_id: str | None = None
    copilot_version: str | None = None
    start_time: str | None = None
    content: str | None = None
    source: str | None = None
    delivery: str | None = None
    message_id: str | None = None
    parent_tool_call_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    success: bool | None = None
    summary_content: str | None = None
    reason: str | None = None
    feedback: str | None = None
    detached_from_spawning_parent_session_id: str | None = None
    is_autopilot_continuation: bool | None = None
    up_to_event_id: str | None = None
    tool_requests: list[Raw] | None = None
    context: Raw = Raw()
    arguments: Raw = Raw()
    result: Raw = Raw()
    error: Raw = Raw()


class _Context(msgspec.Struct, gc=False):
    cwd: str | None = None
    branch: str | None = None


class CopilotParser:
    """Reads the events of one session.

    Whether a prompt was a person's stands behind it, in what the model is told next, and only where that has
    changed since the prompt before.
    """

    def __init__(self) -> None:
        self._context = _Context()
        self._author: Author = "person"
        self._asking = Piece("user")  # the prompt that the model was not yet told anything with
        self._parent = ""  # the session on whose behalf an agent runs this one, without a person
        self._asked: dict[str, Any] = {}  # what `ask_user` was called with and has not answered yet

    def parse(self, raw: bytes) -> Parsed:
        """Read an event. Raises MalformedLineError."""
        line = decode(raw, _Line)
        data = decode(line.data, _Data) if bytes(line.data)[:1] == b"{" else _Data()
        if line.type == "session.context_changed":  # its data are the context itself
            data.context = line.data
        piece = Piece(
            "user",
            uuid=line.id or "",
            at=moment(line.timestamp),
            cwd=self._context.cwd or "",
            branch=self._context.branch or "",
            sidechain=bool(line.agent_id or data.parent_tool_call_id or self._parent),
        )
        return replace(self._event(line.type or "untyped", data, piece), uuid=piece.uuid)

    def _event(self, kind: str, data: _Data, piece: Piece) -> Parsed:
        if kind == "user.message":
            parsed = _typed(data, replace(piece, group=piece.uuid, author=self._author))
            self._asking = parsed.pieces[0] if parsed.pieces else Piece("user")
            return parsed
        if kind == "system.message":
            return self._told(data, piece)
        if kind == "assistant.message":
            self._asking = Piece("user")
            calls = tuple(_call(request) for request in data.tool_requests or ())
            said = replace(piece, role="assistant", group=data.message_id or "", calls=calls)
            return spoken(said, [data.content or ""])
        if kind == "tool.execution_start" and data.tool_name == _ASK:
            self._asked[data.tool_call_id or ""] = decode_any(data.arguments)
        if kind == "tool.execution_complete":
            return self._result(data, piece)
        if kind == "session.compaction_complete":
            return spoken(replace(piece, role="summary"), [data.summary_content or ""])
        stopped = kind == "abort" and "user" in (data.reason or "")
        parsed = Parsed(skipped=kind[:80], header=self._learned(data, piece), interrupted=stopped)
        return _refused(kind, data, piece) if kind.endswith(".completed") else parsed

    def _told(self, data: _Data, piece: Piece) -> Parsed:
        """What the model is told of itself; a part of the prompt before, which it says whose that is."""
        if piece.sidechain:
            return Parsed(skipped="system.message")
        unattended = _UNATTENDED in (data.content or "")[:_BEGINNING]
        self._author = "program" if unattended else "person"
        asking = replace(self._asking, text="", injected="", author=self._author)
        return Parsed((asking,) if asking.group else (), skipped="system.message")

    def _learned(self, data: _Data, piece: Piece) -> Header | None:
        """Where the session runs, as its start, its resumption and a change of folder tell."""
        if bytes(data.context)[:1] == b"{":
            self._context = decode(data.context, _Context)
        elif not data.session_id:
            return None
        self._parent = data.detached_from_spawning_parent_session_id or self._parent
        where = self._context
        at = moment(data.start_time) or piece.at
        session, version = data.session_id or "", data.copilot_version or ""
        return Header(session, version, where.cwd or "", where.branch or "", self._parent, at)

    def _result(self, data: _Data, piece: Piece) -> Parsed:
        output = plain(decode_any(data.result)) or _message(decode_any(data.error))
        code = _EXIT.search(output)
        ok = bool(data.success) and (code is None or int(code[1]) == 0)
        result = Result(data.tool_call_id or "", ok, output)
        pieces = (replace(piece, role="results", results=(result,)),)
        asked = self._asked.pop(data.tool_call_id or "", None)
        reply = _ANSWER.match(output) if asked is not None and ok else None
        if reply is None or reply[1].startswith(_NOBODY):
            return Parsed(pieces)
        question = Question.read(asked)
        said = replace(piece, form="answer", text=question.answered(reply[1]), asked=str(question))
        return Parsed((*pieces, said))


def _typed(data: _Data, piece: Piece) -> Parsed:
    source = data.source or ""
    if data.is_autopilot_continuation:
        return Parsed(skipped="user.message/autopilot", carried=data.content or "")
    if source not in _TYPED and not source.startswith("agent-"):
        return Parsed(skipped=f"user.message/{source}"[:80], carried=data.content or "")
    # A message from another agent is its instruction to a sub-agent.
    said = replace(piece, sidechain=piece.sidechain or source not in _TYPED, ends_calls=True)
    if data.delivery in {"steering", "queued"}:
        said = replace(said, form="queued", ends_calls=False)
    return spoken(said, [data.content or ""])


def _refused(kind: str, data: _Data, piece: Piece) -> Parsed:
    """What the person typed when they declined a tool call or a plan; a field that only the client writes."""
    result = decode_any(data.result)
    told = data.feedback or (result.get("feedback") if isinstance(result, dict) else "")
    said = strip_injected(told)[0] if isinstance(told, str) else ""
    if not said:
        return Parsed(skipped=kind[:80])
    return Parsed((replace(piece, form="refusal", text=said, asked=kind.partition(".")[0]),))


def _call(raw: Raw) -> Any:
    request = decode_any(raw)
    given = request if isinstance(request, dict) else {}
    call, name = given.get("toolCallId"), given.get("name")
    return tool_call(
        call if isinstance(call, str) else "", name if isinstance(name, str) else "", given.get("arguments")
    )


def _message(error: Any) -> str:
    told = error.get("message") if isinstance(error, dict) else error
    return told if isinstance(told, str) else ""


# -- which lines the person took back


def follow(trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG001
    """Events follow each other; `session.snapshot_rewind` names the first that was taken back."""
    line = decode(raw, _Line)
    if line.type == "session.snapshot_rewind":
        trail.back_before(decode_optional(line.data, _Data).up_to_event_id or "")
    elif line.id:
        trail.add(line.id, prompt=line.type == "user.message")


# -- what the client is: its files and settings


def _is_copilot(head: Head) -> bool:
    line = head.line_with("type", "data", "id", "timestamp")
    return line is not None and "." in str(line["type"])


_FILES = "Edit|Write|Read"
# Claude Code's form and names of tools, which it has for events in that spelling alone. A matcher that it
# does not take costs all of its settings.
_HOOKS = Dialect("copilot", usual_events(_FILES, f"{_FILES}|Bash", "Bash"))


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("COPILOT_HOME", ".copilot")
    server = wish.server(type="local", tools=["*"])
    return Share(
        (
            JsonPart(base / "settings.json", root, hooks=wish.groups(_HOOKS)),
            JsonPart(base / "mcp-config.json", root, ("mcpServers",), server),
        )
    )


CLIENTS = (
    Client(
        name="copilot",
        title="Copilot CLI",
        commands=("copilot",),
        history=(".copilot", ("session-state", "history-session-state")),
        own_folders=(".github", ".copilot"),
        formats=(
            Format(
                "copilot",
                _is_copilot,
                CopilotParser,
                cut=True,
                headed=True,
                holding=(b'"session.context_changed"', b'"session.resume"', b'"system.message"'),
                follows=lambda: follow,
            ),
        ),
        share=_share,
    ),
)
