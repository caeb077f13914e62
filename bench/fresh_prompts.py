"""Whole prompts, end to end.

A decision typed in one session, its reversal in a later one, learned into a real store.

    python bench/fresh_prompts.py [--half development|unseen|second|third] [--misses] [--json FILE]

Reads `bench/fresh_prompts.txt`, written before its author had read the rules. Entries of each sign
alternate between two
halves. Rules of extraction were widened while looking at the development half only; the misses of all halves
were looked at afterwards.
Each entry is two transcripts in Claude Code's form, `extract`, the job that reads memories together, and then
the state of the store: a reversal
counts as carried where the first decision was active after the first session, is superseded after the
second, and a memory with the new value is active. A near miss is wrong where anything known was
superseded.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from half_report import report
from recortex import Cortex
from recortex.app.jobs.running import run as run_jobs
from recortex.app.jobs.table import CHANGES, JOBS
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Status

PROMPTS = Path(__file__).with_name("fresh_prompts.txt")
HALVES = ("development", "unseen", "second", "third")


class Entry(NamedTuple):
    """Two prompts of two sessions, the words by which their decisions are known, and the half."""

    matter: str
    first: str
    second: str
    old: str
    new: str
    half: str

    @property
    def reverses(self) -> bool:
        return bool(self.new)


class Seen(NamedTuple):
    """What the store held after both sessions."""

    after_one: list[str]
    known: list[str]
    ended: list[str]
    standing: list[str]
    others: list[str]

    def decided(self, entry: Entry) -> bool:
        return any(_has(text, entry.old) for text in self.known)

    def carried(self, entry: Entry) -> bool:
        return any(_has(text, entry.old) for text in self.ended) and any(
            _has(text, entry.new) for text in self.standing if text not in self.known
        )


def _has(text: str, words: str) -> bool:
    return words.lower() in text.lower()


def entries() -> list[Entry]:
    """All entries with their halves."""
    found: list[Entry] = []
    seen = {"+": 0, "-": 0}
    later = ""
    for block in PROMPTS.read_text(encoding="utf-8").split("\n\n"):
        later = next((line[3:] for line in block.splitlines() if line.startswith("## ")), later)
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if len(lines) != 3 or lines[0][0] not in seen:
            continue
        matter, old, *new = (part.strip() for part in lines[0][1:].split("|"))
        half = later or HALVES[seen[lines[0][0]] % 2]
        seen[lines[0][0]] += 1
        found.append(Entry(matter, lines[1][3:], lines[2][3:], old, new[0] if new else "", half))
    return found


def run(entry: Entry, folder: Path) -> Seen:
    """Learn both sessions of an entry into a store of their own."""
    folder.mkdir(parents=True)
    os.environ["RECORTEX_HOME"] = str(folder / "home")
    with Cortex.open(folder) as cortex:
        cortex.extract(_session(folder, 1, entry.first))
        one = _texts(cortex)
        cortex.extract(_session(folder, 2, entry.second))
        jobs = [replace(job, seconds=float("inf")) for job in (*JOBS[:1], CHANGES)]
        for services in cortex._app.all_services():  # noqa: SLF001  a preference is in the person's store
            run_jobs(services, lambda: datetime.now(UTC), services.settings, jobs)
        two = _texts(cortex)
    known = [text for text, status in one if status is Status.ACTIVE]
    ended = [text for text, status in two if status is Status.SUPERSEDED]
    standing = [text for text, status in two if status is Status.ACTIVE]
    others = [
        f"({status.value}) {text}" for text, status in two if status not in {Status.ACTIVE, Status.SUPERSEDED}
    ]
    return Seen([f"({status.value}) {text}" for text, status in one], known, ended, standing, others)


def _session(folder: Path, number: int, said: str) -> str:
    """A transcript in Claude Code's form: what was typed, and a short answer."""
    path = folder / f"s{number}.jsonl"
    messages = (("user", said), ("assistant", [{"type": "text", "text": "Understood."}]))
    lines = [
        json.dumps(
            {
                "type": role,
                "uuid": f"{number}-{place}",
                "sessionId": f"s{number}",
                "cwd": str(folder),
                "version": "2.1.330",
                "timestamp": f"2026-0{number + 2}-01T10:0{place}:00.000Z",
                "message": {"role": role, "content": content}
                | ({"id": f"m{number}"} if role == "assistant" else {}),
            }
        )
        for place, (role, content) in enumerate(messages)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def _texts(cortex: Cortex) -> list[tuple[str, Status]]:
    """Text and status of everything in the stores of the project and of the person."""
    query = MemoryQuery(statuses=tuple(Status), limit=100)
    all_services = cortex._app.all_services()  # noqa: SLF001  no operation lists every status of both stores
    return [
        (one.text, one.status) for services in all_services for one in services.store.memories.find(query)
    ]


def measure(chosen: list[Entry], *, misses: bool) -> dict[str, Any]:
    """How many reversals were carried, how many first decisions were kept, and what was ended wrongly."""
    counts = {"decided": 0, "carried": 0, "near_decided": 0, "near_ended": 0}
    with tempfile.TemporaryDirectory() as place:
        for number, entry in enumerate(chosen):
            seen = run(entry, Path(place) / str(number))
            counts["decided" if entry.reverses else "near_decided"] += seen.decided(entry)
            wrong = not seen.carried(entry) if entry.reverses else bool(seen.ended)
            counts["carried" if entry.reverses else "near_ended"] += wrong != entry.reverses
            if misses and (wrong or not seen.decided(entry)):
                _show(entry, seen)
    reversing = sum(entry.reverses for entry in chosen)
    return {
        "reversals": reversing,
        "first_kept": round(counts["decided"] / reversing, 3),
        "carried": counts["carried"],
        "recall": round(counts["carried"] / reversing, 3),
        "near_misses": len(chosen) - reversing,
        "near_first_kept": counts["near_decided"],
        "false_supersessions": counts["near_ended"],
    }


def _show(entry: Entry, seen: Seen) -> None:
    """What came of an entry that went wrong."""
    label = "missed" if entry.reverses else "WRONG" if seen.ended else "first?"
    print(f"{label} [{entry.matter}]\n  1 {entry.first}\n    -> {seen.after_one}\n  2 {entry.second}")
    print(
        f"    -> ended {seen.ended} standing {[text for text in seen.standing if text not in seen.known]} "
        f"other {seen.others}"
    )


def main() -> None:
    """Run the bench."""
    report(__doc__, entries(), HALVES, measure)


if __name__ == "__main__":
    main()
