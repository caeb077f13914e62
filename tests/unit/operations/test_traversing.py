"""traverse and related: the same walk, over a real store."""

import pytest

from recortex.errors import InvalidInputError


@pytest.fixture
def chain(cortex):
    """A chain of four: each depends on the next one, ever more weakly."""
    memories = [
        cortex.remember(f"Part {name} of the system", kind="core") for name in ("one", "two", "three", "four")
    ]
    for strength, near, far in zip((0.9, 0.6, 0.3), memories, memories[1:], strict=False):
        cortex.unlink(near.id, far.id)
        cortex.link(near.id, far.id, relation="depends_on", strength=strength)
    for relation in cortex._app.all_services()[0].store.relations.all():
        if relation.type == "related":
            cortex.unlink(relation.source_id, relation.target_id, relation="related")
    return memories


@pytest.mark.parametrize(
    ("options", "reached"),
    [
        ({"direction": "outgoing"}, [2, 3]),
        ({"direction": "incoming"}, [0]),
        ({"direction": "both"}, [0, 2, 3]),
        ({"relations": ["depends_on"]}, [0, 2, 3]),
        ({"relations": ["supports"]}, []),
        ({"min_strength": 0.6}, [0, 2]),
        ({"limit": 1}, [0]),
    ],
)
def test_only_what_is_asked_for_is_followed(cortex, chain, options, reached):
    found = cortex.traverse(chain[1].id, depth=10, **options)
    assert [one.memory.id for one in found.reached] == [chain[place].id for place in reached]
    assert found.more == ("limit" in options)


def test_related_is_the_same_walk(cortex, chain):
    related = cortex.related(chain[1].id, depth=3)
    walked = cortex.traverse(chain[1].id, depth=3)
    assert [(one.memory.id, one.depth, one.relation) for one in related.neighbours] == [
        (one.memory.id, one.depth, one.path[-1]) for one in walked.reached
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"depth": -1},
        {"depth": 11},
        {"min_strength": 1.1},
        {"min_strength": -1},
        {"limit": 0},
        {"relations": ["x"]},
    ],
)
def test_what_cannot_be_is_refused(cortex, chain, options):
    with pytest.raises(InvalidInputError):
        cortex.traverse(chain[0].id, **options)
