"""Messages as `{"role", "content", "timestamp"}`: one, or a list of them, on each line or in a document."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.errors import UntrustedFileError
from recortex.filesystem import open_regular
from recortex.formats.transcripts.decoding import Raw, decode, decode_any, decode_each
from recortex.formats.transcripts.pieces import (
    Header,
    MalformedLineError,
    Parsed,
    Piece,
    Result,
    moment,
    plain,
    spoken,
    tool_call,
    with_carried,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recortex.domain.transcript import ToolCall


_DEPTH = 4  # lists within lists
_NAMED = re.compile(r"\A(?:user|human|assistant|agent|ai):[ \t]+", re.IGNORECASE)
_PEOPLE = frozenset(("user", "human"))
_AGENTS = frozenset(("assistant", "model", "ai", "agent"))


class ChatParser:
    """Reads one line at a time; keeps nothing between lines."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        value = decode_any(raw)
        if not isinstance(value, list | dict):
            raise MalformedLineError("neither a message nor a list of them")
        parsed = [_message(message) for message in _messages(value)]
        pieces = tuple(piece for one in parsed for piece in one.pieces)
        reasons = [one.skipped for one in parsed if one.skipped]
        return Parsed(pieces, "" if pieces else (reasons or ["empty"])[0])


def _messages(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list) and depth < _DEPTH:
        for item in value:
            yield from _messages(item, depth + 1)


def _message(message: dict[str, Any]) -> Parsed:
    role, at = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _PEOPLE | _AGENTS:
        return Parsed(skipped=f"role/{role}"[:80])
    uuid = message.get("id") if isinstance(message.get("id"), str) else ""
    when = moment(at if isinstance(at, str | int | float) else None)
    piece = Piece("user" if role in _PEOPLE else "assistant", uuid=uuid or "", at=when)
    return spoken(piece, [_NAMED.sub("", plain(message.get("content")))])


# -- SWE-agent's `.traj`: one JSON document. Its `trajectory` is read step by step, its `history` for the


_WRITING = ("edit", "create", "str_replace_editor")
_READING = ("open", "goto")
_SWE_AGENT_NAMED = re.compile(r"\A\s*([a-z_]{1,40})\b[ \t]*(\S{0,1000})")


class _Document(msgspec.Struct, gc=False):
    environment: str | None = None
    trajectory: list[Raw] | None = None
    history: list[Raw] | None = None


class _Step(msgspec.Struct, gc=False):
    role: str | None = None
    is_demo: bool | None = None
    action: str | None = None
    observation: str | None = None
    response: str | None = None
    thought: str | None = None
    content: Raw = Raw()
    state: Raw = Raw()


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The task, then the steps; the rest of the history says the same again. Raises MalformedLineError."""
    document = decode(raw, _Document)
    if document.trajectory is None:
        raise MalformedLineError("no trajectory")
    task = next(filter(_is_task, document.history or ()), Raw(b'{"role": "none"}'))
    return Header(), [bytes(record) for record in (task, *document.trajectory)]


def _is_task(raw: Raw) -> bool:
    try:
        message = decode(raw, _Step)
    except MalformedLineError:
        return False
    return message.role == "user" and not message.is_demo


class SweAgentParser:
    """Reads the records of one trajectory."""

    def __init__(self) -> None:
        self._step = 0

    def parse(self, raw: bytes) -> Parsed:
        """Read a record. Raises MalformedLineError."""
        step = decode(raw, _Step)
        if step.role is not None:
            if step.role != "user":
                return Parsed(skipped="no task")
            return Parsed(skipped="task", carried=plain(decode_any(step.content)))
        if step.action is None and step.thought is None and step.response is None:
            return Parsed(skipped="untyped")
        return self._taken(step)

    def _taken(self, step: _Step) -> Parsed:
        self._step += 1
        state = _state(step)
        piece = Piece("assistant", cwd=str(state.get("working_dir") or ""))
        thought = step.thought if step.thought is not None else (step.response or "")
        if not (step.action or "").strip():
            return spoken(piece, [thought])
        call = _call(f"step {self._step}", step.action or "", state)
        result = Result(call.id, None, step.observation or "")
        return spoken(replace(piece, calls=(call,), results=(result,)), [thought])


def _state(step: _Step) -> dict[str, Any]:
    """The environment's state: an object, or JSON in a string."""
    value = decode_any(step.state)
    if isinstance(value, str):
        try:
            value = decode_any(value.encode("utf-8", "replace"))
        except MalformedLineError:
            return {}
    return value if isinstance(value, dict) else {}


def _call(call: str, action: str, state: dict[str, Any]) -> ToolCall:
    """A tool call: SWE-agent's editing commands by name, everything else as a shell command."""
    named = _SWE_AGENT_NAMED.match(action)
    verb, argument = (named[1], named[2]) if named else ("", "")
    if verb not in _WRITING + _READING:
        return tool_call(call, "shell", {"command": action.strip()})
    if verb == "str_replace_editor":
        edited = action.split(maxsplit=3)[2:3]
        return tool_call(call, verb, {"command": argument, "path": edited[0] if edited else ""})
    path = state.get("open_file") if verb in {"edit", "goto"} else argument
    return tool_call(call, verb, {"file_path": path if path != "n/a" else "", "action": action})


# -- pi's `.jsonl`: a header, then entries that form a tree; a fork's file repeats the entries it came from


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
    summary: str | None = None
    content: Raw = Raw()
    message: Raw = Raw()


class _Message(msgspec.Struct, rename="camel", gc=False):
    role: str | None = None
    content: str | list[Raw] | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None
    stop_reason: str | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()


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
        return _pi_message(decode(line.message, _Message), piece).under(Header(), uuid)


def _folder_of(session: str) -> str:
    """The folder of the session in a file, by its first line; empty where that cannot be read."""
    path = Path(session)
    if not session or not path.is_absolute() or path.suffix != ".jsonl":
        return ""
    with suppress(OSError, ValueError, UntrustedFileError, MalformedLineError), open_regular(path) as file:
        line = decode(file.readline(_LONGEST), _Line)
        return (line.cwd or "") if line.type == "session" else ""
    return ""


def _pi_message(message: _Message, piece: Piece) -> Parsed:
    blocks = _blocks(message)
    texts = [block.text for block in blocks if block.type == "text" and block.text]
    if message.role == "toolResult":
        result = Result(message.tool_call_id or "", not message.is_error, "\n".join(texts))
        return Parsed((replace(piece, role="results", results=(result,)),))
    if message.role == "user":
        typed = [_PUT_BEFORE.sub("", text) for text in texts]
        parsed = spoken(replace(piece, ends_calls=True), typed)
        return parsed if typed == texts else with_carried(parsed, "\n".join(texts))
    if message.role != "assistant":
        return Parsed(skipped=f"message/{message.role}"[:80])
    calls = tuple(
        tool_call(block.id or "", block.name or "", decode_any(block.arguments))
        for block in blocks
        if block.type == "toolCall"
    )
    thinking = any(block.type == "thinking" for block in blocks)
    parsed = spoken(
        replace(piece, role="assistant", calls=calls),
        texts,
        empty="thinking" if thinking else "empty",
    )
    stopped = message.stop_reason == "aborted"
    return replace(parsed, interrupted=True) if stopped else parsed


def _blocks(message: _Message) -> list[_Block]:
    if isinstance(message.content, str):
        return [_Block(type="text", text=message.content)]
    return decode_each(message.content or (), _Block)
