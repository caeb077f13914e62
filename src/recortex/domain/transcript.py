"""What an agent's session says, whatever client wrote it: the values that every transcript reader yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "summary", "plan"]
"""Whose words a turn has. A summary was made at a compaction; a plan is the agent's, and the person accepted
it."""
Form = Literal["prompt", "queued", "answer", "refusal", "note", "command", "argument"]
"""How a person said something: as a turn of their own; while the agent was at work; in answer to its
question; on refusing a tool call or a plan; as a note for the client's memory; behind a command's name;
within a sentence of a command's text, so that the sentence is not theirs."""

Author = Literal["person", "agent", "program", "repository", "harness"]
"""Who wrote what a client sent to the agent as a prompt: somebody who typed it; an agent (its parent, a peer,
itself for later); a program that ran the client; a file of the repository; the client itself."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool by the agent, with what came of it.

    Attributes:
        name: the client's own name of the tool, such as `Bash` or `Edit`.
        command: the shell command, where the tool runs one.
        files: paths as the client gave them, read or written by the call.
        writes: whether the call changes its files.
        ok: True or False once the result is known; None where the transcript ends before it or does not say.
        output: the result's text, shortened to its head and tail (at most 4,000 characters).
        arguments: the call's arguments as text (JSON where they are not text), each shortened to 2,000
            characters.
        injected: the call went to Recortex itself; its output and arguments are left out, never learned
            again.
    """

    id: str
    name: str
    command: str = ""
    files: tuple[str, ...] = ()
    writes: bool = False
    ok: bool | None = None
    output: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    injected: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session: what the person said, what the agent said, or a summary made at compaction.

    Tool results are not turns of their own: they complete the `tools` of the assistant's turn that asked.

    Attributes:
        index: position among the turns that the reader yields, from its `first_index` (0 unless told).
        text: the prose of the message, without tool calls, thinking, injected reminders or command echoes.
        uuid: the same whenever the same message is read, also from another file that copies the history; of
            the client's own ids where it has some.
        certain: False where the file shows only that it may have been said: what it teaches is proposed.
        author: of a `user` turn; only a person's is their word.
        injected: text that a client or Recortex put in, not typed by a person; kept apart so that it is never
            learned.
        sidechain: part of a sub-agent's work; a `user` turn is then the parent agent's instruction.
        start: byte offset of the turn's first line in its file (record number where a file is one JSON
            document).
        end: offset just past its last line, its tools' results included.
        interrupts: the person stopped the agent before saying this.
        form: how the person said it; `prompt` for every other role. In an answer, lines that begin with `>`
            are the agent's: its question, and what it said of the chosen option.
        asked: what an answer answers (the questions with their options) or a refusal refuses (the tool, with
            its command, file or plan); empty for other forms.
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
    interrupts: bool = False
    form: Form = "prompt"
    asked: str = ""
    author: Author = "person"
    certain: bool = True

    @property
    def by_person(self) -> bool:
        """Whether a person said it: the only turns that are their word."""
        return self.role == "user" and self.author == "person" and not self.sidechain


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known of a session as a whole.

    Attributes:
        cwd: the folder in which it ran; where only the SHA-256 of its name is known, `digest` is that.
    """

    session_id: str
    client: str
    path: str
    version: str = ""
    cwd: str = ""
    branch: str = ""
    parent_session: str = ""
    started_at: datetime | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ReadCounts:
    """Where every line of a transcript went: `lines == used + sum(skipped.values()) + malformed + torn`.

    Attributes:
        lines: lines read (records, where a file is one JSON document).
        used: lines that became a turn or a part of one.
        skipped: lines that are no conversation, by type or reason.
        malformed: lines that are not JSON, or not of the shape that their type has.
        torn: 1 if the last line is still being written; it is read again next time.
    """

    lines: int = 0
    turns: int = 0
    used: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    malformed: int = 0
    torn: int = 0
