"""How grave a warning is, and what it advises."""

from dataclasses import replace

import pytest

from example_memories import memory
from recortex.domain.kinds.contents import CodeSmell, Incident, Tribal
from recortex.engines.generation import advice, severity


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        ("incident", Incident(description="Lost", prevention=("Bound it", "Alert")), "Bound it; Alert"),
        ("tribal", Tribal(knowledge="Slow", warnings=("Lock",), consequences=("Late",)), "Lock; Late"),
        ("code_smell", CodeSmell(description="Float", suggestion="Use Decimal"), "Use Decimal"),
        ("code_smell", CodeSmell(description="Float"), ""),
    ],
)
def test_what_its_fields_advise_is_told(kind, content, told):
    assert advice(replace(memory(1, "Orders", kind=kind), content=content)) == told


def test_what_the_text_says_already_is_not_advised_again():
    one = replace(
        memory(1, "Use Decimal for money", kind="code_smell"), content=CodeSmell(suggestion="Use Decimal")
    )
    assert advice(one) == ""


@pytest.mark.parametrize(
    ("said", "priority", "grave"),
    [("warning", 5, "warning"), ("error", 5, "error"), ("info", 9, "critical"), ("error", 2, "error")],
)
def test_the_graver_of_field_and_importance_counts(said, priority, grave):
    one = replace(memory(1, "Float", kind="code_smell", priority=priority), content=CodeSmell(severity=said))
    assert severity(one) == grave
