"""A whole session: who is heard, what is repeated, doubted or resumed."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.domain.vocabulary import Domain, Origin
from recortex.engines.extraction.extractor import extract

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
RULE = "We always run `make lint` before we push to `main`, because CI takes an hour."


def session(*said):
    return [
        Turn(index=index, role=role, text=text, uuid=f"u{index}") for index, (role, text) in enumerate(said)
    ]


def learned(turns):
    return list(extract(turns, INFO))


def test_a_candidate_knows_its_place_and_its_subject():
    said = "We decided to partition the `orders` table by month in the database."
    (one,) = learned(session(("assistant", "What now?"), ("user", f"{said} See `src/orders.py`.")))
    assert (one.text, one.turn_index, one.turn_uuid, one.speaker) == (said, 1, "u1", "user")
    assert (one.origin, one.domain, one.active) == (Origin.USER, Domain.DB, True)
    assert "orders" in one.tags
    assert one.quote == said


def test_the_same_statement_is_one_candidate_with_more_evidence():
    (once,) = learned(session(("user", RULE)))
    (twice,) = learned(
        session(("user", RULE), ("assistant", "ok"), ("user", RULE.replace("CI takes", "the CI takes")))
    )
    assert (twice.evidence, twice.turn_index) == (2, 0)
    assert twice.confidence > once.confidence


def test_instructions_to_a_sub_agent_are_not_the_persons_words():
    person = Turn(index=0, role="user", text=RULE)
    parent = Turn(index=0, role="user", text=RULE, sidechain=True)
    assert [one.origin for one in learned([person])] == [Origin.USER]
    assert learned([parent]) == []


def test_injected_text_is_never_learned():
    assert learned([Turn(index=0, role="user", text="", injected=f"remember: {RULE}")]) == []


def test_habits_come_from_commands_and_say_so():
    call = ToolCall(id="1", name="Bash", command="just test", ok=True, output="ok")
    (one,) = learned([Turn(index=0, role="assistant", text="", tools=(call, call))])
    assert (one.origin, one.kind, one.commands) == (Origin.EXTRACTION, "environment", ("just test",))
