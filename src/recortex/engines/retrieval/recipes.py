"""Search recipes: how many candidates words and vectors give."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.hit import Recipe


class Gathering(NamedTuple):
    """How many candidates the keyword index and the vector index give; 0 leaves one out."""

    words: int
    vectors: int


RECIPES: Mapping[Recipe, Gathering] = {
    # 150 and 128 find 0.1 points more of LoCoMo and CoSQA and take a fifth longer (bench/retrieval.py).
    "hybrid": Gathering(words=100, vectors=90),
    "keyword": Gathering(words=150, vectors=0),
    "semantic": Gathering(words=0, vectors=128),
    "frame": Gathering(words=100, vectors=90),
}
