"""What prompts bring to mind.

A relevant memory where there is one, and nothing for the everyday prompts of other projects.

The store holds the developer notes; relevant prompts are its questions, as they stand and inside a task;
irrelevant ones are its unanswerable questions and what people typed in real sessions of other projects.
Prints, with and without meaning and by the least chance that a memory must have, how many relevant prompts
got their memory, and how many irrelevant ones got any.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recortex import Cortex
from recortex.app.hooks.reminders import ASKED, chances
from recortex.app.wiring import hook_context
from recortex.engines.relevance_gate import LEAST
from recortex.errors import FormatError
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from recortex.app.hooks import HookContext

NOTES = Path(__file__).with_name("developer_notes.json")
CHANCES = (0.1, 0.2, 0.25, 0.35, 0.4, 0.5)
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


def best(context: HookContext, prompt: str, gold: list[str]) -> tuple[float, float]:
    """The highest chance of any of the first memories, and that of the gold ones among them; 0 for none."""
    found = sorted(chances(context, prompt[:ASKED]), key=lambda one: -one[1])
    first = found[: context.settings["hooks.prompt_limit"]]
    right = [chance for memory, chance in first if memory.metadata.get("note") in gold]
    return max((chance for _, chance in first), default=0.0), max(right, default=0.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=400, help="real prompts to try")
    parser.add_argument(
        "--show", action="store_true", help="print irrelevant prompts that are given anything"
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
        for way, ready in (("words, meaning", True), ("words", False)):
            app = cortex._app  # noqa: SLF001  what the hooks are given
            context = replace(hook_context(Path(folder), app=app), ready=partial(bool, ready))
            asked = [(task.format(one["query"]), one["gold"]) for one in notes["questions"] for task in TASKS]
            right = [best(context, prompt, gold)[1] for prompt, gold in asked]
            wrong = [best(context, prompt, [])[0] for prompt in notes["unanswerable"]]
            other = [best(context, prompt, [])[0] for prompt in real]
            print(
                f"{way}: {len(right)} relevant, {len(wrong)} unanswerable, "
                f"{len(other)} real prompts of others; {LEAST} is what is given"
            )
            for least in sorted({*CHANCES, LEAST}):
                print(
                    f"  chance >= {least:.2f}: relevant {share(right, least):5.1%}  "
                    f"unanswerable {share(wrong, least):5.1%}  others {share(other, least):5.1%}"
                )
            if options.show:
                for chance, prompt in zip(other, real, strict=True):
                    if chance >= LEAST:
                        print(f"    {chance:.2f} {' '.join(prompt.split())[:140]}")


def share(scores: list[float], least: float) -> float:
    """How many reach the least score."""
    return sum(score >= least for score in scores) / max(len(scores), 1)


if __name__ == "__main__":
    main()
