"""The command line of benches whose cases are in two halves: development and held back."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Measure = Callable[..., dict[str, Any]]


def report(about: str | None, cases: Sequence[Any], halves: Sequence[str], measure: Measure) -> None:
    """Print the figures of each half, and write them with `--json`.

    Args:
        about: the docstring of the bench.
        cases: all cases; each has its `half`.
        halves: the names of the halves.
        measure: from the cases of a half, and `misses`: whether to print what went wrong.
    """
    parser = argparse.ArgumentParser(description=(about or "").split("\n", 1)[0])
    parser.add_argument("--half", choices=halves)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = {
        half: measure([one for one in cases if one.half == half], misses=options.misses)
        for half in ([options.half] if options.half else halves)
    }
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
