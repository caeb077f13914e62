"""Prints the briefs that sessions of a history would have started with, each line with its source.

    python bench/briefs.py STORES FOLDER [--points 3] [--tree CHECKOUT]

FOLDER holds the sessions of one project in any format that is read, in the order of their names. They are
imported in order, and at so many points (of three: after each third) the brief of the next session is
printed, with the memory, its rule and the quote that it was learned from under each line, so that anyone can
judge whether it is current, whether the project's own files say it, and whether it would help. STORES keeps
a copy of the store of each point: another run prints the briefs of other code from the same stores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recortex import Cortex
from recortex.domain.memory import Memory
from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript

_BRANCH = "main"


def began(path: Path) -> datetime:
    """When a session began, by its file's name or its turns."""
    with suppress(ValueError):
        return datetime.strptime(path.name[:19], "%Y-%m-%dT%H_%M_%S").replace(tzinfo=UTC)
    return next(turn.at for turn in open_transcript(path) if turn.at)


def place_of(path: Path) -> tuple[str, datetime]:
    """The branch that a session was on, and when it began."""
    with suppress(RecortexError):
        reader = open_transcript(path)
        next(iter(reader), None)
        return reader.info.branch or _BRANCH, began(path)
    return _BRANCH, began(path)


def learn(root: Path, path: Path, at: datetime) -> None:
    """Import a session at a time."""
    with suppress(RecortexError), Cortex.open(root, clock=lambda: at) as cx:
        cx.import_("any", str(path), embed=False)


def build(stores: Path, sessions: list[Path], points: int) -> None:
    """Import the sessions in order, and keep a copy of the store at each point."""
    home, root = stores / "home", stores / "project"
    os.environ["RECORTEX_HOME"] = str(home)
    subprocess.run(["git", "init", "-q", "-b", _BRANCH, str(root)], check=True)
    ends = [len(sessions) * point // points for point in range(1, points + 1)]
    for number, path in enumerate(sessions, 1):
        at = began(sessions[number]) if number < len(sessions) else began(path) + timedelta(days=1)
        learn(root, path, at)
        if number in ends:
            branch, when = place_of(sessions[number]) if number < len(sessions) else (place_of(path)[0], at)
            kept = stores / str(ends.index(number) + 1)
            shutil.copytree(home, kept / "home")
            (kept / "point.json").write_text(
                json.dumps({"sessions": number, "branch": branch, "at": when.isoformat()})
            )


def show(stores: Path, point: Path, tree: Path) -> None:
    """Print the brief of a point with the sources of its lines."""
    facts = json.loads((point / "point.json").read_text())
    work = stores / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(point / "home", work)
    os.environ["RECORTEX_HOME"] = str(work)
    at = datetime.fromisoformat(facts["at"])
    with Cortex.open(tree, clock=lambda: at) as cx:
        made = cx.surface(branch=facts["branch"], fresh=True)
        print(
            f"\n=== {stores.name}, after {facts['sessions']} sessions, {at:%Y-%m-%d}, on {facts['branch']}:"
        )
        print(f"=== {len(made.memories)} memories, {made.tokens} tokens")
        memories = {one.id[:8]: cx.get(one.id) for one in made.memories}
        for line in made.text.splitlines():
            print(line)
            memory = memories.get(line.rpartition("[")[2].rstrip("]"))
            if isinstance(memory, Memory):
                source = memory.source
                print(
                    f"      {memory.kind} {memory.origin} {memory.confidence:.2f} p{memory.priority}"
                    f" rule={source.rule} {source.speaker} {Path(source.path).name[:40]}:{source.turn}"
                    f" {source.branch}\n      «{' '.join(source.quote.split())[:400]}»"
                )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stores", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=3)
    parser.add_argument("--tree", type=Path, help="a checkout, for what the brief asks of it")
    options = parser.parse_args()
    stores = options.stores / options.folder.name
    if not stores.exists():
        build(stores, sorted(options.folder.iterdir()), options.points)
    for point in sorted(one for one in stores.iterdir() if one.name.isdigit()):
        show(stores, point, options.tree or stores / "project")


if __name__ == "__main__":
    main()
