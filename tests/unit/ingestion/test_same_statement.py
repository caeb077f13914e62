"""Marks around a statement do not make a second memory of it, whichever came first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.similarity import bare, content_hash, spellings

SAID = "Deploys of the billing service go out on Tuesdays"
MARKED = [
    f"{SAID}.", f"{SAID}!", f"{SAID}...", f"{SAID}…", f'"{SAID}"', f'"{SAID}."', f'"{SAID}".',
    f"  {SAID}.  ", SAID[0].lower() + SAID[1:], SAID.replace(" ", "\n"),
]  # fmt: skip


@pytest.mark.parametrize("marked", MARKED)
def test_what_an_existing_store_holds_with_its_marks_is_found(cortex, marked):
    kept = cortex.remember(marked, kind="semantic")
    # Stored rows are hashed as ever: a store of an earlier build needs nothing.
    assert cortex.get(kept.id).content_hash == content_hash("semantic", kept.text)
    for again in (SAID, f"{SAID}.", marked):
        assert cortex.remember(again, kind="semantic").id == kept.id
    assert len(cortex.list().memories) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The suite runs with go test ./...", "The suite runs with go test ./"),
        ("Leave the folder with cd ..", "Leave the folder with cd"),
        ("Deploys go out on Tuesdays?", "Deploys go out on Tuesdays."),
        ('"fast" or "slow"', 'fast" or "slow'),
    ],
)
def test_marks_that_are_part_of_it_make_another_one(cortex, one, other):
    assert cortex.remember(one).id != cortex.remember(other).id


@given(st.text(max_size=60))
def test_taking_marks_away_ends(text):
    assert bare(bare(text)) == bare(text)
    assert spellings("semantic", text)[0] == content_hash("semantic", text)
    assert 1 <= len(spellings("semantic", text)) <= 13
