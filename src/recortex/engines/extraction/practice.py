"""Rules for what the agent did: commands that worked again and again, and failures that an edit repaired.

A small window of tool calls is kept; nothing else of the session is needed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.domain.transcript import Turn
from recortex.engines.extraction.drafting import Finding
from recortex.engines.extraction.sentences import sentences, statement
from recortex.engines.extraction.shell import (
    MAX_COMMAND,
    error_line,
    failed,
    main_part,
    purpose_of,
    whole_form,
)
from recortex.engines.extraction.standing import MAX_LENGTH, is_specific, objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.transcript import ToolCall

# Tool calls after a failure within which the same command must pass for the edit between to be its repair.
WINDOW = 25
_MIN_RUNS = 2
_COMMON_RUNS = 4
_EXPLAINS = re.compile(
    r"\b(?:doesn't|does not|don't|isn't|is not|can't|cannot|requires?|needs?|must|missing|because|since|expects?|only|"
    r"instead|wrong|fails?|issue is|problem is|caused by|not \w+ed|no \w+ (?:function|module|field|method))\b",
    re.IGNORECASE,
)
_CORRECTABLE = re.compile(
    r"command not found|unknown (?:option|flag|command|argument)|unrecognized|No such (?:command|task)|not a known|invalid option|unexpected argument",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Failure:
    """A command that failed and has not passed since."""

    command: str
    error: str
    turn: int
    age: int = 0
    edited: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Practice:
    """What the session's commands have shown so far."""

    runs: Counter[str] = field(default_factory=Counter)
    purposes: dict[str, tuple[str, str, Turn]] = field(default_factory=dict)
    failures: dict[str, _Failure] = field(default_factory=dict)

    def observe(self, turn: Turn) -> Iterator[Finding]:
        """Take in one turn's prose and tool calls; yield the repairs that it completes."""
        for failure in self.failures.values():
            failure.reasons.extend(_reasons(turn.text))
        for call in turn.tools:
            if call.command:
                yield from self._ran(call, turn)
            elif call.writes and call.ok is not False:
                for failure in self.failures.values():
                    failure.edited.extend(name for name in call.files if name not in failure.edited)

    def _ran(self, call: ToolCall, turn: Turn) -> Iterator[Finding]:
        command = main_part(call.command)
        self._grow_old()
        purpose = purpose_of(command)
        if purpose is None or call.ok is None or len(command) > MAX_COMMAND:
            return
        if failed(call):
            self.failures.setdefault(command, _Failure(command, error_line(call.output), turn.index))
            return
        if known := self.failures.pop(command, None):
            yield from _repaired(known)
        if form := whole_form(command):
            self.runs[form] += 1
            self.purposes[form] = (*purpose, turn)

    def _grow_old(self) -> None:
        for failure in list(self.failures.values()):
            failure.age += 1
            if failure.age > WINDOW:
                del self.failures[failure.command]

    def habits(self) -> Iterator[tuple[Finding, Turn]]:
        """Yield, at the session's end, the command that served each purpose most."""
        best: dict[str, str] = {}
        for form, runs in self.runs.items():
            purpose = self.purposes[form][0]
            if runs >= _MIN_RUNS and runs > self.runs.get(best.get(purpose, ""), 0):
                best[purpose] = form
        for form in best.values():
            _, lead, turn = self.purposes[form]
            confidence = 0.75 if self.runs[form] < _COMMON_RUNS else 0.85
            yield (
                Finding(
                    f"{lead} `{form}`.", "environment", confidence, "command_habit", form, commands=(form,)
                ),
                turn,
            )


def _reasons(text: str) -> list[str]:
    """Sentences that explain a failure and could stand in a statement about it."""
    said = (statement(part) for part in sentences(text))
    return [part for part in said if _EXPLAINS.search(part) and is_specific(part) and not objection(part)]


def _repaired(failure: _Failure) -> Iterator[Finding]:
    """Compose the verified fix: the command, its error, the reason that was given, the files that were edited."""
    if not failure.edited or not failure.reasons:
        return
    files = tuple(dict.fromkeys(failure.edited))[-3:]
    where = ", ".join(f"`{name.rsplit('/', 1)[-1]}`" for name in files)
    error = f' with "{failure.error}"' if failure.error else ""
    text = f"`{failure.command}` failed{error}: {failure.reasons[0].rstrip('.')}. Fixed in {where}."
    if len(text) > MAX_LENGTH:
        text = f"`{failure.command}` failed: {failure.reasons[0].rstrip('.')}. Fixed in {where}."
    if len(text) <= MAX_LENGTH:
        yield Finding(text, "incident", 0.65, "verified_fix", failure.reasons[0], files, (failure.command,))
