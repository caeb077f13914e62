"""Rules for what the person typed: notes, standing rules, preferences, corrections, decisions.

People write tersely and point at what is on the screen, so a sentence is taken only when it speaks of more
than the task at hand: a standing rule, a stated fact about the project, or an explicit note.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import Finding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.extraction.standing import is_specific, objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.extraction.passages import Passage

# Longer messages are pasted plans, issues and logs: other people's or the agent's own words.
MAX_TYPED = 2_500

_NOTE = re.compile(
    r"^\s*(?:please )?(?:remember|note(?: to self)?|keep in mind|for (?:the )?(?:record|future reference)|fyi|important)\b\s*(?:that\b|:|,|-)\s*",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"^(?:please )?(?:always|never|(?:do not|don't) ever)\b|\b(?:should|must|please|to|we|you|I|it) (?:always|never)\b|"
    r"\b(?:from now on|in (?:the )?future|in general|every time|whenever|by convention|at all times|under no circumstances)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:never ?mind|as always|always (?:fails?|breaks?|returns?|shows?|gives?|get)|never (?:been|seen|worked|works|had|got|mind|gets?|shows?|happen\w*|ran))\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:I(?:'d| would)? (?:prefer|like (?:to|it|the|our|my)|want (?:all|every|our|the|to (?:keep|avoid|use))|don't (?:want|like))|we (?:prefer|like to|want to (?:keep|avoid))|prefer(?:ably)?)\b",
    re.IGNORECASE,
)
_HOUSE_RULE = re.compile(
    r"\b(?:we (?:use|don't|do not|never|always|only|should(?:n't| not)?|must(?:n't| not)?|can't|have|keep|store|run|deploy|support|target|follow|avoid|try to)|"
    r"our \w+|should(?:n't| not)? (?:be|never|always|only|not|use|live|have)|must(?: not| be)?|has to be|is not allowed|do(?:n't| not) (?:use|add|commit|push|touch|edit|change|write|put|call|run|create|delete|mock|import|rely))\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:no\b|nope|wrong|that's (?:not|wrong)|not (?:quite|correct|right)|actually|stop|don't|do not|you should(?:n't| not))",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:that(?:'s| is)|this is|it(?:'s| is)) (?:not (?:correct|right|true|what \w+ \w+)|wrong|incorrect|false)[,.;:!-]+\s+(?=\S.{20})",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:let's (?:go with|use|keep|stick|not|drop|switch)|(?:go|going|went) with|decided|instead of|rather than)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|so that|otherwise|as (?:we|it|the)|due to)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"^(?:can|could|would|will|please|let's|try|check|look|see|run|fix|implement|add|create|update|make|now|ok|okay|yes|do|show|tell|explain|review|i (?:got|see|get|have|think|noticed|wonder))\b",
    re.IGNORECASE,
)
_PASTED = re.compile(r"^\s*(?:<|\{|\[|\$ |#|at |Traceback|Implement the following plan|\d{2,4}[-:/]\d)")


def from_person(text: str) -> Iterator[Finding]:
    """Yield the standing knowledge in a message that a person typed."""
    if len(text) > MAX_TYPED or _PASTED.match(text):
        return
    for passage in passages(text):
        yield from _passage(passage)


def _passage(passage: Passage) -> Iterator[Finding]:
    for part in sentences(passage.text):
        if found := _judged(part):
            yield found


def _judged(sentence: str) -> Finding | None:
    """Judge one sentence of the person."""
    said = plain(sentence)
    noted = _NOTE.match(said)
    corrected = _CORRECTS.search(said)
    text = statement(said[noted.end() :] if noted else said[corrected.end() :] if corrected else said)
    if not text or objection(text, addressed=True):
        return None
    verdict = ("note", "tribal", 0.9) if noted else _rule(text)
    if corrected and verdict:
        verdict = ("correction", "feedback", 0.6)
    if verdict is None:
        return None
    name, kind, confidence = verdict
    confidence += 0.1 * bool(_WHY.search(text)) + 0.1 * is_specific(text) - 0.15 * bool(_ASKING.match(text))
    return Finding(text, kind, confidence, f"person_{name}", sentence)


def _rule(text: str) -> tuple[str, str, float] | None:
    """Name the kind of standing knowledge that a sentence carries."""
    if _STANDING.search(text) and not _ONCE.search(text):
        return "standing", "preference", 0.65
    if _CORRECTION.match(text) and _HOUSE_RULE.search(text):
        return "correction", "feedback", 0.6
    if _PREFERENCE.search(text):
        return "preference", "preference", 0.55
    if _DECISION.search(text):
        return "decision", "decision", 0.55
    if _HOUSE_RULE.search(text):
        return "house_rule", "preference", 0.55
    return None
