"""How grave a warning is, and what it advises."""

from dataclasses import replace

import pytest

from example_memories import memory
from recortex.domain.kinds.contents import CodeSmell
from recortex.engines.generation import severity


@pytest.mark.parametrize(
    ("said", "priority", "grave"),
    [("warning", 5, "warning"), ("error", 5, "error"), ("info", 9, "critical"), ("error", 2, "error")],
)
def test_the_graver_of_field_and_importance_counts(said, priority, grave):
    one = replace(memory(1, "Float", kind="code_smell", priority=priority), content=CodeSmell(severity=said))
    assert severity(one) == grave
