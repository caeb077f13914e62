"""What is drawn: memories as nodes, relations as arrows from cause to effect, at most fifty nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.cleaning import clean
from recortex.domain.kinds.base import shorten
from recortex.domain.vocabulary import RelationStatus, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

MOST_NODES = 50
LABEL = 70
"""Characters of a memory's text in its node."""
_BACKWARDS = frozenset((RelationType.TRIGGERED_BY, RelationType.DERIVED_FROM, RelationType.LEARNED_FROM))
"""Relations that are drawn from their target to their source, so that causes stand above effects."""


class Node(NamedTuple):
    """A memory in a picture; `main` is what was asked about."""

    id: str
    kind: str
    label: str
    main: bool = False


class Arrow(NamedTuple):
    """A relation in a picture, in the direction in which it is drawn; `unsure` where it is only suggested."""

    source: str
    target: str
    label: str
    strength: float = 1.0
    unsure: bool = False


class Picture(NamedTuple):
    """A graph that can be drawn: arrows begin and end at its nodes."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def picture_of(
    memories: Mapping[str, Memory], relations: Iterable[Relation], main: Iterable[str] = ()
) -> Picture:
    """The first fifty memories with the relations among them.

    Args:
        memories: by id, the most important first.
        relations: those with an end elsewhere are left out.
        main: ids of what was asked about.
    """
    asked = frozenset(main)
    nodes = tuple(
        Node(one.id, one.kind, shorten(clean(one.summary or one.text), LABEL), one.id in asked)
        for one in list(memories.values())[:MOST_NODES]
    )
    drawn = {one.id for one in nodes}
    once = {_arrow(one): None for one in relations if one.source_id in drawn and one.target_id in drawn}
    return Picture(nodes, tuple(once))


def _arrow(one: Relation) -> Arrow:
    back = one.type in _BACKWARDS
    ends = (one.target_id, one.source_id) if back else (one.source_id, one.target_id)
    words = one.type.reversed if back else one.type.words
    return Arrow(*ends, words, one.strength, one.status is RelationStatus.SUGGESTED)
