"""Statements in other languages than English: which replace a known one, which only repeat it.

    python bench/language_pairs.py [--half development|held-out|fresh] [--misses] [--json FILE]

Reads `bench/language_pairs.txt`, written for this bench from knowledge of the languages. Of each sign in a
language every second pair was kept shut until the work was finished, and then looked at; the fresh ones were
written after that. One is a repetition only from a likeness of 0.4 on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from half_report import report
from recortex.engines.similarity.jaccard import SUGGESTED, jaccard
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.reading import Outcome, in_other_language, may_end, read_words
from recortex.engines.words import bag_of_words
from statement_pairs import FRESH, HALVES

PAIRS = Path(__file__).with_name("language_pairs.txt")
SIGNS = {"+": "replaced", "=": "repeated", "-": "neither"}


class Pair(NamedTuple):
    """A known statement and a new one, and what the new one does to it, by its sign."""

    language: str
    sign: str
    known: str
    new: str
    half: str


def pairs() -> list[Pair]:
    """All pairs of the file."""
    seen: Counter[tuple[str, str]] = Counter()
    found, language, fresh = [], "", False
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            fresh, language = line.startswith(f"## {FRESH} "), line.split()[-1]
        elif line.startswith(tuple(SIGNS)):
            sign, known, new = (part.strip() for part in line.split(" | "))
            half = FRESH if fresh else HALVES[seen[language, sign] % 2]
            found.append(Pair(language, sign, known, new, half))
            seen[language, sign] += 1
    return found


def judged(pair: Pair) -> str:
    """The sign that ingestion would give a pair."""
    new, known = bag_of_words(pair.new), bag_of_words(pair.known)
    if jaccard(new, known) >= SUGGESTED and is_near_duplicate(pair.new, pair.known):
        return "="
    if not (in_other_language(pair.known, pair.new) and may_end(pair.known, pair.new)):
        return "-"
    found = read_words(pair.known, pair.new)
    return "+" if found and found.outcome is Outcome.REPLACES else "-"


def measure(chosen: list[Pair], *, misses: bool) -> dict[str, dict[str, str]]:
    """How many of each sign are judged so, by language."""
    right: defaultdict[str, Counter[str]] = defaultdict(Counter)
    of: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pair in chosen:
        sign = judged(pair)
        of[pair.language][pair.sign] += 1
        right[pair.language][pair.sign] += sign == pair.sign
        if misses and sign != pair.sign:
            print(f"{pair.language} {pair.sign} taken for {sign}: {pair.known} | {pair.new}")
    return {
        language: {name: f"{right[language][sign]}/{counts[sign]}" for sign, name in SIGNS.items()}
        for language, counts in of.items()
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, pairs(), (*HALVES, FRESH), measure)


if __name__ == "__main__":
    main()
