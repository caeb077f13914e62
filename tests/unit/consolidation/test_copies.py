"""Near-copies: what says the same takes one place in an answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import memories
from recortex.domain.search import Hit
from recortex.engines.copies import alike, folded

TEXT = "Use bcrypt with 12 rounds for hashing passwords"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT, "Use bcrypt with 14 rounds for hashing passwords"),
        (TEXT, "Do not use bcrypt with 12 rounds for hashing passwords"),
        (TEXT, "Use bcrypt with 12 rounds for hashing tokens"),
        ("Read `src/a.py` before the release", "Read `src/b.py` before the release"),
        ("Ann reviews what Bob merged", "Bob reviews what Ann merged"),
        ("Backups run before the migration", "Backups run after the migration"),
        ("Use it", "Use it well"),
    ],
)
def test_what_differs_in_a_figure_a_name_a_negation_or_a_role_is_no_copy(one, other):
    assert not alike(one, other)
    assert not alike(other, one)


def test_what_happened_twice_is_told_twice():
    first = memory(1, "Deployed the shop to staging", kind="episodic")
    second = replace(memory(2, "Deployed the shop to staging"), kind="episodic", valid_from=first.valid_from)
    hits = [
        Hit(memory=one, score=1.0) for one in (first, replace(second, source=replace(second.source, turn=9)))
    ]
    assert len(folded(hits)) == 2


def test_code_that_is_much_the_same_is_told_twice():
    texts = [
        f"def select{name}(table, field): return rows(table, field, {name})" for name in ("none", "nones")
    ]
    hits = [
        Hit(memory=memory(n, text, kind="code_description"), score=1.0) for n, text in enumerate(texts, 1)
    ]
    assert len(folded(hits)) == 2


@given(st.lists(memories(), max_size=8, unique_by=lambda one: one.id))
def test_folding_loses_no_memory_and_keeps_the_order(found):
    hits = [Hit(memory=one, score=1 - place / 10) for place, one in enumerate(found)]
    kept = folded(hits)
    ids = [one.memory.id for one in kept]
    assert ids == [hit.memory.id for hit in hits if hit.memory.id in set(ids)]
    assert sorted([*ids, *(id_ for one in kept for id_ in one.alike)]) == sorted(one.id for one in found)


def test_five_near_copies_take_one_place_of_eight_and_can_be_reached(cortex):
    texts = (
        TEXT, "Passwords are hashed using bcrypt with 12 rounds",
        "Please use bcrypt with 12 rounds to hash passwords",
        "Always use bcrypt with 12 rounds when hashing a password",
        "For hashing passwords, bcrypt with 12 rounds",
    )  # fmt: skip
    copies = {
        cortex.remember(text, kind=kind).id
        for text, kind in zip(
            texts, ("tribal", "decision", "insight", "preference", "procedural"), strict=True
        )
    }
    others = [
        cortex.remember(f"Passwords of the {name} are hashed by its own service").id
        for name in ("shop", "forum", "admin page", "gateway", "wiki", "blog", "mailer", "importer")
    ]
    assert len(cortex.list().memories) == len(copies) + len(others)
    question = "how are passwords hashed with bcrypt?"
    hits = cortex.recall(question, limit=8).hits
    (best,) = [hit for hit in hits if hit.memory.id in copies]
    assert {best.memory.id, *best.alike} == copies
    assert len(hits) == 8
    folded_id = best.alike[0]
    assert cortex.get(folded_id).id == folded_id
    assert [one.cause for one in cortex.explain(folded_id, query=question).reasons] == ["alike"]


def test_many_near_copies_leave_no_place_empty(cortex):
    starts = (
        "", "please ", "always ", "just ", "now ", "simply ", "really ", "also ", "still ", "currently ",
    )  # fmt: skip
    for number in range(40):
        text = (
            f"{starts[number % 10]}hash passwords with bcrypt{'.' * (number // 10 % 2)}{'!' * (number // 20)}"
        )
        cortex.remember(
            text, kind=("tribal", "decision", "insight", "preference")[number % 4], tags=[str(number)]
        )
    other = cortex.remember("Passwords are rotated every year by the operators")
    found = cortex.recall("how are passwords hashed?", limit=2, floor=False)
    assert [hit.memory.id for hit in found.hits][1] == other.id
