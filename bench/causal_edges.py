"""Which causes are inferred from real sessions: a seeded draw with the texts, to be read and judged.

Each project of SESSIONS_DIR is imported into a store of its own; with --stores these are kept and used again.
Projects are numbered by name: even ones are those that the thresholds were chosen on, odd ones are shut until
the rules are frozen.

    python bench/causal_edges.py SESSIONS_DIR --half tuned|shut [--stores DIR] [--draw 60] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from exchanges import opened
from recortex.app.causes import common_in, inferred_in_session
from recortex.domain.relation import order
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

HALVES = ("tuned", "shut")


def edges(name: str, sessions: Path, stores: Path) -> Iterator[tuple[str, Relation, Memory, Memory]]:
    """The relations that are inferred in a project's store, with cause and effect."""
    cortex = opened(name, sessions, stores)
    services = cortex._app.services(Scope.PROJECT)  # noqa: SLF001
    now, common = cortex._app.clock(), common_in(services)  # noqa: SLF001
    for session in filter(None, services.store.memories.sessions()):
        for relation in inferred_in_session(services, session, common, now):
            cause, effect = order(relation) or ("", "")
            known = {one.id: one for one in services.store.memories.get([cause, effect])}
            yield name, relation, known[cause], known[effect]
    cortex.close()


def told(memory: Memory) -> str:
    source = memory.source
    return f"[{memory.kind}, turn {source.turn}, {source.speaker or '?'}, {source.rule}] {memory.text}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--half", choices=HALVES, default="tuned")
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--draw", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = sorted(one.name for one in options.sessions.iterdir() if one.is_dir())
    with tempfile.TemporaryDirectory() as folder:
        stores = options.stores or Path(folder)
        found = [
            one
            for name in names[HALVES.index(options.half) :: 2]
            for one in edges(name, options.sessions, stores)
        ]
    print(f"{len(found)} relations in {len({one[0] for one in found})} projects")
    print(Counter(one[1].evidence[0].partition(",")[0][:40] for one in found))
    for place, (name, relation, cause, effect) in enumerate(
        random.Random(options.seed).sample(found, min(options.draw, len(found))), 1
    ):
        print(f"\n{place}. {name} {relation.type} {relation.strength}: {' '.join(relation.evidence)}")
        print(f"   cause:  {told(cause)}\n   effect: {told(effect)}")


if __name__ == "__main__":
    main()
