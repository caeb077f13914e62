"""Resolved calls, judged by what each language's own tools say a call means.

    python bench/code_calls.py draw LANGUAGE CLONE … --number 300 [--seed 1] > edges.jsonl
    python bench/code_calls.py judge LANGUAGE edges.jsonl --by COMMAND [--show 20]

`draw` writes edges from calls to definitions of the project that are `resolved`, each with the text of the
call's line and of the definition's. `judge` asks another: a program of bench/code_tools that answers lines
`path, line, name` (`Facts.cs`, `Calls.java`, `facts.go`, `calls.js`), or a language server for
`--server COMMAND` (Python, PHP, C, C++). An edge is right where the other goes to the same definition, or to
a declaration of it; what it does not know, and what it finds elsewhere, a reader decides: both are printed.
A reader's verdicts are lines `number<TAB>right|wrong|…` of `--read FILE`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from code_server import Server
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.working_tree import LARGEST, visits
from recortex.engines.code.project import Project, family_of
from recortex.engines.code.resolution import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.code_facts import FileFacts

NEAR = 8
"""Lines between a definition's first line and its name: decorators, attributes, a return type."""

Edge = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=["draw", "judge"])
    parser.add_argument("language")
    parser.add_argument("given", type=Path, nargs="+")
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--by", default="")
    parser.add_argument("--server", default="")
    parser.add_argument("--wait", type=float, default=5, help="seconds for a server to read all files")
    parser.add_argument("--settings", default="{}", help="JSON that a server gets for its settings")
    parser.add_argument("--open", default="", help="a pattern of files that a server is shown before")
    parser.add_argument("--read", type=Path)
    parser.add_argument("--show", type=int, default=1000)
    given = parser.parse_args()
    if given.task == "draw":
        for edge in drawn(given.language, given.given, given.number, given.seed):
            print(json.dumps(edge))
        return
    edges = [json.loads(line) for line in given.given[0].read_text(encoding="utf-8").splitlines()]
    judge(edges, given)


# -- drawing


def drawn(language: str, clones: list[Path], number: int, seed: int) -> list[Edge]:
    """As many edges of each clone; where one has fewer, the others have more."""
    draw = random.Random(seed)
    pools = [sorted(edges_of(clone, language), key=json.dumps) for clone in clones]
    for pool in pools:
        draw.shuffle(pool)
    print(*(f"{clone.name}: {len(pool)}" for clone, pool in zip(clones, pools, strict=True)), file=sys.stderr)
    found: list[Edge] = []
    while len(found) < number and any(pools):
        found += [pool.pop() for pool in pools if pool]
    return found[:number]


def edges_of(clone: Path, language: str) -> Iterator[Edge]:
    facts: dict[str, FileFacts] = {}
    for place, folder, _ in visits(clone, {}):
        for file in folder.files:
            path = f"{place}/{file.name}".lstrip("/")
            if (clone / path).stat().st_size <= LARGEST and (
                read := read_facts(path, (clone / path).read_bytes())
            ):
                facts[path] = read
    project = Project(facts)
    resolver = Resolver(project)
    for path, one in project.files.items():
        if one.skipped or one.language != language:
            continue
        lines = (clone / path).read_text("utf-8", "replace").splitlines()
        for call in one.calls:
            meaning = resolver.meaning(path, call)
            if meaning.certainty == "resolved":
                targets = [(target.path, project.symbol(target)) for target in meaning.targets]
                names = {symbol.name for _, symbol in targets}
                same = [at for name in sorted(names) for at in project.qualified(family_of(one), name)]
                yield {
                    "clone": str(clone),
                    "path": path,
                    "line": call.line,
                    "name": call.name.removesuffix("!"),
                    "receiver": call.receiver,
                    "text": lines[call.line - 1].strip()[:160],
                    "targets": [
                        [where, symbol.first, symbol.line, symbol.last, symbol.kind, symbol.name]
                        for where, symbol in targets
                    ],
                    "declared": [
                        [at.path, project.symbol(at).line]
                        for at in same
                        if project.symbol(at).kind == "declaration"
                    ],
                    "heads": [symbol.signature[:100] for _, symbol in targets[:2]],
                }


