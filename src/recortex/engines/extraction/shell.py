"""Analyses shell commands: their purpose, their general form, and whether they failed."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.words import word_set

if TYPE_CHECKING:
    from recortex.domain.transcript import ToolCall

PATTERNS = Patterns(__file__)

MAX_COMMAND = 120
_MAX_FORM = 60
_MIN_ERROR, _MAX_ERROR, _MAX_READ = 15, 160, 1_000
_MOST_ERRORS = 12
"""Lines of a failed command's output among which its error is."""

_KNOWN = (
    ("test", "The test suite is run with", PATTERNS.runs_test),
    ("lint", "The linter is run with", PATTERNS.runs_lint),
    ("typecheck", "Types are checked with", PATTERNS.runs_typecheck),
    ("format", "Code is formatted with", PATTERNS.runs_format),
    ("build", "The project is built with", PATTERNS.runs_build),
    ("migrate", "Database migrations are applied with", PATTERNS.runs_migrate),
    ("generate", "Code is generated with", PATTERNS.runs_generate),
)
_FILTERS = word_set("-run --only -k --grep -t --seed --filter -count --testNamePattern -g -p --package")


def main_part(command: str) -> tuple[str, bool]:
    """The first command of a line without `cd … &&`, redirections and pagers, and whether it is the only one.

    In a chain of commands, a failure may be that of any of them.
    """
    whole = PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    ends = [
        (found.start(), found.group())
        for found in PATTERNS.joint.finditer(whole)
        if found.group()[0] not in "'\"\\"
    ]
    bare = PATTERNS.redirect.sub("", whole[: ends[0][0]] if ends else whole).strip()
    return bare, all(joint == "|" for _, joint in ends)


def is_customary(form: str) -> bool:
    """Whether a command is the usual one for its purpose, and so says nothing about this project."""
    return PATTERNS.customary.match(form) is not None


def purpose_of(command: str) -> tuple[str, str] | None:
    """The purpose of a command (`test`, `lint`, …) and how a statement about it begins; None if unknown."""
    for purpose, lead, pattern in _KNOWN:
        if pattern.match(command):
            return purpose, lead
    return None


def names_single_cases(command: str) -> bool:
    """Whether a command selects single tests or cases."""
    words = command.split()
    return any(word.split("=")[0] in _FILTERS for word in words) or any(
        "::" in word or re.search(r"(?:_test|_spec|\.test|\.spec)\.|(?:^|/)test_", word) for word in words[1:]
    )


def whole_form(command: str) -> str | None:
    """The form of a command for the whole project; None if it names single files or cases."""
    words = command.split()
    if any(word.split("=")[0] in _FILTERS for word in words):
        return None
    kept = words[:1] + [
        word
        for word in words[1:]
        if word in {"./...", "-v", "--verbose"} or not PATTERNS.pathish.fullmatch(word)
    ]
    if len(kept) != len(words) or any(char in command for char in "\"'$<>{}`\\*"):
        return None
    words = PATTERNS.output_option.sub("", command).split()
    form = " ".join(word for word in words if word not in {"-v", "--verbose", "-q", "--no-color", "--trace"})
    return form if len(form) <= _MAX_FORM else None


def passed(call: ToolCall) -> bool | None:
    """Whether a command passed, by the status that its client wrote; None where nothing is certain.

    Output alone is never a failure: tests print errors on purpose. A pipe and what follows `;` hide the
    status of the command before them, so that of such a line counts only if its output says the same.
    """
    if call.ok is None or not _hides_status(call.command):
        return call.ok
    return call.ok if call.ok != bool(PATTERNS.failed.search(call.output)) else None


def _hides_status(command: str) -> bool:
    whole = PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    joints = (found.group() for found in PATTERNS.joint.finditer(whole))
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
        one for one in lines if _MIN_ERROR <= len(one) <= _MAX_ERROR and not PATTERNS.not_an_error.search(one)
    )
    return tuple(islice(dict.fromkeys(sound), _MOST_ERRORS))


def still_printed(error: str, output: str) -> bool:
    """Whether an output has a line of an error too, whatever its numbers: then it is printed on purpose."""
    return _unnumbered(error) in _unnumbered(_unescaped(output))


def _unescaped(output: str) -> str:
    return PATTERNS.escape.sub("", output)


def _unnumbered(text: str) -> str:
    return re.sub(r"\d+", "0", " ".join(text.split()))
