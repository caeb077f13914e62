"""Makes a candidate of what a rule found. Only here does the confidence decide on the status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recortex.domain.learned import Candidate
from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.sentences import commands_in, domain_of, files_in, tags_of

if TYPE_CHECKING:
    from recortex.domain.exchange import Turn


ACTIVE = 0.7
"""The confidence from which a candidate is active; chosen on the development transcripts
(bench/extraction.py)."""
DURABLE = "person_durable"
"""The rule for what a person typed that is expected to last, by a learned chance (durable.py)."""
COMMAND = "command_habit"
"""The rule that finds commands which worked again and again."""
REPEATED = "person_repeated"
"""The rule of former versions for what a person asked for in several sessions; stores still hold such."""
ON_PURPOSE = frozenset(("person_note", "person_decision", "person_scoped"))
"""Rules for what the person declared to be a note, a decision or a fact of this project."""
MAX_QUOTE = 240
_CERTAIN = 0.95
"""The highest confidence of anything that a rule found."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a rule found in a turn.

    Attributes:
        text: the finished statement.
        hold: a reason why it must not be active whatever its confidence; empty if there is none.
    """

    text: str
    kind: str
    confidence: float
    rule: str
    quote: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hold: str = ""


def candidate(finding: RuleFinding, turn: Turn, origin: Origin = Origin.USER) -> Candidate:
    """The candidate of a finding, with its turn, subject, files, commands, tags and status."""
    confidence = round(min(max(finding.confidence, 0.0), _CERTAIN), 2)
    domain = domain_of(finding.text)
    quote = " ".join(finding.quote.split())
    return Candidate(
        text=finding.text,
        kind=finding.kind,
        confidence=confidence,
        rule=finding.rule,
        quote=quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…",
        turn_index=turn.index,
        speaker=turn.role,
        origin=origin,
        active=confidence >= ACTIVE and not finding.hold and turn.certain,
        turn_uuid=turn.uuid,
        at=turn.at,
        domain=domain,
        tags=tags_of(finding.text, domain),
        files=tuple(dict.fromkeys(files_in(finding.text) + finding.files)),
        commands=tuple(dict.fromkeys(commands_in(finding.text) + finding.commands)),
    )


def doubted(known: Candidate) -> Candidate:
    """The candidate after the session took it back: proposed, with a confidence of 0.6 at most."""
    return replace(known, active=False, confidence=min(known.confidence, 0.6))
