"""One of several writers of causal relations; prints how many it made, were refused, and it removed.

python causal_writer.py ADDRESS SEED MEMORIES ACTS
"""

import random
import sys
from pathlib import Path

from example_memories import AT, id_of
from recortex.domain.address import parse
from recortex.domain.memory import CAUSAL, Relation
from recortex.errors import CausalCycleError
from recortex.storage.postgres.store import PgStore
from recortex.storage.sqlite.store import SqliteStore

REMOVALS = 0.2
"""The share of acts that take relations away."""


def opened(address):
    """The store of an address."""
    if address.startswith("postgres"):
        return PgStore(parse(address), clock=lambda: AT, connections=1)
    return SqliteStore(Path(address), backups=Path(address).parent / "backups", clock=lambda: AT)


def main(address, seed, memories, acts):
    random_, made, refused, removed = random.Random(seed), 0, 0, 0  # noqa: S311
    store = opened(address)
    for _ in range(acts):
        one, other = map(id_of, random_.sample(range(memories), 2))
        if random_.random() < REMOVALS:
            store.relations.remove(one, other, at=AT)
            removed += 1
            continue
        try:
            made += store.relations.put(Relation(one, other, random_.choice(sorted(CAUSAL)), AT))
        except CausalCycleError:
            refused += 1
    store.close()
    sys.stdout.write(f"{made} {refused} {removed}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
