"""Two teams' sync under SIGKILL: three replicas each, three programs, and clocks that are a year wrong.

    python bench/sync_kills.py [--minutes 60] [--seed 1] [--way git|server]
        [--oldest ca09ac67] [--middle main]

One team syncs over a git branch, the other one over a team server. In each, Ada and Bob keep SQLite
files, and Cyd a PostgreSQL database. Each turn, one of them opens the store in a process of its own,
does some random things, and syncs. Most turns are killed: before a random write or request of theirs, or
at a random moment, the process, its git, or both; sometimes the server. Each turn has a clock of its
own, up to a year ahead or behind.

The programs are real ones: two commits, and the second one with a migration and a field of versions more.
Ada begins with the oldest, Bob with the middle one, Cyd with the newest; after 40 % of the time Ada and Bob
upgrade by one, after 70 % all have the newest. At the end, everybody syncs until nobody has anything new, and
versions, heads and texts are compared; every memory that was acknowledged, and every
version that anybody ever had, must still be there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("Ada", "Bob", "Cyd")
WAYS = ("git", "server")
YEAR = 365 * 86_400
ACTS = {"remember": 30, "edit": 30, "tag": 15, "forget": 6, "restore": 4, "undo": 5, "purge": 1, "link": 6}
TALK = {"say": 15, "grow": 8, "purge_said": 4}
"""What a program that shares exchanges does as well; the tests have the same acts."""
STEPS = ("append", "put_state", "put_heads", "put_replica", "hollow", "found", "settle")
HOW = {"not": 30, "step": 30, "program": 15, "git": 10, "both": 10, "server": 10}
"""What is killed, by weight."""
LONGEST = 300
"""Seconds after which a turn hangs."""
PORTS = range(20_000, 28_000)
"""Not among those that the system gives to whoever asks for any: a killed server finds its own free again."""
STARTS = 30
"""How often a killed server is started until it has its port."""


class Plan(NamedTuple):
    """What a process is to do."""

    folder: str
    name: str
    url: str | None
    way: str
    link: str
    seed: int = 0
    acts: int = 0
    offset: float = 0.0
    step: int = 0
    end: bool = False


# -- a turn, in a process with the program of a person


def turn(plan: Plan) -> None:
    """Do some things and sync; says `ready`, then what was done."""
    drawing = random.Random(plan.seed)
    folder = Path(plan.folder)
    person = import_module("replicas").Person(
        folder / plan.name, plan.name, url=plan.url, offset=timedelta(seconds=plan.offset)
    )
    person.now = datetime.now(UTC)
    shares = hasattr(person, "shares")  # an older program keeps what it gets of them, and hands it on
    if shares:
        person.shares()
    acts = ACTS | TALK if shares else ACTS
    note(folder, plan.name, person)
    print("ready", flush=True)
    if plan.step:
        kill_before(plan.step)
    done = Counter[str]()
    acknowledged = os.open(folder / f"{plan.name}.acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for number in range(plan.acts):
        act = drawing.choices(list(acts), list(acts.values()))[0]
        if act in TALK:
            gone = getattr(import_module("example_exchanges"), act)(person, drawing, 100 * plan.seed + number)
            with (folder / f"{plan.name}.purged").open("a") as purged:
                purged.write("".join(f"{one}\n" for one in gone or ()))
            done[act] += 1
        else:
            done[act] += act_of(person, act, drawing, f"{plan.seed}.{number}", acknowledged)
    print(json.dumps(done), flush=True)
    print(f"agreed {person.sync(way_of(plan, person)).agreed}", flush=True)
    if plan.end:
        note(folder, plan.name, person)
        heads, said = sorted(person.heads().items()), import_module("example_exchanges").said(person)
        told = [heads, shown(person), sorted([*one] for one in talk(said))]
        (folder / f"{plan.name}.end").write_text(json.dumps(told))
    person.close()


def note(folder: Path, name: str, person: Any) -> None:
    """Write down all versions that a store has."""
    (folder / f"{name}.versions").write_text(json.dumps(sorted(one[:3] for one in person.ids())))


def act_of(person: Any, act: str, drawing: random.Random, number: str, acknowledged: int) -> int:
    from recortex.errors import RecortexError

    try:
        ids = sorted(one for one in person.heads() if ":" not in one)
        if act == "remember" or not ids:
            id_ = person.remember(f"{person.name} decided on the limit {number} for the queue {number}.")
            os.write(acknowledged, f"{id_}\n".encode())
            return 1
        id_ = drawing.choice(ids)
        if act == "edit":
            person.cortex.edit(id_, text=f"{person.name} says that the limit is {number}.")
        elif act == "tag":
            person.cortex.edit(id_, tags=[f"t{number}"])
        elif act == "link":
            person.cortex.link(id_, drawing.choice(ids), relation="supports")
        else:
            getattr(person.cortex, act)(id_)
    except RecortexError:  # it is gone, or there is nothing to undo
        return 0
    return 1


def shown(person: Any) -> list[Any]:
    from recortex.domain.search import MemoryQuery

    shared = person.heads()
    found = person.store.memories.find(MemoryQuery())
    return sorted((one.id, one.text, one.status.value, one.tags) for one in found if one.id in shared)


def talk(said: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What is kept of exchanges that is the same for all."""
    return [(id_, one.message, one.conclusion) for id_, one in said.items()]


