"""The groups of operations are bases of one class, so what one names privately no other may name."""

from collections import Counter

import pytest

from recortex.cortex import Cortex
from recortex.operations.base import Operations


def test_no_two_groups_share_a_private_name():
    groups = (Operations, *Cortex.__bases__)
    names = Counter(
        name for group in groups for name in vars(group) if name.startswith("_") and not name.startswith("__")
    )
    assert names
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("group", Cortex.__bases__, ids=lambda group: group.__name__)
def test_a_group_is_named_as_one_and_is_no_base_of_another(group):
    assert group.__name__.endswith("Operations")
    assert group.__bases__ == (Operations,)
