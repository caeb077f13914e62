"""How often the exchange that the next prompt needs is predicted: histories of sessions replayed in order.

    python bench/prediction.py SESSIONS_DIR [--projects A,B] [--gold GOLD_DIR] [--as-imported]

SESSIONS_DIR has a folder of session files for each project. Before each prompt of a person, the exchanges of
earlier sessions are candidates, and the signals are those of what was said and touched before it. Which one
it needs is told by what came afterwards, which no prediction sees: the exchange of an earlier session that
shares the rarest names of files and code with the prompt and with the files that were touched in answer to
it; the sum of their rarities, less for an exchange with many names, at least two names or one that at most
three exchanges have. Those within a fifth of the best count as needed, too. Where no client says what was
touched, the files that the agent names in its answer stand for it. With --gold also the exchanges that hold
the facts which a reader found a prompt to need.

Prints for each project the prompts that something is needed for, and the share that has it among the first
five of: the latest exchanges, those most like the last prompt, those about the same files with the latest
first, each strategy, and all of them together; then the share of file events whose prediction a cache has
that was filled after the turn before. --as-imported leaves out which files were read, as nothing says it of
sessions that no hook saw.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import log, sqrt
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from question_turns import Turns
from recortex.engines.exchanges import SessionBuilder
from recortex.errors import FormatError
from recortex.formats.transcripts import open_transcript
from recortex.prediction import engine
from recortex.prediction.engine import STRATEGIES, Candidate, Step, names_of, predict, signals_of, step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recortex.domain.exchange import Exchange

FIRST, FEWEST = 5, 10
COMMON, RARE, NEAR = 0.2, 3, 0.8
"""The share of exchanges above which a name says nothing, so many that have a rare one, and what is needed
beside the best."""
CACHED = 64
_CODE = re.compile(
    r"\b(?:[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)\b"
    r"|#\d{1,5}\b"
)
_FILE = re.compile(
    r"\b\w[\w.-]*\.(?:tsx?|jsx?|mjs|cjs|py|go|mdx?|jsonl?|ya?ml|toml|sh|css|scss|html?|sql|rs|"
    r"java|kts?|vue|svelte|txt|xml|csv|xlsx?|ipynb|lock|env|cfg|ini|mod|sum)\b"
)
_SHORTEST = 6


class Told(NamedTuple):
    """An exchange with the number of its session, its names for the evidence, and itself as the engine's."""

    exchange: Exchange
    file: str
    session: int
    touched: tuple[str, ...]
    evidence: frozenset[str]
    step: Step
    candidate: Candidate


@dataclass
class Results:
    """Of one project: for each prompt what is needed, and what each way predicts first."""

    needed: dict[int, list[int]] = field(default_factory=dict)
    labelled: dict[int, list[int]] = field(default_factory=dict)
    found: dict[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(dict))
    hits: int = 0
    events: int = 0


def history(folder: Path, *, imported: bool) -> list[Told]:
    """The exchanges of a project's sessions, in order."""
    told: list[Told] = []
    seen: set[str] = set()
    for number, path in enumerate(sorted(one for one in folder.rglob("*") if one.is_file())):
        try:
            reader = open_transcript(path)
            turns = [turn for turn in reader if not (turn.uuid and turn.uuid in seen)]
        except FormatError:
            continue
        seen |= {turn.uuid for turn in turns}
        builder = SessionBuilder(reader.info, str)
        touched: dict[str, list[str]] = defaultdict(list)
        for turn in turns:
            builder.take(turn)
            if builder.current:
                files = (file for tool in turn.tools if not tool.injected for file in tool.files)
                touched[builder.current.id] += files
        said: dict[int, str] = defaultdict(str)
        for one in builder.changed.values():
            said[one.root_turn] += f"{one.conclusion}\n" if one.part else ""
        for one in builder.changed.values():
            if not one.part:
                at = told[-1].candidate.at + 1 if told else 0  # where no time is told, the order tells it
                at = int(one.started_at.timestamp()) if one.started_at else at
                work = said[one.first_turn]
                told.append(_told(one, path.name, number, at, touched[one.id], work, imported=imported))
    return told


def _told(
    one: Exchange, file: str, number: int, at: int, touched: Sequence[str], work: str, *, imported: bool
) -> Told:
    step = step_of(one, () if imported else touched)
    candidate = Candidate(one.id, one.id, step.names, step.words, session=str(number), at=at)
    text = f"{one.asked}\n{one.message}\n{one.outcome}\n{work}"
    evidence = names(text) | names_of("", (*touched, *one.files))
    return Told(one, file, number, tuple(dict.fromkeys((*touched, *one.files))), evidence, step, candidate)


def names(text: str) -> frozenset[str]:
    """The names of files and code in a text."""
    files = map(str.lower, _FILE.findall(text))
    return frozenset(
        (*files, *(one for one in _CODE.findall(text) if len(one) >= _SHORTEST or one[0] == "#"))
    )


def needed(told: Sequence[Told], at: int) -> list[int]:
    """The exchanges of earlier sessions that a prompt needs, the best first."""
    now = told[at]
    before = [place for place in range(at) if told[place].session < now.session]
    if now.exchange.opener != "person" or len(before) < FEWEST:
        return []
    asked = names(now.exchange.message) | names_of("", now.touched)
    if not now.touched:
        asked |= frozenset(map(str.lower, _FILE.findall(now.exchange.outcome)))
    counts = Counter(name for place in before for name in told[place].evidence)
    asked = frozenset(name for name in asked if 0 < counts[name] <= max(RARE, COMMON * len(before)))
    usual = mean(len(told[place].evidence) for place in before) or 1.0
    scores: dict[int, float] = {}
    for place in before:
        shared = asked & told[place].evidence
        if len(shared) > 1 or any(counts[name] <= RARE for name in shared):
            rarity = sum(log(1 + len(before) / counts[name]) for name in shared)
            scores[place] = rarity / sqrt(0.5 + 0.5 * len(told[place].evidence) / usual)
    best = max(scores.values(), default=0.0)
    return sorted(
        (place for place, score in scores.items() if score >= NEAR * best), key=lambda p: -scores[p]
    )


