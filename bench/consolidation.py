"""How many clusters of statements are merged that say the same, and how many that only look so.

    python bench/consolidation.py CLUSTERS.jsonl [--misses]

Each line of CLUSTERS has a `label` (merge or apart), a `type`, and `statements`, each with its `text`. The
statements of a cluster are remembered, and consolidation is asked what it would do. A cluster that is to be
merged counts as merged where one group has all of its statements, another one where a group has two.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any


def judged(cluster: dict[str, Any], folder: Path) -> tuple[str, str]:
    """What becomes of a cluster: "strengthened", "updated" or "created", or nothing, and then why."""
    from recortex import Cortex

    with Cortex.open(folder, url=f"sqlite:///{folder / 'store.db'}") as cortex:
        texts = dict.fromkeys(one["text"] for one in cluster["statements"])
        cortex.remember_many([{"text": text, "kind": "insight"} for text in texts], link=False)
        plan = cortex.consolidate("plan")
    done = [one for one in plan.groups if not one.refused]
    whole = cluster["label"] == "apart" or any(len(one.sources) == len(texts) for one in done)
    return (
        done[0].result if done and whole else "",
        "; ".join([*(one.refused for one in plan.groups), *(pair.why for pair in plan.apart)]),
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("clusters", type=Path)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    lines = options.clusters.read_text(encoding="utf-8").splitlines()
    counts, merged = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.setdefault("RECORTEX_HOME", str(Path(temporary) / "home"))
        for number, cluster in enumerate(map(json.loads, lines)):
            (folder := Path(temporary) / str(number)).mkdir()
            result, why = judged(cluster, folder)
            for kind in filter(None, (cluster["type"], "all", result)):
                counts[cluster["label"], kind] += 1
                merged[cluster["label"], kind] += bool(result)
            if options.misses and bool(result) != (cluster["label"] == "merge"):
                print(f"\n{cluster['label']} ({cluster['type']}), {why}")
                print("\n".join(f"  {one['text']}" for one in cluster["statements"]))
    for label, kind in sorted(counts):
        print(f"{label:<6} {kind:<12} {merged[label, kind]:3} merged of {counts[label, kind]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