def way_of(plan: Plan, person: Any) -> Any:
    folder = Path(plan.folder)
    if plan.way == "git":
        from recortex.sync.git_branch import GitBranch

        branch = GitBranch(str(folder / "origin.git"), folder / plan.name / "sync.git", person.clock())
        if branch.team() == "":
            branch.found("team")
        return branch
    from recortex.sync import http, membership

    wrong = timedelta(seconds=plan.offset)  # the requests are of the same clock
    replaced: Any = http
    replaced.time = SimpleNamespace(time=lambda: time.time() + plan.offset)
    replaced.datetime = SimpleNamespace(now=lambda zone: datetime.now(zone) + wrong)
    vault, me = person.team.vault, person.team.me()
    place, token = http.read_link(plan.link)
    # Former programs keep the token by its URL alone.
    if not any(map(vault.get, (f"token {place.url} {me.replica}", f"token {place.url}"))):
        membership.join(vault, me, place, token, int(person.now.timestamp() * 1000))
    return membership.transport_of(vault, me, place.url)


def kill_before(step: int) -> None:
    """Let this process be killed before its step with that number: a write, a call of git, a request."""
    from recortex.sync.git_branch import GitBranch
    from recortex.sync.http import HttpTransport
    from recortex.sync.records import SyncRecords

    left = count(step, -1)

    def before(act: Any) -> Any:
        def counted(*given: Any, **more: Any) -> Any:
            if next(left) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*given, **more)

        return counted

    steps = [(SyncRecords, one) for one in STEPS]
    for kind, name in (*steps, (GitBranch, "_git"), (HttpTransport, "_once")):
        setattr(kind, name, before(getattr(kind, name)))


# -- the programs


