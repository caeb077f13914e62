"""Corrections in sessions: how many of those that a reader marked are learned, and how many learned are none.

    python bench/corrections.py SESSIONS_DIR [--half open|shut|new|all] [--learned] [--json FILE]

The rules for corrections read every message of the person in the sessions of the marked projects, each once,
with what the agent had done before it. A correction counts as found where its quote and a mark overlap, as
right where the category is the mark's too (or one that the reader found as good), and as learned where the
reader judged besides that the principle stands alone and says what was meant. Figures are given for
corrections that were said outright and for soft ones (bench/labels/GUIDELINES.md), and for what is active
alone. What was learned and is no correction is false, whoever marked it: each was judged by reading.

`--learned` prints every principle with its key, for the reader; without it no text is printed.

The projects of the shut half were first read when the rules were frozen, and were measured once; since then
rules were changed after looking at them, so both halves count as looked at, and the package's weights were
trained on them: `bench/correction_fit.py` gives what weights of the other projects find. The `new` projects
were marked when the weights were frozen, before anybody saw what is learned from them, and trained nothing.
bench/README.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.engines.corrections.acts import Act
from recortex.engines.extraction.correction_rules import corrections
from recortex.engines.extraction.drafting import ACTIVE
from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript
from session_text import Message as SaidMessage
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.domain.transcript import Turn
    from recortex.engines.extraction.drafting import RuleFinding

LABELS = Path(__file__).parent / "labels" / "corrections"
OPEN: tuple[str, ...] = ("polychrome.p5", "StarCar", "auth-go", "context-evaluator", "bestcodes.dev")
OPEN += ("4d-happy-hour", "mcp-rag-server", "entireio-cli")
SHUT = (
    "minsky",
    "contact_maintain",
    "agentv",
    "session-bridge",
    "process-xbrl",
    "gatomia-vscode",
    "bing-wallpaper",
)
NEW = ("cyspbot", "nimbus", "inkwell-ai-weaver", "DocGen")
_TELLING, _ALIKE = 60, 200
"""Characters by which a message is known again, and by which a copy of it is."""
_WORDS = 8


class Message(NamedTuple):
    """A message of the person, and what the agent had done before it."""

    session: str
    ref: int
    text: str
    turn: Turn
    act: Act


class Finding(NamedTuple):
    """A correction that is learned, with the mark that it overlaps and what the reader said of it."""

    project: str
    message: Message
    finding: RuleFinding
    mark: dict[str, Any] | None
    verdict: str

    @property
    def active(self) -> bool:
        return self.finding.confidence >= ACTIVE and not self.finding.hold

    @property
    def right(self) -> bool:
        """Whether the category is one that the reader gave."""
        wanted = {self.mark["category"], *self.mark.get("also", ())} if self.mark else set()
        return self.finding.category in wanted


def plain(text: str, most: int = _TELLING) -> str:
    return " ".join(text.split())[:most]


def read(folder: Path) -> Iterator[Message]:
    """Every message of the person in a project's sessions, each once."""
    seen: set[str] = set()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        try:
            turns = list(open_transcript(path, final=True))
        except RecortexError:
            continue
        raw, act = path.read_bytes(), Act()
        told: dict[str, SaidMessage] = {}
        for one in messages(path):
            if one.role == "person":
                told.setdefault(plain(one.text), one)
        for turn in (one for one in turns if not one.sidechain):
            if turn.role == "assistant":
                act.add(turn)
            elif turn.role == "user" and turn.text.strip():
                if plain(turn.text, _ALIKE) not in seen:
                    seen.add(plain(turn.text, _ALIKE))
                    yield _message(path.relative_to(folder), turn, told.get(plain(turn.text)), raw, act)
                act = Act(said=act.said)


def _message(path: Path, turn: Turn, told: SaidMessage | None, raw: bytes, act: Act) -> Message:
    """A message with its reference; what `session_text` does not give is referred to by its line."""
    ref = told.ref if told else raw[: turn.start].count(b"\n")
    return Message(str(path), ref, told.text if told else turn.text, turn, act)


def key(text: str) -> str:
    """What a principle is called in the verdicts, which hold no text."""
    return blake2b(text.encode(), digest_size=6).hexdigest()


def place(text: str, quote: str) -> tuple[int, int]:
    """Where a quote stands in its message; nowhere is (-1, -1)."""
    words = re.findall(r"\w+", quote)[:_WORDS]
    found = re.search(r"\W{1,12}".join(map(re.escape, words)), text) if words else None
    return (found.start(), found.start() + len(quote)) if found else (-1, -1)


