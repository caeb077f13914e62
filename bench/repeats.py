"""What becomes of what the person said again and again: drawn for reading, and held against the labels.

    python bench/repeats.py SESSIONS_DIR [PROJECT …] [--labels bench/labels/repeats] [--words] [--json FILE]

Each project's sessions are imported into a new store, and the job that looks for repeats runs. Printed are
all memories that it made or raised, with the number of sessions, and for each labelled repeat that is
standing the memories that may say it: learned at one of its places, with the cosine of memory and label.
With NEAR or more it counts as held; below 0.8 that wants reading. --words: without vectors.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.app.jobs.post_capture import after_import
from recortex.cortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.embeddings.onnx import OnnxEmbedder
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.memory import Memory

NEAR = 0.5
_TELLING = 60
WAITS = ("active", "proposed")


def plain(text: str) -> str:
    """The beginning of a message, as it is compared."""
    return " ".join(text.split())[:_TELLING]


def labelled(path: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """The repeats of a project, each with the beginnings of the messages that say it."""
    said: dict[str, dict[int, str]] = {}
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if line["type"] != "repeat":
            continue
        for session, _ in line["at"]:
            if session not in said:
                said[session] = {one.ref: plain(one.text) for one in messages(folder / session)}
        sessions = {session for session, _ in line["at"]}
        yield {
            **line,
            "sessions": len(sessions),
            "texts": {said[s][ref] for s, ref in line["at"] if ref in said[s]},
        }


def learned(folder: Path, scratch: Path) -> list[tuple[Memory, set[str]]]:
    """All memories that a project's history leaves, with the beginnings of the messages they rest on."""
    (scratch / "project").mkdir()
    with Cortex.open(scratch / "project", url=f"sqlite:///{scratch}/store.db") as cortex:
        cortex.import_("any", str(folder), embed=False)
        began = time.monotonic()
        after_import(cortex._app)  # noqa: SLF001  as an import with vectors does
        print(f"  repeats: {time.monotonic() - began:.1f} s")
        found = []
        for services in cortex._app.all_services():  # noqa: SLF001
            store = services.store
            for memory in store.memories.find(MemoryQuery(statuses=())):
                places = [(memory.source.session, memory.source.turn), *memory.metadata.get("repeated", ())]
                said = store.exchange_search.beginning_at([(s, t) for s, t in places if t is not None])
                texts = {plain(one.message) for one in said.values()}
                found.append((memory, texts | {plain(memory.source.quote)}))
        return found


def rests_on(texts: set[str], label: dict[str, Any]) -> bool:
    """Whether one of the messages is one of the label's."""
    return any(
        one and (one[:40] in other or other[:40] in one) for one in texts for other in label["texts"] if other
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--labels", type=Path, default=Path(__file__).parent / "labels" / "repeats")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    embedder = OnnxEmbedder(threads=1)
    totals: Counter[str] = Counter()
    for project in options.projects or sorted(one.stem for one in options.labels.glob("*.jsonl")):
        print(f"\n##### {project}", flush=True)
        with tempfile.TemporaryDirectory() as scratch:
            memories = learned(options.sessions / project, Path(scratch))
        for memory, _ in memories:
            if "repeated" in memory.metadata:
                totals[f"{memory.status} by repetition"] += 1
                own = "" if memory.source.rule == "person_repeated" else f"  [{memory.source.rule}]"
                print(f"  {memory.status:9} {memory.evidence:2} sessions  {memory.text[:200]}{own}")
        alive = [one for one in memories if one[0].status in WAITS]
        labels = options.labels / f"{project}.jsonl"
        for label in labelled(labels, options.sessions / project) if labels.exists() else ():
            if not label["standing"]:
                continue
            few = "3 or more sessions" if label["sessions"] > 2 else "fewer sessions"
            totals[f"labels, {few}"] += 1
            near = [memory for memory, texts in alive if rests_on(texts, label)]
            vectors = embedder.embed([label["instruction"], *(one.text for one in near)])
            scores = np.asarray(vectors[1:] @ vectors[0]) if near else np.zeros(0)
            held = [(score, one) for score, one in zip(scores, near, strict=True) if score >= NEAR]
            status = (
                "active" if any(one.status == "active" for _, one in held) else "proposed" if held else ""
            )
            totals[f"held {status}, {few}"] += bool(status)
            print(f"  {status or '-':8} {label['sessions']:2}  {label['instruction'][:150]}")
            for score, one in sorted(held, key=lambda pair: -pair[0])[:2]:
                print(f"        {score:.2f} {one.status} {one.source.rule}: {one.text[:160]}")
    print(json.dumps(totals, indent=1))
    if options.json:
        options.json.write_text(json.dumps(totals, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
