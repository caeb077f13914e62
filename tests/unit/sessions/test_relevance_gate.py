"""A memory is likely to help with a prompt if both share words that are rare in the project."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from recortex.domain.memory import FileLink
from recortex.engines.relevance_gate import LEAST, TABLE, asked, chance, usual_words, words_of
from recortex.engines.tables import table

INVOICES = replace(
    memory(1, "Invoices are sent by the Celery task `send_invoice`; the test fails when Redis is down"),
    files=(FileLink("src/billing.py"),),
)
FEW = 3


def likely(prompt: str, meaning: float | None = None, *, held: int = 1, size: int = FEW) -> float:
    return chance(asked(dict.fromkeys(words_of(prompt), held), size), INVOICES, meaning)


@pytest.mark.parametrize(
    "prompt", ["the test fails, fix it", "did you push?", "let's fix 3 too", "run the tests again", "ok", ""]
)
def test_everyday_orders_ask_for_nothing(prompt: str):
    assert likely(prompt) < LEAST
    assert likely(prompt, 0.5) < LEAST


@pytest.mark.parametrize(
    "prompt",
    [
        "why is send_invoice slow?", "how are invoices sent with celery", "what is celery for?",
        "open billing.py", "add a retry to send_invoice and a test for it, then update the changelog",
    ],
)  # fmt: skip
def test_what_names_the_matter_asks_for_it(prompt: str):
    assert likely(prompt) >= LEAST


def test_a_language_without_spaces():
    known = memory(1, "发票由 Celery 任务发送")
    numbers = dict.fromkeys(words_of("发票是怎么发送的"), 1)
    assert numbers
    assert chance(asked(numbers, FEW), known) >= LEAST


@pytest.mark.parametrize("prompt", ["/compact", '{"task_id": "invoices sent by celery"}', "<b>invoices</b>"])
def test_what_nobody_typed_asks_for_nothing(prompt: str):
    assert not words_of(prompt)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_rarer_the_shared_word_the_higher_the_chance(one: int, other: int):
    rare, common = sorted((one, other))
    assert likely("why celery?", held=rare, size=400) >= likely("why celery?", held=common, size=400)


def test_no_feature_speaks_against():
    assert all(weight >= 0 for model in table(TABLE).models.values() for weight in model.weights.values())


def test_the_usual_words_are_stems_with_shares():
    assert usual_words()["test"] > 0.1
    assert "invoic" not in usual_words()
    assert all(0 < share < 1 for share in usual_words().values())
