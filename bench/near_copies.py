"""Near-copies in an answer: which pairs of statements are folded, and which stand side by side.

    python bench/near_copies.py [--half development|held-out] [--misses] [--json FILE]

Reads `bench/near_copies.txt`: pairs that say the same, and pairs that use much the same words and do not. The
pairs of `both_true_pairs.txt` and `reversal_pairs.txt`, of which none says the same, count as the latter too.
Pairs of each sign alternate between two halves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from half_report import report
from recortex.engines.consolidation.copies import alike
from statement_pairs import HALVES, Pair, pairs

HERE = Path(__file__).parent
COPY = "="


def copies() -> list[Pair]:
    """The pairs of `near_copies.txt`; of one that says the same, `replaces` is true."""
    seen = {COPY: 0, "!": 0}
    found = []
    for line in (HERE / "near_copies.txt").read_text(encoding="utf-8").splitlines():
        if line[:1] in seen:
            sign, known, new = (part.strip() for part in line.split(" | "))
            found.append(Pair(known, new, sign == COPY, HALVES[seen[sign] % 2]))
            seen[sign] += 1
    return found


def others() -> list[Pair]:
    """Pairs that were written for other benches; none says the same."""
    found = [one for name in ("both_true_pairs.txt", "reversal_pairs.txt") for one in pairs(HERE / name)]
    return [one._replace(replaces=False) for one in found]


def measure(chosen: list[Pair], *, misses: bool) -> dict[str, Any]:
    """How many copies are found, and how many other pairs are wrongly folded."""
    judged = [(one, alike(one.known, one.new)) for one in chosen]
    if misses:
        for one, folded in judged:
            if folded != one.replaces:
                print(f"[{'folded' if folded else 'apart'}] {one.known} | {one.new}")
    return {
        "copies": sum(one.replaces for one, _ in judged),
        "folded": sum(one.replaces and folded for one, folded in judged),
        "others": sum(not one.replaces for one, _ in judged),
        "wrongly folded": sum(folded and not one.replaces for one, folded in judged),
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, [*copies(), *others()], HALVES, measure)


if __name__ == "__main__":
    main()
