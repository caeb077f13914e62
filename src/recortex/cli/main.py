"""From the words of a command line to an exit code: 0 done, 1 failed, 2 wrong usage.

The answer goes to standard output, everything else to standard error. `--help` and `--version` import no
operation.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from recortex import __version__
from recortex.cli import (
    DONE,
    FAILED,
    WRONG_USAGE,
    InternalError,
    InterruptedByPersonError,
    UsageError,
    exit_code,
    split,
)
from recortex.errors import RecortexError, StorageError
from recortex.operations import manifest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.cli import Command, Invocation


# -- `recortex --help`: the verbs that people use first; `recortex help all`: every verb, by topic


FIRST = ("remember", "review", "recall", "why", "import", "sessions", "code", "init", "status", "install")
"""The verbs that the short help explains."""

_HEADINGS = {
    "Remember": "Recording Review Correction History Link Consolidation Kind",
    "Find": "Search Context Frame Advice Browse Graph",
    "Sessions": "Learning Session Brief Inspection Replay Inference",
    "Code": "Generation Validation",
    "Projects and stores": "",
    "Setup": "Installation",
}
"""Which groups of operations stand under a heading; one that none names looks after a store."""
_REST = "Projects and stores"

_UNWRAPPED = 100
"""Columns of a list of verbs where there is no terminal."""

_HEAD = """\
Long-term memory for coding agents: local, offline, no key, no daemon.

usage: recortex VERB [arguments] [options]
"""
_TAIL = """\
Options of every verb
  --json         Print one JSON object.
  --project DIR  Use the project in this folder instead of the current one.
  --url URL      Use this store: sqlite:///FILE or postgresql://HOST/DATABASE.
  --help         Explain the verb.

