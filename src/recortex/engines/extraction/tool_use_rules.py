"""Rules for what the agent did: commands that worked repeatedly, and failures that an edit repaired.

Only a small window of tool calls is kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.domain.transcript import Turn
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.report_entries import is_trivial
from recortex.engines.extraction.self_contained import MAX_LENGTH, is_specific, objection
from recortex.engines.extraction.sentences import sentences, statement
from recortex.engines.extraction.shell import (
    MAX_COMMAND,
    error_lines,
    is_customary,
    main_part,
    passed,
    purpose_of,
    still_printed,
    whole_form,
)
from recortex.engines.extraction.subject import short_path
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.transcript import ToolCall

PATTERNS = Patterns(__file__)

# Tool calls within which a failed command must pass, so that the edit in between counts as the repair.
WINDOW = 25
_MIN_RUNS = 2
_COMMON_RUNS = 4
# More edited files mean that a feature is being written, not a failure repaired.
_MAX_EDITED = 2
_WITH_REASON, _WITH_ERROR, _REASON_ALONE = 0.8, 0.72, 0.6
_CORRECTION_WINDOW = 3


@dataclass(slots=True)
class _Failure:
    """A command that failed and has not passed since.

    Attributes:
        errors: lines of its output that may say why, the likeliest first.
    """

    command: str
    errors: tuple[str, ...]
    age: int = 0
    edited: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ToolUseRules:
    """The commands of a session so far: what works, and what failed."""

    runs: Counter[str] = field(default_factory=Counter)
    purposes: dict[str, tuple[str, str, Turn]] = field(default_factory=dict)
    failures: dict[str, _Failure] = field(default_factory=dict)

    def observe(self, turn: Turn) -> Iterator[RuleFinding]:
        """Read a turn's prose and tool calls; yield the repairs that it completes."""
        if self.failures and turn.role == "assistant":
            reasons = _reasons(turn.text)
            for failure in self.failures.values():
                failure.reasons.extend(reasons)
        for call in turn.tools:
            if call.injected:
                continue
            if call.command:
                yield from self._ran(call, turn)
            elif call.writes and call.ok is not False:
                for failure in self.failures.values():
                    failure.edited.extend(name for name in call.files if name not in failure.edited)

    def _ran(self, call: ToolCall, turn: Turn) -> Iterator[RuleFinding]:
        """Read a command: the end of an earlier failure, a new one, or a success."""
        command, alone = main_part(call.command)
        self._forget_old()
        purpose = purpose_of(command)
        ok = passed(call)
        if purpose is None or ok is None or len(command) > MAX_COMMAND or (not ok and not alone):
            return
        known = self.failures.pop(command, None)
        if not ok:
            errors = error_lines(call.output)
            # What was edited since an earlier failure of another kind did not make the command pass.
            same = known and known.errors[:1] == errors[:1]
            self.failures[command] = known if known and same else _Failure(command, errors)
            return
        if known:
            yield from _repaired(known, call.output, turn.cwd)
        yield from self._corrected(command, purpose[0])
        if form := whole_form(command):
            self.runs[form] += 1
            self.purposes[form] = (*purpose, turn)

    def _corrected(self, command: str, purpose: str) -> Iterator[RuleFinding]:
        """Yield the form of a command that works after another one for the same purpose was refused."""
        for failure in list(self.failures.values()):
            early = failure.age <= _CORRECTION_WINDOW and not failure.edited
            refused = (
                next((one for one in failure.errors if PATTERNS.refused.search(one)), "") if early else ""
            )
            if refused and (purpose_of(failure.command) or ("",))[0] == purpose:
                del self.failures[failure.command]
                text = f"`{failure.command}` fails here with {refused!r}; `{command}` works."
                if len(text) <= MAX_LENGTH:
                    both = (failure.command, command)
                    yield RuleFinding(text, "procedural", 0.75, "command_corrected", refused, commands=both)

    def _forget_old(self) -> None:
        """Forget failures that too many commands have followed."""
        for failure in list(self.failures.values()):
            failure.age += 1
            if failure.age > WINDOW:
                del self.failures[failure.command]

    def habits(self) -> Iterator[tuple[RuleFinding, Turn]]:
        """Yield the most used command for each purpose, at the session's end."""
        best: dict[str, str] = {}
        for form, runs in self.runs.items():
            purpose = self.purposes[form][0]
            if runs >= _MIN_RUNS and runs > self.runs.get(best.get(purpose, ""), 0):
                best[purpose] = form
        for form in (self._fullest(form) for form in best.values()):
            _, lead, turn = self.purposes[form]
            confidence = 0.75 if self.runs[form] < _COMMON_RUNS else 0.85
            confidence -= 0.2 if is_customary(form) else 0.0
            yield (
                RuleFinding(
                    f"{lead} `{form}`.", "environment", confidence, "command_habit", form, commands=(form,)
                ),
                turn,
            )

    def _fullest(self, form: str) -> str:
        """The longest used form of a command: `check --strict` says more than `check`."""
        longer = [
            other for other, runs in self.runs.items() if runs >= _MIN_RUNS and other.startswith(f"{form} ")
        ]
        return max(longer, key=lambda other: self.runs[other], default=form)


def _reasons(text: str) -> list[str]:
    """Sentences that explain a failure and could stand in a statement about it."""
    said = (statement(part) for part in sentences(text))
    return [
        part for part in said if PATTERNS.explains.search(part) and is_specific(part) and not objection(part)
    ]


def _repaired(failure: _Failure, output: str, cwd: str) -> Iterator[RuleFinding]:
    """Compose a verified fix: the command, its error, the reason, the edited files.

    Args:
        failure: of the command.
        output: of the run that passed; an error that it has too was not the failure.
        cwd: where the command ran.
    """
    files = tuple(failure.edited)
    first = next((one for one in failure.errors if not still_printed(one, output)), "")
    error = "" if is_trivial(first) else first
    reason = next((said for said in failure.reasons if not is_trivial(said)), "")
    if not 0 < len(files) <= _MAX_EDITED or not (error or reason):
        return
    where = " and ".join(f"`{short_path(name, cwd)}`" for name in files)
    # Without an error message, the reason may be about other work of the agent.
    confidence = _WITH_REASON if error and reason else _WITH_ERROR if error else _REASON_ALONE
    # A new test fails until it is written, which says nothing about the program.
    confidence -= 0.15 if all(PATTERNS.test_file.search(name) for name in files) else 0.0
    for cause in (PATTERNS.cause_is.sub("", reason), ""):
        text = _fix_sentence(failure.command, error, cause.rstrip("."), where)
        if text and len(text) <= MAX_LENGTH:
            yield RuleFinding(
                text, "incident", confidence, "verified_fix", cause or error, files, (failure.command,)
            )
            return


def _fix_sentence(command: str, error: str, cause: str, where: str) -> str:
    """A repair in one line; empty if neither the error nor the cause is known."""
    if error and cause:
        return f"`{command}` failed with {error!r}. Cause: {cause}. Fixed in {where}."
    if cause:
        return f"`{command}` failed. Cause: {cause}. Fixed in {where}."
    return f"`{command}` failed with {error!r}; fixed in {where}." if error else ""
