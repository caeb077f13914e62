"""`recortex tour`: the whole at work on an example, in a store of its own that is removed at the end.

The session is shipped; nothing that is shown is: what is learned and what is answered is computed here and
now, through the same operations that everybody uses.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from recortex.cli import execution
from recortex.cli.invocation import DONE
from recortex.cli.parser import Parser
from recortex.cortex import Cortex
from recortex.domain.reports import Extracted
from recortex.domain.search import Recall
from recortex.engines.retrieval.vocabulary import reasons
from recortex.terminal import Terminal, clean, terminal_of

if TYPE_CHECKING:
    from recortex.cli.invocation import Invocation
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.reports import Found
    from recortex.domain.search import Hit

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
