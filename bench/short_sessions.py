"""Short sessions: what is learned of what their person plainly states, and what is learned wrongly.

    python bench/short_sessions.py [--half development|held-out|fresh] [--misses] [--json FILE]

Reads `bench/short_sessions.txt`, written for this bench. Rules are written while looking at the
development half. A fresh set was written after the first look at the other half.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from half_report import report
from recortex.domain.transcript import Role, SessionInfo, Turn
from recortex.engines.extraction import extract

SESSIONS = Path(__file__).with_name("short_sessions.txt")
INFO = SessionInfo(session_id="short", client="claude-code", path="short.jsonl")


HALVES = ("development", "held-out", "fresh")


class Short(NamedTuple):
    """A session, what it teaches, and its half."""

    turns: list[Turn]
    teaches: list[str]
    half: str


def shorts() -> list[Short]:
    """All sessions with their halves."""
    seen = {True: 0, False: 0}
    found = []
    fresh = False
    for block in SESSIONS.read_text(encoding="utf-8").split("\n\n")[1:]:
        fresh = fresh or block.strip() == "## fresh"
        lines = [line for line in block.splitlines() if line.strip()]
        said = [line.split(": ", 1) for line in lines if line.startswith(("U: ", "A: "))]
        roles: dict[str, Role] = {"U": "user", "A": "assistant"}
        turns = [
            Turn(index=place, role=roles[who], text=text.replace("\\n", "\n"))
            for place, (who, text) in enumerate(said)
        ]
        if not turns:
            continue
        teaches = [line[2:] for line in lines if line.startswith("= ")]
        half = "fresh" if fresh else "held-out" if seen[bool(teaches)] % 2 else "development"
        seen[bool(teaches)] += 1
        found.append(Short(turns, teaches, half))
    return found


def measure(chosen: list[Short], *, misses: bool) -> dict[str, Any]:
    """Precision and recall of active statements."""
    right = wrong = missed = 0
    for one in chosen:
        found = list(extract(one.turns, INFO))
        active = [candidate for candidate in found if candidate.active]
        open_ = list(one.teaches)
        for candidate in active:
            fits = [words for words in one.teaches if words.lower() in candidate.text.lower()]
            open_ = [words for words in open_ if words not in fits]
            right, wrong = right + bool(fits), wrong + (not fits)
            if misses and not fits:
                print(f"WRONG  {candidate.rule} {candidate.confidence}: {candidate.text}")
        missed += len(open_)
        for words in open_ if misses else ():
            print(
                f"missed {words!r}: {one.turns[0].text!r} {[(c.rule, c.confidence, c.text) for c in found]}"
            )
    taught = sum(len(one.teaches) for one in chosen)
    return {
        "sessions": len(chosen),
        "teaching": sum(bool(one.teaches) for one in chosen),
        "precision": round(right / (right + wrong), 3) if right + wrong else None,
        "recall": round((taught - missed) / taught, 3),
        "wrong": wrong,
    }


def main() -> None:
    """Run the bench."""
    report(__doc__, shorts(), HALVES, measure)


if __name__ == "__main__":
    main()
