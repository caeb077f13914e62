"""How alike pairs of extracted statements are by words (Jaccard) and by meaning (cosine).

The ground of the thresholds
in engines/similarity/jaccard.py. Statements come from the sessions in
$RECORTEX_BENCH_DATA/transcripts.

    RECORTEX_BENCH_DATA=DIR python bench/likeness.py [--show N] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
from pathlib import Path

import numpy as np

from recortex import Cortex
from recortex.domain.vocabulary import Status
from recortex.embeddings.onnx import OnnxEmbedder
from recortex.engines.indexing.document import embedded_text
from recortex.engines.similarity.jaccard import jaccard
from recortex.engines.words import bag_of_words

PERCENTILES = (5, 25, 50, 75, 95)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--show", type=int, default=0, help="print so many pairs of each band, most alike first"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Cortex.open(url=f"sqlite:///{folder}/likeness.db") as cx:
        cx.import_("any", str(Path(os.environ["RECORTEX_BENCH_DATA"]) / "transcripts"), embed=False)
        memories = cx.list(limit=1000, statuses=[Status.ACTIVE, Status.PROPOSED]).memories
    vectors = OnnxEmbedder(threads=2).embed([embedded_text(memory) for memory in memories])
    cosines = vectors @ vectors.T
    words = [bag_of_words(memory.text) for memory in memories]
    bands: dict[float, list[tuple[float, int, int]]] = {}
    for a, b in itertools.combinations(range(len(memories)), 2):
        bands.setdefault(int(10 * jaccard(words[a], words[b])) / 10, []).append((float(cosines[a, b]), a, b))
    print(
        f"| Jaccard from | pairs | {' | '.join(f'cosine p{p}' for p in PERCENTILES)} |\n|---"
        + "|---" * 6
        + "|"
    )
    rows = []
    for band in sorted(bands):
        spread = [
            round(float(value), 2) for value in np.percentile([pair[0] for pair in bands[band]], PERCENTILES)
        ]
        rows.append(
            {
                "jaccard": band,
                "pairs": len(bands[band]),
                "cosine": dict(zip(PERCENTILES, spread, strict=True)),
            }
        )
        print(f"| {band} | {len(bands[band])} | {' | '.join(map(str, spread))} |")
        for cosine, a, b in sorted(bands[band], reverse=True)[: options.show]:
            print(f"    {cosine:.2f} {memories[a].text[:90]!r} ~ {memories[b].text[:90]!r}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
