"""The six phases of consolidation, as functions on values.

Candidates are chosen, gathered in clusters, divided so that nothing in a group differs, and abstracted: one
memory with the words of its best source and what the others add. Whether each source can be found, what an
existing memory says already, and the change itself are for the caller, who has the store.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import pairwise
from math import log, log2, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recortex.codec import content_from_json, content_to_json
from recortex.consolidation.clustering import (
    MOST_POINTS,
    NOISE,
    SMALLEST_CLUSTER,
    distances,
    hdbscan,
    unit_rows,
)
from recortex.consolidation.duplicates import merge, mergeable_kind
from recortex.consolidation.guard import LIGHT, difference, named
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Origin, Status
from recortex.engines.copies import alike, overlapping
from recortex.engines.exchanges import sentences
from recortex.engines.indexing import cosine
from recortex.engines.ingestion import normalise_again
from recortex.engines.similarity import contradiction
from recortex.text.words import content_words, negations, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

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
    for text, near in others:
        parts = list(sentences(text))
        # The vector of a text of several sentences says nothing of each of them.
        added |= {one: near if len(parts) == 1 else 0.0 for one in parts if one not in added}
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


# -- the six phases of consolidation, as functions on values
#
# Candidates are chosen, gathered in clusters, divided so that nothing in a group differs, and abstracted:
# one memory with the words of its best source and what the others add. Whether each source can be found,
# what an existing memory says already, and the change itself are for the caller, who has the store.


WAITED = timedelta(days=7)
"""An episode is as old before it is consolidated."""
# Below this a memory is in doubt, and the merged one would take over words that may be wrong.
LEAST_CONFIDENCE = 0.3
LINKED = 0.75
"""The least cosine of each source with the anchor."""
MOST_NEAR = 24
"""Memories that are compared with an anchor, the likest ones: no memory stands for more."""
LONGER = 1.1
"""What says the same as the anchor and is no longer than so many times it adds no more than names."""
_BLOCK = 512
"""Rows of one product."""
SAME = 0.9
"""A cosine from which on an existing memory says what a cluster does: it is kept, with more evidence."""
# Repetition makes a statement surer, but no number of sources makes it certain.
MOST_BOOST, BOOST = 1.3, 0.05
EPISODE, SEMANTIC = Kind("episodic"), Kind("semantic")


class Limits(NamedTuple):
    """What tuning may change.

    Attributes:
        smallest: points of a cluster.
        linked: the least cosine of a source with the anchor.
        novel: the least likeness of a repeated sentence.
    """

    smallest: int = SMALLEST_CLUSTER
    linked: float = LINKED
    novel: float = NOVEL


USUAL = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Memories that one may stand for: the anchor, whose words are kept, and the others.

    Attributes:
        likeness: the least of a source with the anchor.
    """

    anchor: Memory
    others: tuple[Memory, ...]
    likeness: float

    @property
    def sources(self) -> tuple[Memory, ...]:
        """The anchor first."""
        return (self.anchor, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Two memories of one cluster that differ, with the reason in words."""

    one: Memory
    other: Memory
    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """What may be merged, and what must not be."""

    groups: list[Group] = field(default_factory=list)
    apart: dict[frozenset[str], Apart] = field(default_factory=dict)


# -- phase 1: candidates


def candidates(memories: Iterable[Memory], now: datetime) -> list[list[Memory]]:
    """What may be merged, in lists of one scope and kind, each in the order of ids.

    Episodes of a week, and statements at once; nothing that a merge made, that is in doubt, or that is
    kept by its place in time or in code.
    """
    found = defaultdict[tuple[str, str], list[Memory]](list)
    for one in memories:
        if _is_candidate(one, now):
            found[one.scope.value, one.kind].append(one)
    # Sorted by id before the limit, so that the same store always gives the same candidates.
    return [sorted(found[key], key=lambda one: one.id)[:MOST_POINTS] for key in sorted(found)]


def _is_candidate(memory: Memory, now: datetime) -> bool:
    if memory.status is not Status.ACTIVE or memory.confidence <= LEAST_CONFIDENCE:
        return False
    if memory.origin is Origin.CONSOLIDATION or not mergeable_kind(memory):
        return False
    if memory.kind == EPISODE:
        waits = getattr(memory.content, "consolidation_status", "pending") == "pending"
        return waits and now - memory.recorded_at > WAITED
    return not KINDS[memory.kind].event


# -- phase 2: clusters, and what in them may be one


def find(memories: Sequence[Memory], codes: Mapping[str, bytes], limits: Limits = USUAL) -> Found:
    """The groups of one list of candidates: each source is like its anchor, and no two differ.

    HDBSCAN finds the dense places: in each of them the strongest memory is an anchor first, and the
    others of the place come to it first. What is like an anchor may come from elsewhere, too; what is
    like none stays alone.

    Args:
        memories: of one scope and kind.
        codes: their int8 vectors by id; words alone are compared where one is missing.
        limits: as tuned.
    """
    rows = unit_rows(memories, codes)
    labels, near = hdbscan(distances(memories, rows), limits.smallest), _near(memories, codes, rows, limits)
    sizes = Counter(label for label in labels if label != NOISE)
    # The largest clusters first: there an anchor can stand for most.
    left = dict.fromkeys(
        sorted(
            range(len(memories)),
            key=lambda place: (sizes[labels[place]], _strength(memories[place])),
            reverse=True,
        )
    )
    found = Found()
    # A copy of the keys: places are taken out of `left` on the way.
    for anchor in tuple(left):
        if anchor in left:
            others = [pair for pair in near[anchor] if pair[1] in left]
            # Of the same cluster first, then the likest: an anchor has a limited number of places.
            others.sort(key=lambda pair: (labels[pair[1]] != labels[anchor], -pair[0], memories[pair[1]].id))
            for place in _take(memories, anchor, others[:MOST_NEAR], limits, found):
                del left[place]
    return found


def _take(
    memories: Sequence[Memory],
    anchor: int,
    others: Iterable[tuple[float, int]],
    limits: Limits,
    found: Found,
) -> list[int]:
    """Add the group of an anchor, where there is one; the places that are in it."""
    first, taken, least = memories[anchor], list[int](), 1.0
    for like, place in others:
        one = memories[place]
        sources = (first, *(memories[each] for each in taken))
        # Compared with each source that is in the group, not only with the anchor: two that are like the
        # anchor may differ from each other in what it does not mention.
        if why := next(filter(None, (difference(statement(one), statement(each)) for each in sources)), ""):
            pair = Apart(one=first, other=one, why=why)
            found.apart.setdefault(frozenset((first.id, one.id)), pair)
        else:
            taken.append(place)
            least = min(least, like)
    if len(taken) + 1 < limits.smallest:
        return []
    found.groups.append(Group(anchor=first, others=tuple(memories[one] for one in taken), likeness=least))
    return [anchor, *taken]


def _near(
    memories: Sequence[Memory], codes: Mapping[str, bytes], rows: Any, limits: Limits
) -> defaultdict[int, list[tuple[float, int]]]:
    """Of each memory those that are as like it as a source must be, with their likeness."""
    pairs = {
        (int(a), int(b)): min(1.0, float(value))
        for start in range(0, len(memories), _BLOCK)
        for cosines in [rows[start : start + _BLOCK] @ rows.T]
        for a, b, value in _above(np, cosines, limits.linked, start)
    }
    # Near-copies, and without vectors all that is looked at, share half of their words.
    words = {str(place): frozenset(terms(statement(one))) for place, one in enumerate(memories)}
    for shared in overlapping(words).pairs:
        a, b = sorted((int(shared.a), int(shared.b)))
        one, other = memories[a], memories[b]
        if one.id not in codes or other.id not in codes or alike(statement(one), statement(other)):
            pairs[a, b] = worded_alike(one, other)
    found = defaultdict[int, list[tuple[float, int]]](list)
    for (a, b), like in pairs.items():
        if like >= limits.linked:
            found[a].append((like, b))
            found[b].append((like, a))
    # Found from both sides, since either of the two may become the anchor.
    return found


def _above(np: Any, cosines: Any, least: float, start: int) -> Iterator[tuple[int, int, float]]:
    """The places of values from a limit on, each pair once, in a block of rows that begins at a place."""
    for a, b in zip(*np.nonzero(cosines >= least), strict=True):
        if start + a < b:
            yield start + a, b, cosines[a, b]


def worded_alike(one: Memory, other: Memory) -> float:
    """The likeness of two memories by their words, 0 to 1."""
    texts = statement(one), statement(other)
    rarity = Rarity(texts)
    return 1.0 if alike(*texts) else likeness(*map(rarity.vector, texts))


def how_like(one: Memory, other: Memory, codes: Mapping[str, bytes]) -> float:
    """The likeness of two memories, 0 to 1: near-copies are alike, others by vectors, or by words without."""
    if one.id not in codes or other.id not in codes or alike(statement(one), statement(other)):
        return worded_alike(one, other)
    return max(0.0, cosine(codes[one.id], codes[other.id]))


def _strength(memory: Memory) -> tuple[object, ...]:
    """By which the anchor is chosen: confidence, importance and use, then trust."""
    # Rounded, as the criteria after it decide only between equals.
    score = memory.confidence * memory.priority * log2(memory.access_count + 1)
    return (
        round(score, 6),
        memory.pinned,
        round(memory.confidence, 2),
        memory.evidence,
        len(named(statement(memory))),
        memory.tokens,
        memory.id,
    )


# -- phase 3: whether each source can be found


def questions(group: Group, rarity: Rarity) -> list[str]:
    """What a source must be found by before it may be merged: the cluster's key phrases."""
    return key_phrases([statement(one) for one in group.sources], rarity)


def passes(asked: Mapping[str, Sequence[str]], ids: Iterable[str]) -> list[str]:
    """The ids that are among the answers to fewer than two thirds of the questions: none lets a group pass.

    Args:
        asked: the ids that are found by each question.
        ids: that must be among them.
    """
    # Two thirds, rounded up without floating point.
    need = -(-2 * len(asked) // 3)
    return [id_ for id_ in ids if sum(id_ in found for found in asked.values()) < need]


# -- phases 4 and 5: one memory for all


def statement(memory: Memory) -> str:
    """What a memory says: of an episode what came of it, or else what was asked."""
    # The outcome, as the question says what was wanted and not what is so.
    if memory.kind == EPISODE and (answered := getattr(memory.content, "agent_response", "")):
        return str(answered)
    return memory.content.statement() or memory.text


def selected(group: Group, codes: Mapping[str, bytes], rarity: Rarity, novel: float = NOVEL) -> str:
    """What the memory that stands for a group says: the anchor's words, and sentences that the others add.

    Args:
        group: the anchor and the others.
        codes: their vectors by id.
        rarity: of words, among all candidates.
        novel: the least likeness of a repeated sentence.
    """
    said = statement(group.anchor)
    added = [
        # A text hardly longer than the anchor has no room for more than names, which are looked for anyway;
        # of a longer one the cosine of the whole tells nothing of its single sentences.
        (text, 1.0 if len(text) <= len(said) * LONGER else how_like(group.anchor, one, codes))
        for one in group.others
        if not alike(said, text := statement(one))
    ]
    return select(said, added, rarity, novel) if added else said


def abstract(
    group: Group, text: str, *, id_: str, person: bool, now: datetime, count: Callable[[str], int]
) -> Memory:
    """The memory that stands for a group.

    Episodes become `semantic` knowledge that names them; other memories keep their kind.

    Args:
        group: the anchor and the others.
        text: what it says.
        id_: its id.
        person: whether a person decided.
        now: when it is recorded.
        count: counts the tokens of a text.

    Raises:
        InvalidInputError: the text does not fit.
    """
    anchor, joined = group.anchor, group.anchor
    for one in group.others:
        # One after the other, so that labels, times and evidence of all sources are joined by one rule.
        joined = merge(joined, one, id_=id_, text="", person=person, now=now, count=count)
    confidence = min(1.0, max(one.confidence for one in group.sources) * boost(len(group.sources)))
    kind: Kind = anchor.kind
    fields = content_to_json(anchor.content)
    if anchor.kind == EPISODE:
        kind = SEMANTIC
        asked = (one.content.statement() for one in group.sources)
        # The shortest question, as a topic is a heading.
        fields = {"topic": min(asked, key=lambda question: (len(question), question))}
    if kind == SEMANTIC:
        episodes = [one.id for one in group.sources if one.kind == EPISODE]
        fields |= {
            "episodic_memory_ids": [*fields.get("episodic_memory_ids", ()), *episodes],
            "consolidation_date": now.date().isoformat(),
            "consolidation_method": "manual" if person else "automatic",
            "supporting_evidence": joined.evidence,
        }
    content = content_from_json(kind, {**fields, KINDS[kind].main: text})
    made = replace(
        joined, kind=kind, content=content, summary="", confidence=confidence, supersedes=anchor.id
    )
    return normalise_again(made, count=count).memory


def boost(size: int) -> float:
    """What a cluster's size adds to confidence: 1.0 for two, 0.05 for each more, 1.3 at most."""
    return min(MOST_BOOST, 1.0 + (size - 2) * BOOST)


def kept_by(group: Group, known: Iterable[tuple[float, Memory]]) -> Group:
    """The group with the memory that says it already as its anchor, where there is one.

    Args:
        group: of sources.
        known: memories of the kind that the group would become, with their likeness to its anchor.
    """
    own = {one.id for one in group.sources}
    for like, one in sorted(known, key=lambda pair: (-pair[0], pair[1].id)):
        # An existing memory must differ from none of the sources: it takes their place as its words are.
        differs = (difference(statement(one), statement(each)) for each in group.sources)
        if like >= SAME and one.id not in own and not any(differs):
            return Group(anchor=one, others=group.sources, likeness=min(like, group.likeness))
    return group
