"""A year of a changing project: 200 sessions, and what is answered at its end.

    python bench/year.py [--sessions 200] [--noise 300] [--json FILE]

`year.tsv` has facts of a project, most of which stay while others change once or twice, in the words of the
person who says so. Sessions are spread over a year of `RECORTEX_NOW`; each tells an agent a few statements,
among them ones that differ only in a service or a port and are all true, asks about a few facts, and ends
with the jobs that follow a session. Everything is the same in each run. At the end each fact is asked for.

Told are the changed facts of which the current value is told, and no former one without a mark that a later
statement says otherwise; those whose current value comes first; unchanged ones that are found; statements
that something ended although all were true; the size of the store; how long jobs held the lock of writers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex import Cortex
from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import AFTER_SESSION
from recortex.domain.vocabulary import Status
from scale import services_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FACTS = Path(__file__).parent / "year.tsv"
START, DAYS, SEED = datetime(2026, 1, 5, 9, tzinfo=UTC), 364, 7
ASKED = 2
NOISE = (
    "The {service} worker retries {number} times before it gives up.",
    "{service} reads its own settings from config/{service}.toml.",
    "The {service} service listens on port {port}.",
    "Ticket #{port} was about a leak in {service}.",
)
SERVICES = (
    "parcel", "invoice", "label", "tariff", "customs", "pickup", "route", "depot", "claim", "survey", "stock",
    "refund", "quote", "voucher", "ledger", "export", "import", "track", "notify", "audit",
)  # fmt: skip
REGIONS = ("", "-eu", "-us", "-asia", "-old", "-lab")


class Said(NamedTuple):
    """A statement of a fact: a part that no other statement of it has, and the words."""

    value: str
    text: str


class Fact(NamedTuple):
    """A fact of the project; all statements but the last are former ones."""

    question: str
    said: tuple[Said, ...]


def facts() -> list[Fact]:
    lines = [line.split("\t") for line in FACTS.read_text(encoding="utf-8").splitlines()]
    return [
        Fact(question, tuple(Said(*one.split(": ", 1)) for one in said))
        for question, *said in lines
        if not question.startswith("#")
    ]


def script(known: list[Fact], sessions: int, noise: int) -> dict[int, list[str]]:
    """What is said in each session: facts in the first half, their changes later, the rest anywhere."""
    chance, found = random.Random(SEED), defaultdict[int, list[str]](list)
    for fact in known:
        session = chance.randrange(sessions // 2)
        for one in fact.said:
            found[session].append(one.text)
            session += chance.randrange(1, sessions // 5)
    for number in range(noise):
        place, form = divmod(number, len(NOISE))
        service = SERVICES[place % len(SERVICES)] + REGIONS[place // len(SERVICES) % len(REGIONS)]
        text = NOISE[form].format(service=service, number=2 + place % 7, port=9_000 + place)
        found[chance.randrange(sessions)].append(text)
    return found


def upkeep(cx: Cortex, now: datetime) -> list[float]:
    """Run the jobs that follow a session; seconds that each of their transactions took."""
    times: list[float] = []
    services = services_of(cx)
    pool = services.store.pool
    transaction = pool.transaction

    @contextmanager
    def timed(**how: Any) -> Iterator[None]:
        with transaction(**how):
            began = time.perf_counter()
            yield
        times.append(time.perf_counter() - began)

    pool.transaction = timed
    run(services, lambda: now, services.settings, AFTER_SESSION)
    run_due(services, lambda: now, services.settings)
    pool.transaction = transaction
    return times


def live(root: Path, known: list[Fact], sessions: int, noise: int) -> list[float]:
    """All sessions; returns the seconds for which jobs held the lock."""
    chance, said = random.Random(SEED), script(known, sessions, noise)
    times: list[float] = []
    for session in range(sessions):
        now = START + timedelta(days=DAYS * session / sessions)
        os.environ["RECORTEX_NOW"] = now.isoformat()
        with Cortex.open(root) as cx:
            for text in said[session]:
                cx.remember(text, kind="decision", source=f"s{session}")
            for fact in chance.sample(known, ASKED):
                cx.recall(fact.question)
            times += upkeep(cx, now)
    return times


def judged(root: Path, known: list[Fact]) -> dict[str, object]:
    """What is answered at the end."""
    os.environ["RECORTEX_NOW"] = (START + timedelta(days=DAYS)).isoformat()
    late, wrong, stale, beside, lost = [], [], [], [], []
    changed = [fact for fact in known if len(fact.said) > 1]
    with Cortex.open(root) as cx:
        for fact in known:
            hits = cx.recall(fact.question).hits
            texts = [hit.memory.text for hit in hits]
            now, former = fact.said[-1].text, {one.text for one in fact.said[:-1]}
            if fact not in changed:
                lost += [] if now in texts else [fact.question]
                continue
            if texts[:1] != [now]:
                late.append(f"{fact.question} {texts[:1]}")
            if now not in texts:
                wrong.append(fact.question)
            unmarked = [hit.memory.text for hit in hits if hit.memory.text in former and not hit.disputed]
            beside += unmarked
            stale += [fact.question] if unmarked else []
        every = {one.text: one for one in cx.list(statuses=tuple(Status), limit=1_000).memories}
        by_id = {one.id: one.text for one in every.values()}
        ended = [
            f"{text} <- {by_id.get(one.superseded_by or '', '')}"
            for text, one in every.items()
            if one.status is Status.SUPERSEDED
            and not any(text == said.text for fact in changed for said in fact.said[:-1])
        ]
        size = sum(store.bytes for store in cx.status().stores)
    share, unchanged = 1 - len({*wrong, *stale}) / len(changed), len(known) - len(changed)
    return {
        "changed, the current value is told and no former as if it held": f"{share:.3f} of {len(changed)}",
        "the current value is not told": wrong,
        "a former value is told as if it held": beside,
        "changed, the current value is told first": f"{1 - len(late) / len(changed):.3f} of {len(changed)}",
        "not first": late,
        "unchanged, found": f"{1 - len(lost) / unchanged:.3f} of {unchanged}",
        "not found": lost,
        "true statements that something ended": ended,
        "memories": len(every),
        "bytes": size,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--noise", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        os.environ["RECORTEX_HOME"] = str(root / "home")
        (root / ".git").mkdir()
        known = facts()
        began = time.perf_counter()
        times = sorted(live(root, known, options.sessions, options.noise))
        found = judged(root, known) | {
            "longest lock of a job, ms": round(1e3 * times[-1], 1),
            "99 of 100 locks, ms": round(1e3 * times[int(0.99 * len(times))], 1),
            "seconds": round(time.perf_counter() - began, 1),
        }
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
