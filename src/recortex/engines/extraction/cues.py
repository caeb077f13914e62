"""Cues in the agent's sentences: what kind of knowledge a sentence carries, and how sure it is of it.

A table of patterns for verified fixes, discoveries, requirements, rules and facts. The first row that matches
gives the kind; modifiers then raise or lower the confidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import RuleFinding
from recortex.engines.extraction.self_contained import (
    MAX_LENGTH,
    MIN_LENGTH,
    identifiers,
    is_specific,
    objection,
)
from recortex.engines.extraction.sentences import impersonal, plain, sentences, statement
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.extraction.passages import Passage

PATTERNS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class Cue:
    """One row: a name, the kind it gives, the confidence it starts from, and its pattern."""

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


CUES = (
    Cue("cause", "incident", 0.6, PATTERNS.cue_cause),
    Cue("decision", "decision", 0.6, PATTERNS.cue_decision),
    Cue("limit", "tribal", 0.72, PATTERNS.cue_limit),
    Cue("lack", "semantic", 0.44, PATTERNS.cue_lack),
    Cue("requirement", "semantic", 0.58, PATTERNS.cue_requirement),
    Cue("default", "semantic", 0.66, PATTERNS.cue_default),
    Cue("rule", "semantic", 0.5, PATTERNS.cue_rule),
    Cue("subject", "semantic", 0.58, PATTERNS.cue_subject),
    Cue("mechanism", "semantic", 0.5, PATTERNS.cue_mechanism),
)

# What a reader of the code sees as well.
_WITHIN = {"mechanism", "subject", "rule"}
# What these say is seldom a state of the code that the agent is about to change.
_OUTSIDE = {"limit", "requirement", "default", "decision"}
_NAMED_BONUS = 0.06
HEDGE = PATTERNS.hedge


def assertions(passage: Passage, subject: str = "") -> Iterator[RuleFinding]:
    """Yield the sentences of the agent's prose that assert something worth knowing."""
    parts = sentences(passage.text)
    for place, part in enumerate(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if finding := assertion(part, following=following, subject=subject):
            yield finding


def assertion(sentence: str, *, following: str = "", subject: str = "") -> RuleFinding | None:
    """Judge one sentence of the agent; None when it is not a statement or carries no cue.

    Args:
        sentence: the sentence as it was written.
        following: the sentence after it, which may show that the state it tells of is about to change.
        subject: the file or symbol that the passage is about, put in front where the sentence does not name
            it.
    """
    if not MIN_LENGTH <= len(sentence) <= 2 * MAX_LENGTH:
        return None
    if decided := _decided(sentence):
        return decided
    said = impersonal(statement(PATTERNS.now.sub("", PATTERNS.second_clause.sub("", sentence))))
    text = statement(PATTERNS.it_was.sub("", said, count=1))
    if subject and text and subject not in text:
        text = said = f"`{subject}`: {text}"
    if not text or not is_specific(text) or objection(text):
        return None
    bare = PATTERNS.aside.sub("", text)
    cue = CUES[0] if text != said else next((cue for cue in CUES if cue.pattern.search(bare)), None)
    if cue is None:
        return None
    confidence = cue.confidence + _adjustment(text, following, cue.name)
    return RuleFinding(text, cue.kind, confidence, f"agent_{cue.name}", sentence)


def _decided(sentence: str) -> RuleFinding | None:
    """What the agent marks as a decision, where it names what was decided on."""
    said = plain(sentence)
    found = PATTERNS.decided.match(said)
    text = statement(said[found.end() :]) if found else ""
    if not text or HEDGE.search(text) or not is_specific(text) or objection(text, addressed=True):
        return None
    return RuleFinding(
        f"Decision: {text[0].lower()}{text[1:]}" if PATTERNS.starts_plain.match(text) else text,
        "decision",
        0.72,
        "agent_decision",
        sentence,
    )


def _adjustment(text: str, following: str, cue: str) -> float:
    """How far names, reasons, hedges and passing states move the confidence."""
    change = min(len(set(identifiers(text))), 3) * 0.03
    change += 0.1 if PATTERNS.reason.search(text) else 0.0
    change += _NAMED_BONUS if PATTERNS.named_subject.match(text) else 0.0
    change -= 0.3 if HEDGE.search(text) else 0.0
    # "Kept X because Y still calls it" is a reason, not a passing state.
    lasting = cue == "decision" and PATTERNS.reason.search(text) is not None
    change -= 0.2 if PATTERNS.transient.search(text) and not lasting else 0.0
    change -= 0.2 if PATTERNS.change.match(text) else 0.0
    change -= 0.12 if PATTERNS.followed_by_check.match(following) else 0.0
    change -= 0.1 if text.startswith(("`-", "The `-")) else 0.0  # a flag of which command?
    if cue in _WITHIN and not PATTERNS.reason.search(text):
        change -= 0.12 if PATTERNS.praise.search(text) or PATTERNS.restates.search(text) else 0.0
    change -= (
        0.12
        if PATTERNS.order.match(text) or PATTERNS.vague.search(text) or PATTERNS.quality.match(text)
        else 0.0
    )
    change -= 0.15 if cue == "default" and not _has_owner(text) else 0.0
    if PATTERNS.followed_by_action.match(following):
        change -= 0.04 if cue in _OUTSIDE else 0.12
    return change


def _has_owner(text: str) -> bool:
    """Whether a sentence about a default says whose default it is."""
    found = PATTERNS.default.search(text)
    if found is None:
        return True
    before, after = text[: found.start()], text[found.end() :]
    return is_specific(before) or PATTERNS.owned.search(after) is not None
