"""The words by which known statements are looked up that may say the same as a new one, or the opposite."""

from __future__ import annotations

import re
from itertools import islice

from recortex.engines.languages import function_words, question_pairs
from recortex.engines.scripts import without_cjk
from recortex.engines.words import LONGER, tokens

MOST = 7
"""Words that are looked up. With five, chosen by length alone, a long statement of a change did not find what
it changes. The price: remember_many at 10,000 memories keeps 724 a second instead of about 860
(bench/latency.py)."""
MOST_PAIRS = 24
"""Pairs of CJK characters that are looked up besides: a statement has about so many."""
READ = 2_000
"""Characters of a statement that are read."""

_CODE = re.compile(r"`([^`\n]{1,200})`")
# For single words only: searching a whole text would take the cube of the length of a long word.
_NAMED = re.compile(r"[^a-z]*[a-z][^A-Z]*[A-Z]|[A-Z]{2}|\D*\d")


def query_terms(text: str) -> list[str]:
    """The most telling words of a statement: names first, then the longest; then pairs of CJK characters."""
    text = text[:READ]
    told = without_cjk(text)
    names = {word for code in _CODE.findall(text) for word in tokens(code, LONGER)}
    words = set(tokens(told, LONGER, lower=False))
    names |= {word.lower() for word in words if _NAMED.match(word)}
    found = {word.lower() for word in words} - function_words(told)
    plain = sorted(found, key=lambda word: (word not in names, -len(word), word))[:MOST]
    return [*plain, *islice(dict.fromkeys(question_pairs(text)), MOST_PAIRS)]