def program(folder: Path, commit: str, *, later: bool = False) -> Path:
    """The sources of a commit; of a later program, with a migration and a field of versions more."""
    folder.mkdir(parents=True)
    archive = subprocess.run(
        ["git", "archive", commit, "src", "tests"], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    if later:
        for engine in ("sqlite", "postgres"):
            steps = folder / "src" / "recortex" / "storage" / engine / "migrations"
            number = int(max(one.name for one in steps.glob("0*.sql"))[:4]) + 1
            sql = "ALTER TABLE sync_state ADD COLUMN mood TEXT;\n"
            (steps / f"{number:04}_mood.sql").write_text(f"-- What a team feels.\n{sql}")
        bodies = folder / "src" / "recortex" / "sync" / "bodies.py"
        end = '    body["metadata"] = _portable(body["metadata"])\n'
        text = bodies.read_text()
        assert text.count(end) == 1
        bodies.write_text(text.replace(end, f'{end}    body["mood"] = {{"of": ["tomorrow", 1.5]}}\n'))
    return folder


# -- all turns


class Run:
    """The whole run.

    Args:
        folder: for everything.
        options: of the command line.
    """

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options, self.drawing = folder, options, random.Random(options.seed)
        trees = folder / "programs"
        self.programs = [
            program(trees / "oldest", options.oldest),
            program(trees / "middle", options.middle),
            program(trees / "newest", options.middle, later=True),
        ]
        self.database = import_module("servers").Server()
        self.ways = [options.way] if options.way else list(WAYS)
        self.urls = {way: self.database.new_database(f"cyd_{way}") for way in WAYS}
        self.team_url = self.database.new_database("team")
        subprocess.run(["git", "init", "-q", "--bare", folder / "git" / "origin.git"], check=True)
        (folder / "server").mkdir()
        self.port = free_port(self.drawing)
        self.links: dict[str, str] = {}
        self.kills, self.acts, self.syncs, self.wrong = (Counter[str]() for _ in range(4))
        self.start_server()
        self.ever: dict[str, set[Any]] = {way: set() for way in WAYS}
        self.hung = 0

    def environment(self, tree: Path, name: str) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": f"{tree / 'src'}:{tree / 'tests'}",
            "RECORTEX_HOME": str(self.folder / f"home-{name}"),
            "RECORTEX_EMBEDDER": "none",
            "RECORTEX_WORKSPACE": "bench",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }

    def start_server(self) -> None:
        """Start the server on its port, again until the one that listens there is this one."""
        words = ["-m", "recortex", "serve", "--team", self.team_url, "--workspace", "team", "--admin", "Ada"]
        more = ["--rate", "100000", "--port", str(self.port)]
        environment = self.environment(self.programs[1], "server")
        for _ in range(STARTS):
            self.server = subprocess.Popen(
                [sys.executable, *words, *more],
                stdout=subprocess.PIPE, text=True, cwd=self.folder, env=environment, start_new_session=True,
            )  # fmt: skip
            assert self.server.stdout
            for line in self.server.stdout:  # it says that after it has its port, or ends
                if link := re.search(rf"http://127.0.0.1:{self.port}/team#[^'\s]+", line):
                    self.links["Ada"] = link[0]
                if "Ctrl-C" in line:
                    return
            self.server.wait()
            self.wrong["the server did not start"] += 1
            time.sleep(1)
        raise SystemExit(f"The server does not get its port {self.port}.")

    def invite(self) -> None:
        """Ada joins the server and invites the others."""
        plan = self.plan("Ada", "server")
        process = self.start(plan, self.programs[0], "--invite")
        said, complaint = process.communicate()
        if process.returncode:
            raise SystemExit(complaint)
        self.links |= json.loads(said)

    def plan(self, name: str, way: str, **more: Any) -> Plan:
        url = self.urls[way] if name == "Cyd" else None
        return Plan(str(self.folder / way), name, url, way, self.links[name], **more)

    def tree_of(self, name: str, part: float) -> Path:
        newer = (part >= 0.4) + (part >= 0.7)
        return self.programs[min(NAMES.index(name) + newer, 2)]

    def start(self, plan: Plan, tree: Path, what: str = "--turn") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), what, json.dumps(plan)],
            env=self.environment(tree, plan.name), cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def one(self, part: float, number: int) -> None:
        name, drawing = self.drawing.choice(NAMES), self.drawing
        tree = self.tree_of(name, part)
        how = drawing.choices(list(HOW), list(HOW.values()))[0]
        way = drawing.choice(self.ways)
        if how in {"git", "both"} and (way == "server" or tree == self.programs[0]):
            how = "program"  # the oldest one does not get over the locks of a killed git
        offset = drawing.choice([0.0, YEAR, -YEAR, drawing.uniform(-YEAR, YEAR)])
        step = drawing.randint(1, 60) if how == "step" else 0
        seed = self.options.seed * 10**6 + number
        plan = self.plan(name, way, seed=seed, acts=drawing.randint(0, 15), offset=offset, step=step)
        process = self.start(plan, tree)
        assert process.stdout
        by_us = False
        if how in {"program", "git", "both", "server"}:
            process.stdout.readline()
            self.wait_a_moment(process)
        if how == "server":
            os.killpg(self.server.pid, signal.SIGKILL)
            self.server.wait()
            self.kills["server at a moment"] += 1
            self.start_server()
        elif how in {"program", "git", "both"}:
            by_us = self.kill(process, how)
        self.ended(process, f"{name}, {tree.name}, {way}, {how}", at_a_moment=by_us)
        with suppress(OSError, ValueError):  # it was killed before that, or while it wrote
            self.ever[way] |= versions_in(self.folder / way / f"{name}.versions")

    def wait_a_moment(self, process: subprocess.Popen[str]) -> None:
        until = time.monotonic() + self.drawing.uniform(0.0, 4.0)
        while time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)

    def kill(self, process: subprocess.Popen[str], how: str) -> bool:
        """Kill it, its git, or both; returns whether it was killed."""
        if how in {"git", "both"}:
            while not (gits := gits_of(process.pid)) and process.poll() is None:
                time.sleep(0.001)
            for one in gits:
                with suppress(OSError):
                    os.kill(one, signal.SIGKILL)
            self.kills["git"] += bool(gits) and how == "git"
        if how != "git" and process.poll() is None:
            process.kill()
            self.kills[f"{'program and git' if how == 'both' else 'program'} at a moment"] += 1
            return True
        return False

    def ended(self, process: subprocess.Popen[str], who: str, *, at_a_moment: bool = False) -> bool:
        try:
            out, complaint = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            self.hung += 1
            print(f"{who} hangs: {process.pid}", flush=True)
            process.send_signal(signal.SIGABRT)
            process.kill()
            out, complaint = process.communicate()
        for line in out.splitlines():
            if line.startswith("{"):
                self.acts.update(json.loads(line))
            elif line.startswith("agreed"):
                self.syncs["done"] += 1
        if process.returncode == -signal.SIGKILL:
            self.kills["program at a step"] += not at_a_moment
        elif process.returncode:
            last = complaint.strip().splitlines()[-1:] or ["?"]
            what = re.sub(r"[0-9a-f]{8,}|\d+", "N", last[0])[:200]
            if not self.wrong[what]:
                print(f"{who}: {complaint[-1500:]}", flush=True)
            self.wrong[what] += 1
        return out.rstrip().endswith("agreed True")

    def settle(self) -> int:
        """Let everybody sync until nobody has anything new; returns how many rounds that took."""
        for round_ in range(1, 13):
            agreed = [
                self.ended(self.start(self.plan(name, way, end=True), self.programs[2]), f"{name}, {way}")
                for name in NAMES
                for way in self.ways
            ]
            if all(agreed) and round_ >= 3:
                break
        return round_

    def compare(self, way: str) -> None:
        """Say whether all have the same, and what was lost."""
        folder = self.folder / way
        if missing := [name for name in NAMES if not (folder / f"{name}.end").exists()]:
            print(f"{way}: not compared, for no last sync succeeded of", *missing)
            return
        sets = [versions_in(folder / f"{name}.versions") for name in NAMES]
        ends = [json.loads((folder / f"{name}.end").read_text()) for name in NAMES]
        heads, texts, said = ([end[part] for end in ends] for part in range(3))
        gone = {one for path in folder.glob("*.purged") for one in path.read_text().split()}
        written = [one for name in NAMES for one in (folder / f"{name}.acknowledged").read_text().split()]
        records = {record for record, _ in heads[0]}
        print(f"{way}: versions", [len(one) for one in sets], "records", [len(one) for one in heads])
        print("  equal sets", sets[0] == sets[1] == sets[2], "equal heads", heads[0] == heads[1] == heads[2])
        print("  texts alike", texts[0] == texts[1] == texts[2])
        left = sorted(gone & {one for each in said for one, *_ in each})
        print("  exchanges", [len(one) for one in said], "alike", said[0] == said[1] == said[2], end=", ")
        print(f"of {len(gone)} purged there are {len(left)}", *left[:5])
        for told in (heads, texts, said):
            seen = Counter(json.dumps(one) for each in told for one in each)
            print(*sorted(one for one, times in seen.items() if times < len(NAMES))[:20], sep="\n    ")
        print(f"  versions lost {len(self.ever[way] - sets[0])} of {len(self.ever[way])} seen")
        lost = [one for one in written if one not in records]
        print(f"  memories lost {len(lost)} of {len(written)} acknowledged", *lost[:5])

    def close(self) -> None:
        with suppress(OSError):
            os.killpg(self.server.pid, signal.SIGKILL)
        self.server.wait()
        self.database.stop()


