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
    (
        re.compile(
            r"\bits (?=(?!own\b)(?:always|never|not|only|a|an|the|now|rest|banned|forbidden|important)\b)"
        ),
        "it's ",
    ),
    (re.compile(r"\b(?:ya|yall)\b"), "you"),
    (re.compile(r"\bill (?=\w+ (?:it|this|that|them)\b)"), "I'll "),
    (re.compile(r"\b(he|she|who|how|where)s\b(?= (?:the|a|it|that|this)\b)", re.IGNORECASE), r"\1's"),
    (re.compile(r"\baint\b", re.IGNORECASE), "ain't"),
    (re.compile(r"\b(?:alot)\b"), "a lot"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bgotta\b"), "have to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\boutta\b"), "out of"),
    (re.compile(r"\blemme\b"), "let me"),
    (re.compile(r"\bem\b"), "them"),
    (re.compile(r"\bthru\b"), "through"),
    (re.compile(r"\b(?:b4)\b"), "before"),
    (re.compile(r"\b(?:thx|tnx)\b"), "thanks"),
    (re.compile(r"\bw/o(?!\w)"), "without"),
    (re.compile(r"\bw/(?= ?[a-z])(?!\w+/)"), "with "),
)


def spelled_out(text: str) -> str:
    """A text with the usual shortcuts of typing written out."""
    for typed, meant in _TYPED:
        text = typed.sub(meant, text)
    return text
