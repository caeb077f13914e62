"""Extraction: yield for each session, a random draw to judge, and precision from labels.

    RECORTEX_BENCH_DATA=… python bench/extraction.py [--half development|held-out|all] [--seed 1] [--draw
    100] [--json FILE] RECORTEX_BENCH_DATA=… python bench/extraction.py --passes 100

Reads every transcript under `$RECORTEX_BENCH_DATA/transcripts` with the shipped readers and extracts from
it. The draw is taken from the distinct active statements, as after the merging of exact duplicates at
write. Labels stand in `bench/extraction_labels.jsonl`: one object a line with `hash` (of the statement),
`rule`, `label` good or bad, and a `reason` for the bad ones (chatter, dangling, false, generic, stale,
unclear, half). No text of a transcript is kept. `--passes N` reads each session a message of the person at
a time, as the hooks do, with N turns before each pass, and tells which active statements are lost and
gained against reading it whole. A session falls into one of two halves by a hash of its identity: rules
are written while looking at the development half.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.candidate import Candidate
from recortex.domain.transcript import SessionInfo
from recortex.engines.extraction import extract, learned
from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.transcript import Turn

LABELS = Path(__file__).with_name("extraction_labels.jsonl")
LONG = 50
_SALT = "half-257:"


@dataclass
class Session:
    """One transcript and what came of it."""

    name: str
    turns: int
    size: int
    seconds: float
    found: list[Candidate]
    said: dict[int, str]

    @property
    def active(self) -> list[Candidate]:
        return [one for one in self.found if one.active]


def key_of(text: str) -> str:
    """The hash by which a statement is labelled."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def half_of(path: Path) -> str:
    """Which half a session belongs to; a sub-agent's file goes with its session."""
    identity = path.name.split("__")[0].split(".")[0]
    odd = blake2b((_SALT + identity).encode(), digest_size=1).digest()[0] % 2
    return "development" if odd else "held-out"


def sessions(root: Path, half: str) -> Iterator[Session]:
    """Read and extract every transcript below a folder; files of no known client are left out."""
    for path in sorted(root.rglob("*")):
        if not path.is_file() or (half != "all" and half_of(path) != half):
            continue
        try:
            yield one_session(path, root)
        except RecortexError:
            continue


def one_session(path: Path, root: Path) -> Session:
    """Extract from one transcript."""
    start = time.perf_counter()
    reader = open_transcript(path)
    said: dict[int, str] = {}
    count = 0

    def counted() -> Iterator[Turn]:
        nonlocal count
        for turn in reader:
            count += 1
            said[turn.index] = turn.text
            yield turn

    found = list(extract(counted(), reader.info))
    seconds = time.perf_counter() - start
    return Session(str(path.relative_to(root)), count, path.stat().st_size, seconds, found, said)


def distinct(read: list[Session]) -> list[tuple[Session, Candidate]]:
    """The active candidates of all sessions, each statement once."""
    first: dict[str, tuple[Session, Candidate]] = {}
    for session in read:
        for one in session.active:
            first.setdefault(key_of(one.text), (session, one))
    return list(first.values())


def labels() -> dict[str, tuple[str, str]]:
    """Labels by hash: the label and the reason."""
    if not LABELS.exists():
        return {}
    rows = (json.loads(line) for line in LABELS.read_text().splitlines() if line.strip())
    return {row["hash"]: (row["label"], row.get("reason", "")) for row in rows}


def precision(drawn: list[tuple[Session, Candidate]]) -> dict[str, Any]:
    """Precision of a draw as far as it is labelled, in all and by rule."""
    known = labels()
    by_rule: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for _, one in drawn:
        if key_of(one.text) in known:
            by_rule[one.rule][0] += known[key_of(one.text)][0] == "good"
            by_rule[one.rule][1] += 1
    good, judged = (sum(pair[place] for pair in by_rule.values()) for place in (0, 1))
    return {
        "drawn": len(drawn),
        "judged": judged,
        "good": good,
        "precision": round(good / judged, 3) if judged else None,
        "by_rule": {rule: {"good": pair[0], "judged": pair[1]} for rule, pair in sorted(by_rule.items())},
    }


