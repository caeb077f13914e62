"""Frameworks and object mappers found in clones of public projects, against what they are known to use.

    python bench/detection.py FOLDER [--json FILE]
    python bench/detection.py FOLDER --draw 50 --seed 16
    python bench/detection.py FOLDER --labels FILE

The folder holds clones named `owner+name` or `name`; those of `detection.toml` that are missing are left out
and counted. With `--draw` conventions of all clones are drawn at random, and as many findings, to be read
against the code. With `--labels` those that a reader judged, one in a line as {"project", "id", "right"},
are counted by trait: of those that are told, and of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from recortex.app.kept_patterns import findings
from recortex.codebase.manifests import ecosystem_of, read_manifest
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.working_tree import VENDORED
from recortex.engines.code.conventions.counting import Counted
from recortex.engines.code.detection.detecting import detect
from recortex.engines.code.sources import Sources

EXPECTED = Path(__file__).with_suffix(".toml")


def read(root: Path) -> Sources:
    """Facts and manifests of a clone."""
    facts, manifests, paths = {}, [], []
    for base, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - VENDORED - {".git"})
        for name in sorted(names):
            path = Path(base, name)
            place = path.relative_to(root).as_posix()
            paths.append(place)
            if not path.is_file():
                continue
            data = path.read_bytes()
            if ecosystem_of(place):
                manifests.append(read_manifest(place, data.decode("utf-8", "replace")))
            if (found := read_facts(place, data)) is not None:
                facts[place] = found
    return Sources(facts, [one for one in manifests if one is not None], paths)


def clone_of(folder: Path, name: str) -> Path | None:
    """Where a project is in the folder."""
    candidates = (folder / name.replace("/", "+"), folder / name.partition("/")[2])
    return next((one for one in candidates if one.is_dir()), None)


def judged(folder: Path, rows: dict[str, list[str]]) -> dict[str, Any]:
    """Counts of libraries that are found rightly, wrongly, and not at all."""
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    without, missing, notes = 0, 0, []
    for name, uses in rows.items():
        clone = clone_of(folder, name)
        if clone is None:
            missing += 1
            continue
        found = {one.name for one in detect(read(clone)).found if one.kind != "practice"}
        without += not uses
        right.update(found & set(uses))
        wrong.update(found - set(uses))
        missed.update(set(uses) - found)
        notes += [f"{name}: {one} is wrong" for one in sorted(found - set(uses))]
        notes += [f"{name}: {one} is missed" for one in sorted(set(uses) - found)]
    total = sum(right.values())
    return {
        "libraries": {
            one: {"right": right[one], "wrong": wrong[one], "missed": missed[one]}
            for one in sorted(right | wrong | missed)
        },
        "precision": total / max(total + sum(wrong.values()), 1),
        "recall": total / max(total + sum(missed.values()), 1),
        "projects": len(rows) - missing,
        "without any": without,
        "not there": missing,
        "notes": notes,
    }


def show(title: str, result: dict[str, Any]) -> None:
    """A table of one set."""
    print(
        f"\n{title}: {result['projects']} projects, {result['without any']} of them without any library;",
        end="",
    )
    print(f" {result['not there']} are not in the folder")
    for name, row in result["libraries"].items():
        print(f"  {name:20} {row['right']:3} right {row['wrong']:3} wrong {row['missed']:3} missed")
    print(f"  precision {result['precision']:.3f}, recall {result['recall']:.3f}")
    print("".join(f"  {note}\n" for note in result["notes"]), end="")


def draw(folder: Path, number: int, seed: int) -> None:
    """Conventions and findings of the clones, drawn at random; conventions with their rank."""
    written, told = [], []
    for root in sorted(one for one in folder.iterdir() if one.is_dir()):
        project = read(root)
        used = detect(project)
        found, seen = Counted(project, used).conventions(), findings(used, project)
        print(f"{root.name}: {len(found)} conventions, {len(seen)} findings")
        written += [f"{root.name} #{rank}: {one.statement}" for rank, one in enumerate(found, 1)]
        told += [f"{root.name}: {one.analysis}: {one.text} {one.place.path}:{one.place.line}" for one in seen]
    for rows in (written, told):
        print(*sorted(random.Random(seed).sample(rows, min(number, len(rows)))), sep="\n")


def by_trait(folder: Path, rows: list[dict[str, Any]]) -> None:
    """How many judged conventions are right, by trait: of those that are told, and of the others."""
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for name in sorted({row["project"] for row in rows}):
        clone = clone_of(folder, name)
        if clone is None:
            print(f"{name} is not in the folder")
            continue
        project = read(clone)
        counted = Counted(project, detect(project))
        told = {one.id for one in counted.conventions()}
        traits = {one.id: one.trait for one in counted.conventions(every=True)}
        for row in (row for row in rows if row["project"] == name and row["id"] in traits):
            counts[traits[row["id"]], row["id"] in told, row["right"]] += 1
    for trait in sorted({key[0] for key in counts}):
        rights = [(counts[trait, told, True], counts[trait, told, False]) for told in (True, False)]
        said = [f"{right} of {right + wrong}" for right, wrong in rights]
        print(f"{trait:10} told {said[0]:12} others {said[1]}")


def main() -> None:
    """Read the arguments, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.draw:
        draw(given.folder, given.draw, given.seed)
        return
    if given.labels:
        lines = given.labels.read_text(encoding="utf-8").splitlines()
        by_trait(given.folder, [json.loads(line) for line in lines])
        return
    sets = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))
    results = {title: judged(given.folder, rows) for title, rows in sets.items()}
    for title, result in results.items():
        show(title, result)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
