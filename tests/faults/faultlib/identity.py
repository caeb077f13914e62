"""The same ids in each run, so that a seed damages the same bytes again."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random


@contextmanager
def seeded(seed: str) -> Iterator[None]:
    """While inside, new ids follow from a seed."""
    chance, drawn = Random(seed), uuid.uuid4  # noqa: S311
    uuid.uuid4 = lambda: uuid.UUID(int=chance.getrandbits(128), version=4)
    try:
        yield
    finally:
        uuid.uuid4 = drawn
