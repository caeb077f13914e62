"""What is promised of finding: by words and by meaning, within any budget, nothing for nothing."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex import Cortex
from recortex.domain.session import Session, Signal
from recortex.domain.vocabulary import Scope

AT = datetime(2026, 1, 1, tzinfo=UTC)
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


@pytest.mark.parametrize("asked", ["bcrypt", "password security"])
def test_a_memory_is_found_by_its_words_and_by_its_meaning(notes, asked):
    assert notes.recall(asked).hits[0].memory.text == NOTES[0]


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


def test_a_failure_that_was_not_mended_tells_the_intent_where_words_do_not(notes):
    app = notes._app
    sessions, now = app.all_services(Scope.PROJECT)[0].store.sessions, app.clock()
    sessions.put(Session(id="s1", started_at=now, seen_at=now))
    failed = Signal(session="s1", at=now, name="failed", subject="make", digest="d")
    assert notes.context("next", session="s1").intent == "recall"
    sessions.note([failed])
    assert notes.context("next", session="s1").intent == "fix_bug"
    sessions.note([Signal(session="s1", at=now, name="mended", subject="make", digest="d")])
    assert notes.context("next", session="s1").intent == "recall"


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


def test_of_two_that_contradict_each_other_the_later_goes_first(tmp_path):
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as cx:
        first = cx.remember("The gateway gives up after 30 seconds", kind="tribal", valid_from=AT)
        later = cx.remember(
            "Its timeout at the gateway is 10 now", kind="tribal", valid_from=AT + timedelta(59)
        )
        question = "after how many seconds does the gateway give up?"
        assert cx.recall(question, floor=False).hits[0].memory.id == first.id
        cx.link(later.id, first.id, relation="contradicts")
        told = cx.recall(question, floor=False).hits
        assert [hit.memory.id for hit in told] == [later.id, first.id]
        assert told[1].disputed.startswith(f"2026-03-01, {later.id[:8]}: Its timeout")
        assert cx.recall(question, floor=False, limit=1).hits[0].memory.id == later.id
