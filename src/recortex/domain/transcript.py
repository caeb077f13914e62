"""What an agent's session says, whatever client wrote it: the values that every transcript reader yields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Role = Literal["user", "assistant", "summary"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool by the agent, with what came of it.

    Attributes:
        name: the client's own name of the tool, such as `Bash` or `Edit`.
        command: the shell command, where the tool runs one.
        files: paths as the client gave them, read or written by the call.
        writes: whether the call changes its files.
        ok: True or False once the result is known; None where the transcript ends before it.
        output: the result's text, shortened to its head and tail (at most 4,000 characters).
    """

    id: str
    name: str
    command: str = ""
    files: tuple[str, ...] = ()
    writes: bool = False
    ok: bool | None = None
    output: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session: what the person said, what the agent said, or a summary made at compaction.

    Tool results are not turns of their own: they complete the `tools` of the assistant's turn that asked.

    Attributes:
        index: position among the turns of the session, from 0.
        text: the prose of the message, without tool calls, thinking, injected reminders or command echoes.
        injected: text that a client or Recortex put in, not typed by a person; kept apart so that it is never learned.
        start: byte offset of the turn's first line in its file.
        end: byte offset just past its last line: where a reader may resume.
    """

    index: int
    role: Role
    text: str
    at: datetime | None = None
    uuid: str = ""
    tools: tuple[ToolCall, ...] = ()
    injected: str = ""
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known of a session as a whole."""

    session_id: str
    client: str
    path: str
    version: str = ""
    cwd: str = ""
    branch: str = ""
    parent_session: str = ""
    started_at: datetime | None = None
