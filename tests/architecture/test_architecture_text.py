"""Every file: no citation of a document that is not here, no line of more than 110 characters."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "recortex"
WIDTH = 110
CITATION = re.compile(
    r"(?<!\w)\([ABCD](?:\)|[,;] (?:[«`§\d]|[A-Za-z]{2}))|\bCX ?\d+|\bFR-\d+|\bAD-\d+|\bQG-\d+|\bcrate \d+"
)
"""Ways in which plans and reviews outside of the repository were cited: say the reason itself instead."""

SOURCES = sorted(path for suffix in ("*.py", "*.sql") for path in PACKAGE.rglob(suffix))
TESTS = sorted(
    [*(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").glob("*.py"), *(ROOT / "scripts").glob("*.py")]
)
DOCUMENTS = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "bench").glob("*.md")])

CITING_STILL: set[str] = set()
"""Parts of the package that are not clean yet. None may be added."""


def part_of(path: Path) -> str:
    """The part of the repository that a file is in, as `storage` (in the package) or `tests/unit/storage`."""
    if path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE).parts[0]
    parts = path.relative_to(ROOT).parts[:-1]
    return "/".join(parts[: 3 if parts[1:2] == ("unit",) else 2]) or "."


def released(path: Path) -> bool:
    """Whether it is a migration, which is never edited once it was released."""
    return path.suffix == ".sql" and "migrations" in path.parts


def prose(path: Path) -> list[tuple[int, str]]:
    """The numbered lines of a file; of a document, without tables and code, which cannot be wrapped."""
    lines = list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    if path.suffix != ".md":
        return lines
    kept, fenced = [], False
    for number, line in lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("|"):
            kept.append((number, line))
    return kept


def offenders(paths: list[Path], wrong) -> dict[str, list[str]]:
    """The places of wrong lines by the part of the repository that they are in."""
    found = defaultdict(list)
    for path in paths:
        for number, line in prose(path):
            if wrong(line):
                found[part_of(path)].append(f"{path.relative_to(ROOT)}:{number}")
    return dict(found)


def test_no_document_is_cited_that_the_repository_does_not_have():
    paths = [path for path in (*SOURCES, *TESTS, *DOCUMENTS) if not released(path) and path != Path(__file__)]
    found = offenders(paths, CITATION.search)
    assert {part: places for part, places in found.items() if part not in CITING_STILL} == {}


@pytest.mark.parametrize(
    "text", ["bounds (A, «Decay»)", "see CX18", "(D, 3.2)", "crate 14 says", "FR-097", "QG-4 (A)"]
)
def test_citations_are_recognised(text):
    assert CITATION.search(text)


@pytest.mark.parametrize("text", ["a tuple (a, b)", "create 14 rows", "(ABC, 3)", "CXX"])
def test_other_text_is_no_citation(text):
    assert not CITATION.search(text)


def test_lines_are_at_most_110_characters_long():
    paths = [path for path in (*SOURCES, *TESTS, *DOCUMENTS) if not released(path)]
    assert offenders(paths, lambda line: len(line) > WIDTH) == {}


def test_the_page_on_architecture_is_short():
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 100
    assert max(len(line) for line in lines if not line.startswith("|")) <= WIDTH
