"""Rules for what the agent did and asked: commands, repairs, and what a short answer decides.

Of a short answer the words are the agent's and the choice is the person's: "chose: …", "agreed to: …".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from recortex.domain.exchange import Turn, chosen
from recortex.engines.extraction.authorship import arguments
from recortex.engines.extraction.candidates import RuleFinding
from recortex.engines.extraction.sentences import (
    MAX_LENGTH,
    objection,
    plain,
    sentences,
    short_path,
    statement,
)
from recortex.engines.patterns import Patterns
from recortex.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.exchange import ToolCall


# -- analyses shell commands: their purpose, their general form, and whether they failed


SHELL_PATTERNS = Patterns(__file__, "shell")

MAX_COMMAND = 120
_MAX_FORM = 60
_MIN_ERROR, _MAX_ERROR, _MAX_READ = 15, 160, 1_000
_MOST_ERRORS = 12
"""Lines of a failed command's output among which its error is."""

_KNOWN = (
    ("test", "The test suite is run with", SHELL_PATTERNS.runs_test),
    ("lint", "The linter is run with", SHELL_PATTERNS.runs_lint),
    ("typecheck", "Types are checked with", SHELL_PATTERNS.runs_typecheck),
    ("format", "Code is formatted with", SHELL_PATTERNS.runs_format),
    ("build", "The project is built with", SHELL_PATTERNS.runs_build),
    ("migrate", "Database migrations are applied with", SHELL_PATTERNS.runs_migrate),
    ("generate", "Code is generated with", SHELL_PATTERNS.runs_generate),
)
_FILTERS = word_set("-run --only -k --grep -t --seed --filter -count --testNamePattern -g -p --package")


def main_part(command: str) -> tuple[str, bool]:
    """The first command of a line without `cd … &&`, redirections and pagers, and whether it is the only one.

    In a chain of commands, a failure may be that of any of them.
    """
    whole = SHELL_PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    ends = [
        (found.start(), found.group())
        for found in SHELL_PATTERNS.joint.finditer(whole)
        if found.group()[0] not in "'\"\\"
    ]
    bare = SHELL_PATTERNS.redirect.sub("", whole[: ends[0][0]] if ends else whole).strip()
    return bare, all(joint == "|" for _, joint in ends)


def is_customary(form: str) -> bool:
    """Whether a command is the usual one for its purpose, and so says nothing about this project."""
    return SHELL_PATTERNS.customary.match(form) is not None


def purpose_of(command: str) -> tuple[str, str] | None:
    """The purpose of a command (`test`, `lint`, …) and how a statement about it begins; None if unknown."""
    for purpose, lead, pattern in _KNOWN:
        if pattern.match(command):
            return purpose, lead
    return None


def whole_form(command: str) -> str | None:
    """The form of a command for the whole project; None if it names single files or cases."""
    words = command.split()
    if any(word.split("=")[0] in _FILTERS for word in words):
        return None
    kept = words[:1] + [
        word
        for word in words[1:]
        if word in {"./...", "-v", "--verbose"} or not SHELL_PATTERNS.pathish.fullmatch(word)
    ]
    if len(kept) != len(words) or any(char in command for char in "\"'$<>{}`\\*"):
        return None
    words = SHELL_PATTERNS.output_option.sub("", command).split()
    form = " ".join(word for word in words if word not in {"-v", "--verbose", "-q", "--no-color", "--trace"})
    return form if len(form) <= _MAX_FORM else None


def passed(call: ToolCall) -> bool | None:
    """Whether a command passed, by the status that its client wrote; None where nothing is certain.

    Output alone is never a failure: tests print errors on purpose. A pipe and what follows `;` hide the
    status of the command before them, so that of such a line counts only if its output says the same.
    """
    if call.ok is None or not _hides_status(call.command):
        return call.ok
    return call.ok if call.ok != bool(SHELL_PATTERNS.failed.search(call.output)) else None


