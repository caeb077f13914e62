"""Whether a text that a language model wrote says what selected sentences say: checked sentence by sentence.

What consolidation keeps is selected, not written. Where a person has set a model and merges, it may put the
selected sentences into better order and words; if one sentence of its answer says anything else, or anything
is lost, the selection stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.consolidation.guard import named
from recortex.consolidation.summary import terms
from recortex.engines.similarity import contradiction
from recortex.text.languages import negations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.engines.prompting.service import Polished

LEAST = 2
"""Sentences from which on there is something to polish."""
_NOTHING_SAID = frozenset("-–— \t\n.,;:")


def grounded(written: Sequence[Polished], sentences: Sequence[str]) -> str:
    """The text of an answer; empty where it does not say what the sentences say.

    Each of its sentences may use only words of those that it names (by their stems), with the same names,
    figures and negations, and each of the sentences is named. Names and figures of all must be kept.

    Args:
        written: the model's sentences, each with the numbers, from 1, of those that it says.
        sentences: those that were selected.
    """
    if not written or len(written) > len(sentences):
        return ""
    used = {number for one in written for number in one.of}
    if used != set(range(1, len(sentences) + 1)):
        return ""
    for one in written:
        said = "\n".join(sentences[number - 1] for number in sorted(set(one.of)))
        if (
            not one.of
            or set(one.text) <= _NOTHING_SAID
            or not set(terms(one.text)) <= set(terms(said))
            or named(one.text, said)
            or negations(one.text) != negations(said)
            or contradiction(one.text, said)
        ):
            return ""
    text = "\n".join(one.text for one in written)
    lost = named("\n".join(sentences), text)
    return "" if lost or len(text) > len("\n".join(sentences)) else text
