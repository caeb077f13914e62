"""Rules for instructions: a command block that the agent gives, and the place of something.

An instruction counts as verified when the session ran the same program with the same first argument and it
passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.domain.transcript import Turn
from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.passages import MAX_LINE, MAX_TEXT
from recortex.engines.extraction.report_entries import titled
from recortex.engines.extraction.self_contained import MAX_LENGTH, objection
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.extraction.shell import names_single_cases
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.extraction.passages import Passage

PATTERNS = Patterns(__file__)

MAX_HELD = 50
_MAX_LINES, _MAX_RAN = 2, 4_000
_VERIFIED, _CLAIMED = 0.76, 0.6
_SHELLS = {"", "bash", "sh", "shell", "zsh", "console", "fish"}


def located(passage: Passage) -> RuleFinding | None:
    """Read `**Log location:** ...` as the place of something; the body must begin with the place."""
    split = titled(passage.text)
    if not split or not PATTERNS.place.match(split[0]) or not split[1].lstrip().startswith("`"):
        return None
    text = statement(f"{split[0]} is {plain(sentences(split[1])[0])}")
    return None if objection(text) else RuleFinding(text, "environment", 0.74, "agent_place", passage.text)


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each shell block with the line of prose before it."""
    lead, inside = "", ""
    block: list[str] = []
    for line in text[:MAX_TEXT].splitlines():
        fence = PATTERNS.fence.match(line) if len(line) < MAX_LINE else None
        if fence and not inside:
            inside, block = fence.group("language") or "plain", []
        elif fence:
            if inside.lower() in _SHELLS or inside == "plain":
                yield lead, block
            inside, lead = "", ""
        elif inside:
            block.append(line.strip().removeprefix("$ "))
        elif line.strip():
            lead = line.strip()


def _instruction(lead: str, block: list[str]) -> tuple[str, list[str]] | None:
    """Compose the instruction of a lead and its commands, if both make sense a year later."""
    said = sentences(plain(lead))[-1:] if len(lead) < MAX_LENGTH else []
    found = PATTERNS.lead.match(said[0]) if said else None
    commands = [line for line in block if line and not line.startswith("#")]
    if not found or not 0 < len(commands) <= _MAX_LINES:
        return None
    if any(
        PATTERNS.placeholder.search(one)
        or "`" in one
        or not PATTERNS.command.match(one)
        or names_single_cases(one)
        for one in commands
    ):
        return None
    verb = found.group("verb").capitalize()
    ways = ", then ".join(f"`{one}`" for one in commands)
    return f"{verb}{found.group('object')} with {ways}.", commands


def _signature(command: str) -> str:
    """The program and its first argument, which identify a kind of run."""
    return " ".join(PATTERNS.environment.sub("", command.strip()).split()[:2])


@dataclass(slots=True)
class Instructions:
    """The instructions of a session and what it ran."""

    told: dict[str, tuple[list[str], Turn]] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)

    def observe(self, turn: Turn) -> None:
        """Read a turn."""
        for call in turn.tools:
            if call.command and call.ok and len(self.passed) < _MAX_RAN:
                self.passed.update(_signature(part) for part in PATTERNS.parts.split(call.command[:MAX_LINE]))
        if turn.role != "assistant" or "```" not in turn.text:
            return
        for lead, block in _blocks(turn.text):
            made = _instruction(lead, block)
            if (
                made
                and len(made[0]) <= MAX_LENGTH
                and len(self.told) < MAX_HELD
                and not objection(made[0], addressed=True)
            ):
                self.told[made[0]] = (made[1], turn)

    def findings(self) -> Iterator[tuple[RuleFinding, Turn]]:
        """Yield the instructions, at the session's end; those that were not run have less confidence."""
        for text, (commands, turn) in self.told.items():
            verified = all(_signature(one) in self.passed for one in commands[:1])
            confidence = _VERIFIED if verified else _CLAIMED
            yield (
                RuleFinding(text, "procedural", confidence, "how_to", text, commands=tuple(commands)),
                turn,
            )
