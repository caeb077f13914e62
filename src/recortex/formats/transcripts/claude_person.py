"""What a person says in Claude Code beside prompts: while the agent works, on a question, on a refusal.

A tool's result can imitate any of it. What counts is what only the client writes: a field of its own, or the
result of a tool of its own that gives no foreign text back.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from recortex.domain.injection import strip_injected
from recortex.formats.transcripts.asking import questions, told

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from recortex.domain.transcript import ToolCall

ASK = "AskUserQuestion"
# Tools of the client whose results hold its own words alone, so that a refusal in one is a refusal.
_OWN_WORDS = frozenset(
    (ASK, "Edit", "MultiEdit", "Write", "NotebookEdit", "ExitPlanMode", "EnterPlanMode", "TodoWrite")
)
_SHELL = "Bash"  # from version 2 on a command's own output stands below its exit code
_REFUSED = "The user doesn't want to proceed with this tool use."
_REASON = "To tell you how to proceed, the user said:\n"
_ADVICE = "\n\nNote: The user's next message may contain"  # of the client to the agent
# The client's own words, with the agent's questions in them, where the person answered none of these.
_QUESTIONNAIRE = "The user wants to clarify these questions."
_NOTE = re.compile(r"\s*<user-memory-input>(.*)</user-memory-input>\s*", re.DOTALL)
_COMMAND = re.compile(
    r"<command-name>(/[^<\n]{1,100})</command-name>.*<command-args>(.*\S.*)</command-args>", re.DOTALL
)
# Commands that set up the client: what follows their name is a setting, not said to anybody.
_SETTINGS = re.compile(
    r"/(?:add-dir|agents|color|config|effort|export|fast|ide|login|mcp|model|output-style|permissions|plugin"
    r"|rename|resume|statusline|theme|vim)"
)
_BARE_COMMAND = re.compile(r"/[a-z][\w:-]{0,80}(?:\s|$)")


def note(text: str) -> str:
    """What the person noted for the client's memory with `#`; empty for anything else."""
    found = _NOTE.fullmatch(text)
    return found[1].strip() if found else ""


def command(text: str) -> str:
    """A command as it was typed, where the person said something behind its name; empty for anything else."""
    found = _COMMAND.search(text)
    return f"{found[1]} {found[2].strip()}" if found and not _SETTINGS.fullmatch(found[1]) else ""


class Calls:
    """The calls without a result so far of tools whose results can tell what the person said."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}

    def note(self, calls: Iterable[ToolCall]) -> None:
        """Remember calls that the agent makes."""
        known = (call for call in calls if call.name in _OWN_WORDS or call.name == _SHELL)
        self._calls.update((call.id, call) for call in known)

    def pop(self, call: str) -> ToolCall | None:
        """The call that a result answers."""
        return self._calls.pop(call, None)


def refusal(call: ToolCall | None, output: str, version: str) -> str:
    """Why the person refused a call, out of its failed result; empty where that proves nothing."""
    trusted = call is not None and (call.name in _OWN_WORDS or not version.startswith(("0.", "1.")))
    if not trusted or not version or not output.startswith(_REFUSED) or _REASON not in output:
        return ""
    return typed_feedback(output.partition(_REASON)[2])


def typed_feedback(said: str) -> str:
    """What the person typed on refusing, without what the client put before or behind it."""
    return "" if said.startswith(_QUESTIONNAIRE) else strip_injected(said.partition(_ADVICE)[0])[0]


def answers(value: Any) -> tuple[str, str]:
    """What the person answered to the agent's questions, and the questions with their options.

    Args:
        value: the client's own record of the result, `toolUseResult`.
    """
    given = value if isinstance(value, dict) else {}
    chosen, notes = _mapping(given.get("answers")), _mapping(given.get("annotations"))
    asked = questions(given.get("questions"))
    said = [one.answered(chosen.get(one.text), _mapping(notes.get(one.text)).get("notes")) for one in asked]
    return told(said), told(asked)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class Queue:
    """What the person typed while the agent was at work, until a line tells what became of it.

    The client delivers such a message as a line of its own (when the agent has ended) or as an attachment
    (some lines later). Older versions, which do not say what they take off the queue, write nothing more of
    it: the agent has it with its next message. Lines from before it was typed, such as a fork repeats behind
    it, tell nothing of it.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}  # group: text
        self._since: dict[str, datetime | None] = {}
        self._taken: set[str] = set()  # off the queue by an older version
        self._named: set[str] = set()  # off the queue by a newer one: an attachment follows, unless dropped

    def add(self, content: str, at: str, since: datetime | None) -> tuple[str, str]:
        """Take a message in; its group and its text, both empty if no person typed it."""
        text, injected = strip_injected(content)
        if not text or injected or text.startswith(("<", '{"task_id"')) or _BARE_COMMAND.match(text):
            return "", ""
        group = blake2b(f"queued\0{at}\0{text}".encode("utf-8", "replace"), digest_size=16).hexdigest()
        self._waiting[group], self._since[group] = text, since
        return group, text

    def take(self, content: str) -> None:
        """A message was taken off the queue: the named one, or the oldest."""
        for group, text in self._waiting.items():
            if group not in self._taken | self._named and (not content or text == content.strip()):
                (self._named if content else self._taken).add(group)
                return

    def take_back(self) -> tuple[str, ...]:
        """The person took all that waits back into the input, or dropped it; returns their groups."""
        return self._leave([group for group in self._waiting if group not in self._taken])

    def dropped(self, at: datetime | None) -> tuple[str, ...]:
        """The messages that were taken off the queue, and that no attachment told until the next prompt."""
        return self._leave([group for group in self._by(at) if group in self._named])

    def delivered(self, said: str) -> tuple[str, ...]:
        """The messages that a line tells, which may hold several."""
        lines = f"\n{said.strip()}\n"
        return self._leave([group for group, text in self._waiting.items() if f"\n{text}\n" in lines])

    def answered(self, at: datetime | None) -> tuple[str, ...]:
        """The agent writes its next message: what was taken is told by no other line."""
        return self._leave([group for group in self._by(at) if group in self._taken])

    def emptied(self, at: datetime | None) -> tuple[str, ...]:
        """The person was asked for a new prompt: what waits is told by no other line."""
        return self._leave(self._by(at))

    def _by(self, at: datetime | None) -> list[str]:
        """The messages that waited at a time."""
        return [group for group, since in self._since.items() if not (at and since and since > at)]

    def _leave(self, groups: list[str]) -> tuple[str, ...]:
        for group in groups:
            del self._waiting[group], self._since[group]
            self._taken.discard(group)
            self._named.discard(group)
        return tuple(groups)