def free_port(drawing: random.Random) -> int:
    """A port that nobody listens on."""
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port := drawing.choice(PORTS)))
            return port


def versions_in(path: Path) -> set[Any]:
    return {tuple(one) for one in json.loads(path.read_text())}


def gits_of(pid: int) -> list[int]:
    """The gits that a process started; not the remote's side, which is another machine's."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with suppress(OSError):
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid and (path / "comm").read_text().strip() == "git":
                    found.append(int(path.name))
    return found


def invite(plan: Plan) -> None:
    """Join the server as its admin, and print links for the others."""
    from recortex.sync import membership

    person = import_module("replicas").Person(Path(plan.folder) / plan.name, plan.name)
    person.now = datetime.now(UTC)
    with way_of(plan, person) as way:
        made: Any = membership.invite
        links = {name: made(way, name, "write", 0) for name in NAMES[1:]}
    print(json.dumps(links))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--minutes", type=float, default=60)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--way", choices=WAYS, help="by which alone the teams sync")
    words.add_argument("--oldest", default="ca09ac67", help="commit of the oldest program")
    words.add_argument("--middle", default="HEAD", help="commit of the middle one, and of the newest")
    words.add_argument("--turn", help=argparse.SUPPRESS)
    words.add_argument("--invite", help=argparse.SUPPRESS)
    options = words.parse_args()
    if options.turn:
        turn(Plan(*json.loads(options.turn)))
        return
    if options.invite:
        invite(Plan(*json.loads(options.invite)))
        return
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "contract"), str(ROOT / "src")]
    folder = Path(tempfile.mkdtemp(prefix="recortex-bench-sync-"))
    os.environ["RECORTEX_HOME"] = str(folder / "home")
    run = Run(folder, options)
    try:
        run.invite()
        began = time.monotonic()
        for number in count():
            part = (time.monotonic() - began) / 60 / options.minutes
            if part >= 1:
                break
            run.one(part, number)
            if number % 50 == 49:
                print(f"{part:.0%}", number + 1, dict(run.kills), dict(run.syncs), flush=True)
        print("turns", number, "settled in rounds", run.settle(), "hung", run.hung)
        print("kills", dict(run.kills), "operations", dict(run.acts), "syncs", dict(run.syncs))
        print("failed", dict(run.wrong))
        for way in run.ways:
            run.compare(way)
    finally:
        run.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
