"""Cues in the agent's sentences: the kind of knowledge in a sentence, and the confidence.

The first form that matches (a cause, a limit, a requirement, a rule, …) gives the kind. Names, reasons,
hedges and so on then raise or lower the confidence.
"""

from __future__ import annotations

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


CUES = PATTERNS.forms("cue_")

# Forms that say what a reader of the code sees too.
_WITHIN = {"mechanism", "subject", "rule"}
# Forms that seldom describe a state of the code that the agent is about to change.
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
    """Read a sentence of the agent; None if it is no statement or has no cue.

    Args:
        sentence: the sentence as it was written.
        following: the next sentence, which may show that the described state is about to change.
        subject: the file or symbol that the passage is about, put first if the sentence does not name it.
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
    """Read a marked decision of the agent that names what was decided."""
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
    """The change of the confidence by names, reasons, hedges and temporary states."""
    change = min(len(set(identifiers(text))), 3) * 0.03
    change += 0.1 if PATTERNS.reason.search(text) else 0.0
    change += _NAMED_BONUS if PATTERNS.named_subject.match(text) else 0.0
    change -= 0.3 if HEDGE.search(text) else 0.0
    # "Kept X because Y still calls it" is a reason, not a temporary state.
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