`recortex VERB --help` explains a verb; `recortex tour` walks through an example.
"""
_MORE = "`recortex help all` has a line for each verb; `recortex --version` prints the version."


def text(programs: Mapping[str, Command], width: int = 0, *, every: bool = False) -> str:
    """What `--help` prints, wrapped where a width is given.

    Args:
        programs: the verbs that are no operations.
        width: columns of the terminal; 0 does not wrap.
        every: a line for each verb. Else the ones that people use first have a line, the others their name.
    """
    # The summary of every verb, by heading
    heading_of = {f"{group}Operations": one for one, named in _HEADINGS.items() for group in named.split()}
    topics: dict[str, dict[str, str]] = {heading: {} for heading in _HEADINGS}
    for group in manifest.groups():
        for one in group["operations"]:
            heading = group["heading"] or heading_of.get(group["class"], _REST)
            topics[heading][one["name"].replace("_", "-")] = one["summary"]
    topics["Setup"] |= {name: command.summary for name, command in programs.items()}
    names = [name for verbs in topics.values() for name in verbs if every or name in FIRST]
    column = max(map(len, names))
    lines = [_HEAD]
    for heading, verbs in topics.items():
        first = [name for name in FIRST if name in verbs]
        others = [name for name in verbs if name not in first]
        shown = [*first, *others] if every else first
        lines.append(heading)
        lines += (_line(f"  {name:<{column}}  ", verbs[name], width) for name in shown)
        if others and not every:
            lines.append(_line("  also: ", ", ".join(others), width or _UNWRAPPED))
        lines.append("")
    tail = _TAIL if every else _TAIL + _MORE
    return "\n".join([*lines, *(_line("", line, width) for line in tail.splitlines())])


def _line(lead: str, said: str, width: int) -> str:
    if not width or len(lead) + len(said) <= width:
        return lead + said
    import textwrap

    return textwrap.fill(
        said, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
    )


# -- from the words of a command line to an exit code: 0 done, 1 failed, 2 wrong usage


_NO_COMMANDS: dict[str, Command] = {}


def run(argv: Sequence[str] | None = None, commands: Mapping[str, Command] = _NO_COMMANDS) -> int:
    """Do what a command line says and return the exit code; never raises.

    Args:
        argv: the words after the program's name; None takes the process's own.
        commands: verbs that are no operations, such as servers, by name.
    """
    started = time.perf_counter()
    # Standard streams that were closed before the program began lead nowhere.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # for as long as the process lives
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    if os.environ.get("RECORTEX_LOG"):
        log_if_asked()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _guarded(words, commands, started)
        # Written out here, where an error can still be told: at the interpreter's end it could not.
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()  # the reader of the pipe has closed it
        return FAILED
    except OSError as error:
        _abandon_output()
        sys.stderr.write(
            f"error: The output cannot be written: {error.strerror}.\nhint: Check the free space.\n"
        )
        return FAILED
    return code


def _abandon_output() -> None:
    """Drop what is still unwritten, so that the interpreter's own flush at its end cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(words: list[str], commands: Mapping[str, Command], started: float) -> int:
    try:
        return _dispatch(split(words), commands, started)
    # It is an OSError too, but of the reader of our output, not of the store: `run` ends without a word.
    except BrokenPipeError:
        raise
    except RecortexError as error:
        failure = error
    except KeyboardInterrupt:
        failure = InterruptedByPersonError()
    except OSError as error:
        # An error of the operating system in our words.
        where = f"{error.filename}: " if error.filename else ""
        failure = StorageError(
            f"{where}{error.strerror or error}.", hint="Check the path, the permissions and the free space."
        )
    except Exception as error:  # noqa: BLE001  outermost: people get one line, `--debug` the traceback
        failure = InternalError(
            f"Recortex made a mistake: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        )
        failure.__cause__ = error
    return _report(words, failure, started)


def _dispatch(line: Invocation, commands: Mapping[str, Command], started: float) -> int:
    if line.verb == "help" or not line.verb:
        # Answer what is asked without a verb.
        words = [word for word in line.arguments if not word.startswith("-")]
        every = line.verb == "help" and words == ["all"]
        if line.verb == "help" and words and not every:
            return _dispatch(split([words[0], "--help"]), commands, 0.0)
        if line.wants("--version"):
            print(f"recortex {__version__}")  # noqa: T201  the answer
            return DONE
        asked = line.verb == "help" or line.wants("--help", "-h")
        if line.json and not asked:
            raise UsageError("A verb is missing.", hint="`recortex --help` lists the verbs.")
        print(text(commands, _columns(), every=every))  # noqa: T201  the answer
        return DONE if asked else WRONG_USAGE
    if line.verb in commands:
        return commands[line.verb].run(line)
    import recortex.lean  # noqa: F401  before all that imports `pathlib`
    from recortex.cli import execution

    return execution.execute(line, commands, started)


def _columns() -> int:
    """Columns of the terminal; 0 where there is none."""
    if not sys.stdout.isatty():
        return 0
    from recortex.terminal import terminal_of

    return terminal_of(sys.stdout).width


def _report(words: Sequence[str], error: RecortexError, started: float) -> int:
    from recortex.cli import execution
    from recortex.terminal import clean, terminal_of

    # By the words as they stand: the command line may be what could not be read.
    if "--debug" in words:
        import traceback

        traceback.print_exception(error.__cause__ or error, file=sys.stderr)
    if "--json" in words:
        # A word that is not UTF-8 must not fail the message that tells of it.
        verb = _verb_of(words).encode("utf-8", "replace").decode()
        data = execution.failure(clean(verb), error, time.perf_counter() - started)
        sys.stdout.buffer.write(data + b"\n")
    else:
        terminal = terminal_of(sys.stderr)
        message = " ".join(clean(error.message).split())
        lines = [f"{terminal.style('error:', 'red')} {message}"]
        if error.hint:
            lines.append(f"{terminal.style('hint:', 'cyan')} {' '.join(clean(error.hint).split())}")
        sys.stderr.write("\n".join(lines).encode("utf-8", "replace").decode() + "\n")
    return exit_code(error)


def _verb_of(words: Sequence[str]) -> str:
    """The verb of a command line; of one that cannot be split, the first word that is no option."""
    try:
        return split(words).verb
    except RecortexError:
        return next((word for word in words if not word.startswith("-")), "")


# -- logs on standard error, as JSON lines: `RECORTEX_LOG=info` or `debug`


VARIABLE = "RECORTEX_LOG"


def log_if_asked() -> None:
    """Write logs where the environment asks for them; nothing is imported otherwise."""
    level = os.environ.get(VARIABLE, "").upper()
    if level not in {"DEBUG", "INFO", "WARNING"}:
        return
    import logging

    from recortex.telemetry import listen, to_logging

    class Lines(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            told = {"at": self.formatTime(record), "level": record.levelname, "logger": record.name}
            fields = getattr(record, "fields", None)
            said = fields if isinstance(fields, dict) else {"message": record.getMessage()}
            return json.dumps({**told, **said})

    # Never on standard output, which is the answer's and may go into a program.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logger = logging.getLogger("recortex")
    logger.addHandler(handler)
    logger.setLevel(level)
    # The root logger may have a handler of a library, which would print each line a second time.
    logger.propagate = False
    listen(to_logging())
