"""One of several writers of causal relations; prints how many it made and how many were refused.

python causal_writer.py ADDRESS SEED MEMORIES RELATIONS
"""

import random
import sys
from pathlib import Path

from example_memories import AT, id_of
from recortex.domain.address import parse
from recortex.domain.causality import CAUSAL
from recortex.domain.relation import Relation
from recortex.errors import CausalCycleError
from recortex.storage.postgres.store import PgStore
from recortex.storage.sqlite.store import SqliteStore


def opened(address):
    """The store of an address."""
    if address.startswith("postgres"):
        return PgStore(parse(address), clock=lambda: AT, connections=1)
    return SqliteStore(Path(address), backups=Path(address).parent / "backups", clock=lambda: AT)


def main(address, seed, memories, relations):
    random_, made, refused = random.Random(seed), 0, 0  # noqa: S311
    store = opened(address)
    for _ in range(relations):
        one, other = random_.sample(range(memories), 2)
        try:
            made += store.relations.put(
                Relation(id_of(one), id_of(other), random_.choice(sorted(CAUSAL)), AT)
            )
        except CausalCycleError:
            refused += 1
    store.close()
    sys.stdout.write(f"{made} {refused}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
