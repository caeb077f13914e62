"""The brief, a lifecycle pass and a walk as text for people."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recortex.cli.rendering import render
from recortex.cli.terminal import Terminal, clean
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType, Scope, Status
from recortex.operations.brief import Shown, Surface
from recortex.operations.graphing import Reached, Traversal
from recortex.operations.lifecycle import Lifecycle, StatusChange

AT = datetime(2026, 3, 1, tzinfo=UTC)
MEMORY = Memory(
    id="0b5d3b1e-1111-4222-8333-444455556666", kind="tribal", text="Use bcrypt", summary="Use bcrypt",
    content=KINDS["tribal"].from_text("Use bcrypt"), recorded_at=AT, updated_at=AT, valid_from=AT,
)  # fmt: skip
OTHER = replace(MEMORY, id="77777777-1111-4222-8333-444455556666")
RELATION = Relation(MEMORY.id, OTHER.id, RelationType.SUPPORTS, AT)
SHOWN = Shown(id=MEMORY.id, scope=Scope.PROJECT, rank=0.5, tokens=9)
CHANGE = StatusChange(
    id=MEMORY.id, scope=Scope.PROJECT, kind="tribal", status=Status.ARCHIVED, reason="confidence 0.10"
)
SAMPLES = [
    (Surface(text="", tokens=0, generated_at=AT), ["Nothing is known"]),
    (
        Surface(text="a\n- b\x1b[2J", tokens=9, memories=(SHOWN,), generated_at=AT, cached=True),
        ["a\n- b\n\n1 memory, 9 tokens, from the cache"],
    ),
    (Traversal(memory=MEMORY), ["no relations"]),
    (
        Traversal(memory=MEMORY, reached=(Reached(memory=OTHER, depth=1, path=(RELATION,)),), more=True),
        ["  supports  77777777", "greater --limit"],
    ),
    (
        Traversal(memory=OTHER, reached=(Reached(memory=MEMORY, depth=2, path=(RELATION, RELATION)),)),
        ["    is supported by  0b5d3b1e"],
    ),
    (
        Lifecycle(now=AT, considered=30, archived=25, changes=(CHANGE,) * 25),
        [
            "25 archived, 0 pruned, of 30 memories",
            "archived:\n  0b5d3b1e  tribal: confidence 0.10",
            "and 5 more",
        ],
    ),
    (Lifecycle(now=AT, dry_run=True), ["0 would be archived, 0 would be pruned"]),
]


@pytest.mark.parametrize(("value", "said"), SAMPLES, ids=lambda value: type(value).__name__)
def test_it_says(value, said):
    text = render(value, Terminal(120))
    for words in said:
        assert words in text
    assert "\x1b" not in text
    assert clean(render(value, Terminal(120, colour=True))) == text
