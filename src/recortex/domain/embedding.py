"""How the embeddings of a store stand."""

from __future__ import annotations

import re
from typing import NamedTuple

LABEL = re.compile(r"\[\w+\|\w+\|\w+\] (?:\[project:[^\]\n]*\] )?")
"""What is embedded before a memory's text (`engines/indexing/document.py`): none of its words."""


class Reembedding(NamedTuple):
    """A change of the embedding model, finished or not.

    Attributes:
        started_at, finished_at: microseconds since 1970 UTC; `finished_at` is None while memories are left.
        done: memories brought to it.
        milliseconds: that took, pauses included.
    """

    started_at: int
    finished_at: int | None
    done: int
    milliseconds: int


class VectorIndexState(NamedTuple):
    """How far the approximate vector index goes.

    Attributes:
        vectors: in the store.
        indexed: of these, in the index.
        problem: what is wrong with it or missing; empty where nothing is.
        todo: what to do about it.
    """

    vectors: int
    indexed: int
    problem: str = ""
    todo: str = ""
