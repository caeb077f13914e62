"""Weighs the signals of a pair, and keeps the surest causes of each memory."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph.inference.facts import Facts, Pair, all_facts
from recortex.engines.graph.inference.roles import is_failure, is_remedy, later
from recortex.engines.graph.inference.sequences import SEQUENCES
from recortex.engines.graph.inference.strategies import STRATEGIES
from recortex.engines.graph.inference.strategies.explicit_reference import (
    LEAST_WORDS,
    SHORT_ID,
    explicit_reference,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.engines.graph.inference.roles import Course

    Cosine = Callable[[str, str], float | None]

LEAST_ALONE, WITHIN = 0.6, 12
"""The score that a pair needs without a sequence, and turns (bench/causal_edges.py)."""
REPEATED = 0.6
"""A memory most of whose words are in the other says it again; none led to the other."""
CAUSES = 2
"""The surest causes of a memory that are kept."""


class Inferred(NamedTuple):
    """A relation that was inferred, with its score, 0 to 1."""

    score: float
    relation: Relation


def score(pair: Pair) -> float:
    """The weighed mean of the six signals, 0 to 1."""
    return sum(weight * signal(pair) for signal, weight in STRATEGIES.items()) / sum(STRATEGIES.values())


def infer(
    memories: Sequence[Memory], cosine: Cosine, now: datetime, common: Collection[str] = ()
) -> list[Relation]:
    """What probably led to what among some memories; each relation waits for a person.

    Args:
        memories: of a session, or others that are near each other.
        cosine: of the vectors of two memories, by their ids; None where one has none.
        now: when it is inferred.
        common: names that tell nothing (`facts.common_names`).
    """
    found: dict[str, list[Inferred]] = {}
    for one in _inferred(all_facts(memories, common), cosine, now):
        found.setdefault(one.relation.target_id if _forward(one) else one.relation.source_id, []).append(one)
    best = (sorted(of, key=lambda one: -one.score)[:CAUSES] for of in found.values())
    return [one.relation for of in best for one in of]


def _inferred(known: Sequence[Facts], cosine: Cosine, now: datetime) -> Iterator[Inferred]:
    for cause, effect in combinations(known, 2):
        pair = Pair(cause, effect)
        if cause.at == effect.at or not _touch(pair) or _same(pair):
            continue
        course = next(filter(None, (sequence(pair) for sequence in SEQUENCES)), None)
        if course or _gives_reason(pair):
            pair = pair._replace(cosine=cosine(cause.memory.id, effect.memory.id))
            value = score(pair)
            if value >= (course.least if course else LEAST_ALONE):
                yield Inferred(value, _relation(pair, course, value, now))


def _touch(pair: Pair) -> bool:
    """Whether the two have anything in common that a sequence or a reference rests on: most have not."""
    return bool(
        pair.shared
        or pair.effect.quoted
        or len(pair.shared_words) >= LEAST_WORDS
        or pair.cause.memory.id[:SHORT_ID] in pair.effect.text
    )


def _gives_reason(pair: Pair) -> bool:
    """Whether the later one refers to the earlier one, and is no further failure of the same thing."""
    kinds = {pair.cause.memory.kind, pair.effect.memory.kind}
    again = is_failure(pair.cause) and is_failure(pair.effect) and not is_remedy(pair.effect)
    again = again or kinds == {"incident"}
    return bool(later(pair, WITHIN)) and explicit_reference(pair) > 0 and not again


def _same(pair: Pair) -> bool:
    fewest = min(len(pair.cause.words), len(pair.effect.words))
    return not fewest or len(pair.shared_words) / fewest > REPEATED


def _relation(pair: Pair, course: Course | None, value: float, now: datetime) -> Relation:
    type_ = course.type if course else RelationType.CAUSED
    ends = pair.cause.memory.id, pair.effect.memory.id
    source, target = ends if type_ is RelationType.CAUSED else ends[::-1]
    names = f"Both name {', '.join(sorted(pair.shared)[:3])}." if pair.shared else ""
    evidence = tuple(
        filter(None, (course.evidence if course else "It gives the other as its reason.", names))
    )
    return Relation(
        source, target, type_, now, round(value, 3), evidence, inferred=True, status=RelationStatus.SUGGESTED
    )


def _forward(one: Inferred) -> bool:
    return one.relation.type is RelationType.CAUSED