def _hides_status(command: str) -> bool:
    whole = SHELL_PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    joints = (found.group() for found in SHELL_PATTERNS.joint.finditer(whole))
    return any(joint[0] not in "'\"\\" and joint != "&&" for joint in joints)


_ERROR_LINES = (
    re.compile(
        r"^[^\n]*(?:\b[A-Z]\w*(?:Error|Exception)\b|\*\* \(|\bpanic: |\bfatal: )[^\n]*$", re.MULTILINE
    ),
    re.compile(
        r"^[^\n]*(?:\berror(?:\[\w+\])?: |\bError: |command not found|is not (?:defined|installed|a )|"
        r"no such |unknown (?:option|flag|command|argument)|unrecogni[sz]ed |missing script|invalid option|"
        r"no tasks? (?:named )?\w)[^\n]*$",
        re.MULTILINE | re.IGNORECASE,
    ),
)


def error_lines(output: str) -> tuple[str, ...]:
    """The lines that say what went wrong in a failed command's output, those that say most first."""
    plain = _unescaped(output)
    # pytest marks the lines of an error with a leading "E".
    lines = (
        " ".join(found.group().split()).removeprefix("E ")
        for pattern in _ERROR_LINES
        for found in pattern.finditer(plain)
    )
    sound = (
        one
        for one in lines
        if _MIN_ERROR <= len(one) <= _MAX_ERROR and not SHELL_PATTERNS.not_an_error.search(one)
    )
    return tuple(islice(dict.fromkeys(sound), _MOST_ERRORS))


def still_printed(error: str, output: str) -> bool:
    """Whether an output has a line of an error too, whatever its numbers: then it is printed on purpose."""
    return _unnumbered(error) in _unnumbered(_unescaped(output))


def _unescaped(output: str) -> str:
    return SHELL_PATTERNS.escape.sub("", output)


def _unnumbered(text: str) -> str:
    return re.sub(r"\d+", "0", " ".join(text.split()))


# -- rules for what the agent did: commands that worked repeatedly, and failures that an edit repaired


TOOL_USE_RULES_PATTERNS = Patterns(__file__, "tool_use_rules")

# Tool calls within which a failed command must pass, so that the edit in between counts as the repair.
WINDOW = 25
_MIN_RUNS = 2
_COMMON_RUNS = 4
# More edited files mean that a feature is being written, not a failure repaired.
_MAX_EDITED = 2
_REPAIRED, _COMPLETED = 0.72, 0.57
"""Of a repair; and of a new test, which fails until it is written and says nothing about the program."""
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


@dataclass(slots=True)
class ToolUseRules:
    """The commands of a session so far: what works, and what failed."""

    runs: Counter[str] = field(default_factory=Counter)
    purposes: dict[str, tuple[str, str, Turn]] = field(default_factory=dict)
    failures: dict[str, _Failure] = field(default_factory=dict)

    def observe(self, turn: Turn) -> Iterator[RuleFinding]:
        """Read a turn's tool calls; yield the repairs that it completes."""
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
        # Forget failures that too many commands have followed.
        for failure in list(self.failures.values()):
            failure.age += 1
            if failure.age > WINDOW:
                del self.failures[failure.command]
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
                next((one for one in failure.errors if TOOL_USE_RULES_PATTERNS.refused.search(one)), "")
                if early
                else ""
            )
            if refused and (purpose_of(failure.command) or ("",))[0] == purpose:
                del self.failures[failure.command]
                text = f"`{failure.command}` fails here with {refused!r}; `{command}` works."
                if len(text) <= MAX_LENGTH:
                    both = (failure.command, command)
                    yield RuleFinding(text, "procedural", 0.75, "command_corrected", refused, commands=both)

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


