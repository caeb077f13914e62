"""`remember` answers what was known of the matter, and adds nothing that is known."""

from datetime import date

import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Actor
from recortex.mcp.session import ToolDispatcher
from recortex.operations.registry import operations_of


@pytest.fixture
def agent(cortex, project, clock):  # noqa: ARG001  after the person's
    with Cortex.open(project, clock=clock, actor=Actor.AGENT) as opened:
        yield opened


SHIP = "We deploy with `make ship`, because the script tags each release."


def told(memory):
    return [(one.id, one.text, one.said_on, one.done) for one in memory.known]


def test_what_is_new_is_only_kept(cortex):
    first = cortex.remember(SHIP)
    assert first.known == ()
    assert cortex.remember("Parcels are keyed by `parcel_id`, since names change.").known == ()


def test_what_resembles_it_is_told_and_what_it_replaces(reading):
    cortex = reading
    first = cortex.remember(SHIP)
    beside = cortex.remember("We deploy with `make ship` on the build host: the script tags each release.")
    assert told(beside) == [(first.id, SHIP, date(2026, 3, 1), "linked")]
    after = cortex.remember("We no longer deploy with `make ship`; deploy with `just release`.")
    assert "replaced" in {one.done for one in after.known}


def test_what_the_person_says_in_other_words_is_kept_in_them(cortex):
    first = cortex.remember(SHIP)
    again = cortex.remember("We deploy with `make ship`, because the script tags releases.")
    assert again.id != first.id
    assert told(again) == [(first.id, SHIP, date(2026, 3, 1), "linked")]


def test_an_agent_is_told_by_the_tool(cortex, agent):
    first = cortex.remember(SHIP)
    desk = ToolDispatcher(operations_of(Cortex), lambda: agent)
    answer = desk.call("remember", {"text": "We deploy with `make ship`, because the script tags releases."})
    assert answer.data["known"] == [
        {"id": first.id, "text": SHIP, "said_on": "2026-03-01", "status": "active", "done": "confirmed"}
    ]
    assert "known" not in desk.call("remember", {"text": "Lint with ruff."}).data
