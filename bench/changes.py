"""What becomes of known statements when new ones arrive: changes of mind, pairs that both hold, strangers.

    python bench/changes.py [--half a|b] [--store] [--json FILE]
    python bench/changes.py --unrelated FILE
    python bench/changes.py --mine SESSIONS_DIR FILE

The pairs of `changes/shut.tar.xz` were written by somebody who knew neither the rules nor the training pairs;
its halves `a` and `b` were opened one after another, and nothing was mended after `b` (docs/changes.md). Each
pair is judged as the package judges it, with their vectors left out: as if both were on one matter. With
`--store`, all known statements of a half are remembered in one store, then all new ones, and the job
`changes` runs: what is told is what became of the known ones, so candidates that are not found count as
misses, and what another statement ended counts too.

`--unrelated` remembers statements one after another, `PROJECT<TAB>STATEMENT` a line, a store for each
project, and prints what was replaced or marked. `--mine` takes pairs of statements with words in common out
of sessions, for training (`scripts/build_change_model.py`); they are not part of the project.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tarfile
import tempfile
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import CHANGES
from recortex.domain.vocabulary import RelationType, Status
from recortex.embeddings.folder import ChangeModel
from recortex.engines.extraction.extractor import by_rules
from recortex.engines.supersession import stems
from recortex.engines.supersession.reading import Outcome, read_together, read_words
from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript
from recortex.text.words import CLAIM_WORDS, words
from scale import services_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHUT = Path(__file__).parent / "changes/shut.tar.xz"
SEED, MOST_OF_PROJECT, LOOKED_BACK, SHARED = 3, 400, 200, 0.3
MOST_LISTED = 1_000


class Pair(NamedTuple):
    """A known and a new statement; `form` says how the change is worded, or in what the two differ."""

    form: str
    expected: str
    known: str
    new: str


def pairs(half: str) -> list[Pair]:
    """The pairs of a half: changes (`end`, `part`) and what both holds (`both`)."""
    found = []
    with tarfile.open(SHUT) as archive:
        for name in (f"changes_{half}.tsv", f"both_true_{half}.tsv"):
            file = archive.extractfile(name)
            assert file is not None
            rows = [line.split("\t") for line in file.read().decode().splitlines() if line.strip()]
            found += [Pair(row[1], row[2] if len(row) == 5 else "both", row[-2], row[-1]) for row in rows]
    return found


def judge() -> Callable[[Pair], str]:
    """What the package says of a pair: replaces, contradicts or nothing."""
    model = ChangeModel()

    def of(one: Pair) -> str:
        chances = model.chances([(one.known, one.new)])[0]
        verdict = read_words(one.known, one.new) or read_together(one.known, one.new, chances, 1.0)
        return verdict.outcome.value

    return of


def in_store(found: list[Pair]) -> Callable[[Pair], str]:
    """What became of each known statement when all new ones were remembered."""
    with _store() as cx:
        ids = {one.known: cx.remember(one.known, kind="decision").id for one in found}
        for one in found:
            cx.remember(one.new, kind="decision")
        services = services_of(cx)
        run(services, lambda: datetime.now(UTC), services.settings, [replace(CHANGES, seconds=float("inf"))])
        ended = {one.id for one in cx.list(statuses=(Status.SUPERSEDED,), limit=MOST_LISTED).memories}
        only = (RelationType.CONTRADICTS,)
        marked = {id_ for id_ in ids.values() if cx.related(id_, relations=only).neighbours}

    def of(one: Pair) -> str:
        id_ = ids[one.known]
        return "replaces" if id_ in ended else "contradicts" if id_ in marked else "nothing"

    return of


def _store() -> Cortex:
    root = Path(tempfile.mkdtemp())
    os.environ["RECORTEX_HOME"] = str(root / "home")
    (root / "project/.git").mkdir(parents=True)
    return Cortex.open(root / "project")


def figures(found: list[Pair], of: Callable[[Pair], str]) -> dict[str, object]:
    """How many were replaced and marked, by what was expected and by form."""
    told = [(one, of(one)) for one in found]
    counts = defaultdict[str, Counter[str]](Counter)
    for one, outcome in told:
        counts[one.expected][outcome] += 1
        counts[f"{one.expected}: {one.form}"][outcome] += 1
    replaced = [one for one, outcome in told if outcome == Outcome.REPLACES.value]
    ended = counts["end"]
    return {
        "precision of replacing": round(
            sum(one.expected == "end" for one in replaced) / max(len(replaced), 1), 3
        ),
        "changes replaced": round(ended["replaces"] / max(ended.total(), 1), 3),
        "changes replaced or marked": round(1 - ended["nothing"] / max(ended.total(), 1), 3),
        "both hold, replaced": counts["both"]["replaces"],
        "both hold, marked": counts["both"]["contradicts"],
        "counts": {name: dict(one) for name, one in sorted(counts.items())},
    }


def unrelated(path: Path) -> dict[str, int]:
    """Statements one after another: how many were replaced or marked."""
    by_project = defaultdict[str, list[str]](list)
    for line in path.read_text(encoding="utf-8").splitlines():
        project, _, statement = line.partition("\t")
        by_project[project].append(statement)
    found = Counter[str]()
    for statements in by_project.values():
        with _store() as cx:
            for statement in statements:
                for known in cx.remember(statement, kind="insight").known:
                    found[known.done] += 1
                    if known.done in {"replaced", "contradicts"}:
                        print(f"{known.done}: {known.text[:150]} <- {statement[:150]}")
            found["statements"] += len(statements)
    return dict(found)


def mine(sessions: Path) -> Iterator[tuple[str, str]]:
    """Pairs of statements of one project with words in common, the earlier one first."""
    chance = random.Random(SEED)
    for project in sorted(sessions.iterdir()):
        said = list(dict.fromkeys(_statements(project)))
        bags = [stems(words(one)) - CLAIM_WORDS for one in said]
        near = [
            (said[known], said[new])
            for new in range(len(said))
            for known in range(max(0, new - LOOKED_BACK), new)
            if len(bags[known] & bags[new]) >= max(2, SHARED * min(len(bags[known]), len(bags[new])))
        ]
        chance.shuffle(near)
        yield from near[:MOST_OF_PROJECT]


def _statements(project: Path) -> Iterator[str]:
    for file in sorted(project.iterdir()):
        with suppress(RecortexError):
            for turn in filter(attrgetter("by_person"), open_transcript(file)):
                yield from (" ".join(one.text.split()) for one in by_rules(turn))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("a", "b"), default="a")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--unrelated", type=Path)
    parser.add_argument("--mine", type=Path, nargs=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.mine:
        rows = [f"N\t{known}\t{new}\n" for known, new in mine(options.mine[0])]
        options.mine[1].write_text("".join(rows), encoding="utf-8")
        return
    if options.unrelated:
        found: object = unrelated(options.unrelated)
    else:
        some = pairs(options.half)
        found = figures(some, in_store(some) if options.store else judge())
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
