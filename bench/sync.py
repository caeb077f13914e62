"""Three replicas of a team, two on SQLite and one on PostgreSQL, do random things and sync at random.

    python bench/sync.py [--operations 10000] [--seed 1] [--way direct|git] [--kill]

Clocks are right, a year ahead, and a year behind. With `--kill`, one replica syncs in a process that is
killed at a random moment. At the end all sync until nobody has anything new, and are compared: versions,
heads, and what is shown; every version that anybody ever had must still be there.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

YEAR = timedelta(days=365)
NAMES = ("Ada", "Bob", "Cyd")
ACTS = {
    "remember": 30,
    "edit": 30,
    "tag": 15,
    "forget": 6,
    "restore": 4,
    "undo": 5,
    "purge": 1,
    "link": 6,
    "sync": 3,
}


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--operations", type=int, default=10_000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--way", choices=["direct", "git"], default="direct")
    words.add_argument("--kill", action="store_true")
    words.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = words.parse_args()
    os.environ |= {"RECORTEX_EMBEDDER": "none", "RECORTEX_WORKSPACE": "bench"}
    if given.one:
        one_sync(*given.one)
        return
    with tempfile.TemporaryDirectory(prefix="recortex-bench-sync-") as name:
        os.environ["RECORTEX_HOME"] = str(Path(name) / "home")
        run(Path(name), given)


def run(folder: Path, given: argparse.Namespace) -> None:
    local_postgres, replicas = import_module("local_postgres"), import_module("replicas")
    server = local_postgres.start(folder / "postgres")
    try:
        urls = (None, None, local_postgres.url(server))
        offsets = (timedelta(0), YEAR, -YEAR)
        team = [
            replicas.Person(folder / name, name, url=url, offset=offset)
            for name, url, offset in zip(NAMES, urls, offsets, strict=True)
        ]
        compare(folder, team, given)
        for person in team:
            person.close()
    finally:
        server.cleanup()


def compare(folder: Path, team: list[Any], given: argparse.Namespace) -> None:
    drawing = random.Random(given.seed)
    open_way = way_of(folder, given.way, team)
    ids: dict[str, list[str]] = {name: [] for name in NAMES}
    done, seconds = Counter[str](), dict.fromkeys([*ACTS, "in vain"], 0.0)
    written, killed = set[Any](), 0
    acts = drawing.choices(list(ACTS), list(ACTS.values()), k=given.operations)
    for number, drawn in enumerate(acts):
        act, person = drawn, drawing.choice(team)
        began = time.process_time()
        if act == "sync":
            if given.kill and person is team[0]:
                killed += kill_one(folder, given.way, drawing)
            else:
                person.sync(open_way(person))
                ids[person.name] = list(person.heads())
            written |= {one[:3] for one in person.ids()}
        elif not act_of(person, act, ids, drawing, number):
            act = "in vain"
        done[act] += 1
        seconds[act] += time.process_time() - began
    began = time.perf_counter()
    rounds, agreed = 0, [False]
    while rounds < 3 or not all(agreed):
        agreed = [person.sync(open_way(person)).agreed for person in team]
        rounds += 1
    print(f"settled in {rounds} rounds, {time.perf_counter() - began:.1f} s")
    sets = [{one[:3] for one in person.ids()} for person in team]
    heads = [person.heads() for person in team]
    told = [shown(person) for person in team]
    print("operations", dict(done), f"killed {killed}")
    print(
        "processor ms each",
        {act: round(1000 * took / done[act], 1) for act, took in seconds.items() if done[act]},
    )
    print("versions", [len(one) for one in sets], "records", [len(one) for one in heads])
    print("conflicts open", [len(person.log.open()) for person in team])
    print("equal sets", sets[0] == sets[1] == sets[2], "equal heads", heads[0] == heads[1] == heads[2])
    print("shown alike", told[0] == told[1] == told[2], "versions lost", len(written - sets[0]))


def act_of(person: Any, act: str, ids: dict[str, list[str]], drawing: random.Random, number: int) -> bool:
    from recortex.errors import RecortexError

    own = [one for one in ids[person.name] if ":" not in one]
    try:
        if act == "remember" or not own:
            ids[person.name].append(person.remember(f"{person.name} decided on limit {number} for {number}."))
            return True
        id_ = drawing.choice(own)
        if act == "edit":
            person.cortex.edit(id_, text=f"{person.name} says that the limit is {number}.")
        elif act == "tag":
            person.cortex.edit(id_, tags=[f"t{number}"])
        elif act == "link":
            person.cortex.link(id_, drawing.choice(own), relation="supports")
        else:
            getattr(person.cortex, act)(id_)
    except RecortexError:  # it is gone, or there is nothing to undo
        return False
    return True


def shown(person: Any) -> list[Any]:
    from recortex.domain.search import MemoryQuery

    shared = person.heads()
    found = person.store.memories.find(MemoryQuery())
    return sorted((one.id, one.text, one.status.value, one.tags) for one in found if one.id in shared)


def way_of(folder: Path, way: str, team: list[Any]) -> Any:
    if way == "direct":
        meeting = import_module("replicas").Meeting(limit=500)
        return lambda _: meeting
    from recortex.sync.git_branch import GitBranch

    remote = folder / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)

    def opened(person: Any) -> GitBranch:
        return GitBranch(str(remote), folder / person.name / "sync.git", person.clock())

    opened(team[0]).found("team")
    return opened


def kill_one(folder: Path, way: str, drawing: random.Random) -> int:
    """Let the first replica sync in another process, and kill that after a while."""
    if way != "git":
        raise SystemExit("--kill needs --way git: another process reaches no transport in memory")
    command = [sys.executable, __file__, "--one", str(folder), NAMES[0], "0"]
    process = subprocess.Popen(command)
    try:
        process.wait(drawing.uniform(0.5, 3.0))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return 1
    return 0


def one_sync(folder: str, name: str, _: str) -> None:
    from recortex.sync.git_branch import GitBranch

    person = import_module("replicas").Person(Path(folder) / name, name)
    remote = str(Path(folder) / "origin.git")
    person.sync(GitBranch(remote, Path(folder) / name / "sync.git", person.clock()))


if __name__ == "__main__":
    main()
