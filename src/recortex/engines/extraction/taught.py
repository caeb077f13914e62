"""What a correction teaches that somebody tells: difference, category and principle, all by rules."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.correction import Category, Difference
from recortex.engines.corrections.categories import categorised, said_in
from recortex.engines.corrections.difference import difference, is_diff, of_diff
from recortex.engines.extraction.difference_principles import from_difference
from recortex.engines.extraction.principles import of_words
from recortex.engines.words import bag_of_words, word_set
from recortex.errors import InvalidInputError

SAID, SHOWN = 0.9, 0.75
"""The confidence of what a person said in words, as of a note, and of what one changed text shows by itself:
a rule that was made of a single example."""
_FEWEST = 2
"""Words of a principle in a language that separates them."""
_FILLERS = word_set(
    """
    ah alright awesome but cool correct done enough exactly fair fine go good got great hello hey hi hm hmm
    hmmm idk i is it lol makes maybe nice no nope oh ok okay perfect please right see sense so sorry sounds
    sure thank thanks that then this too understood wait well yeah yep yes you
    """
)
"""Words that teach nothing by themselves, nor together."""
_FEW_WORDS = 5
"""Words of a principle beside which what changed is told too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A correction as it was understood.

    Attributes:
        words: the person's; empty where only the texts were given.
        did: what had been done that was wrong.
    """

    principle: str
    category: Category
    difference: Difference
    words: str
    did: str

    @property
    def confidence(self) -> float:
        """How sure it is before anything else is known of it."""
        return SAID if self.words else SHOWN


def taught(text: str, *, original: str = "", corrected: str = "", diff: str = "", did: str = "") -> Taught:
    """Understand a correction.

    Args:
        text: the person's words; a unified diff is recognised.
        original: what was written.
        corrected: what it became.
        diff: a unified diff instead of the two.
        did: what had been done that was wrong.

    Raises:
        InvalidInputError: there is nothing to learn from, or too much.
    """
    if not diff and is_diff(text):
        text, diff = "", text
    shown = of_diff(diff) if diff else difference(original, corrected)
    words = text.strip()
    principle = _principle(words, shown, did or original)
    if not principle or _teaches_nothing(principle):
        raise InvalidInputError(
            "There is nothing to learn from.",
            hint="Give the person's words, --original and --corrected, or --diff.",
        )
    usual = Category.TRIBAL_MISS if words else Category.OTHER
    category = categorised(words or said_in(shown), difference=shown, usual=usual)
    return Taught(principle=principle, category=category, difference=shown, words=words, did=did)


def _teaches_nothing(principle: str) -> bool:
    """Whether it is a word, or only a sound of agreement such as "hmm okay"."""
    if not principle.isascii():
        return False
    return len(principle.split()) < _FEWEST or bag_of_words(principle) <= _FILLERS


def _principle(words: str, shown: Difference, did: str) -> str:
    """What the person said; with or without words what changed, where they say little."""
    said = of_words(words, did) if words else None
    if said is None:
        return from_difference(shown)
    few = len(said.own.split()) < _FEW_WORDS or said.text != said.own
    return f"{said.own} {from_difference(shown)}" if few and not shown.empty else said.text
