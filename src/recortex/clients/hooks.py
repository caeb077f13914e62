"""Which events call `recortex hook`, in each client's words, and the machine that decides it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


# -- what of the machine decides where clients' files are and how they start us; tests give another machine


@dataclass(frozen=True, slots=True)
class Program:
    """How Recortex is started.

    Attributes:
        words: with an absolute path; these work wherever the caller's PATH leads.
        on_path: `recortex` alone starts the same program in a plain terminal.
    """

    words: tuple[str, ...]
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Environment:
    """A person's machine.

    Attributes:
        platform: as `sys.platform` has it.
    """

    home: Path
    environ: Mapping[str, str]
    platform: str
    program: Program

    @property
    def windows(self) -> bool:
        """It is Windows."""
        return self.platform == "win32"

    def folder(self, variable: str, *default: str) -> tuple[Path, Path]:
        """A client's folder and the one that it must not lead out of.

        The variable's, else one below the home folder.
        """
        named = self.environ.get(variable, "")
        if named:
            return Path(named).expanduser().absolute(), Path(named).expanduser().absolute()
        return self.home.joinpath(*default), self.home

    def called(self, *, from_terminal: bool) -> tuple[str, ...]:
        """The words for a client: with a path, but on Windows the name alone where it will do.

        Many clients are started by an editor or a desktop, without the PATH of a terminal, and say nothing of
        a program that they do not find. On Windows each shell reads a line that begins with a quoted path
        differently.
        """
        plain = self.windows and from_terminal and self.program.on_path
        return ("recortex",) if plain else self.program.words

    def line(self, words: tuple[str, ...]) -> str:
        """The words as a line for a shell.

        On Windows with forward slashes, which every shell there takes unquoted.
        """
        if not self.windows:
            return shlex.join(words)
        forward = [word.replace("\\", "/") for word in words]
        return " ".join(f'"{word}"' if " " in word else word for word in forward)


def here() -> Environment:
    """The machine that this runs on."""
    return Environment(Path.home(), dict(os.environ), sys.platform, program(sys.executable, os.environ))


def program(python: str, environ: Mapping[str, str]) -> Program:
    """The program that belongs to an interpreter.

    What PATH leads to where it is the same, else the script beside it.

    What is found on PATH only because a virtual environment is active counts as not found: the next terminal
    lacks it.
    """
    beside = Path(python).parent / ("recortex.exe" if os.name == "nt" else "recortex")
    found = shutil.which("recortex", path=environ.get("PATH", ""))
    if not beside.is_file():
        return Program((python, "-m", "recortex"))
    if found and Path(found).resolve() == beside.resolve():
        in_environment = sys.prefix != sys.base_prefix and Path(found).parent == beside.parent
        return Program((str(Path(found).absolute()),), on_path=not in_environment)
    return Program((str(beside),))
