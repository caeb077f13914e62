"""Reversals: how surely a new statement that replaces a known one is told from one that does not.

    python bench/reversals.py [--half development|held-out|fresh] [--misses] [--end-to-end] [--json FILE]

Reads `bench/reversal_pairs.txt`, written for this bench. Pairs of each sign alternate between two halves:
rules are written while looking at the development half. A fresh set was written after the first look at
the other half. `--misses` prints what was judged wrongly.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import fresh_prompts
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--half", choices=HALVES_AND_FRESH)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--end-to-end", action="store_true", help="also whole prompts, through a real store")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    halves = [options.half] if options.half else HALVES_AND_FRESH
    figures = {
        half: measure([one for one in pairs(PAIRS) if one.half == half], misses=options.misses)
        for half in halves
    }
    if options.end_to_end:
        figures["end to end"] = fresh_prompts.both(list(fresh_prompts.HALVES), misses=options.misses)
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
