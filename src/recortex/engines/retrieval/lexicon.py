"""Synonyms of developers: a question about "the database" is answered by what names PostgreSQL.

The small model of this package knows little of tool names (cosine 0.16 between "how do we hash passwords?"
and "Use bcrypt with 12 rounds"), so `synonyms.txt` lists them: general words, and the names that stand for
them in code and notes. It holds only words that nearly always mean the same thing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """The synonyms of each word, which is in the singular."""
    table = (Path(__file__).parent / "synonyms.txt").read_text(encoding="utf-8")
    rows = (row.split(" = ") for row in table.splitlines())
    return {word: tuple(synonyms.split()) for asked, synonyms in rows for word in asked.split()}


def synonyms_of(word: str) -> tuple[str, ...]:
    """The words that memories may have instead of a word of a question; empty if there are none."""
    synonyms = _synonyms()
    singular = word.removesuffix("s") if len(word) > 3 else word  # noqa: PLR2004  "css" is no plural
    return synonyms.get(word) or synonyms.get(singular, ())
