"""By which words a new statement looks for known ones that may say the same, or the opposite."""

from __future__ import annotations

import re

from recortex.engines.indexing.words import STOP_WORDS

MOST = 7
"""Words that are looked up. With five, chosen by length alone, a change of mind that is told at length did not find what it
changes. The price: remember_many at 10,000 memories keeps 724 a second instead of about 860 (bench/latency.py)."""
READ = 2_000

_CODE = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"\w{2,}")
_NAMED = re.compile(r"\w*[a-z]\w*[A-Z]\w*|\b[A-Z]{2,}\w*|\w*\d\w*")


def probes(text: str) -> list[str]:
    """The words of a statement that say most about what it is about: names first, then the longest."""
    text = text[:READ]
    names = {word.lower() for code in _CODE.findall(text) for word in _WORD.findall(code)}
    names |= {name.lower() for name in _NAMED.findall(text) if len(name) > 1}
    found = {word.lower() for word in _WORD.findall(text)} - STOP_WORDS
    return sorted(found, key=lambda word: (word not in names, -len(word), word))[:MOST]
