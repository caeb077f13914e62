"""What prompts bring to mind.

A relevant memory where there is one, and nothing for the everyday prompts of other projects.

The store holds the developer notes; relevant prompts are its questions, as they stand and inside a task;
irrelevant ones are its unanswerable questions and what people typed in real sessions of other projects.
Prints, by recipe and by the least score that a hit must have, how many relevant prompts got their memory,
and how many irrelevant ones got any.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from recortex import Cortex
from recortex.engines.sessions.relevance_gate import is_relevant
from recortex.errors import FormatError
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from recortex.domain.hit import Recipe

RECIPES: tuple[Recipe, ...] = ("hybrid", "keyword")
NOTES = Path(__file__).with_name("developer_notes.json")
SCORES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
TASKS = ("{}", "before we start: {} then go on with the ticket", "I need to change this part. {}")


def typed(folder: Path, most: int) -> list[str]:
    """What people typed in the given sessions, each prompt once."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.jsonl")):
        try:
            for turn in open_transcript(path):
                if turn.role == "user" and not turn.sidechain and 3 < len(turn.text) < 2_000:
                    found[turn.text] = None
        except FormatError:  # no transcript: not what is measured here
            continue
    prompts = list(found)
    return prompts[:: max(1, len(prompts) // most)][:most]


def best(cortex: Cortex, prompt: str, recipe: Recipe, gold: list[str], *, rule: bool) -> tuple[float, float]:
    """The highest score of any of the first three hits, and that of the gold ones among them; 0 for none."""
    found = cortex.recall(prompt[:2_000], limit=3, recipe=recipe).hits
    hits = [
        hit
        for hit in found
        if not rule or is_relevant(prompt, hit.memory, hit.score, hit.signals.get("semantic", 0.0))
    ]
    right = [hit.score for hit in hits if hit.memory.metadata.get("note") in gold]
    return max((hit.score for hit in hits), default=0.0), max(right, default=0.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=400, help="real prompts to try")
    parser.add_argument(
        "--show", type=float, default=0.0, help="print irrelevant prompts whose hit has this score"
    )
    options = parser.parse_args()
    notes = json.loads(NOTES.read_text(encoding="utf-8"))
    real = typed(Path(os.environ["RECORTEX_BENCH_DATA"]) / "transcripts", options.most)
    with (
        tempfile.TemporaryDirectory() as folder,
        Cortex.open(folder, url=f"sqlite:///{folder}/x.db") as cortex,
    ):
        for one in notes["memories"]:
            cortex.remember(
                one["text"],
                kind=one["kind"],
                files=one.get("files", ()),
                tags=one.get("tags", ()),
                metadata={"note": one["id"]},
            )
        for recipe, rule in product(RECIPES, (False, True)):
            asked = [(task.format(one["query"]), one["gold"]) for one in notes["questions"] for task in TASKS]
            right = [best(cortex, prompt, recipe, gold, rule=rule)[1] for prompt, gold in asked]
            wrong = [best(cortex, prompt, recipe, [], rule=rule)[0] for prompt in notes["unanswerable"]]
            other = [best(cortex, prompt, recipe, [], rule=rule)[0] for prompt in real]
            print(
                f"{recipe}{' with the rule' if rule else ''}: {len(right)} relevant, "
                f"{len(wrong)} unanswerable, {len(other)} real prompts of others"
            )
            for least in SCORES:
                print(
                    f"  score >= {least:.2f}: relevant {share(right, least):5.1%}  "
                    f"unanswerable {share(wrong, least):5.1%}  others {share(other, least):5.1%}"
                )
            if options.show:
                for score, prompt in zip(other, real, strict=True):
                    if score >= options.show:
                        print(f"    {score:.2f} {' '.join(prompt.split())[:140]}")


def share(scores: list[float], least: float) -> float:
    """How many reach the least score."""
    return sum(score >= least for score in scores) / max(len(scores), 1)


if __name__ == "__main__":
    main()
