"""How fast transcripts are read, and where every line goes.

    RECORTEX_BENCH_DATA=… python bench/readers.py [--json FILE] [--repeat N]

Reads every file below `$RECORTEX_BENCH_DATA/transcripts` N times (3) and takes the fastest; also resumes
each line-based file at several cuts as if it were growing, and compares the turns with those of one
reading. `peak` is the most memory that the reader allocated while its turns were dropped one by one (a
second, traced reading), in MB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

from recortex.errors import FormatError
from recortex.formats.transcripts import TranscriptReader, detect, open_transcript

CUTS = 6


def timed(path: Path, repeat: int) -> tuple[TranscriptReader, float]:
    best = float("inf")
    reader = open_transcript(path)
    for _ in range(repeat):
        start = time.perf_counter()
        for _turn in reader:
            pass
        best = min(best, time.perf_counter() - start)
    return reader, best


def traced(path: Path) -> float:
    tracemalloc.start()
    for _turn in open_transcript(path):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def resumes(path: Path, folder: Path) -> bool:
    """Whether reading a growing copy in steps yields the same turns as reading it at once."""
    row = detect(path)
    if row.split is not None:
        return True
    raw = path.read_bytes()
    copy = folder / path.name
    parts, cursor = [], 0
    for step in range(1, CUTS + 1):
        copy.write_bytes(raw[: len(raw) * step // CUTS])
        reader = TranscriptReader(copy, row, cursor=cursor, final=step == CUTS)
        parts += [(turn.uuid, turn.text, turn.tools) for turn in reader]
        cursor = reader.cursor
    return parts == [(turn.uuid, turn.text, turn.tools) for turn in TranscriptReader(copy, row)]


def measure(path: Path, root: Path, folder: Path, repeat: int) -> dict[str, Any]:
    reader, seconds = timed(path, repeat)
    counts = reader.counts
    again = sum(1 for _ in open_transcript(path, cursor=reader.cursor))
    return {
        "file": str(path.relative_to(root)),
        "format": reader.client,
        "bytes": path.stat().st_size,
        "seconds": seconds,
        "lines": counts.lines,
        "used": counts.used,
        "turns": counts.turns,
        "skipped": dict(counts.skipped),
        "malformed": counts.malformed,
        "torn": counts.torn,
        "accounted": counts.lines
        == counts.used + sum(counts.skipped.values()) + counts.malformed + counts.torn,
        "again": again,
        "resumes": resumes(path, folder),
        "peak_mb": traced(path),
    }


def row(name: str, one: dict[str, Any]) -> str:
    skipped = one["skipped"] if isinstance(one["skipped"], int) else sum(one["skipped"].values())
    rate = one["bytes"] / one["seconds"] / 1e6
    fine = "ok" if one["accounted"] and one["resumes"] and not one["again"] else "FAILS"
    return (
        f"{name[-46:]:46} {one['format']:11} {one['bytes'] / 1e6:6.2f} {one['lines']:6} "
        f"{one['used']:6} {one['turns']:6}"
        f" {skipped:7} {one['malformed']:4} {one['torn']:4} {rate:6.1f} {one['peak_mb']:6.1f}  {fine}"
    )


def total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    summed: dict[str, Any] = {
        key: sum(one[key] for one in rows)
        for key in ("bytes", "seconds", "lines", "used", "turns", "malformed", "torn", "again")
    }
    summed["skipped"] = sum(sum(one["skipped"].values()) for one in rows)
    summed["peak_mb"] = max(one["peak_mb"] for one in rows)
    summed |= {key: all(one[key] for one in rows) for key in ("accounted", "resumes")}
    return summed | {"format": f"{len(rows)} files"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--repeat", type=int, default=3)
    given = arguments.parse_args()
    root = Path(os.environ["RECORTEX_BENCH_DATA"]) / "transcripts"
    rows, refused = [], []
    print(
        f"{'file':46} {'format':11} {'MB':>6} {'lines':>6} {'used':>6} {'turns':>6} {'skipped':>7} "
        f"{'bad':>4} {'torn':>4}"
        f" {'MB/s':>6} {'peak':>6}  account, resume, second reading"
    )
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            try:
                one = measure(path, root, Path(folder), given.repeat)
            except FormatError:
                refused.append(str(path.relative_to(root)))
                continue
            rows.append(one)
            print(row(one["file"], one))
    summed = total(rows)
    print(row("all", summed))
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"refused (no transcript): {', '.join(refused) or 'none'}; peak resident memory {resident:.0f} MB")
    if given.json:
        report = {"files": rows, "all": summed, "refused": refused, "resident_mb": resident}
        given.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
