"""Splits sentences as people type them: also before small letters, without greeting and request.

"hey, we send mails with sendgrid. can you make a template?" holds one statement and one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.extraction.polarity import goes_on, hangs, keeps
from recortex.engines.extraction.sentences import sentences
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    import re

PATTERNS = Patterns(__file__)

_LEAST_WORDS = 3


def typed_sentences(text: str) -> list[str]:
    """The sentences of a typed passage, of which few begin with a capital.

    What only limits the one before belongs to it: "Never push to main. Unless I say so."
    """
    found: list[str] = []
    for part in (small for whole in sentences(text) for small in PATTERNS.small.split(whole)):
        if found and (PATTERNS.abbreviated.search(found[-1]) or goes_on(part)):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def without_greeting(said: str) -> str:
    """A sentence without the words that only open the conversation."""
    for _ in range(3):
        shorter = PATTERNS.greeting.sub("", said, count=1) if PATTERNS.greeting.match(said) else said
        if shorter == said or not shorter:
            break
        said = shorter
    return said


def _turned(found: re.Match[str]) -> str:
    """Reword "instead of A we use B" as "we use B instead of A"."""
    return f"{found['rest']} instead of {found['old']}{found['end']}"


def readings(said: str) -> list[str]:
    """The readings of a sentence, the likeliest first: without a request, whole, without its consequence."""
    bare = PATTERNS.example.sub("", PATTERNS.instead.sub(_turned, without_greeting(said)))
    shorter = _cut(PATTERNS.request, bare)
    head = bare.split(", ", 1)[0]
    found = [shorter, bare, _cut(PATTERNS.tail, bare)]
    if consequence := PATTERNS.so.search(shorter):
        found.append(consequence.group(1))
    if len(head.split()) > _LEAST_WORDS and not bare.endswith("?"):
        found.append(head)
    whole = [one for one in found if keeps(bare, one) and (one == bare or not hangs(one))]
    return list(dict.fromkeys(whole))


def _cut(tail: re.Pattern[str], said: str) -> str:
    shorter = tail.sub("", said, count=1).rstrip(" ,;")
    return shorter if len(shorter.split()) >= _LEAST_WORDS else said
