"""Documents: how quickly a folder is ingested, how quickly it is asked, and what is found.

    python bench/documents.py FOLDER [--chunks 1000] [--asked 200] [--embed] [--json FILE]
    python bench/documents.py FOLDER --questions FILE [--foreign FILE]

The first form ingests a copy of FOLDER twice, without vectors, then edits, renames and deletes some files and
ingests it again; tells the tokens of a second, and whether each run did what it should. Then so many chunks
get their vectors (all of them with --embed), the rest is taken out, and `frame` and `recall` are asked for
headings of the documents in one process, with the question's vector.

The second form asks questions. FILE has a line for each: path, first line, last line and question, parted by
tabs; a question is answered by a chunk that holds one of the lines. Lines of the second file are questions
(or end in one after a tab) that no document answers. The shares of the answers among the first places are
told for each recipe, and how many questions of both files are answered above the floor.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex import Cortex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.app.application import StoreServices
    from recortex.documents.operations import Ingested
    from recortex.domain.search import Document, Recipe

RECIPES: tuple[Recipe, ...] = ("hybrid", "keyword", "semantic", "frame")
PLACES = (1, 3, 5, 10)


@contextmanager
def opened(folder: Path, home: Path) -> Iterator[Cortex]:
    os.environ["RECORTEX_HOME"] = str(home)
    os.chdir(folder)
    with Cortex.open(url=f"sqlite:///{home}/documents.db") as cx:
        yield cx


def services_of(cx: Cortex) -> StoreServices:
    (services,) = cx._app.all_services()  # noqa: SLF001  the parts are no operations
    services.count_tokens("the vocabulary is loaded")
    return services


def told(name: str, found: Ingested, seconds: float, cpu: float) -> dict[str, Any]:
    figures = {
        "run": name,
        "added": len(found.added),
        "changed": len(found.changed),
        "renamed": len(found.renamed),
        "removed": len(found.removed),
        "unchanged": found.unchanged,
        "problems": len(found.problems),
        "tokens": found.tokens,
        "seconds": round(seconds, 2),
        "of the processor": round(cpu, 2),
        "tokens/s": round(found.tokens / seconds) if found.tokens else 0,
    }
    print(
        "  ".join(
            f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}"
            for key, value in figures.items()
        )
    )
    return figures


def ingested(cx: Cortex, name: str) -> dict[str, Any]:
    began, cpu = time.perf_counter(), time.process_time()
    found = cx.ingest(["."], embed=False)
    return told(name, found, time.perf_counter() - began, time.process_time() - cpu)


def changed(folder: Path) -> dict[str, int]:
    """Edits, renames and deletes every tenth, twentieth and thirtieth Markdown file."""
    files = sorted(path for path in folder.rglob("*.md") if not any(part[0] == "." for part in path.parts))
    counts = {"changed": 0, "renamed": 0, "removed": 0}
    for number, path in enumerate(files):
        if number % 30 == 2:
            path.unlink()
            counts["removed"] += 1
        elif number % 20 == 1:
            path.rename(path.with_name(f"renamed-{path.name}"))
            counts["renamed"] += 1
        elif number % 10 == 0:
            path.write_text(
                path.read_text("utf-8", "replace") + "\n\nOne more paragraph at the end.\n", "utf-8"
            )
            counts["changed"] += 1
    return counts


def speed(folder: Path, most: int, asked: int, *, embed: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        copy, home = Path(place) / "documents", Path(place) / "home"
        shutil.copytree(folder, copy, symlinks=True)
        home.mkdir()
        with opened(copy, home) as cx:
            runs = [ingested(cx, "first"), ingested(cx, "second")]
            expected = changed(copy)
            runs.append(ingested(cx, "after changes"))
            print("  expected", expected)
            runs.append(ingested(cx, "again"))
            times = frames(cx, most, asked, embed=embed)
            os.chdir("/")
    return {"runs": runs, **times}


def frames(cx: Cortex, most: int, asked: int, *, embed: bool) -> dict[str, Any]:
    """Milliseconds of a frame and a recall over so many chunks."""
    store = services_of(cx).store
    documents = list(store.documents.all())
    random.Random(1).shuffle(documents)
    gone: list[Document] = []
    for one in documents:
        kept = store.documents.count()[1] - sum(other.chunks for other in gone)
        if not embed and kept - one.chunks >= most:
            gone.append(one)
    with store.transaction():
        store.documents.delete([one.path for one in gone])
    began = time.perf_counter()
    made = cx.backfill()
    seconds = time.perf_counter() - began
    print(f"{store.documents.count()[1]:,} chunks; {made.chunks:,} vectors in {seconds:.0f} s")
    headings = [
        " ".join(chunk.headings[-2:])
        for one in store.documents.all()
        for chunk in store.documents.chunks_of(one.path)
        if chunk.headings
    ]
    questions = random.Random(2).sample(headings, min(asked, len(headings)))
    found: dict[str, Any] = {
        "chunks": store.documents.count()[1],
        "vectors/s": round(made.chunks / seconds, 1),
    }
    for name, ask in (("frame", cx.frame), ("recall", lambda one: cx.recall(one, among="documents"))):
        found[name] = timed(name, ask, questions)
    return found


def timed(name: str, ask: Callable[[str], Any], questions: Sequence[str]) -> dict[str, float]:
    ask("a first question loads the model")
    spent, cpu = [], []
    for one in questions:
        began, used = time.perf_counter(), time.process_time()
        ask(one)
        spent.append(1_000 * (time.perf_counter() - began))
        cpu.append(1_000 * (time.process_time() - used))
    figures = {}
    for of, values in (("", spent), (" of the processor", cpu)):
        figures[f"p50{of}"] = round(statistics.median(values), 1)
        figures[f"p95{of}"] = round(statistics.quantiles(values, n=20)[-1], 1)
    print(name, figures)
    return figures


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines() if line.strip()]


def quality(folder: Path, questions: Path, foreign: Path | None) -> dict[str, Any]:
    """What is found for questions with known answers."""
    asked, others = rows(questions), [row[-1] for row in rows(foreign)] if foreign else []
    with tempfile.TemporaryDirectory() as place, opened(folder, Path(place)) as cx:
        cx.ingest(["."])
        found: dict[str, Any] = {"chunks": services_of(cx).store.documents.count()[1]}
        for recipe in RECIPES:
            ranks = [rank(cx, row, recipe) for row in asked]
            shares = {f"first {most}": share(sum(one <= most for one in ranks), ranks) for most in PLACES}
            shares["MRR"] = share(sum(1 / one for one in ranks), ranks)
            shares["answered"] = share(sum(answered(cx, row[-1], recipe) for row in asked), asked)
            shares["foreign answered"] = share(sum(answered(cx, one, recipe) for one in others), others)
            print(recipe, shares)
            found[recipe] = shares
        os.chdir("/")
    return found


def rank(cx: Cortex, row: Sequence[str], recipe: Recipe) -> float:
    """The place of the first chunk that answers; infinite where none of the first ten does."""
    path, first, last, question = row
    hits = cx.recall(question, limit=PLACES[-1], among="documents", recipe=recipe, floor=False).documents
    for place, hit in enumerate(hits, 1):
        (chunk,) = services_of(cx).store.documents.chunks([hit.id])
        if chunk.path == path and chunk.first_line <= int(last) and chunk.last_line >= int(first):
            return place
    return float("inf")


def answered(cx: Cortex, question: str, recipe: Recipe) -> bool:
    return bool(cx.recall(question, among="documents", recipe=recipe).documents)


def share(count: float, of: Sequence[Any]) -> float:
    return round(100 * count / len(of), 1) if of else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=1_000)
    parser.add_argument("--asked", type=int, default=200)
    parser.add_argument("--embed", action="store_true")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--foreign", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    folder = given.folder.resolve()
    paths = [one and one.resolve() for one in (given.questions, given.foreign, given.json)]
    if paths[0]:
        found = quality(folder, paths[0], paths[1])
    else:
        found = speed(folder, given.chunks, given.asked, embed=given.embed)
    if paths[2]:
        paths[2].write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
