"""What ten symbols that memories hang on cost an answer, in a new process and in one that runs.

    python bench/symbol_times.py FOLDER … [--runs 15] [--json FILE]

Code files of the FOLDERs are copied; ten symbols of ten files are linked, and asked for as `recall` does (in
their files) and as `validate` does (in all files). `unchanged`: their files are as they were; `edited`: each
was edited since its facts were read; `read`: the facts of the edited files are kept already; `deleted`: the
symbols are gone from their files. Times are medians and 95th percentiles in milliseconds, of the clock and of
the process, which other programs on the machine change less; those of a new process begin after the
interpreter has started, with everything that asking imports.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import SymbolLink

TEN = 10


class Times(NamedTuple):
    """Milliseconds of the clock and of the process."""

    clock: float
    cpu: float


ENDINGS = {".py", ".ts", ".js", ".go", ".rs", ".java", ".php", ".cs", ".c", ".cpp"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--once", nargs=2, metavar=("REACH", "LINKS"), help="one run, for the bench itself")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.once:
        print(*once(given.folders[0], given.once[0], Path(given.once[1])))
        return
    figures: dict[str, tuple[float, ...]] = {}
    with tempfile.TemporaryDirectory() as place:
        for way in ("unchanged", "edited", "read", "deleted"):
            root, links = prepared(Path(place) / way, given.folders, way)
            for reach in ("file", "tree"):
                for process in ("new", "running"):
                    times = timed(root, reach, links, given.runs, new=process == "new", keep=way == "edited")
                    figures[f"{way}, {reach}, {process} process"] = told(times)
    for name, (median, late, cpu, late_cpu) in figures.items():
        print(f"{name:34} median {median:6.1f}  p95 {late:6.1f}  cpu median {cpu:6.1f}  p95 {late_cpu:6.1f}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


def told(times: list[Times]) -> tuple[float, ...]:
    """The median and the 95th percentile of each."""
    return tuple(
        value
        for one in zip(*times, strict=True)
        for value in (statistics.median(one), sorted(one)[min(len(one) - 1, int(0.95 * len(one)))])
    )


def prepared(place: Path, folders: list[Path], way: str) -> tuple[Path, Path]:
    """A tree of code whose facts were read, and a file of ten links to it; then the files are changed."""
    from recortex.app.symbols import open_code
    from recortex.engines.code.freshness import link_of

    root = place / "tree"
    for number, folder in enumerate(folders):
        shutil.copytree(folder, root / str(number), ignore=shutil.ignore_patterns(".git"))
    code = open_code(place / "facts.db", root, make=True)
    assert code is not None
    links: list[SymbolLink] = []
    with closing(code):
        code.refresh()
        files = sorted(path for path in code.paths if Path(path).suffix in ENDINGS)
        random.Random(1).shuffle(files)
        for path in files:
            now = code.of(path)
            symbols = [
                one for one in (now.facts.symbols if now and now.facts else ()) if one.last > one.first + 4
            ]
            if now and now.facts and symbols and len(links) < TEN:
                links.append(link_of(path, now.facts, symbols[-1], key=now.key))
        for link in links:
            changed(root / link.path, link, way)
        if way == "read":
            code.refresh()
    (place / "links.pickle").write_bytes(pickle.dumps(links))
    return root, place / "links.pickle"


def changed(file: Path, link: SymbolLink, way: str) -> None:
    lines = file.read_bytes().split(b"\n")
    if way == "deleted":
        lines[link.first - 1 : link.last] = []
    elif way != "unchanged":
        lines = [lines[0] + b" ", *lines[1:]]
    file.write_bytes(b"\n".join(lines))


def timed(root: Path, reach: str, links: Path, runs: int, *, new: bool, keep: bool) -> list[Times]:
    """Each run in milliseconds; with `keep`, each begins with the facts as they were at first."""
    facts, kept = root.parent / "facts.db", root.parent / "kept.db"
    shutil.copy(facts, kept)
    times: list[Times] = []
    for _ in range(runs):
        if keep:
            for beside in root.parent.glob("facts.db-*"):
                beside.unlink()
            shutil.copy(kept, facts)
        if new:
            command = [sys.executable, __file__, str(root), "--once", reach, str(links)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            times.append(Times(*map(float, said.split())))
        else:
            times.append(once(root, reach, links))
    return times if new else times[1:]


def once(root: Path, reach: str, links: Path) -> Times:
    """Of asking once."""
    from recortex.domain.memory import SymbolLink  # noqa: F401  the links are of it

    asked = pickle.loads(links.read_bytes())  # noqa: S301  made by this bench
    began, spent = time.perf_counter(), time.process_time()
    from recortex.app.symbols import judge

    services = cast("StoreServices", SimpleNamespace(facts=root.parent / "facts.db"))
    judge(services, {"all": asked}, root, reach)  # type: ignore[arg-type]
    return Times((time.perf_counter() - began) * 1_000, (time.process_time() - spent) * 1_000)


if __name__ == "__main__":
    main()
