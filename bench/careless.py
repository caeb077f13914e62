"""Durable statements in careless English: how many of them a session makes active, and what else it does.

    python bench/careless.py [--half open|more|shut] [--misses] [--json FILE]

Each sentence of `bench/careless.txt` is said in the middle of a session of its own, which is written as
Claude Code writes it and learned from into a store of its own, as the capture process does. A durable one
(+) counts as active where an active memory has each of its key words; it is inverted where these have a
negation (NEG) and a memory with most of them, active or proposed, has none. A question, a task, small talk
or a passing remark (-) must make nothing active.

The sentences were written for this bench in ten registers. The shut half was written first and put aside
while the open half was worked on; more were written later to learn from.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from half_report import report
from recortex.app.jobs.learning import learn
from recortex.app.wiring import application
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Scope, Status

SENTENCES = Path(__file__).with_name("careless.txt")
HALVES = ("open", "more", "shut")
NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|nothing|none|nobody|cannot|without|avoid|stop|forbidden|banned|instead of|"
    r"rather than|aint|\w+n['’]t|(?:do|does|is|are|was|wo|ca|should|would|have|has|had|must)nt)\b|\bw/o\b"
)


class Said(NamedTuple):
    """A sentence, whether it is durable, its key words, its register and its half."""

    text: str
    durable: bool
    keys: list[str]
    register: str
    half: str


def sentences() -> list[Said]:
    """All sentences of the file."""
    found, half, register = [], "", ""
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("# half "):
            half = line.removeprefix("# half ")
        elif line.startswith("## "):
            register = line.removeprefix("## ")
        elif line.startswith(("+ ", "- ")):
            text, _, keys = line[2:].partition(" => ")
            found.append(Said(text, line[0] == "+", keys.split(), register, half))
    return found


def transcript(said: str, name: str, folder: Path) -> str:
    """A session as Claude Code 2.1 writes it, in which a sentence is said after some work."""
    base = {
        "sessionId": name,
        "cwd": str(folder),
        "version": "2.1.330",
        "gitBranch": "main",
        "userType": "external",
    }
    edit = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": str(folder / "app.py")}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "The file has been updated."}
    content: list[tuple[str, Any]] = [
        ("user", "Add the export of the invoices."),
        ("assistant", [{"type": "text", "text": "I'll add the export now."}, edit]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": "The export is in place."}]),
        ("user", said),
        ("assistant", [{"type": "text", "text": "Understood."}]),
    ]
    lines = []
    for place, (role, one) in enumerate(content):
        message = {"role": role, "content": one, "id": f"m{place}"}
        if role == "assistant":
            message |= {"type": "message", "model": "claude"}
        row = {**base, "type": role, "uuid": f"u{place}", "parentUuid": f"u{place - 1}" if place else None}
        lines.append(json.dumps(row | {"timestamp": f"2026-03-01T12:00:{place:02}Z", "message": message}))
    return "\n".join(lines) + "\n"


def kept(said: str, home: Path) -> list[tuple[Status, str, str]]:
    """Status, rule and text of what a store has after the session."""
    folder = home / "project"
    folder.mkdir()
    os.environ["RECORTEX_HOME"] = str(home / "data")
    path = home / "session.jsonl"
    path.write_text(transcript(said, "s1", folder), encoding="utf-8")
    app = application(folder, url=None, clock=None, actor=Actor.EXTRACTION, progress=None)
    try:
        learn(app.services, path, clock=app.clock, final=True, dry_run=False)
        query = MemoryQuery(statuses=(Status.ACTIVE, Status.PROPOSED))
        stores = (app.services(scope).store for scope in (Scope.PROJECT, Scope.GLOBAL))
        found = [one for store in stores for one in store.memories.find(query)]
        return [(one.status, one.source.rule, one.text) for one in found]
    finally:
        app.close()


def holds(text: str, keys: list[str]) -> bool:
    """Whether a text has each key word; NEG is any negation."""
    low = text.lower()
    return all(bool(NEGATION.search(text)) if key == "NEG" else key.lower() in low for key in keys)


def inverts(text: str, keys: list[str]) -> bool:
    """Whether a text has most of the key words and lost the negation that is among them."""
    words = [key for key in keys if key != "NEG"]
    about = 2 * sum(key.lower() in text.lower() for key in words) > len(words)
    return "NEG" in keys and about and not NEGATION.search(text)


def measure(chosen: list[Said], *, misses: bool) -> dict[str, Any]:
    """What became of the sentences, over all and by register."""
    counts: Counter[str] = Counter()
    registers: dict[str, Counter[str]] = {}
    for one in chosen:
        with TemporaryDirectory() as folder:
            found = kept(one.text, Path(folder))
        active = [text for status, _, text in found if status is Status.ACTIVE]
        kind = "durable" if one.durable else "other"
        outcome = "active" if active else "proposed" if found else "nothing"
        if one.durable:
            inverted = any(inverts(text, one.keys) for _, _, text in found)
            if inverted:
                outcome = "inverted"
            elif active and not any(holds(text, one.keys) for text in active):
                outcome = "incomplete"
        counts[f"{kind}_{outcome}"] += 1
        registers.setdefault(one.register, Counter())[f"{kind}_{outcome}"] += 1
        if misses and outcome != ("active" if one.durable else "nothing"):
            print(f"{kind} {outcome}: {one.text!r} {[(s.value, r, t) for s, r, t in found]}")
    durable = sum(one.durable for one in chosen)
    return {
        "durable": durable,
        "others": len(chosen) - durable,
        "active": round(counts["durable_active"] / max(durable, 1), 3),
        "counts": dict(sorted(counts.items())),
        "registers": {name: dict(sorted(one.items())) for name, one in registers.items()},
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, sentences(), HALVES, measure)


if __name__ == "__main__":
    main()
