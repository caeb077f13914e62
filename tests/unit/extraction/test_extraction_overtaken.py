"""What a later turn makes untrue or tells better is not recalled as it was."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction import extract
from recortex.engines.extraction.report_entries import ACTIVE

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")


def found(*said):
    turns = [
        Turn(index=index, role=role, text=text, uuid=str(index)) for index, (role, text) in enumerate(said)
    ]
    return list(extract(turns, INFO))


def active(*said):
    return [one.text for one in found(*said) if one.active]


REPAIR = (
    "**Issue:** `Uploader.close()` blocked until the queued upload of the batch ended.\n\n"
    "**Fix:** `Uploader.close()` cancels the queued batch after `CLOSE_TIMEOUT`."
)


def test_one_incident_told_twice_is_one_memory():
    again = REPAIR.replace("blocked until", "waited and blocked until").replace("cancels", "now cancels")
    repairs = [one for one in found(("assistant", REPAIR), ("assistant", again)) if one.rule == "report_fix"]
    assert [one.evidence for one in repairs] == [2]


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


def test_an_instruction_of_the_agent_waits_as_proposed():
    told = "Start the worker with:\n\n```bash\nQUEUE=mail ./bin/worker --verbose\n```\n"
    (one,) = found(("assistant", told))
    assert (one.text, one.active) == ("Start the worker with `QUEUE=mail ./bin/worker --verbose`.", False)


def test_an_instruction_with_a_gap_to_fill_is_none():
    for command in (
        "./bin/worker --token <your token>",
        "./bin/worker /home/me/x",
        "pytest tests/test_one.py",
    ):
        assert found(("assistant", f"Start the worker with:\n\n```bash\n{command}\n```\n")) == []


def test_an_instruction_is_tried_by_the_same_program_inside_a_longer_command():
    told = "Done. You can now trace the start with:\n\n```bash\nAPP_TRACE=t.out ./app help\n```\n"
    call = ToolCall(
        id="1", name="Bash", command="go build -o app && APP_TRACE=1 ./app help > /dev/null", ok=True
    )
    turns = [
        Turn(index=0, role="assistant", text="", tools=(call,)),
        Turn(index=1, role="assistant", text=told),
    ]
    (one,) = extract(turns, INFO)
    assert (one.text, one.confidence >= ACTIVE) == (
        "Trace the start with `APP_TRACE=t.out ./app help`.",
        True,
    )
