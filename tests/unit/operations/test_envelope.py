"""The envelope of every operation: its warnings are sentences."""

import json

import pytest

from recortex import Cortex
from recortex.cli import envelope
from recortex.operations.registry import operations_of

ARGUMENTS = {
    "id": "ID",
    "query": "the index",
    "task": "the index",
    "focus": "the index",
    "about": "the index",
}
NEEDED = {"warnings": {"focus": "the index"}, "suggest": {"focus": "the index"}}
READING = [
    name for name, one in operations_of(Cortex).items() if one.traits.read_only and not one.traits.person
]


@pytest.mark.parametrize("name", READING)
def test_warnings_are_sentences(cortex, name):
    kept = cortex.remember("Never rebuild the index by day, it takes four hours.", kind="tribal")
    cortex.remember("The index broke when the disk was full.", kind="incident")
    operation = operations_of(Cortex)[name]
    arguments = {one.name: ARGUMENTS[one.name] for one in operation.parameters() if one.required}
    given = {
        key: kept.id if value == "ID" else value for key, value in (arguments | NEEDED.get(name, {})).items()
    }
    result = getattr(cortex, operation.method)(**given)
    answer = json.loads(envelope.success(name, result, envelope.warnings_of(result), 0.1))
    assert all(isinstance(one, str) and "(id=" not in one for one in answer["warnings"])
    if name == "warnings":
        assert result.warnings
        assert answer["warnings"] == []
