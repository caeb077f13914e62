"""Each row of the table proves itself: its positives are caught, its negatives survive."""

from __future__ import annotations

import pytest

from privacy_rules import examples, expand, rules
from recortex.engines.privacy import redact
from recortex.engines.privacy.table import (
    GATES,
    READ_PLAINLY,
    RuleTable,
    Scan,
    built_in_rules,
    check_named,
    default_table,
    fold,
)

RULES = built_in_rules()
BY_NAME = {rule.name: rule for rule in RULES}
POSITIVES = [(BY_NAME[name], text) for name, text in examples("positives")]


def caught(rule, text):
    done = redact(text)
    return (
        rule.name in [finding.rule for finding in done.findings]
        and rule.placeholder in done.text
        and not any(text[finding.start : finding.end] in done.text for finding in done.findings)
    )


def found_as_by_a_full_search(rule, text):
    expression = default_table().compiled(rule)
    begins = [match.start() for match in expression.finditer(text.lower() if rule.folded else text)]
    return any(text.lower().startswith(rule.keywords, begin) for begin in begins)


def test_every_positive_is_caught_by_its_row():
    assert [(rule.name, text) for rule, text in POSITIVES if not caught(rule, text)] == []


def test_every_negative_survives_all_rows():
    assert [(name, text) for name, text in examples("negatives") if redact(text).text != text] == []


def test_anchored_rows_find_what_a_full_search_finds():
    anchored = [(rule, text) for rule, text in POSITIVES if rule.anchored]
    assert anchored
    missed = [(rule.name, text) for rule, text in anchored if not found_as_by_a_full_search(rule, text)]
    assert missed == []


def test_rows_are_tried_wherever_a_full_search_matches():
    missed = []
    for rule, example in [case for case in POSITIVES if not case[0].anchored]:
        table = RuleTable([rule])
        for around in ("", "\n", "x, 5: ", "\n  ", "key 10.0.0.7 | a-b@c.d; ", "日本 \ud800 İ "):
            text = around * 40 + example + around + example + around * 40
            folded = fold(text)
            tried = [match.span() for _, _, all_ in Scan(table, text, folded, []).matches() for match in all_]
            full = table.compiled(rule).finditer(folded if rule.folded else text)
            if tried != [match.span() for match in full]:
                missed.append((rule.name, example, around))
    assert missed == []


@pytest.mark.parametrize(
    "text", ["pass" * 50, "mot de passe, 密码 \ud800 \U0001f511 AKIA sk-lf-", "aaaaaaaaaaaa" * 9]
)
def test_automaton_finds_what_searching_for_each_literal_finds(text):
    literals = RuleTable(RULES).literals
    plain = literals.hits(text, 7)
    literals.hits("x" * READ_PLAINLY, 0)
    assert literals.hits(text, 7) == plain


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
