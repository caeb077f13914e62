"""Shares of the budget, comments, conflicts and what an outcome changes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import memories
from recortex.domain.kinds import CodeSmell, ConstraintOverride
from recortex.engines.compression import Weighed
from recortex.engines.generation import (
    CHANGES,
    HIGHEST,
    LOWEST,
    SHARES,
    adjusted,
    conflicts,
    forbidden,
    lay_out,
)
from recortex.text.tokens import TokenCounter

COUNT = TokenCounter().count
many = st.lists(st.builds(Weighed, memories(), st.floats(0, 1)), max_size=8, unique_by=lambda one: one[0].id)


@given(many, st.integers(100, 1_200))
def test_neither_the_budget_nor_a_share_is_exceeded(ranked, budget):
    laid = lay_out(ranked, budget, COUNT, {})
    assert laid.tokens <= budget
    allowed = 0
    for name, share in SHARES.items():
        allowed += int(budget * share.part)
        allowed -= laid.spent.get(name, 0)
        assert allowed >= 0


def test_patterns_have_thirty_per_cent_where_all_shares_are_full():
    kinds = ("pattern_rationale", "tribal", "preference", "code_smell", "insight")
    text = "The {} number {} says that requests to the ledger are retried with jitter and logged once"
    ranked = [
        Weighed(memory(100 * place + n, text.format(kind, n), kind=kind), 1 - n / 100)
        for place, kind in enumerate(kinds)
        for n in range(40)
    ]
    spent = lay_out(ranked, 2_000, COUNT, {}).spent
    assert all(abs(spent[name] / 2_000 - share.part) < 0.03 for name, share in SHARES.items())


def test_the_comments_are_within_the_budget():
    text = "Requests to the ledger number {} are retried with jitter, logged once and counted by carrier"
    for budget in (200, 500, 2_000):
        ranked = [Weighed(memory(n, text.format(n), kind="tribal"), 1 - n / 100) for n in range(60)]
        laid = lay_out(ranked, budget, COUNT, {})
        assert COUNT(laid.text) + sum(COUNT(one.comment) for one in laid.provenance) == laid.tokens
        assert 0.3 * budget < laid.tokens <= budget


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Never call `eval` on input", ["eval"]),
        ("Use `Decimal`, not float_price, for money", ["float_price"]),
        ("Do not use time.sleep() in handlers", ["time.sleep"]),
        ("Use `json.loads` everywhere", []),
        ("Never use `eval`, `exec_all` or os.system(), call `run`", ["eval", "exec_all", "os.system"]),
        ("We never deploy on Fridays", []),
    ],
)
def test_a_statement_forbids_what_it_names_as_code(text, names):
    assert forbidden(text) == names


def test_code_that_goes_against_what_is_known_is_told_with_its_line():
    rule = memory(1, "Never call `eval` on input; use `ast.literal_eval`")
    smell = replace(
        memory(2, "Float money", kind="code_smell"),
        content=CodeSmell(
            description="Float money", example_bad="price = float(text)", example_good="Decimal(text)"
        ),
    )
    code = "import ast\nvalue = eval(text)\nprice = float(text)\nevaluate(text)\n"
    assert [(one.id, one.line) for one in conflicts([rule, smell], code)] == [(rule.id, 2), (smell.id, 3)]
    assert conflicts([rule, smell], "x = ast.literal_eval(text)") == []


@pytest.mark.parametrize(
    ("rule", "code", "files", "against"),
    [
        ("Never push straight to trunk, always open a request.", "1. test\n2. push to trunk", (), [2]),
        ("No mocks in integration tests.", "vi.mock('../bank')", ["integration/tests/pay.ts"], [1]),
        ("Don't use any in TypeScript, use unknown.", "let total = 1\nlet raw: any = 2", ["src/a.ts"], [2]),
        ("Never retry a charge", "for attempt in range(3):\n    retry_charge(order)", (), [2]),
        ("No mocks in integration tests.", "vi.mock('../bank')", ["unit/pay.ts"], []),
        ("Never push straight to trunk.", "never push to trunk; push the branch", (), []),
        ("Never deploy before the tests pass", "deploy the service", (), []),
        ("Don't use any, use unknown.", "if any tests fail, ask", (), []),
        ("AB-12: Do not close; it waits", "self.close()", (), []),
        ("We can pay and no need for a queue", "it needs a queue", (), []),
        ("There is no reason to push to trunk", "push to trunk", (), []),
    ],
)
def test_what_an_order_forbids_in_plain_words_is_found(rule, code, files, against):
    assert [one.line for one in conflicts([memory(1, rule)], code, files)] == against


@given(st.floats(0, 1), st.sampled_from(sorted(CHANGES)))
def test_outcomes_move_confidence_a_little_and_within_bounds(confidence, outcome):
    changed = adjusted(confidence, outcome)
    assert abs(changed - confidence) <= abs(CHANGES[outcome]) + 1e-9
    assert changed >= min(confidence, LOWEST)
    assert changed <= max(confidence, HIGHEST)
    assert outcome != "rejected" or changed <= confidence


def test_a_smell_is_found_by_its_rule_unless_code_is_not_to_be_checked_for_it():
    smell = CodeSmell(name="float money", description="Money as a float", detection_rule="amount*float(")
    one = replace(memory(1, "Money as a float", kind="code_smell"), content=smell)
    found = conflicts([one], "total = 0\namount: Money = float(row[2])\nfloat(amount)\n")
    assert [(hit.line, hit.found) for hit in found] == [(2, "amount: Money = float(row[2])")]
    off = replace(one, content=replace(smell, auto_detect=False))
    assert conflicts([off], "amount = float(row[2])") == []


@pytest.mark.parametrize(
    ("scope", "target", "files", "left"),
    [
        ("directory", "tests/contract/", ["tests/contract/test_a.py"], 0),
        ("directory", "tests/contract", ["tests/contract/test_a.py", "tests/test_b.py"], 1),
        ("directory", "tests/contract", ["tests/contracted.py"], 1),
        ("file", "src/a.py", ["src/a.py"], 0), ("file", "src/a.py", [], 1),
        ("function", "fetch_rates", ["src/b.py"], 0), ("function", "fetch_prices", ["src/b.py"], 1),
        ("pattern", "repositories", ["src/b.py"], 1), ("global", "", ["src/b.py"], 0),
    ],
)  # fmt: skip
def test_an_approved_exception_excuses_what_lies_in_its_scope(scope, target, files, left):
    rule = memory(1, "Never call `requests` in tests, the network is slow", kind="tribal")
    content = ConstraintOverride(
        constraint_name="no network in tests", scope_type=scope, scope_target=target, reason="The sandbox."
    )
    exception = replace(memory(2, "The sandbox.", kind="constraint_override"), content=content)
    code = "def fetch_rates():\n    return requests.get(url)\n"
    assert len(conflicts([rule], code, files, [exception])) == left
    other = replace(exception, content=replace(content, constraint_name="no float money"))
    assert len(conflicts([rule], code, files, [other])) == 1
