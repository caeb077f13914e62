"""Every kind shows its fields, and its example is taken as it stands, by `remember` and by the shell."""

import json
import shlex

import pytest

from recortex.cli.rendering import render
from recortex.domain.kinds import KINDS
from recortex.errors import InvalidInputError
from recortex.terminal import Terminal


def test_every_kind_is_listed(cortex):
    assert {one.kind for one in cortex.kinds().kinds} == set(KINDS)
    assert all(one.about for one in cortex.kinds().kinds)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_example_of_a_kind_is_remembered_whole(cortex, kind):
    (shown,) = cortex.kinds(kind).kinds
    assert [field.name for field in shown.fields if field.main] == [KINDS[kind].main]
    kept = cortex.remember(**shown.example)
    assert kept.kind == kind
    example = shown.example["content"]
    assert {KINDS[kind].main} <= set(example) <= {field.name for field in shown.fields}
    for name, value in example.items():
        assert getattr(kept.content, name) not in ("", (), {}), name
        assert value != f"the {name.replace('_', ' ')}"  # what it says is about something
    *_, command = render(cortex.kinds(kind), Terminal()).splitlines()
    said = shlex.split(command)
    assert said[:4] == ["recortex", "remember", "--kind", kind]
    assert json.loads(said[-1]) == shown.example["content"]


def test_nested_fields_are_named(cortex):
    (shown,) = cortex.kinds("procedural").kinds
    takes = {field.name: field.takes for field in shown.fields}
    assert "action: text" in takes["steps"]
    with pytest.raises(InvalidInputError) as refused:
        cortex.remember(kind="procedural", content={"description": "Deploy", "steps": ["push"]})
    assert "recortex kinds procedural" in refused.value.hint
