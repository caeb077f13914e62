"""A session read turn by turn teaches what it teaches when it is read at once."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.extractor import extract, learned

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
RULE = "We always run `make lint` before we push to `main`, because CI takes an hour."


def session(*said):
    return [
        Turn(index=index, role=role, text=text, uuid=f"u{index}") for index, (role, text) in enumerate(said)
    ]


def test_turns_before_the_cursor_teach_nothing_again():
    turns = session(("user", RULE), ("assistant", "Done."), ("user", RULE))
    assert learned(turns[2:], INFO, before=turns[:2]).candidates == []


def test_a_habit_is_told_once():
    call = ToolCall(id="1", name="Bash", command="just test", ok=True, output="ok")
    turns = [Turn(index=place, role="assistant", text="", tools=(call,)) for place in range(4)]
    passes = [learned(turns[place : place + 1], INFO, before=turns[:place]).candidates for place in range(4)]
    assert [len(one) for one in passes] == [0, 1, 0, 0]


def test_what_a_later_turn_takes_back_is_named():
    turns = session(
        ("user", "We decided to use Redis for the cache."),
        ("assistant", "Fine."),
        ("user", "Actually, scratch that."),
    )
    (decided,) = extract(turns[:2], INFO)
    assert decided.active
    found = learned(turns[2:], INFO, before=turns[:2])
    assert found.withdrawn == [decided]
    assert found.candidates == []
