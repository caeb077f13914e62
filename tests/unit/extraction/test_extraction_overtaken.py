"""What a later turn makes untrue or tells better is not recalled as it was."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.extractor import extract

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")


def found(*said):
    turns = [
        Turn(index=index, role=role, text=text, uuid=str(index)) for index, (role, text) in enumerate(said)
    ]
    return list(extract(turns, INFO))


def active(*said):
    return [one.text for one in found(*said) if one.active]


def test_a_decision_that_the_person_takes_up_again_waits():
    decided = "We decided to use SQLite for the job queue."
    assert active(("user", decided)) == [decided]
    assert active(("user", decided), ("assistant", "Done."), ("user", "why can't we just use files?")) == []


def test_customs_of_a_language_are_not_learned_but_a_projects_own_command_is():
    def runs(command):
        calls = tuple(ToolCall(id=str(at), name="Bash", command=command, ok=True) for at in range(3))
        turn = Turn(index=0, role="assistant", text="", tools=calls)
        return [one.text for one in extract([turn], INFO) if one.active]

    for custom in ("go test ./...", "npm test", "pytest", "cargo build", "mix format", "npm run build"):
        assert runs(custom) == []
    assert runs("just test-all") == ["The test suite is run with `just test-all`."]
    assert runs("mypy --format short src --strict") == ["Types are checked with `mypy src --strict`."]


def test_the_fuller_form_of_a_command_is_told():
    calls = tuple(
        ToolCall(id=str(at), name="Bash", command=command, ok=True)
        for at, command in enumerate(["mix dialyzer"] * 3 + ["mix dialyzer --list-unused-filters"] * 2)
    )
    (one,) = extract([Turn(index=0, role="assistant", text="", tools=calls)], INFO)
    assert one.text == "Types are checked with `mix dialyzer --list-unused-filters`."
