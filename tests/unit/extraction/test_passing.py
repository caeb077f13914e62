"""What a person says of the work at hand is at most proposed, whatever rule has its form."""

import pytest

from recortex.domain.transcript import SessionInfo, Turn
from recortex.engines.extraction import extract

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")

PASSING = {
    "a question without a mark": "if the barn door is closed doesn't that mean we can use the side gate",
    "a wish for one thing": "can we use the silo logger in this handler",
    "a report": "Only the first harvest of a field is loading and the others are not showing.",
    "a continuation": "but really we don't need both the map and the list",
    "a doubt": "maybe we should allow the planner to accept a list of fields",
    "what is at hand": "the new planner writes to `out/logs`, we should include that in the .gitignore",
    "an order for once": "We should add the field name to the tractor page.",
    "a plan for the task": "also we have a number of open branches, are any of them ready to merge.",
    "another language": "我们应该修改 barn.ts 让 readonly 只有在 true 的时候才出现",
    "an explanation": "Rows are read from the sensor buffer. "
    + "The field is shown in the viewer first. " * 12,
}
LASTING = (
    "Never push to main, always open a pull request.",
    "we use uv and not pip here",
    "Harvest totals must never be cached.",
    "Let's go with Redis for the cache.",
    "The job queue runs on nats.",
    "I prefer small commits with one topic each.",
    "sensor ids are uuids, not integers",
    "Would you please never commit to develop?",
    "remember that the silo is read-only on Mondays",
)


def active(text):
    return [one.text for one in extract([Turn(0, "user", text, uuid="u")], INFO) if one.active]


@pytest.mark.parametrize("said", PASSING.values(), ids=PASSING)
def test_what_is_said_of_the_work_at_hand_is_not_active(said):
    assert active(said) == []


@pytest.mark.parametrize("said", LASTING)
def test_what_holds_beyond_it_is(said):
    assert len(active(said)) == 1
