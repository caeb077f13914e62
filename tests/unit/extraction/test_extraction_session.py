"""A whole session: who is heard, what is repeated, doubted or resumed."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.domain.vocabulary import Domain, Origin
from recortex.engines.extraction import extract

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
FACT = "The `orders` table requires a `month` filter because it is partitioned."


def session(*said):
    return [
        Turn(index=index, role=role, text=text, uuid=f"u{index}") for index, (role, text) in enumerate(said)
    ]


def learned(turns):
    return list(extract(turns, INFO))


def test_a_candidate_knows_its_place_and_its_subject():
    (one,) = learned(session(("user", "go on"), ("assistant", f"{FACT} See `src/orders.py`.")))
    assert (one.text, one.turn_index, one.turn_uuid, one.speaker) == (FACT, 1, "u1", "assistant")
    assert (one.origin, one.domain, one.active) == (Origin.AGENT, Domain.DB, False)
    assert "orders" in one.tags
    assert one.quote == FACT


def test_the_same_statement_is_one_candidate_with_more_evidence():
    (once,) = learned(session(("assistant", FACT)))
    (twice,) = learned(
        session(("assistant", FACT), ("user", "ok"), ("assistant", FACT.replace("requires", "required")))
    )
    assert (twice.evidence, twice.turn_index) == (2, 0)
    assert twice.confidence > once.confidence


def test_the_agents_own_doubt_withdraws_its_last_conclusions():
    (one,) = learned(session(("assistant", FACT), ("assistant", "Hmm, wait. Something else is going on.")))
    assert not one.active


def test_instructions_to_a_sub_agent_are_not_the_persons_words():
    rule = "Always run `make lint` before committing."
    person = Turn(index=0, role="user", text=rule)
    parent = Turn(index=0, role="user", text=rule, sidechain=True)
    assert [one.origin for one in learned([person])] == [Origin.USER]
    assert learned([parent]) == []


def test_injected_text_is_never_learned():
    assert learned([Turn(index=0, role="user", text="", injected=f"remember: {FACT}")]) == []


def test_habits_come_from_commands_and_say_so():
    call = ToolCall(id="1", name="Bash", command="just test", ok=True, output="ok")
    (one,) = learned([Turn(index=0, role="assistant", text="", tools=(call, call))])
    assert (one.origin, one.kind, one.commands) == (Origin.EXTRACTION, "environment", ("just test",))
