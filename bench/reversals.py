"""Reversals: how surely a new statement that replaces a known one is told from one that does not.

    python bench/reversals.py [--half development|held-out|fresh] [--misses] [--json FILE]

Reads `bench/reversal_pairs.txt`, written for this bench. Pairs of each sign alternate between two halves:
rules are written while looking at the development half. A fresh set was written after the first look at
the other half. `--misses` prints what was judged wrongly. `fresh_prompts.py` does the same end to end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from half_report import report
from recortex.engines.supersession.detection import Outcome, find_supersession
from supersession_pairs import FRESH, HALVES, Pair, pairs

PAIRS = Path(__file__).with_name("reversal_pairs.txt")
HALVES_AND_FRESH = (*HALVES, FRESH)


def measure(chosen: list[Pair], *, misses: bool) -> dict[str, Any]:
    """Precision and recall of "replaces"; how many of the others are left to a person as a contradiction."""
    right = wrong = missed = doubted = 0
    for pair in chosen:
        found = find_supersession(pair.new, pair.known)
        replaced = found.outcome is Outcome.REPLACES
        right += replaced and pair.replaces
        wrong += replaced and not pair.replaces
        missed += pair.replaces and not replaced
        doubted += found.outcome is Outcome.CONTRADICTS and not pair.replaces
        if misses and replaced != pair.replaces:
            print(
                f"{'missed' if pair.replaces else 'WRONG '} [{found.outcome.value}, {found.evidence}] "
                f"{pair.known} | {pair.new}"
            )
    return {
        "pairs": len(chosen),
        "replacing": right + missed,
        "precision": round(right / (right + wrong), 3) if right + wrong else None,
        "recall": round(right / (right + missed), 3),
        "false": wrong,
        "false_contradictions": doubted,
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, pairs(PAIRS), HALVES_AND_FRESH, measure)


if __name__ == "__main__":
    main()
