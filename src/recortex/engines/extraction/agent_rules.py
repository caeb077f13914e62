"""Rules for what the agent did and asked: its commands, and what a short answer decides.

Of a short answer the words are the agent's and the choice is the person's: "chose: …", "agreed to: …".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.domain.exchange import Turn, chosen
from recortex.engines.extraction.authorship import arguments
from recortex.engines.extraction.sentences import (
    COMMAND,
    RuleFinding,
    objection,
    plain,
    sentences,
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
_MAX_READ = 1_000

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


def main_part(command: str) -> str:
    """The first command of a line, without `cd … &&`, redirections and pagers."""
    whole = SHELL_PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    # A quoted or escaped joint is part of an argument, and does not end the command.
    ends = (
        found.start() for found in SHELL_PATTERNS.joint.finditer(whole) if found.group()[0] not in "'\"\\"
    )
    return SHELL_PATTERNS.redirect.sub("", whole[: next(ends, None)]).strip()


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
        # `./...` and such name everything, unlike other paths, after which the form would be that of one
        # case.
        if word in {"./...", "-v", "--verbose"} or not SHELL_PATTERNS.pathish.fullmatch(word)
    ]
    # Variables, patterns and quotations are of one occasion, as single files are.
    if len(kept) != len(words) or any(char in command for char in "\"'$<>{}`\\*"):
        return None
    words = SHELL_PATTERNS.output_option.sub("", command).split()
    # How much a run prints is no part of how the project is tested.
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
    # `&&` hides nothing: what follows runs only after success.
    joints = (found.group() for found in SHELL_PATTERNS.joint.finditer(whole))
    return any(joint[0] not in "'\"\\" and joint != "&&" for joint in joints)


# -- rules for what the agent did: commands that worked again and again


_MIN_RUNS = 2
_COMMON_RUNS = 4


@dataclass(slots=True)
class Habits:
    """The commands of a session so far that passed: how often each did, for what, and when first."""

    runs: Counter[str] = field(default_factory=Counter)
    purposes: dict[str, tuple[str, str, Turn]] = field(default_factory=dict)

    def observe(self, turn: Turn) -> None:
        """Count the commands of a turn that passed, by their form for the whole project."""
        for call in turn.tools:
            # What Recortex itself was asked is not how the person works.
            command = "" if call.injected else main_part(call.command)
            purpose = purpose_of(command)
            if purpose and len(command) <= MAX_COMMAND and passed(call) and (form := whole_form(command)):
                self.runs[form] += 1
                self.purposes[form] = (*purpose, turn)

    def found(self) -> Iterator[tuple[RuleFinding, Turn]]:
        """Yield the most used command for each purpose, at the session's end."""
        best: dict[str, str] = {}
        for form, runs in self.runs.items():
            purpose = self.purposes[form][0]
            # Of commands that ran equally often, the one that was used first stays.
            if runs >= _MIN_RUNS and runs > self.runs.get(best.get(purpose, ""), 0):
                best[purpose] = form
        for usual in best.values():
            # The longest used form: `check --strict` says more than `check`.
            longer = [
                one for one, runs in self.runs.items() if runs >= _MIN_RUNS and one.startswith(f"{usual} ")
            ]
            form = max(longer, key=lambda one: self.runs[one], default=usual)
            _, lead, turn = self.purposes[form]
            confidence = 0.75 if self.runs[form] < _COMMON_RUNS else 0.85
            # A command that anybody would try first says nothing about this project.
            confidence -= 0.2 if is_customary(form) else 0.0
            text = f"{lead} `{form}`."
            yield RuleFinding(text, "environment", confidence, COMMAND, form, commands=(form,)), turn


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
    # An option without its question would be kept as a decision on nothing.
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
    # Of several questions, an answer is to the last one.
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
