"""Programs of the command line beside its operations: the tour, scripts for completion, the worker."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from recortex.app.wiring import application, server_of
from recortex.cli import DONE, FLAGS, WITH_VALUE, UsageError, execution
from recortex.cli.parser import Parser, parser_of, shape_of
from recortex.cortex import Cortex
from recortex.domain.kinds import KINDS
from recortex.domain.reports import Extracted
from recortex.domain.search import Recall
from recortex.domain.vocabulary import Actor, RelationType
from recortex.engines.retrieval.weights import reasons
from recortex.formats.session_files import CLIENTS
from recortex.operations.registry import operations_of
from recortex.terminal import Terminal, clean, terminal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.app.jobs.running import Worker
    from recortex.cli import Command, Invocation
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.reports import Found
    from recortex.domain.search import Hit
    from recortex.operations.registry import Operation, Parameter

SESSION = Path(__file__).with_name("tour_session.jsonl")
QUESTIONS = (
    "Which DATABASE_URL does create_async_engine need?",
    "Why do we page through parcels with a cursor?",
    "When must no migration be scheduled on staging?",
    "Which colours does the company logo have?",
)
SUMMARY = "Show how it works on an example: learn from a session, then ask."
_BEGIN = """\
In your own project:
  recortex init                   make its memory
  recortex import claude-code     learn from the sessions that are already on this machine
  recortex recall "a question"    ask it
  recortex install claude-code    connect your agent to it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """What the tour learned and answered.

    Attributes:
        answers: one for each question, in order.
        seconds: how long learning and answering took.
    """

    learned: Extracted
    answers: tuple[Recall, ...]
    seconds: float


def tour(line: Invocation) -> int:
    """Run the tour and return the exit code.

    Raises:
        RecortexError: the command line is wrong, or something failed on the way.
    """
    started = time.perf_counter()
    parser = Parser(prog="recortex tour", description=SUMMARY, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    parser.add_argument("--debug", action="store_true", help="Show the traceback of an error.")
    arguments = parser.parse_args(list(line.arguments))
    terminal = terminal_of(sys.stdout)
    done = take(None if arguments.json else terminal)
    if arguments.json:
        answer = execution.success("tour", done, (), time.perf_counter() - started)
        sys.stdout.buffer.write(answer + b"\n")
    else:
        _tell(
            f"Learned and answered in {done.seconds:.1f} s, offline, in a store that is gone "
            f"again.\n\n{_BEGIN}"
        )
    return DONE


def take(terminal: Terminal | None) -> Tour:
    """Learn from the example session and ask; each step is shown on the terminal, if one is given."""
    started = time.perf_counter()
    with (
        TemporaryDirectory(prefix="recortex-tour-") as folder,
        Cortex.open(folder, url=f"sqlite:///{Path(folder).resolve() / 'tour.db'}") as cortex,
    ):
        learned = cortex.extract(str(SESSION))
        if terminal:
            _tell(_learned(learned, terminal))
        answers = []
        for question in QUESTIONS:
            answers.append(cortex.recall(question, limit=1))
            if terminal:
                _tell(_answered(question, answers[-1], terminal))
    return Tour(learned=learned, answers=tuple(answers), seconds=time.perf_counter() - started)


def _tell(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def _learned(learned: Extracted, terminal: Terminal) -> str:
    head = (
        f"A developer and an agent worked on a small web service for {learned.turns} turns. Recortex reads "
        "the "
        "transcript of their session, records what was said, and keeps what is worth knowing in later ones."
    )
    active = [one for one in learned.found if one.status == "active"]
    waiting = len(learned.found) - len(active)
    review = f"{waiting} less certain statements wait for a person's review." if waiting else ""
    title = terminal.style("What was learned", "bold")
    statements = [_statement(one, terminal) for one in active]
    return "\n".join([terminal.wrap(head), "", title, *statements, *([review] if review else []), ""])


def _statement(found: Found, terminal: Terminal) -> str:
    kind = f"{found.kind:<12}"
    said = terminal.wrap(found.text, indent=14, first=kind)
    return terminal.style(kind, "cyan") + said.removeprefix(kind)


def _answered(question: str, answer: Recall, terminal: Terminal) -> str:
    head = terminal.style(f"? {question}", "bold")
    said = [one for one in answer.exchanges if not one.weak]
    if not answer.hits and said:
        return "\n".join([head, *(_record(one, terminal) for one in said), ""])
    if not answer.hits:
        best = f"The nearest memory scores {answer.best:.2f}; {answer.floor:.2f} is needed."
        return f"{head}\n{terminal.wrap(f'Nothing that was learned answers this. {best}', indent=2)}\n"
    return "\n".join([head, *(_evidence(hit, terminal) for hit in answer.hits), ""])


def _record(exchange: ExchangeHit, terminal: Terminal) -> str:
    told = " … ".join(filter(None, (exchange.asked, exchange.message, exchange.outcome)))
    place = f"around turn {exchange.turn}: a record of what was said, which nobody has checked"
    return "\n".join(
        (
            terminal.style(terminal.wrap(told, indent=2), "green"),
            terminal.wrap(place, indent=12, first="  said in"),
        )
    )


def _evidence(hit: Hit, terminal: Terminal) -> str:
    source = hit.memory.source
    why = reasons(hit.signals)
    speaker = {"user": "the developer", "assistant": "the agent"}.get(source.speaker, clean(source.speaker))
    rows = (
        terminal.style(terminal.wrap(hit.memory.text, indent=2), "green"),
        terminal.wrap(f"turn {source.turn}, {speaker}: “{source.quote}”", indent=12, first="  said in"),
        terminal.style(terminal.wrap(f"{hit.score:.2f}: {why}", indent=12, first="  score"), "dim"),
    )
    return "\n".join(rows)


# -- `recortex completion SHELL`
#
# A script that completes verbs, options and closed lists, made from what is declared.
# The script is static: nothing of Recortex runs when TAB is pressed. All shells get the same table, from
# `VERB -` to the verb's options, from `VERB --option` to the option's words, from `VERB 1` to the words of
# its first argument. A key that is not there stands for a file.


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


# -- `recortex worker`: runs the background jobs of a PostgreSQL store


_ABOUT = """Do the background jobs of a PostgreSQL store: make vectors, archive what has faded, back up,
compact. It serves every workspace that the database's role may see, runs until you stop it, and may
run beside other workers."""


def worker(words: Sequence[str]) -> int:
    """Run jobs until told to stop.

    Raises:
        UsageError: an option is not known.
        ConfigError: the store is not on a server.
        StorageError: the server cannot be reached.
    """
    parser = Parser(prog="recortex worker", description=_ABOUT, allow_abbrev=False)
    parser.add_argument(
        "--url",
        default="",
        help="The store: postgresql://USER@HOST/DATABASE?workspace=NAME; by default that of the settings.",
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        default=".",
        help="The project whose settings to use; by default the current folder's.",
    )
    parser.add_argument("--once", action="store_true", help="Stop when no job is waiting.")
    options = parser.parse_args(list(words))
    tally = _worker(Path(options.project).absolute(), options.url).work(once=options.once)
    sys.stderr.write(f"{tally.done} jobs done, {tally.failed} failed.\n")
    return DONE


def _worker(folder: Path, url: str) -> Worker:
    location = server_of(folder, url=url)
    try:
        from recortex.app.jobs.running import Worker
    except ImportError as error:
        from recortex.app.backends import missing

        raise missing(error) from error
    return Worker(
        location.on_server,
        lambda named: application(folder, url=named, clock=None, actor=Actor.SYSTEM, progress=None),
    )
