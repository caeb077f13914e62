"""What understanding a question is worth: times that are said, two questions in one, questions for a set.

    RECORTEX_BENCH_DATA=… python bench/understanding.py [--split dev] [--json FILE]

Each is asked with the setting off and on, of LoCoMo's conversations:

- times: every third question whose answer lies in one session, with the time of that session said from where
  the clock stands then ("yesterday", "three days ago", "last week", "in the last two weeks", "last month",
  "since 5 May"); without the time for comparison.
- parts: two questions of a conversation joined by "and"; the gold of both is wanted.
- sets: questions that ask for a set, of which nobody says how many memories are wanted (8, with the setting
  16): the share of the gold among all that is told.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from recortex import Cortex
from recortex.engines.retrieval.question import asks_for_a_set
from retrieval import APART, measures
from retrieval_adapters import _wish
from retrieval_data import load
from retrieval_items import Query

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recortex.domain.explanation import Recall
    from retrieval_items import Store

Row = dict[str, float]
MOST, EVERY, STEP, APART_BY = 20, 3, 7, 11
SAID = (
    "yesterday",
    "three days ago",
    "last week",
    "in the last two weeks",
    "last month",
    "since {before:%d %B}",
)
COUNTS = ("memories", "tokens")
SETTINGS = {"times": "recall.times", "parts": "recall.parts", "sets": "recall.sets"}


class Opened:
    """A conversation in a store of its own, which can be asked at any time with any settings."""

    def __init__(self, store: Store, folder: str) -> None:
        self.store = store
        self.cortex = Cortex.open(url=f"sqlite:///{folder}/{store.name}.db")
        kept = self.cortex.remember_many([_wish(item) for item in store.items], link=False)
        self.items: defaultdict[str, list[str]] = defaultdict(list)
        for memory, item in zip(kept.ids, store.items, strict=True):
            self.items[memory].append(item.id)
        self._app = self.cortex._app  # noqa: SLF001
        self._settings, self._clock = self._app.settings, self._app.clock

    def close(self) -> None:
        self.cortex.close()

    def ask(
        self, text: str, name: str, *, on: bool, now: datetime | None = None, limit: int | None = MOST
    ) -> Recall:
        """The answer with a setting on or off, at a time."""
        self._app.settings = self._settings.with_values({SETTINGS[name]: on})
        self._app.clock = (lambda: now) if now else self._clock
        self._app.all_services()[0].retrieval._times = on or name != "times"  # noqa: SLF001
        return self.cortex.recall(text, limit=limit)

    def ranked(self, found: Recall) -> list[str]:
        """The items of the hits, each once."""
        return list(dict.fromkeys(item for hit in found.hits for item in self.items[hit.memory.id]))

    def queries(self) -> list[Query]:
        return [query for query in self.store.queries if query.category not in APART]


def clock_for(said: str, day: datetime) -> datetime:
    """Where the clock stands when a day is spoken of so."""
    if said == "last week":
        return day + timedelta(days=9 - day.weekday())
    if said == "last month":
        return (day.replace(day=1) + timedelta(days=32)).replace(day=15)
    return day + timedelta(
        days={"yesterday": 1, "three days ago": 3, "in the last two weeks": 10}.get(said, 12)
    )


def times(opened: Opened) -> Iterator[tuple[str, Row]]:
    at = {item.id: item.at for item in opened.store.items}
    for number, query in enumerate(opened.store.queries):
        days = {at[gold] for gold in query.gold}
        day = days.pop()
        if query.category in APART or number % EVERY or days or day is None:
            continue
        said = SAID[number // EVERY % len(SAID)]
        text = f"{query.text.rstrip('?')} {said.format(before=day - timedelta(days=1))}?"
        for name, asked, on in (
            ("no time said", query.text, False),
            ("off", text, False),
            ("on", text, True),
        ):
            found = opened.ask(asked, "times", on=on, now=clock_for(said, day))
            yield name, measures(opened.ranked(found), query)


def parts(opened: Opened) -> Iterator[tuple[str, Row]]:
    queries = opened.queries()
    for number in range(0, len(queries) - APART_BY, STEP):
        one, other = queries[number], queries[number + APART_BY]
        if one.gold & other.gold:
            continue
        text = f"{one.text.rstrip('?. ')} and {other.text[0].lower()}{other.text[1:]}"
        for on in (False, True):
            found = opened.ranked(opened.ask(text, "parts", on=on))
            yield "on" if on else "off", measures(found, Query(text, "both", one.gold | other.gold))


def sets(opened: Opened) -> Iterator[tuple[str, Row]]:
    for query in opened.queries():
        if asks_for_a_set(query.text):
            kind = "several turns" if len(query.gold) > 1 else "one turn"
            for on in (False, True):
                found = opened.ask(query.text, "sets", on=on, limit=None)
                share = len(query.gold.intersection(opened.ranked(found))) / len(query.gold)
                row = {"found": share, "memories": len(found.hits), "tokens": found.tokens}
                yield f"{kind}, {'on' if on else 'off'}", row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", default="dev", choices=("dev", "held"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory(prefix="recortex-bench-") as folder:
        for store in load("locomo", options.split):
            with closing(Opened(store, folder)) as opened:
                for what in (times, parts, sets):
                    for name, row in what(opened):
                        rows[what.__name__][name].append(row)
    result = {
        what: {name: {"n": len(some), **_means(some)} for name, some in named.items()}
        for what, named in rows.items()
    }
    for title, named in result.items():
        print(f"\n{title}, locomo/{options.split}")
        for name, figures in named.items():
            print(f"{name:22s}" + "".join(f"  {key} {value:6.1f}" for key, value in figures.items()))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


def _means(rows: list[Row]) -> dict[str, float]:
    """Shares in per cent, counts as they are."""
    factor = dict.fromkeys(COUNTS, 1)
    return {
        key: factor.get(key, 100) * fmean(row[key] for row in rows)
        for key in rows[0]
        if key not in {"recall@20", "empty"}
    }


if __name__ == "__main__":
    main()
