"""Both true: how surely a statement about another thing leaves a known one alone.

Also how surely a new value of the same thing replaces the known one.

    python bench/both_true.py [--half development|held-out] [--misses] [--json FILE]

Reads `bench/both_true_pairs.txt`, written before the rules: issues, ports, lines, languages, files,
versions and names that differ in what is spoken of, and reversals that differ in what is said of it. Pairs
of each sign alternate between two halves. A pair counts as confused where the new statement would replace
the known one or be taken as the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from half_report import report
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.detection import Outcome, find_supersession, is_near
from recortex.engines.words import bag_of_words
from supersession_pairs import HALVES, Pair, pairs

PAIRS = Path(__file__).with_name("both_true_pairs.txt")


def fate(pair: Pair) -> str:
    """What would become of the known statement: replaced, merged, doubted or kept."""
    if is_near_duplicate(pair.new, pair.known):
        return "merged"
    near = is_near(bag_of_words(pair.new), bag_of_words(pair.known))
    outcome = find_supersession(pair.new, pair.known).outcome if near else Outcome.NOTHING
    return {Outcome.REPLACES: "replaced", Outcome.CONTRADICTS: "doubted", Outcome.NOTHING: "kept"}[outcome]


def measure(chosen: list[Pair], *, misses: bool) -> dict[str, Any]:
    """How many of the pairs that are both true are confused, and how many reversals are found."""
    fates = [(one, fate(one)) for one in chosen]
    if misses:
        for one, what in fates:
            if (what == "replaced") != one.replaces:
                print(f"[{what}] {'+' if one.replaces else '-'} {one.known} | {one.new}")
    true = [what for one, what in fates if not one.replaces]
    reversed_ = [what for one, what in fates if one.replaces]
    return {
        "both true": len(true),
        "confused": sum(what in {"replaced", "merged"} for what in true),
        "doubted": true.count("doubted"),
        "reversals": len(reversed_),
        "found": reversed_.count("replaced"),
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, pairs(PAIRS), HALVES, measure)


if __name__ == "__main__":
    main()
