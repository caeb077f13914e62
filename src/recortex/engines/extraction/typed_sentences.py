"""Sentences as people type them: also split before small letters, without greeting and task.

"hey, we send mails with sendgrid. can you make a template?" holds one statement and one request.
"""

from __future__ import annotations

import re

from recortex.engines.extraction.sentences import sentences

_SMALL = re.compile(r"(?<=[\w`)\"'%][.!?])\s+(?=[a-z`])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|incl|no)|^\d{1,2})\.$", re.IGNORECASE)
_GREETING = re.compile(
    r"(?:(?:hey|hi|hello|morning|good morning|yo)(?: (?:there|again|claude|all))?|quick (?:one|note|"
    r"heads[- ]up|update)|(?:small |slight )?change of plans?|"
    r"(?:small |quick )?update|(?:new|short) (?:rule|info|decision)|one more thing|before you start|"
    r"first of all|(?:just )?so you know|just a note|heads[- ]up|for context|btw|by the way|fyi|"
    r"as (?:discussed|agreed)|good news|bad news|sorry|(?:i|we)(?:'ve| have)? changed my minds?|actually|"
    r"ok(?:ay)?|please note(?: that)?)(?:\s*[,.!:–—-]+\s*|\s+(?=(?:we|our|the)\b))",
    re.IGNORECASE,
)
_DOING = (
    r"(?:write|rewrite|add|make|create|update|set|change|delete|remove|get|fix|build|put|adapt|adjust|"
    r"implement|port|redo|rename|generate|convert|migrate|start|"
    r"look|see|check|follow|stick|apply|respect|show|give|help|review|run|do|go|clean|move|regenerate|"
    r"refactor|replace|wrap|document|keep (?:it|this|that)|use (?:it|this|that)|be)"
)
_REQUEST = re.compile(
    rf"(?:\s?[,;–—-]\s{{0,3}}|\s(?=so ))(?:(?:so|and|then|but|now)\s+){{0,3}}(?:"
    rf"(?:please|pls|plz|kindly) {_DOING}\b|(?:can|could|would|will) (?:you|we)\b|keep (?:that|this|"
    rf"it) in mind\b|{_DOING} (?:that|this|it|them|at|like this|accordingly)\b|"
    r"thanks|thank you|thx|ok\?|okay\?).*$",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"(?:,\s*|\s+(?=so ))(?:so |and so |and )?(?:please )?{_DOING}\b.*$", re.IGNORECASE)
_SO = re.compile(r", so ((?!please|can|could|you\b|it\b|that\b|this\b|i\b)(?:[\w'-]+ ){2}.+)", re.IGNORECASE)
_EXAMPLE = re.compile(
    r",?(?: please| pls)?(?: \((?:e\.g\.|[^()]*(?:and so on|etc))[^()]*\))?(?=[.!]?$)", re.IGNORECASE
)
_LEAST_WORDS = 3


def typed_sentences(text: str) -> list[str]:
    """The sentences of a typed passage: people seldom begin one with a capital."""
    found: list[str] = []
    for part in (small for whole in sentences(text) for small in _SMALL.split(whole)):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def without_greeting(said: str) -> str:
    """A sentence without what only opens the conversation."""
    for _ in range(3):
        shorter = _GREETING.sub("", said, count=1) if _GREETING.match(said) else said
        if shorter == said or not shorter:
            break
        said = shorter
    return said


_INSTEAD = re.compile(
    r"^(?:instead of|rather than) (?P<old>[^,]{2,60}?),? (?P<rest>(?:we|please|always|"
    r"use)\b[^.!]*)(?P<end>[.!]?)",
    re.IGNORECASE,
)


def _turned(found: re.Match[str]) -> str:
    """Say "instead of A we use B" as "we use B instead of A"."""
    return f"{found['rest']} instead of {found['old']}{found['end']}"


def readings(said: str) -> list[str]:
    """The readings of a sentence, the likeliest first: without a request, whole, without its consequence."""
    bare = _EXAMPLE.sub("", _INSTEAD.sub(_turned, without_greeting(said)))
    shorter = _cut(_REQUEST, bare)
    head = bare.split(", ", 1)[0]
    found = [shorter, bare, _cut(_TAIL, bare)]
    if consequence := _SO.search(shorter):
        found.append(consequence.group(1))
    if len(head.split()) > _LEAST_WORDS and not bare.endswith("?"):
        found.append(head)
    return list(dict.fromkeys(found))


def _cut(tail: re.Pattern[str], said: str) -> str:
    shorter = tail.sub("", said, count=1).rstrip(" ,;")
    return shorter if len(shorter.split()) >= _LEAST_WORDS else said
