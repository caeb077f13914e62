"""Which of a client's events call `recortex hook`, in that client's names, units and patterns of tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recortex.clients.environment import Environment

OURS = re.compile(r"\brecortex(?:\.exe)?[\"']? hook [a-z]+(?:-[a-z]+)*\b")

SECONDS = {
    "session-start": 10,
    "user-prompt-submit": 5,
    "pre-tool-use": 3,
    "post-tool-use": 3,
    "pre-compact": 3,
    "stop": 5,
    "subagent-stop": 5,
    # Claude Code ends it after 1.5 s whatever is said here; Codex shortens all above 3 s and says so each
    # time.
    "session-end": 2,
}
"""How long the client waits for each of ours before it goes on without."""


@dataclass(frozen=True, slots=True)
class Event:
    """One of a client's events.

    Attributes:
        ours: what it is called in `recortex hook`.
        matcher: which tools it is wanted for; all where it is empty.
    """

    name: str
    ours: str
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A client's way of writing hooks.

    Attributes:
        unit: of timeouts, in seconds.
        forgiving: a line of shell is run on Windows too, so that our own exit code can be hidden there.
    """

    client: str
    events: tuple[Event, ...]
    unit: float = 1.0
    forgiving: bool = False

    def groups(self, environment: Environment, words: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """What has to stand under each event."""
        return {event.name: self._group(event, environment, words) for event in self.events}

    def _group(self, event: Event, environment: Environment, words: tuple[str, ...]) -> dict[str, Any]:
        command = environment.line((*words, "hook", event.ours, "--client", self.client))
        if self.forgiving or not environment.windows:
            # A shell line, not a command with `args`: Claude Code 2.1.100 and Codex know no `args`, would run
            # the bare command, and an exit code of 2 then blocks the prompt. What fails, such as a program
            # that was removed, stays silent; sh, bash, zsh, fish and PowerShell all read it so.
            command += " ; exit 0"
        hook = {"type": "command", "command": command, "timeout": round(SECONDS[event.ours] / self.unit)}
        return ({"matcher": event.matcher} if event.matcher else {}) | {"hooks": [hook]}


def places_of_ours(hooks: object) -> list[tuple[str | int, ...]]:
    """Where our commands stand in a client's `hooks`, the last first, so that each can be removed by index.

    A group that holds nothing else is named as a whole.
    """
    found: list[tuple[str | int, ...]] = []
    for event, groups in (hooks if isinstance(hooks, Mapping) else {}).items():
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, Mapping) else None
            ours = [at for at, hook in enumerate(inner if isinstance(inner, list) else ()) if is_ours(hook)]
            if ours and len(ours) == len(inner or ()):
                found.append((event, index))
            else:
                found += [(event, index, "hooks", at) for at in ours]
    return found[::-1]


def is_ours(hook: object) -> bool:
    """Whether an entry calls us, in this form or that of another version."""
    command = hook.get("command") if isinstance(hook, Mapping) else None
    return isinstance(command, str) and OURS.search(command) is not None


def usual_events(before: str, after: str, failed: str = "") -> tuple[Event, ...]:
    """The events of most clients, with the tools wanted before their use, after it, and after a failure."""
    return (
        Event("SessionStart", "session-start"),
        Event("UserPromptSubmit", "user-prompt-submit"),
        Event("PreToolUse", "pre-tool-use", before),
        Event("PostToolUse", "post-tool-use", after),
        *([Event("PostToolUseFailure", "post-tool-use", failed)] if failed else ()),
        Event("PreCompact", "pre-compact"),
        Event("Stop", "stop"),
        Event("SubagentStop", "subagent-stop"),
        Event("SessionEnd", "session-end"),
    )
