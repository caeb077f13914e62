"""Words that people type in haste, written out, so that rules know them: "dont", "thats", "u"."""

from __future__ import annotations

import re

_TYPED = (
    (
        re.compile(
            r"\b(do|did|does|is|are|was|were|wo|ca|could|should|would|have|has|had|must)nt\b", re.IGNORECASE
        ),
        r"\1n't",
    ),
    (re.compile(r"\b(that|what|there|here|let)s\b(?= (?!\w+s\b))", re.IGNORECASE), r"\1's"),
    (re.compile(r"\b(you|they)re\b", re.IGNORECASE), r"\1're"),
    (re.compile(r"\b(you|we|they)ve\b", re.IGNORECASE), r"\1've"),
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bu\b"), "you"),
    (re.compile(r"\bur\b"), "your"),
    (re.compile(r"\b(?:pls|plz)\b"), "please"),
    (re.compile(r"\b(?:coz|cuz|bc)\b"), "because"),
    (re.compile(r"\brn\b"), "right now"),
)


def spelled_out(text: str) -> str:
    """A text with the usual shortcuts of typing written out."""
    for typed, meant in _TYPED:
        text = typed.sub(meant, text)
    return text
