"""Centrality and the walk along relations."""

from datetime import UTC, datetime

import pytest

from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.walks import RelationFilter, walk

AT = datetime(2026, 3, 1, tzinfo=UTC)


def relation(source, target, *, type_="related", strength=1.0, both=False):
    return Relation(source, target, RelationType(type_), AT, strength, bidirectional=both)


CHAIN = [
    relation("a", "b"),
    relation("b", "c", type_="supports", strength=0.5),
    relation("d", "b", strength=0.9),
    relation("c", "a"),
    relation("c", "e", strength=0.2),
]


def reached(depth=10, start="a", limit=100, **way):
    asked = []

    def relations_of(ids):
        asked.append(list(ids))
        return [one for one in CHAIN if {one.source_id, one.target_id} & set(ids)]

    steps = walk(start, RelationFilter(**way), relations_of, depth=depth, limit=limit)
    return [(step.id, step.depth) for step in steps], asked


@pytest.mark.parametrize(
    ("way", "found"),
    [
        ({"direction": "outgoing"}, ["b", "c", "e"]),
        ({"direction": "incoming"}, ["c", "b", "d"]),
        ({"types": {RelationType.SUPPORTS}}, []),
        ({"types": {RelationType.RELATED}}, ["b", "c", "d", "e"]),
        ({"min_strength": 0.95}, ["b", "c"]),
        ({"direction": "outgoing", "min_strength": 0.4}, ["b", "c"]),
    ],
)
def test_only_relations_that_fit_are_followed(way, found):
    assert [id_ for id_, _ in reached(**way)[0]] == found
