"""`recortex completion SHELL`.

A script that completes verbs, options and closed lists, made from what is declared.

The script is static: nothing of Recortex runs when TAB is pressed. All shells get the same table, from `VERB
-` to the verb's options, from `VERB --option` to the option's words, from `VERB 1` to the words of its first
argument. A key that is not there stands for a file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.cli.invocation import DONE, FLAGS, WITH_VALUE, UsageError
from recortex.cli.parser import parser_of, shape_of
from recortex.cortex import Cortex
from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import RelationType
from recortex.formats.session_files import CLIENTS
from recortex.operations.registry import operations_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recortex.cli.invocation import Command, Invocation
    from recortex.operations.registry import Operation, Parameter

SHELLS = ("bash", "zsh", "fish")
Table = dict[str, tuple[str, ...]]

_TEMPLATES = Path(__file__).with_name("shells")
_TABLE, _SUMMARIES = "# TABLE\n", "# SUMMARIES\n"
_ANYWHERE = ("--help", "--debug")
# What is text in the declaration, because more is understood than these words.
_OPEN: dict[str, tuple[str, ...]] = {
    "kind": tuple(sorted(KINDS)),
    "kinds": tuple(sorted(KINDS)),
    "relation": tuple(map(str, RelationType)),
}
_IMPORTED = (*CLIENTS, "any", "jsonl", "markdown")


def completion(line: Invocation, programs: Mapping[str, Command]) -> int:
    """Print the script of a shell and return the exit code.

    Raises:
        UsageError: no shell is named, or one that is not known.
    """
    words = [word for word in line.arguments if word != "--debug"]
    if line.wants("--help", "-h"):
        print(_HELP, end="")  # noqa: T201  the answer
        return DONE
    if len(words) != 1 or words[0] not in SHELLS:
        raise UsageError("Which shell?", hint="recortex completion bash, zsh or fish")
    sys.stdout.write(script(words[0], programs))
    return DONE


_HELP = """usage: recortex completion bash|zsh|fish

Print a script that completes verbs, options and their values, and file names elsewhere.
Load it in your shell's startup file:

  bash, ~/.bashrc                     eval "$(recortex completion bash)"
  zsh, ~/.zshrc, after compinit       eval "$(recortex completion zsh)"
  fish, ~/.config/fish/config.fish    recortex completion fish | source
"""


def script(shell: str, programs: Mapping[str, Command]) -> str:
    """The script of a shell."""
    operations = list(operations_of(Cortex).values())
    summaries = {one.verb: one.summary for one in operations}
    summaries |= {name: command.summary for name, command in programs.items()}
    verbs = (*summaries, "help")
    table: Table = {" 1": verbs, " -": (*FLAGS, *WITH_VALUE), " =": WITH_VALUE, "help 1": (*verbs, "all")}
    for one in operations:
        table |= _of_operation(one)
    for name, command in programs.items():
        options = [one.partition("=") for one in command.takes if one.startswith("-")]
        table |= {
            f"{name} -": (*(option for option, _, _ in options), *_ANYWHERE),
            f"{name} =": tuple(option for option, given, _ in options if given),
            f"{name} 1": tuple(one for one in command.takes if not one.startswith("-")),
        } | {f"{name} {option}": tuple(words.split("|")) for option, _, words in options if words}
    writes = _fish if shell == "fish" else _posix
    text = (_TEMPLATES / f"recortex.{shell}").read_text(encoding="utf-8")
    text = text.replace(_TABLE, "".join(writes(key, words) for key, words in table.items() if words))
    return text.replace(_SUMMARIES, "".join(_summary(shell, *one) for one in summaries.items()))


def _of_operation(operation: Operation) -> Table:
    verb, parameters = operation.verb, {one.name: one for one in operation.parameters()}
    table: dict[str, list[str]] = {f"{verb} {mark}": [] for mark in "-=,"}
    # Taken from the parser itself, so that the completion cannot differ from what is understood.
    for action in parser_of(operation)._actions:  # noqa: SLF001  what argparse was told is kept nowhere else
        for name in action.option_strings:
            table[f"{verb} -"].append(name)
            if action.nargs == 0:
                continue
            table[f"{verb} ="].append(name)
            parameter = parameters.get(action.dest)
            table[f"{verb} {name}"] = list(_words(verb, parameter)) if parameter else []
            if parameter and shape_of(parameter.hint, parameter.name).split:
                table[f"{verb} ,"].append(name)
    table |= {f"{verb} {place}": list(words) for place, words in _places(operation)}
    return {key: tuple(words) for key, words in table.items()}


def _places(operation: Operation) -> Iterator[tuple[int, tuple[str, ...]]]:
    positional = (one for one in operation.parameters() if one.positional)
    return ((place, _words(operation.verb, one)) for place, one in enumerate(positional, 1))


def _words(verb: str, parameter: Parameter) -> tuple[str, ...]:
    """The words that a parameter takes; none where that is no closed list."""
    if (verb, parameter.name) == ("import", "format"):
        return _IMPORTED
    return shape_of(parameter.hint, parameter.name).choices or _OPEN.get(parameter.name, ())


def _posix(key: str, words: tuple[str, ...]) -> str:
    return f"    '{key}') REPLY='{' '.join(words)}' ;;\n"


def _fish(key: str, words: tuple[str, ...]) -> str:
    return f"        case '{key}'\n            printf '%s\\n' {' '.join(words)}\n"


def _summary(shell: str, verb: str, summary: str) -> str:
    said = (
        summary.replace("\\", "\\\\").replace("'", "\\'")
        if shell == "fish"
        else summary.replace("'", "'\\''")
    )
    return (
        f"        case {verb}\n            echo '{said}'\n" if shell == "fish" else f"    '{verb}:{said}'\n"
    )
