"""Asks a model how pairs of memories are related, and checks the answer."""

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
from recortex.engines.prompting.templates import list_schema, template
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory

    Pair = tuple[Memory, Memory]

MOST_PAIRS = 20
"""Pairs of one question: their answers need a fraction of the tokens that an answer may have."""
MAX_TEXT = 600
MAX_REASON = 240
RELATIONS = ("relates_to", "derived_from", "contradicts", "exemplifies", "refines", "supersedes")
"""What a model may propose. Not `source_of`, which only indexing sets."""
_GRAVE = frozenset({RelationType.CONTRADICTS, RelationType.SUPERSEDES})
"""These change what is recalled, so a model's answer is only a suggestion."""
_SURE = CONFIDENCE_WORDS["high"]
SCHEMA = list_schema(
    "edges",
    pair={"type": "integer"},
    relation={"type": "string", "enum": [*RELATIONS, "none"]},
    direction={"type": "string", "enum": ["forward", "backward"]},
    strength={"type": "number"},
    reason={"type": "string"},
)


class Edge(NamedTuple):
    """A relation that a model sees between two memories: `source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        reason: a sentence, redacted.
        status: active only if the model is sure and the relation changes nothing in recall.
    """

    source_id: str
    target_id: str
    type: RelationType
    strength: float
    reason: str
    status: RelationStatus


class Checked(NamedTuple):
    """The relations in an answer, the number of unrelated pairs, and that of dropped entries by reason."""

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
    """The pairs of which neither is code and both have text."""
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


def checked(items: Sequence[Any], pairs: Sequence[Pair]) -> Checked:
    """Check each entry of an answer; of several about a pair the first counts."""
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
    return Checked(tuple(edges), len(seen) - len(edges), dict(dropped))


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
    """The text of a memory that is sent: prose on one line, without anything that looks like a tag."""
    text = " ".join(prose(memory.text, person=True).split())
    return text.replace("<", HARMLESS)[:MAX_TEXT].strip()
