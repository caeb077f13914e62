"""Search recipes: which signals a recall uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.hit import Recipe


@dataclass(frozen=True, slots=True)
class Gathering:
    """How candidates are gathered.

    Attributes:
        words: how many the keyword index gives; 0 to leave it out.
        vectors: how many the vector index gives; 0 to leave it out.
        radius: how many turns before and after a turn are looked at.
    """

    words: int
    vectors: int
    radius: int = 2


# 150 and 128 find 0.1 points more of LoCoMo and CoSQA and take a fifth longer (bench/retrieval.py).
HYBRID = Gathering(words=100, vectors=90)
KEYWORD = Gathering(words=150, vectors=0)
SEMANTIC = Gathering(words=0, vectors=128)

RECIPES: Mapping[Recipe, Gathering] = {"hybrid": HYBRID, "keyword": KEYWORD, "semantic": SEMANTIC}
