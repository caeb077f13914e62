"""Asking how pairs of memories relate, and checking the answer."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.codec import convert
from recortex.domain.model_call import Request
from recortex.domain.vocabulary import CONFIDENCE_WORDS, RELATION_ALIASES, RelationStatus, RelationType
from recortex.engines.privacy import redact
from recortex.engines.prompting.part import HARMLESS
from recortex.engines.prompting.prose import prose
from recortex.engines.prompting.templates import template
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory

    Pair = tuple[Memory, Memory]

MOST_PAIRS = 20
"""Pairs of one question: their answers fit into the tokens that an answer may have many times over."""
MAX_TEXT = 600
MAX_REASON = 240
RELATIONS = ("relates_to", "derived_from", "contradicts", "exemplifies", "refines", "supersedes")
"""What a model may propose. Not `source_of`: code and its description are joined without a judgement."""
_GRAVE = frozenset({RelationType.CONTRADICTS, RelationType.SUPERSEDES})
"""These change what is recalled, so a person or a rule must agree."""
_SURE = CONFIDENCE_WORDS["high"]
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "edges": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "relation": {"type": "string", "enum": [*RELATIONS, "none"]},
                    "direction": {"type": "string", "enum": ["forward", "backward"]},
                    "strength": {"type": "number"},
                    "reason": {"type": "string"},
                },
                "required": ["pair", "relation", "direction", "strength", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["edges"],
    "additionalProperties": False,
}


class Edge(NamedTuple):
    """A relation that a model sees between two memories: `source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        reason: a sentence, redacted.
        status: active only where the model is sure and the relation takes nothing out of recall.
    """

    source_id: str
    target_id: str
    type: RelationType
    strength: float
    reason: str
    status: RelationStatus


class Judged(NamedTuple):
    """What is accepted of an answer, how many pairs are unrelated, and what was dropped, by reason."""

    edges: tuple[Edge, ...]
    unrelated: int
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Item:
    pair: int
    relation: str
    direction: Literal["forward", "backward"]
    strength: float
    reason: str = ""


def sendable(pairs: Sequence[Pair]) -> list[Pair]:
    """Those pairs of which nothing is code and that have something to say."""
    return [pair for pair in pairs if all(one.kind != "code" and _text(one) for one in pair)]


def request(pairs: Sequence[Pair], session: str = "") -> Request:
    """The question about at most `MOST_PAIRS` pairs."""
    prompt = "\n".join(
        f'<pair n="{number}">\n<first kind="{first.kind}">{_text(first)}</first>\n'
        f'<second kind="{second.kind}">{_text(second)}</second>\n</pair>'
        for number, (first, second) in enumerate(pairs, 1)
    )
    return Request(
        purpose="edges",
        system=template("edges").substitute(),
        prompt=prompt,
        schema=SCHEMA,
        items="edges",
        session=session,
        max_output=4_096,
    )


def judged(items: Sequence[Any], pairs: Sequence[Pair]) -> Judged:
    """Check each entry of an answer; the first about a pair counts."""
    dropped: Counter[str] = Counter()
    seen: set[int] = set()
    edges: list[Edge] = []
    for data in items[: 2 * MOST_PAIRS]:
        item = _item(data)
        if item is None or not 1 <= item.pair <= len(pairs):
            dropped["form"] += 1
        elif item.pair in seen:
            dropped["repeated"] += 1
        else:
            seen.add(item.pair)
            edges.extend(_edge(item, pairs[item.pair - 1]))
    if len(items) > 2 * MOST_PAIRS:
        dropped["too_many"] += len(items) - 2 * MOST_PAIRS
    return Judged(tuple(edges), len(seen) - len(edges), dict(dropped))


def _item(data: Any) -> _Item | None:
    try:
        item = convert(data, _Item)
    except InvalidInputError:
        return None
    return item if item.relation in {*RELATIONS, "none"} and math.isfinite(item.strength) else None


def _edge(item: _Item, pair: Pair) -> list[Edge]:
    if item.relation == "none":
        return []
    source, target = pair if item.direction == "forward" else (pair[1], pair[0])
    type_ = RELATION_ALIASES.get(item.relation) or RelationType(item.relation)
    strength = round(min(max(item.strength, 0.0), 1.0), 2)
    sure = strength >= _SURE and type_ not in _GRAVE
    return [
        Edge(
            source.id, target.id, type_, strength,
            reason=redact(" ".join(item.reason.split())).text[:MAX_REASON],
            status=RelationStatus.ACTIVE if sure else RelationStatus.SUGGESTED,
        )
    ]  # fmt: skip


def _text(memory: Memory) -> str:
    """What is sent of a memory: prose on one line, with no mark that it could be taken for ours."""
    text = " ".join(prose(memory.text, person=True).split())
    return text.replace("<", HARMLESS)[:MAX_TEXT].strip()
