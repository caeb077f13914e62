"""Each row of the table proves itself: its positives are caught, its negatives survive."""

from __future__ import annotations

import pytest

from privacy_rules import examples, expand, rules
from recortex.engines.privacy import redact
from recortex.engines.privacy.checks import check_named
from recortex.engines.privacy.table import GATES, built_in_rules, default_table

RULES = built_in_rules()
BY_NAME = {rule.name: rule for rule in RULES}
POSITIVES = [
    pytest.param(BY_NAME[name], text, id=f"{name}-{n}")
    for n, (name, text) in enumerate(examples("positives"))
]
NEGATIVES = [pytest.param(text, id=f"{name}-{n}") for n, (name, text) in enumerate(examples("negatives"))]


@pytest.mark.parametrize(("rule", "text"), POSITIVES)
def test_positive_is_caught_by_its_row(rule, text):
    done = redact(text)
    assert rule.name in [finding.rule for finding in done.findings]
    assert rule.placeholder in done.text
    for finding in done.findings:
        assert text[finding.start : finding.end] not in done.text


@pytest.mark.parametrize("text", NEGATIVES)
def test_negative_survives_all_rows(text):
    assert redact(text).text == text


@pytest.mark.parametrize(("rule", "text"), [case for case in POSITIVES if case.values[0].anchored])
def test_anchored_row_finds_what_a_full_search_finds(rule, text):
    expression = default_table().compiled(rule)
    subject = text.lower() if rule.folded else text
    begins = [match.start() for match in expression.finditer(subject)]
    assert begins
    assert any(text.lower().startswith(rule.keywords, begin) for begin in begins)


def test_names_are_unique_and_examples_are_there():
    assert len(BY_NAME) == len(RULES)
    assert [rule["name"] for rule in rules()] == list(BY_NAME)
    assert all(rule["positives"] and rule["negatives"] for rule in rules())


def test_checks_are_functions():
    assert all(callable(check_named(rule.check)) for rule in RULES if rule.check)


def test_keywords_are_folded_and_gates_exist():
    for rule in RULES:
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert rule.gate in {"", *GATES}
        assert rule.keywords or not rule.anchored


def test_example_templates_repeat():
    assert expand("a<<h32>>b") == expand("a<<h32>>b")
    assert len(expand("<<h32>>")) == 32
    assert expand("<<x5>>") == "xxxxx"