def lines_of(project: str) -> list[dict[str, Any]]:
    """Every line on a project: marks, marks of the second reader, verdicts."""
    path = LABELS / f"{project}.jsonl"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def labelled(project: str) -> tuple[list[dict[str, Any]], dict[tuple[str, int, str], str]]:
    """The marks of a project, and the reader's verdicts on what was learned."""
    lines = lines_of(project)
    verdicts = {
        (one["session"], one["ref"], one["learned"]): one["verdict"] for one in lines if "learned" in one
    }
    return [one for one in lines if "category" in one], verdicts


def of_message(marks: Iterable[dict[str, Any]], message: Message) -> list[dict[str, Any]]:
    """The marks that stand in a message."""
    return [one for one in marks if (one["session"], one["ref"]) == (message.session, message.ref)]


def marked(marks: Iterable[dict[str, Any]], message: Message, quote: str) -> dict[str, Any] | None:
    """The mark of a message that a quote overlaps."""
    start, end = place(message.text, quote)
    return next((one for one in marks if min(end, one["span"][1]) > max(start, one["span"][0])), None)


def judged(
    project: str, messages_read: Iterable[Message], teach: Callable[[Message], Iterable[RuleFinding]]
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The marks of a project, and everything that is learned from its messages."""
    marks, verdicts = labelled(project)
    found: list[Finding] = []
    for message in messages_read:
        own = of_message(marks, message)
        for finding in teach(message):
            verdict = verdicts.get((message.session, message.ref, key(finding.text)), "")
            found.append(Finding(project, message, finding, marked(own, message, finding.quote), verdict))
    return marks, found


def taught(message: Message) -> Iterable[RuleFinding]:
    """What the package learns from a message."""
    return corrections(message.turn, message.act)


def figures(marks: list[dict[str, Any]], found: list[Finding]) -> Counter[str]:
    """Counts: of the marks by how they were said, and of what is learned by what the reader said of it."""
    counts: Counter[str] = Counter()
    for mark in marks:
        own = [one for one in found if one.mark is mark]
        for said in ("all", mark["said"]):
            counts[f"{said}: marked"] += 1
            counts[f"{said}: found"] += bool(own)
            counts[f"{said}: right category"] += any(one.right for one in own)
            counts[f"{said}: learned"] += any(one.right and "s" in one.verdict for one in own)
            counts[f"{said}: learned and active"] += any(
                one.right and "s" in one.verdict and one.active for one in own
            )
    for one in found:
        for which in ("everything", "active" if one.active else "proposed"):
            counts[f"{which}: learned"] += 1
            counts[f"{which}: no correction"] += one.verdict.startswith("n")
            counts[f"{which}: does not stand alone"] += one.verdict.startswith("c") and "s" not in one.verdict
            counts[f"{which}: not judged"] += not one.verdict
    return counts


def show(one: Finding) -> None:
    """What was learned, for the reader: where, its key, whether it is active, its mark, its verdict."""
    told, said = "A" if one.active else "p", one.finding
    category = one.mark["category"] if one.mark else "-"
    print(one.project, one.message.session, one.message.ref, key(said.text), told, category, sep="\t")
    print(f"  {one.verdict or '?'} {said.category}: {said.text}\n  > {said.quote}")


def report(counts: Counter[str]) -> None:
    """Prints the counts, a line for each kind of mark and of what is learned."""
    for what in ("all", "outright", "soft", "everything", "active", "proposed"):
        row = {at.partition(": ")[2]: number for at, number in counts.items() if at.startswith(f"{what}: ")}
        print(f"{what:10} " + ", ".join(f"{number} {at}" for at, number in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--half", choices=("open", "shut", "new", "all"), default="all")
    parser.add_argument("--learned", action="store_true", help="print what is learned, for the reader")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    halves = {"open": OPEN, "shut": SHUT, "new": NEW}
    made = {}
    for name in halves if options.half == "all" else [options.half]:
        counts: Counter[str] = Counter()
        for project in halves[name]:
            marks, found = judged(project, read(options.sessions / project), taught)
            counts += figures(marks, found)
            for one in found if options.learned else ():
                show(one)
        made[name] = dict(counts)
        print(f"\n## {name} projects")
        report(counts)
    if options.json:
        options.json.write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
