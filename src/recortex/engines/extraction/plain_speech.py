"""Careless English as plain English: what people type in haste or anger, say to a machine, or abbreviate.

Nothing that a rule could depend on is taken away: words of address, excitement and politeness, a spoken
"comma", and shortcuts of typing. What remains is read by the rules and by the table of durable statements.
"""

from __future__ import annotations

from recortex.engines.extraction.sentences import plain
from recortex.engines.extraction.spelling import spelled_out
from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)
_SPOKEN = {"comma": ",", "period": ".", "full stop": ".", "colon": ":", "exclamation mark": "!"}
_SHOUTED = 3
"""Words in capitals from which a sentence is shouted, not made of names."""
_FEWEST = 2
_ROUNDS = 6


def plain_speech(said: str) -> str:
    """A typed or dictated sentence in plain words; its own where nothing else would be left."""
    text = _quiet(spelled_out(plain(said)))
    text = PATTERNS.spoken.sub(lambda found: _SPOKEN[found[1].lower()] + (found[2] or ""), text)
    text = PATTERNS.stutter.sub(r"\1", PATTERNS.murmur.sub(" ", text))
    text = " ".join(PATTERNS.loose.sub("", PATTERNS.repeated.sub(r"\1", text)).split())
    for _ in range(_ROUNDS):
        shorter = PATTERNS.ending.sub("", PATTERNS.opening.sub("", text, count=1), count=1).strip(" ,;-–—")
        if shorter == text or len(shorter.split()) < _FEWEST:
            break
        text = shorter
    return text


def unasked(said: str) -> tuple[str, bool]:
    """What a polite wish in plain speech wishes for, and whether that is worded as an order.

    "Would you please never commit?" wishes "never commit"; "it would be nice if you never edited it" wishes
    "never edited it", which is no order.
    """
    found = PATTERNS.wish.match(said)
    if found is None:
        return said, True
    past = (found["past"] and not found["modal"]) or (found["past_2"] and not found["modal_2"])
    rest = said[found.end() :].rstrip("? ")
    denied = PATTERNS.did_not.sub("don't", rest)
    return plain_speech(denied), not past or denied != rest


def _quiet(text: str) -> str:
    """A shouted sentence in small letters."""
    letters = [letter for letter in text if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    shouted = len(text.split()) >= _SHOUTED and capitals > 0.8 * len(letters)
    return text.lower() if shouted else text