def _repaired(failure: _Failure, output: str, cwd: str) -> Iterator[RuleFinding]:
    """Compose a verified fix: the command, its error, the edited files.

    Args:
        failure: of the command.
        output: of the run that passed; an error that it has too was not the failure.
        cwd: where the command ran.
    """
    files = tuple(failure.edited)
    error = next((one for one in failure.errors if not still_printed(one, output)), "")
    if not (0 < len(files) <= _MAX_EDITED and error) or TOOL_USE_RULES_PATTERNS.trivial.search(error):
        return
    where = " and ".join(f"`{short_path(name, cwd)}`" for name in files)
    text = f"`{failure.command}` failed with {error!r}; fixed in {where}."
    if len(text) <= MAX_LENGTH:
        tests = all(TOOL_USE_RULES_PATTERNS.test_file.search(name) for name in files)
        sure = _COMPLETED if tests else _REPAIRED
        yield RuleFinding(text, "incident", sure, "verified_fix", error, files, (failure.command,))


# -- what a short answer decides: its content stands in what the agent asked or offered before


ANSWERS_PATTERNS = Patterns(__file__, "answers")
CONFIDENCE = 0.65
_LONGEST_ANSWER, _READ = 60, 1_000
_FEWEST_WORDS, _MOST_WORDS = 6, 40


def answered(answer: str, before: str) -> Iterator[RuleFinding]:
    """The decision of "b", "option 2" or "yes, do that": the option, or what the agent proposed.

    Args:
        answer: what the person said.
        before: the agent's message that it answers.
    """
    option, question = chosen(answer, before), _question(before)
    if option and not question:
        return
    text = statement(plain(option.replace("**", "") or _agreed(answer, before)))
    if text and not objection(text):
        if option:
            yield _choice(question, text, answer)
        else:
            yield RuleFinding(f"Agreed to: {text}", "decision", CONFIDENCE, "person_chose", answer[:_READ])


def own_words(turn: Turn) -> str:
    """The person's own words.

    In an answer the options and lines that begin with `>` are the agent's; of what fills a place in a
    command's text, sentences of their own are the person's.
    """
    if turn.form in {"command", "argument"}:
        named = ANSWERS_PATTERNS.named.match(turn.text) is not None
        return turn.text if named else arguments(turn.text) if turn.form == "command" else ""
    if turn.form != "answer":
        return turn.text
    own = [line for line in turn.text.splitlines() if not line.startswith(">")]
    return "\n".join(line for line in own if line.strip() not in turn.asked)


def choices(turn: Turn) -> Iterator[RuleFinding]:
    """The options that the person took in an answer to the agent's questions."""
    question = ""
    for line in turn.text.splitlines() if turn.form == "answer" else ():
        said = line.strip()
        if line.startswith(">"):
            question = said[1:].strip() if said.endswith(("?", "？")) else question  # noqa: RUF001
        elif said and said in turn.asked:
            text = statement(plain(said))
            if text and len(question.split()) <= _MOST_WORDS and not objection(text):
                yield _choice(question, text, said)


def _choice(question: str, text: str, quote: str) -> RuleFinding:
    about = f"Asked {question!r}, chose: {text}" if question else f"Chose: {text}"
    return RuleFinding(about, "decision", CONFIDENCE, "person_chose", quote[:_READ])


def _question(before: str) -> str:
    """The last question that says what the options are for; "which one?" does not."""
    said = (one for line in before[-_READ:].splitlines() for one in sentences(line))
    asked = [plain(one) for one in said if one.endswith("?")]
    told = [one for one in asked if _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS]
    return told[-1] if told else ""


def _agreed(answer: str, before: str) -> str:
    """What the agent asked for in its last question, if the answer only says yes."""
    if len(answer) > _LONGEST_ANSWER or not ANSWERS_PATTERNS.assent.match(answer):
        return ""
    asked = sentences(before[-_READ:].strip())
    proposed = ANSWERS_PATTERNS.proposes.search(asked[-1]) if asked else None
    return proposed["what"] if proposed else ""