def labelled(told: Sequence[Told], gold: Path, sessions: Path) -> dict[int, list[int]]:
    """For prompts that a reader labelled, the exchanges of earlier sessions that hold the facts they need."""
    if not gold.is_file():
        return {}
    turns = Turns(sessions)
    lines = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    facts = {line["id"]: line for line in lines if line["type"] == "fact"}

    def place(line: dict[str, Any]) -> int | None:
        indexes = {turn for _, turn in turns.places({"span": [0, 40], **line})}
        return next(
            (
                at
                for at, one in enumerate(told)
                if one.file == line["session"]
                and any(one.exchange.first_turn <= turn <= one.exchange.last_turn for turn in indexes)
            ),
            None,
        )

    found = {}
    for line in lines:
        at = place(line) if line["type"] == "prompt" else None
        if at is not None:
            places = [place(facts[need]) for need in line["needs"] if need in facts]
            earlier = [one for one in places if one is not None and told[one].session < told[at].session]
            if earlier:
                found[at] = earlier
    return found


def replay(folder: Path, gold: Path | None, *, imported: bool) -> Results:
    """Predict before each prompt of a project, as after the turn before."""
    told = history(folder, imported=imported)
    results = Results(labelled=labelled(told, gold / f"{folder.name}.jsonl", folder) if gold else {})
    for at, now in enumerate(told):
        known = engine.signals_of([], [one.step for one in reversed(told[:at])]).lately
        kept = {name for name, _ in Counter(known).most_common(CACHED)}
        events = {
            name for name in names_of("", now.touched) if any(name in one.step.names for one in told[:at])
        }
        results.hits, results.events = results.hits + len(events & kept), results.events + len(events)
        if need := needed(told, at):
            results.needed[at] = need
        if need or at in results.labelled:
            for way, found in ways(told, at):
                results.found[way][at] = found
    return results


def ways(told: Sequence[Told], at: int) -> Iterator[tuple[str, list[int]]]:
    """What each way predicts for a prompt, as places of exchanges."""
    now = told[at]
    before = [place for place in range(at) if told[place].session < now.session]
    candidates = [told[place].candidate for place in before]
    own = [one for one in told[:at] if one.session == now.session]
    own = own or [one for one in told[:at] if one.session == told[at - 1].session]
    lately = [one.step for one in reversed(told[:at])]
    signals = signals_of([one.step for one in reversed(own)], lately)
    said = engine.stems_of(own[-1].exchange.message)
    of_words = engine._Rarity([one.words for one in candidates])  # noqa: SLF001

    def first(value: Callable[[int], float]) -> list[int]:
        order = sorted(range(len(before)), key=lambda place: (-value(place), -place))
        return [before[place] for place in order[:FIRST]]

    scores = {name: strategy(signals, candidates) for name, strategy in STRATEGIES.items()}
    yield "latest", first(float)
    yield (
        "like the last prompt",
        first(lambda place: of_words.shared(dict.fromkeys(said, 1.0), candidates[place].words)),
    )
    last = own[-1].step.names
    yield "same file, latest", first(lambda place: float(bool(last & candidates[place].names)))
    for name, values in scores.items():
        if any(values):
            yield name, first(values.__getitem__)
    by_id = {told[place].exchange.id: place for place in before}
    yield "prediction", [by_id[one.id] for one in predict(signals, candidates, FIRST)]


def share(found: Mapping[int, list[int]], wanted: Mapping[int, list[int]]) -> tuple[int, int]:
    """How many prompts have one of what they need among what was found, and how many there are."""
    return sum(bool(set(need) & set(found.get(at, ()))) for at, need in wanted.items()), len(wanted)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--projects", default="")
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--as-imported", action="store_true")
    options = parser.parse_args()
    chosen = options.projects.split(",") if options.projects else None
    totals: dict[str, list[tuple[int, int]]] = defaultdict(list)
    labels: dict[str, list[tuple[int, int]]] = defaultdict(list)
    hits = events = 0
    for folder in sorted(one for one in options.sessions.iterdir() if chosen is None or one.name in chosen):
        results = replay(folder, options.gold, imported=options.as_imported)
        hits, events = hits + results.hits, events + results.events
        line = []
        for way, found in results.found.items():
            totals[way].append(share(found, results.needed))
            labels[way].append(share(found, results.labelled))
            line.append(f"{way} {totals[way][-1][0]}")
        cached = f"{results.hits}/{results.events}"
        print(f"{folder.name}: {len(results.needed)} prompts; {'; '.join(line)}; cached {cached}", flush=True)
    for way, counts in totals.items():
        of_each = mean(right / number for right, number in counts if number)
        right, number = (sum(one) for one in zip(*counts, strict=True))
        read, read_of = (sum(one) for one in zip(*labels[way], strict=True))
        print(
            f"{way:22} {right / number:.3f} of {number}, mean of projects {of_each:.3f},"
            f" gold {read}/{read_of}"
        )
    if events:
        print(f"file events whose prediction is cached: {hits / events:.3f} of {events}")


if __name__ == "__main__":
    main()
