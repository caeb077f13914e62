"""SWE-agent's `.traj`: one JSON document. Its `trajectory` is read, its `history` for the task alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import Client
from recortex.formats.transcripts.detection import Format, Head
from recortex.formats.transcripts.pieces import (
    Header,
    MalformedLineError,
    Parsed,
    Piece,
    Raw,
    Result,
    decode,
    decode_any,
    plain,
    spoken,
    tool_call,
)

if TYPE_CHECKING:
    from recortex.domain.exchange import ToolCall


_WRITING = ("edit", "create", "str_replace_editor")
_READING = ("open", "goto")
_NAMED = re.compile(r"\A\s*([a-z_]{1,40})\b[ \t]*(\S{0,1000})")


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
    named = _NAMED.match(action)
    verb, argument = (named[1], named[2]) if named else ("", "")
    if verb not in _WRITING + _READING:
        return tool_call(call, "shell", {"command": action.strip()})
    if verb == "str_replace_editor":
        edited = action.split(maxsplit=3)[2:3]
        return tool_call(call, verb, {"command": argument, "path": edited[0] if edited else ""})
    path = state.get("open_file") if verb in {"edit", "goto"} else argument
    return tool_call(call, verb, {"file_path": path if path != "n/a" else "", "action": action})


# -- what the client is: its files and settings


def _is_swe_agent(head: Head) -> bool:
    return head.document and (head.name.endswith(".traj") or head.mentions("trajectory", "observation"))


CLIENTS = (
    Client(
        name="swe-agent",
        title="SWE-agent",
        formats=(Format("swe-agent", _is_swe_agent, SweAgentParser, split),),
    ),
)