# -- judging


def judge(edges: list[Edge], given: argparse.Namespace) -> None:
    said = asked(edges, given) if given.by or given.server else [("unknown", [])] * len(edges)
    read = dict(
        line.split("\t")[:2] for line in (given.read.read_text("utf-8").splitlines() if given.read else [])
    )
    counts: Counter[str] = Counter()
    shown = 0
    for number, (edge, (known, targets)) in enumerate(zip(edges, said, strict=True)):
        verdict = compared(edge, known, targets)
        if verdict != "right" and str(number) in read:
            verdict = f"read {read[str(number)]}"
        counts[verdict] += 1
        if verdict in {"other", "unknown"} and shown < given.show:
            shown += 1
            name = Path(edge["clone"]).name
            ours = "; ".join(f"{one[0]}:{one[2]} {one[5]}" for one in edge["targets"][:3])
            print(f"{number} {verdict}: {name} {edge['path']}:{edge['line']}  {edge['text']}\n      {ours}")
            print(f"      {edge['heads']}  THEY {targets[:4]}")
    print(given.language, dict(counts))


def compared(edge: Edge, known: str, targets: list[list[Any]]) -> str:
    """Right where a definition that the other names is one of ours, or a declaration of it."""
    if known != "known" or not targets or all(one == [edge["path"], edge["line"]] for one in targets):
        return "unknown"
    return "right" if any(_is_same(edge, path, line) for path, line in targets) else "other"


def _is_same(edge: Edge, path: str, line: int) -> bool:
    if [path, line] in edge["declared"]:
        return True
    for where, first, named, last, kind, name in edge["targets"]:
        if where != path:
            continue
        if first - 1 <= line <= max(named, min(last, first + NEAR)):
            return True
        if kind in {"class", "struct", "interface"} and first <= line <= last:  # its constructor
            return True
        if line < first and _only_above(Path(edge["clone"]) / path, line, first, name.rpartition(".")[2]):
            return True
    return False


def _only_above(path: Path, start: int, end: int, name: str) -> bool:
    """Whether only comments, attributes and forms of a function stand between two lines."""
    lines = path.read_text("utf-8", "replace").splitlines()[start - 1 : end - 1]
    form = re.compile(rf"\s*(?:/\*|\*|//|#|@|(?:export |public |async )*(?:function )?{re.escape(name)}\b|$)")
    return all(form.match(line) for line in lines)


def asked(edges: list[Edge], given: argparse.Namespace) -> list[tuple[str, list[list[Any]]]]:
    found: dict[int, tuple[str, list[list[Any]]]] = {}
    for clone in sorted({edge["clone"] for edge in edges}):
        numbers = [number for number, edge in enumerate(edges) if edge["clone"] == clone]
        if given.server:
            server = Server(
                shlex.split(given.server), Path(clone), given.language, given.wait, json.loads(given.settings)
            )
            for path in sorted(Path(clone).glob(given.open)) if given.open else ():
                server.open(path.relative_to(clone).as_posix())
            for number in numbers:
                one = edges[number]
                found[number] = server.definitions(one["path"], one["line"], one["name"])
            server.close()
            continue
        lines = "\n".join(f"{edges[n]['path']}\t{edges[n]['line']}\t{edges[n]['name']}" for n in numbers)
        answered = subprocess.run(
            [*shlex.split(given.by), "calls", clone],
            input=lines + "\n",
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for number, line in zip(numbers, answered, strict=True):
            one = json.loads(line)
            found[number] = (one["said"], one["targets"])
    return [found[number] for number in range(len(edges))]


if __name__ == "__main__":
    main()
