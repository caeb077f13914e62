"""Rules for what the person typed: notes, standing rules, preferences, corrections, decisions.

People write tersely and point at what is on the screen, so a sentence is taken only when it speaks of more
than the task at hand: a standing rule, the team's way of working, a stated preference, or an explicit note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import Finding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.extraction.standing import is_specific, objection

if TYPE_CHECKING:
    from collections.abc import Iterator

# Longer messages are pasted plans, issues and logs: other people's or the agent's own words.
MAX_TYPED = 2_500


@dataclass(frozen=True, slots=True)
class Habit:
    """One row: what a sentence of the person states, with the confidence that it holds beyond the task at hand."""

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


def _habit(name: str, kind: str, confidence: float, pattern: str) -> Habit:
    return Habit(name, kind, confidence, re.compile(pattern, re.IGNORECASE))


# The first row that matches decides.
HABITS = (
    _habit("standing", "preference", 0.75,
           r"^(?:always|never|(?:do not|don't) ever)\b|\b(?:should|must|to|we|you) (?:always|never)\b|"
           r"\b(?:from now on|in (?:the )?future|in general|every time|by convention|at all times|under no circumstances)\b"),
    _habit("our_way", "preference", 0.7,
           r"\bwe (?:(?:always|only|usually|generally|never|do not|don't) )?(?:use|mock|deploy|support|target|follow|avoid|store|"
           r"keep|prefer|ignore|gitignore|track|cache|pin|vendor|commit|run|test|write|name|ship|release|host|pin)\b"),
    _habit("preference", "preference", 0.7, r"\b(?:I|we)(?:'d| would)? prefer\b|^prefer\b|\bI (?:don't like|hate|like (?:to have|it when|my|our))\b"),
    _habit("decision", "decision", 0.65, r"^decision: "),
    _habit("rule", "preference", 0.55,
           r"\b(?:should(?:n't| not)? (?:be|never|always|only|not|use|live|have)|must(?: not| be)?|has to be|is not allowed|"
           r"we (?:should(?:n't)?|must(?:n't)?|can't|have)|I want (?:all|every|our))\b|"
           r"^(?:do not|don't) (?:use|add|commit|push|touch|edit|change|write|put|call|run|create|delete|mock|import|rely)\b"),
)  # fmt: skip
_NOTE = re.compile(
    r"\s*(?:please )?(?:remember|note(?: to self)?|keep in mind|for (?:the )?(?:record|future reference)|fyi)\b\s*(?:that\b|:|,|-)\s*",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:that(?:'s| is)|this is|it(?:'s| is)) (?:not (?:correct|right|true|what \w+ \w+)|wrong|incorrect|false)[,.;:!-]+\s+(?=\S.{20})",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:please|pls|you (?:should|must|need to)|make sure(?: that)?(?: you| to)?)\s+(?=\w)", re.IGNORECASE
)
_LETS = re.compile(r"let's (?=(?:go with|use|keep|stick|not|drop|switch)\b)", re.IGNORECASE)
# What happened always or never is a complaint, not a rule.
_ONCE = re.compile(
    r"\bas always\b|\balways (?:fails?|breaks?|returns?|shows?|gives?|gets?|says?)\b|"
    r"\bnever (?:mind|been|seen|worked|works|had|got|gets?|shows?|happen\w*|ran|runs|finish\w*|called)\b|"
    r"\bwe (?:run|use|test|keep) (?:into|it|this|that|them)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|so that|otherwise|due to)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"^(?:can|could|would|will|try|check|look|see|run|fix|implement|add|create|update|make|now|yes|do|show|tell|"
    r"explain|review|if|when|but|i (?:got|see|get|have|think|noticed|wonder))\b",
    re.IGNORECASE,
)
_PASTED = re.compile(r"\s*(?:<|\{|\[|\$ |#|at |Traceback|Implement the following plan|\d{2,4}[-:/]\d)")


def from_person(text: str) -> Iterator[Finding]:
    """Yield the standing knowledge in a message that a person typed."""
    if len(text) > MAX_TYPED or _PASTED.match(text):
        return
    for passage in passages(text):
        for part in sentences(passage.text):
            if found := _judged(part):
                yield found


def _judged(sentence: str) -> Finding | None:
    """Judge one sentence of the person."""
    said = plain(sentence)
    noted, corrected = _NOTE.match(said), _CORRECTS.search(said)
    told = said[noted.end() :] if noted else said[corrected.end() :] if corrected else said
    text = _direct(statement(told))
    if not text or objection(text, addressed=True) or _ONCE.search(text):
        return None
    habit = next((row for row in HABITS if row.pattern.search(text)), None)
    if noted:
        name, kind, confidence = "note", "tribal", 0.9
    elif habit:
        name, kind, confidence = habit.name, habit.kind, habit.confidence
        if corrected:
            name, kind = "correction", "feedback"
    else:
        return None
    confidence += 0.1 * bool(_WHY.search(text)) + 0.05 * is_specific(text) - 0.2 * bool(_ASKING.match(text))
    return Finding(text, kind, confidence, f"person_{name}", sentence)


def _direct(text: str) -> str:
    """Say a rule as a rule: without politeness, and "let's use X" as the decision that it is."""
    text = _LETS.sub("Decision: ", text, count=1) if _LETS.match(text) else text
    shorter = _POLITE.sub("", text, count=1) if _POLITE.match(text) else text
    return shorter[:1].upper() + shorter[1:]
