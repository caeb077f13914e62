"""Hostile files of code: truncated, damaged, shuffled and deeply nested ones, and what reading them takes.

    python bench/code_fuzz.py [--files 1000] [--seed 1] [FOLDER …]

Sources are files of FOLDERs, else those of the tests. Each grammar reads its files in a process of its own, so
that a crash is seen; the slowest file and the number above one second are printed.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import BY_NAME, GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
SMALL = ("namesakes.txt", "resolved.txt")
NESTED = (
    "(", "[", "{", "f(", "{a:", "[{", "<", "if (a) {", "class A { ", "function f() {", "def f():\n ", "a.b(", "!",
    "-", "a ? b : ", "namespace a {", "`${", "f'{", "/*", "//", '"', "'", "#if A\n", "a::<", "a<b<", "x => ", "&",
    "*", "mod a {", "impl A {", "fn f() {", "switch (a) { case ", "@a(", "#[a(", "new A(", "A<", "else if (a) ",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one grammar, in this process")
    given = parser.parse_args()
    if given.only:
        print(measured(given.only, sources(given.only, given.folders), given.files, given.seed))
        return
    for one in GRAMMARS:
        command = [sys.executable, __file__, "--only", one.name, "--files", str(given.files)]
        command += ["--seed", str(given.seed), *map(str, given.folders)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        ended = (
            done.stdout.strip() if done.returncode == 0 else f"CRASHED {done.returncode} {done.stderr[-300:]}"
        )
        print(f"{one.name:12} {ended}", flush=True)


def sources(name: str, folders: Sequence[Path]) -> list[bytes]:
    """Sources of a language."""
    grammar = BY_NAME[name]
    found = [
        path.read_bytes()
        for folder in folders
        for ending in grammar.endings
        for path in sorted(folder.rglob(f"*{ending}"))[:60]
    ]
    text = "".join((ROOT / "tests" / "unit" / "code" / one).read_text(encoding="utf-8") for one in SMALL)
    blocks = re.findall(r"^@@ (\S+) \S+\n(.*?)(?=^@@ |\Z)", text, re.DOTALL | re.MULTILINE)
    return found + [block.encode() for language, block in blocks if language == grammar.language]


def hostile(source: bytes, draw: random.Random) -> bytes:  # noqa: PLR0911  one for each way
    """A file made of a source in one of seven ways."""
    way = draw.randrange(7)
    if way == 0:
        return source[: draw.randrange(len(source) + 1)]
    if way == 1:
        data = bytearray(source)
        for _ in range(draw.randrange(1, 30)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data)
    if way == 2:
        tokens = re.findall(rb"\w+|\W", source)
        draw.shuffle(tokens)
        return b"".join(tokens)
    if way == 3:
        return b"".join(
            draw.sample(source.splitlines(keepends=True), len(source.splitlines()))
        ) * draw.randrange(1, 9)
    if way == 4:
        return b"".join(draw.choice(NESTED).encode() for _ in range(draw.randrange(3_000)))
    if way == 5:
        return draw.choice(NESTED).encode() * draw.choice([50, 1_000, 20_000, 60_000])
    return source[: len(source) // 2] + draw.choice(NESTED).encode() * 3_000 + source[len(source) // 2 :]


def measured(name: str, given: Sequence[bytes], files: int, seed: int) -> str:
    """Read files, and tell what it took."""
    draw = random.Random(f"{name} {seed}")
    ending = BY_NAME[name].endings[0]
    times, read, skipped = [], 0, 0
    for _ in range(files):
        data = hostile(draw.choice(given), draw)[: 1024 * 1024]
        if "\n" not in data[:2_000].decode("utf-8", "replace"):
            data = (
                data.replace(b" ", b"\n")
                if len(data) < 2_000
                else b"\n".join(re.findall(rb"(?s).{1,90}", data))
            )
        began = time.perf_counter()
        facts = read_facts(f"a{ending}", data)
        times.append(time.perf_counter() - began)
        assert facts is not None
        read += not facts.skipped
        skipped += bool(facts.skipped)
    times.sort()
    late = sum(one > 1 for one in times)
    return (
        f"{read} read, {skipped} left out, slowest {times[-1]:.2f} s, 99 of 100 below {times[files * 99 // 100]:.3f} s,"
        f" {late} above 1 s"
    )


if __name__ == "__main__":
    main()
