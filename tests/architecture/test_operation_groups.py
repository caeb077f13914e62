"""All that the groups of operations declare becomes the facade's, so no two may name anything the same."""

import inspect
from collections import Counter
from importlib import import_module

import pytest

from recortex import Cortex
from recortex.operations import manifest
from recortex.operations.base import Operations
from recortex.operations.registry import operations_of

GROUPS = [getattr(import_module(one["module"]), one["class"]) for one in manifest.groups()]


def test_no_two_groups_share_a_name():
    groups = (Operations, *GROUPS)
    names = Counter(name for group in groups for name in vars(group) if not name.startswith("__"))
    assert names
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_a_group_is_named_as_one_and_is_no_base_of_another(group):
    assert group.__name__.endswith("Operations")
    assert group.__bases__ == (Operations,)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_the_facade_has_what_a_group_declares(group):
    for operation in operations_of(group).values():
        method = getattr(Cortex, operation.method)
        assert inspect.signature(method) == inspect.signature(operation.function)
        assert (method.__name__, method.__doc__) == (operation.method, operation.function.__doc__)
