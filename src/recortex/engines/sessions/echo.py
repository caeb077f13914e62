"""Recognises statements that only repeat a memory that the agent was given: they are no evidence for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Iterable

ECHO = 0.8
"""The share of a statement's words that are in a given memory; the same share as for near-duplicates."""


class GivenTexts:
    """The texts that an agent was given in a session."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = [bag_of_words(text) for text in texts]

    def echoed_by(self, statement: str) -> bool:
        """Whether a statement only repeats one of the texts."""
        words = bag_of_words(statement)
        return bool(words) and any(len(words & known) >= ECHO * len(words) for known in self._words)


NOTHING = GivenTexts(())
