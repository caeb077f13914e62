"""Selects what a merged memory says: whole sentences of its sources, never rewritten."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log, sqrt
from typing import TYPE_CHECKING

from recortex.consolidation.guard import LIGHT, named
from recortex.engines.exchanges.building import sentences
from recortex.engines.similarity import contradiction
from recortex.text.languages import negations
from recortex.text.words import content_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.engines.prompting.service import Polished

NOVEL = 0.85
"""A sentence that is less like each one of the anchor says something new."""
PHRASES = 3
"""Key phrases of a cluster."""
# The damping of PageRank, as in the paper. Sentences are few, so that it converges long before the last
# step.
_DAMPING, _STEPS, _CHANGE = 0.85, 50, 1e-6


class Rarity:
    """How rare each word is among some texts: log((1 + n) / (1 + df)) + 1.

    Args:
        texts: those that the words are counted in.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        bags = [set(terms(text)) for text in texts]
        self._size = len(bags)
        self._counts = Counter(word for bag in bags for word in bag)

    def of(self, word: str) -> float:
        """The weight of a word, 1 at least."""
        # Smoothed as scikit-learn does it: a word that is in all texts still weighs 1, so that texts of
        # common words only do not become empty.
        return log((1 + self._size) / (1 + self._counts[word])) + 1.0

    def vector(self, text: str) -> dict[str, float]:
        """The TF-IDF of a text's words."""
        return {word: count * self.of(word) for word, count in Counter(terms(text)).items()}


def terms(text: str) -> list[str]:
    """The stems of a text's words that say something."""
    # The words that the guard ignores are ignored here too: both must read a sentence alike.
    return [root for root in map(stem, content_words(text)) if root not in LIGHT]


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of two sparse vectors, 0 to 1; 0 where one is empty."""
    if len(other) < len(one):
        one, other = other, one
    dot = sum(value * other.get(word, 0.0) for word, value in one.items())
    norms = sum(value * value for value in one.values()) * sum(value * value for value in other.values())
    return min(1.0, dot / sqrt(norms)) if norms else 0.0


def key_phrases(texts: Sequence[str], rarity: Rarity, most: int = PHRASES) -> list[str]:
    """The words and pairs of words that are frequent in some texts and rare elsewhere, best first.

    A phrase is made of words as they are written, so that a search finds them.
    """
    counts, rows = Counter[tuple[str, ...]](), [content_words(text) for text in texts]
    for words in rows:
        counts.update({(word,) for word in words} | {pair for pair in pairwise(words) if pair[0] != pair[1]})
    weights = {
        phrase: count * sum(rarity.of(stem(word)) for word in phrase) for phrase, count in counts.items()
    }
    chosen: list[tuple[str, ...]] = []
    for phrase in sorted(weights, key=lambda one: (-weights[one], one)):
        # Three phrases that share a word are one question asked three times.
        if not any(set(phrase) & set(one) for one in chosen):
            chosen.append(phrase)
        if len(chosen) == most:
            break
    return [" ".join(phrase) for phrase in chosen]


def textrank(vectors: Sequence[Mapping[str, float]]) -> list[float]:
    """The centrality of each sentence, 1 in all (Mihalcea, Tarau, «TextRank», 2004, by power iteration).

    Args:
        vectors: of the sentences, as `Rarity.vector` gives them.
    """
    size = len(vectors)
    edges = [
        [likeness(one, other) if a != b else 0.0 for b, other in enumerate(vectors)]
        for a, one in enumerate(vectors)
    ]
    totals = [sum(row) for row in edges]
    ranks = [1.0 / size] * size
    for _ in range(_STEPS):
        # What has no neighbour gives its rank to all.
        loose = sum(rank for rank, total in zip(ranks, totals, strict=True) if not total) / size
        given = [
            (1 - _DAMPING) / size
            + _DAMPING * (loose + sum(ranks[b] * edges[b][a] / totals[b] for b in range(size) if totals[b]))
            for a in range(size)
        ]
        moved = sum(abs(new - old) for new, old in zip(given, ranks, strict=True))
        ranks = given
        if moved < _CHANGE:
            break
    return ranks


def select(anchor: str, others: Sequence[tuple[str, float]], rarity: Rarity, novel: float = NOVEL) -> str:
    """The anchor with what the others add: sentences that say something new, most central first.

    A sentence with a name or a figure that is not there yet always adds something.

    Args:
        anchor: kept whole.
        others: texts of the other sources, and the cosine of each with the anchor; 0 where it is not known.
        rarity: of words, among all that may be merged.
        novel: the least likeness of a repetition.
    """
    own = list(sentences(anchor))
    added: dict[str, float] = {}
    for text, cosine in others:
        parts = list(sentences(text))
        # The vector of a text of several sentences says nothing of each of them.
        added |= {one: cosine if len(parts) == 1 else 0.0 for one in parts if one not in added}
    vectors = {sentence: rarity.vector(sentence) for sentence in (*own, *added)}
    ranks = dict(zip(vectors, textrank(list(vectors.values())), strict=True)) if added else {}
    chosen = list(own)
    # The sentence itself breaks ties, so that the same sources give the same text.
    for sentence in sorted(added, key=lambda one: (-ranks[one], one)):
        like = max([added[sentence], *(_repeats(vectors[sentence], vectors[one]) for one in chosen)])
        # Compared with what was chosen before it: two sources that add the same thing add it once.
        # A repetition by words may still name the one port or file that the other does not.
        if like < novel or named(sentence, "\n".join(chosen)):
            chosen.append(sentence)
    return "\n".join([anchor, *chosen[len(own) :]])


def _repeats(sentence: Mapping[str, float], known: Mapping[str, float]) -> float:
    """How far a known sentence says what another one does: their cosine, or the share that it holds."""
    weight = sum(sentence.values())
    # A short sentence that lies wholly in a long one has a low cosine with it and yet adds nothing.
    held = sum(value for word, value in sentence.items() if word in known) / weight if weight else 1.0
    return max(likeness(sentence, known), held)


# -- whether what a language model wrote says what selected sentences say: checked sentence by sentence
#
# What consolidation keeps is selected, not written. Where a person has set a model and merges, it may put the
# selected sentences into better order and words; if one sentence of its answer says anything else, or
# anything is lost, the selection stands.

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
    # Every sentence must be used and none invented: a language model may reword what was selected, but what
    # it leaves out or adds would be lost or kept without a source.
    if used != set(range(1, len(sentences) + 1)):
        return ""
    for one in written:
        said = "\n".join(sentences[number - 1] for number in sorted(set(one.of)))
        if (
            not one.of
            or set(one.text) <= _NOTHING_SAID
            or not set(terms(one.text)) <= set(terms(said))
            or named(one.text, said)
            # The stems may all be there, and a "not" gone.
            or negations(one.text) != negations(said)
            or contradiction(one.text, said)
        ):
            return ""
    text = "\n".join(one.text for one in written)
    lost = named("\n".join(sentences), text)
    # What is longer than the selection was not polished.
    return "" if lost or len(text) > len("\n".join(sentences)) else text
