"""The words by which known statements are looked up that may say the same as a new one, or the opposite."""

from __future__ import annotations

import re

from recortex.engines.words import LONGER, STOP_WORDS, tokens

MOST = 7
"""Words that are looked up. With five, chosen by length alone, a long statement of a change did not find what
it changes. The price: remember_many at 10,000 memories keeps 724 a second instead of about 860
(bench/latency.py)."""
READ = 2_000
"""Characters of a statement that are read."""

_CODE = re.compile(r"`([^`\n]{1,200})`")
# For single words only: searching a whole text would take the cube of the length of a long word.
_NAMED = re.compile(r"[^a-z]*[a-z][^A-Z]*[A-Z]|[A-Z]{2}|\D*\d")


def query_terms(text: str) -> list[str]:
    """The most telling words of a statement: names first, then the longest."""
    text = text[:READ]
    names = {word for code in _CODE.findall(text) for word in tokens(code, LONGER)}
    words = set(tokens(text, LONGER, lower=False))
    names |= {word.lower() for word in words if _NAMED.match(word)}
    found = {word.lower() for word in words} - STOP_WORDS
    return sorted(found, key=lambda word: (word not in names, -len(word), word))[:MOST]
