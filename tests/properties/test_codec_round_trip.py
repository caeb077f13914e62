"""What is written as JSON is read back as it was."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generated import memories, plain_json
from recortex.codec import (
    content_from_json,
    content_to_json,
    dumps,
    loads,
    memory_from_json,
    memory_to_json,
    schema_of,
)
from recortex.domain.kinds import KINDS
from recortex.errors import RecortexError


@cache
def validator(kind):
    Draft202012Validator.check_schema(schema_of(kind))
    return Draft202012Validator(schema_of(kind))


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=4)
@given(data=st.data())
def test_a_memory_of_any_kind_survives_json_and_fits_its_schema(kind, data):
    memory = data.draw(memories(st.just(kind)))
    assert memory_from_json(loads(dumps(memory_to_json(memory)))) == memory
    stored = loads(dumps(content_to_json(memory.content)))
    assert content_from_json(kind, stored) == memory.content
    validator(kind).validate(stored)


@given(plain_json)
def test_anything_else_is_refused_with_a_code_and_a_hint(value):
    with pytest.raises(RecortexError) as caught:
        memory_from_json(value)
    assert caught.value.code
    assert caught.value.hint


@given(
    st.dictionaries(
        st.sampled_from(["id", "kind", "text", "confidence", "files", "content", "zzz"]), plain_json
    )
)
def test_half_a_memory_is_refused(value):
    with pytest.raises(RecortexError):
        memory_from_json({"kind": "tribal", **value})