def print_draw(drawn: list[tuple[Session, Candidate]], *, unlabelled: bool) -> None:
    """Print each drawn memory with its source, so that anyone can judge it."""
    known = labels()
    for number, (session, one) in enumerate(drawn, 1):
        label = known.get(key_of(one.text))
        if unlabelled and label:
            continue
        verdict = " ".join(label) if label else "unlabelled"
        print(
            f"\n{number:3} {key_of(one.text)} [{verdict.strip()}] {one.kind} {one.rule} {one.confidence:.2f}"
        )
        print(f"    {one.text}")
        print(f"    source: {session.name} turn {one.turn_index} ({one.speaker}): {one.quote}")


def summary(read: list[Session]) -> dict[str, Any]:
    """Yield and speed over all sessions."""
    long = [session for session in read if session.turns > LONG]
    size, seconds = sum(one.size for one in read), sum(one.seconds for one in read)
    return {
        "sessions": len(read),
        "active": sum(len(one.active) for one in read),
        "proposed": sum(len(one.found) - len(one.active) for one in read),
        "long_sessions": len(long),
        "active_per_long_session": round(sum(len(one.active) for one in long) / len(long), 2)
        if long
        else None,
        "megabytes_per_second": round(size / seconds / 1e6, 1) if seconds else None,
    }


def in_passes(turns: list[Turn], reach: int) -> set[str]:
    """The active statements of a session that is read a message of the person at a time."""
    starts = [
        place for place, turn in enumerate(turns) if turn.role == "user" and not turn.sidechain and place
    ]
    bounds = [0, *starts, len(turns)]
    active: dict[str, None] = {}
    for start, end in pairwise(bounds):
        found = learned(turns[start:end], _INFO, before=turns[max(0, start - reach) : start])
        active.update(dict.fromkeys(one.text for one in found.candidates if one.active))
        for one in found.withdrawn:
            active.pop(one.text, None)
    return set(active)


def passes(root: Path, reach: int) -> dict[str, int]:
    """What reading in passes loses and gains over all transcripts."""
    figures = {"reach": reach, "whole": 0, "lost": 0, "gained": 0}
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        try:
            turns = list(open_transcript(path))
        except RecortexError:
            continue
        whole = {one.text for one in extract(turns, _INFO) if one.active}
        parts = in_passes(turns, reach)
        figures["whole"] += len(whole)
        figures["lost"] += len(whole - parts)
        figures["gained"] += len(parts - whole)
    return figures


_INFO = SessionInfo(session_id="bench", client="claude-code", path="bench.jsonl")


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--half", choices=("development", "held-out", "all"), default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw", type=int, default=100)
    parser.add_argument("--unlabelled", action="store_true", help="print only what has no label yet")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--passes", type=int, help="read in passes, with so many turns before each")
    chosen = parser.parse_args()
    if chosen.passes is not None:
        print(json.dumps(passes(Path(os.environ["RECORTEX_BENCH_DATA"]) / "transcripts", chosen.passes)))
        return
    read = list(sessions(Path(os.environ["RECORTEX_BENCH_DATA"]) / "transcripts", chosen.half))
    pool = distinct(read)
    drawn = random.Random(chosen.seed).sample(pool, min(chosen.draw, len(pool)))
    report(read, drawn, chosen)


def report(read: list[Session], drawn: list[tuple[Session, Candidate]], chosen: argparse.Namespace) -> None:
    """Print the table, the draw and the figures."""
    print(f"{'session':70} {'turns':>6} {'active':>6} {'proposed':>8}")
    for one in read:
        print(f"{one.name[:70]:70} {one.turns:6} {len(one.active):6} {len(one.found) - len(one.active):8}")
    print_draw(drawn, unlabelled=chosen.unlabelled)
    figures = {"half": chosen.half, "seed": chosen.seed, "yield": summary(read), "draw": precision(drawn)}
    print("\n" + json.dumps(figures, indent=1))
    if chosen.json:
        rows = [
            {"session": s.name, "turns": s.turns, "active": len(s.active), "found": len(s.found)}
            for s in read
        ]
        chosen.json.write_text(json.dumps({**figures, "sessions": rows}, indent=1))


if __name__ == "__main__":
    main()
