"""What is promised of finding: by words and by meaning, within any budget, nothing for nothing."""

from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex import Cortex

NOTES = (
    "Use bcrypt with 12 rounds for hashing passwords in the login service",
    "Deploy with make release, never by hand",
    "The queue worker needs Redis on port 6380",
    "Carrier labels are printed as ZPL",
)


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """A store with the shipped model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECORTEX_HOME", str(tmp_path_factory.mktemp("home")))
        with Cortex.open(url=f"sqlite:///{tmp_path_factory.mktemp('notes')}/c.db") as opened:
            for text in NOTES:
                opened.remember(text, kind="tribal")
            opened.remember("Tokens of the login service are hashed with bcrypt too", status="proposed")
            yield opened


@given(budget=st.integers(0, 60), asked=st.sampled_from(["bcrypt", "login service", "redis port", "labels"]))
def test_an_answer_never_exceeds_its_budget(notes, budget, asked):
    found = notes.recall(asked, budget=budget, floor=False)
    assert found.tokens <= budget
    assert found.tokens == sum(hit.memory.tokens for hit in found.hits) + sum(
        notes.get(one.id).tokens for one in found.unchecked
    )


@pytest.mark.parametrize("asked", ["", "   ", "the of and", "?!"])
def test_nothing_is_found_for_nothing(notes, asked):
    assert notes.recall(asked).hits == ()
    assert notes.recall(asked, floor=False).hits == ()
    assert notes.explain(asked or " ").hits == ()
    assert notes.context(asked).entries == ()
    assert notes.generation_context(asked).provenance == ()


def test_what_is_not_true_now_is_left_out_counted_and_shown_by_its_time(tmp_path, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", "2026-11-25T00:00:00Z")
    day = partial(datetime, tzinfo=UTC)
    with Cortex.open(tmp_path) as cx:
        old = cx.remember(
            "The API key header is X-Old-Token.",
            kind="decision",
            valid_from=day(2026, 1, 1),
            valid_until=day(2026, 6, 1),
        )
        asked = "what is the API key header"
        alone = cx.recall(asked)
        assert (alone.hits, alone.empty, alone.untimely) == ((), "time", 1)
        later = cx.remember(
            "The API key header will be X-Next-Token.", kind="decision", valid_from=day(2027, 1, 1)
        )
        now = cx.remember("The API key header in the mobile app is X-Api-Token.", kind="decision")
        found = cx.recall(asked)
        assert ([hit.memory.id for hit in found.hits], found.untimely) == ([now.id], 2)
        for at, then in ((day(2026, 3, 1), old), (day(2027, 2, 1), later)):
            shown = cx.recall(asked, valid_at=at)
            assert then.id in [hit.memory.id for hit in shown.hits]
            assert shown.untimely == 0
        assert cx.recall("which colour has the office plant").untimely == 0
