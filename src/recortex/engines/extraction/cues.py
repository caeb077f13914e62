"""Cues in the agent's sentences: what kind of knowledge a sentence carries, and how sure it is of it.

E's categories (verified fixes, discoveries, requirements, rules, facts) as a table of patterns. The first
row that matches gives the kind; modifiers then raise or lower the confidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import Finding
from recortex.engines.extraction.sentences import sentences, statement
from recortex.engines.extraction.standing import identifiers, is_specific, objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.extraction.passages import Passage


@dataclass(frozen=True, slots=True)
class Cue:
    """One row: a name, the kind it gives, the confidence it starts from, and its pattern."""

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


def _cue(name: str, kind: str, confidence: float, pattern: str) -> Cue:
    return Cue(name, kind, confidence, re.compile(pattern, re.IGNORECASE))


CUES = (
    _cue("cause", "incident", 0.6,
         r"\b(?:root cause|culprit|(?:issue|problem|bug|reason|failure|error|crash|delay)s? (?:is|was|were|are|comes?|came)"
         r"(?: that| because| from| due)?|(?:was|is|were|are) caused by|caused by|fail(?:s|ed)? because|broke because)\b"),
    _cue("decision", "decision", 0.6,
         r"\b(?:decided (?:to|on|against)|chose|chosen|opted (?:for|to)|instead of|rather than|in favou?r of|"
         r"deliberately|intentional(?:ly)?|by design|on purpose|trade-?off|avoid(?:s|ing)? (?:the|a|an)?)\b"),
    _cue("limit", "tribal", 0.6,
         r"\b(?:(?:do|does|did|can|could|will|would)(?: not|n't)|cannot|can't|won't|not (?:supported|possible|allowed|available)|"
         r"unsupported|only (?:works?|supports?|handles?|accepts?|runs?|applies|when|if)|no (?:built-in|way to|support))\b"),
    _cue("requirement", "semantic", 0.55,
         r"\b(?:requires?|must(?: be| not| have)?|needs? (?:to be|a|an|the)|has to|have to|depends on|mandatory|"
         r"expects?|always|never)\b"),
    _cue("default", "semantic", 0.6, r"\b(?:defaults? to|by default|default (?:value|is|\w+ is))\b"),
    _cue("mechanism", "semantic", 0.5,
         r"\b(?:is|are) (?:stored|defined|located|called|invoked|used|handled|created|loaded|generated|configured|"
         r"registered|implemented|written|triggered|derived|computed|set|sent|managed|passed|injected|shared|kept|"
         r"cached|resolved|mounted|exposed|responsible)\b|\b(?:lives? in|delegates? to|consists of|reads? from|writes? to|"
         r"returns?|wraps?|maps? to|inherits|extends|stores|uses|runs (?:in|on|before|after|when)|handles|implements|"
         r"calls|contains|supports|provides|triggers|works by|matches|falls back|controls)\b"),
)  # fmt: skip

_REASON = re.compile(
    r"\b(?:because|since|so that|due to|which means|meaning|otherwise|therefore|to (?:avoid|prevent|ensure|allow|keep)|"
    r"as a result|in order to|causing|which (?:causes?|breaks?|fails?|would))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:likely|probably|possibly|perhaps|maybe|might|may(?! not be null)|could|seems?|seemingly|appears?|apparently|"
    r"suspect|presumably|potential(?:ly)?|should (?:work|be fine|fix|now|already)|i think|guess|looks like|suggests?|"
    r"unclear|not sure|odd|weird|strange|suspicious|consider|would be|if needed|optionally)\b",
    re.IGNORECASE,
)
_TRANSIENT = re.compile(
    r"\b(?:still|yet|currently|current|at present|for now|temporar\w+|(?:is|are|was|were) missing|missing|not (?:set|set up|"
    r"configured|defined|imported|installed|registered) (?:yet|here)|needs? (?:to be )?(?:updat|add|fix|chang|import|remov|"
    r"renam|replac|mov|refactor)\w*|unused|stale|leftover|remaining|in progress|pending|wip|todo|failing tests?|"
    r"tests? (?:fail|is|are)|line \d+|lines \d+|now|no longer|already|today|new|two|three|four|five)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"^(?:\w+ )?(?:added|updated|removed|renamed|changed|created|fixed|refactored|moved|replaced|implemented|modified|"
    r"extracted|improved|introduced|adds?|updates?|removes?|renames?|changes?|creates?|fixes|refactors?|moves?|"
    r"replaces?|modifies|merged?|deleted?|bumped?|cleaned|simplified|converted|switched|wrote|rewrote|ensured?)\b",
    re.IGNORECASE,
)
_FOLLOWED_BY_ACTION = re.compile(
    r"^(?:so )?(?:let me|let's|i'll|i will|i need to|i should|need to|now (?:let|i)|we need to|i also need|i can|"
    r"adding|fixing|updating)\b",
    re.IGNORECASE,
)
_SECOND_CLAUSE = re.compile(
    r"\s+[-–—]\s+(?:let me|I'll|I need|I can|I should|need to)\b.*$|(?:, so|;|, and) (?:let me|I'll|I need|I can|I should|we need)\b.*$",
    re.IGNORECASE,
)


def assertions(passage: Passage) -> Iterator[Finding]:
    """Yield the sentences of the agent's prose that assert something worth knowing."""
    parts = sentences(passage.text)
    for place, part in enumerate(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if finding := assertion(part, following=following):
            yield finding


def assertion(sentence: str, *, following: str = "", bonus: float = 0.0) -> Finding | None:
    """Judge one sentence of the agent; None when it is not a statement or carries no cue."""
    text = statement(_SECOND_CLAUSE.sub("", sentence))
    if not text or not is_specific(text) or objection(text):
        return None
    cue = next((cue for cue in CUES if cue.pattern.search(text)), None)
    if cue is None:
        return None
    confidence = cue.confidence + bonus + _adjustment(text, following)
    return Finding(text, cue.kind, confidence, f"agent_{cue.name}", sentence)


def _adjustment(text: str, following: str) -> float:
    """How far names, reasons, hedges and passing states move the confidence."""
    change = min(len(set(identifiers(text))), 3) * 0.04
    change += 0.1 if _REASON.search(text) else 0.0
    change -= 0.3 if _HEDGE.search(text) else 0.0
    change -= 0.2 if _TRANSIENT.search(text) else 0.0
    change -= 0.2 if _CHANGE.match(text) else 0.0
    change -= 0.1 if _FOLLOWED_BY_ACTION.match(following) else 0.0
    return change
