"""Does `why` answer questions from a project's decision records, and nothing where no record answers?

    python bench/why_records.py QUESTIONS.tsv PROJECT=DIR[:RECORDS] … [--misses] [--json FILE]

DIR is a clone of the project; its records are imported into a fresh store. Each line of the questions has the
project, the question, and the records that answer it; none where nothing does. Development questions are in
`why_questions/dev.tsv` on BrighterCommand/Brighter, adr/madr and arachne-framework/architecture, and in
`dev2.tsv` on ministryofjustice/cloud-platform (moj), alphagov/govuk-infrastructure and
home-assistant/architecture; those of `shut.tsv`, on thomvaill/log4brains, npryce/adr-tools and
UKGovernmentBEIS/beis-report-official-development-assistance (third), were asked once, after the work was
frozen. Every sentence of every answer is also checked to have evidence that exists.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recortex import Cortex
from recortex.errors import RecortexError
from recortex.operations.answering import OpenedMemory

if TYPE_CHECKING:
    from recortex.domain.reasons import Why


@dataclass(frozen=True)
class Asked:
    """What came back for a question.

    Attributes:
        rank: of the first right record among the answers, from 1; 0: none.
        named: whether a right record is among the answers, or is named as near where there are none.
    """

    project: str
    question: str
    records: tuple[str, ...]
    rank: int
    named: bool
    given: tuple[str, ...]
    unfounded: int


def questions(path: Path) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            records = tuple(filter(None, (row["records"] or "").split(",")))
            found[row["project"]].append((row["question"], records))
    return found


def asked(cx: Cortex, project: str, question: str, records: tuple[str, ...]) -> Asked:
    answer = cx.why(question)
    given = tuple(record_of(cx, one.id) for one in answer.answers)
    near = tuple(record_of(cx, one.id) for one in answer.near)
    rank = next((place for place, one in enumerate(given, 1) if one in records), 0)
    named = bool(rank) or any(one in records for one in near)
    return Asked(project, question, records, rank, named, given, unfounded(cx, answer))


def record_of(cx: Cortex, memory: str) -> str:
    """The file name of the record that a memory is of."""
    opened = cx.get(memory)
    links = opened.files if isinstance(opened, OpenedMemory) else ()
    return PurePosixPath(links[0].path).name if links else memory[:8]


def unfounded(cx: Cortex, answer: Why) -> int:
    """Sentences without evidence, or with a memory that is not there."""
    count = 0
    for claim in answer.claims:
        try:
            known = [cx.get(one.id) for one in claim.evidence if one.kind == "memory"]
        except RecortexError:
            known = []
        count += not claim.evidence or (not known and all(one.kind == "memory" for one in claim.evidence))
    return count


def report(found: list[Asked], *, misses: bool) -> dict[str, int]:
    answerable = [one for one in found if one.records]
    others = [one for one in found if not one.records]
    figures = {
        "answerable": len(answerable),
        "first": sum(one.rank == 1 for one in answerable),
        "first three": sum(1 <= one.rank <= 3 for one in answerable),
        "answer or near": sum(one.named for one in answerable),
        "unanswerable": len(others),
        "none given": sum(not one.given for one in others),
        "sentences without evidence": sum(one.unfounded for one in found),
    }
    for name, value in figures.items():
        print(f"{name:28} {value}")
    for one in found if misses else ():
        if one.rank != 1 and (one.records or one.given):
            print(
                f"- {one.project}: {one.question}\n    wanted {one.records}, rank {one.rank}; {one.given[:5]}"
            )
    return figures


def _split(given: str) -> tuple[str, str, str]:
    """The project, its folder, and where its records lie in it, found by the import unless said."""
    project, _, rest = given.partition("=")
    place, _, where = rest.partition(":")
    return project, place, where and str(Path(place) / where)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("questions", type=Path)
    options.add_argument("projects", nargs="+", metavar="PROJECT=DIR[:RECORDS]")
    options.add_argument("--misses", action="store_true")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    wanted, found = questions(given.questions), list[Asked]()
    for project, place, where in map(_split, given.projects):
        with (
            tempfile.TemporaryDirectory(prefix="why-records-") as folder,
            Cortex.open(place, url=f"sqlite:///{folder}/cortex.db") as cx,
        ):
            done = cx.import_("adr", where)
            print(f"{project}: {done.added} memories of records")
            found += [asked(cx, project, *one) for one in wanted[project]]
    figures = report(found, misses=given.misses)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
