import json

import pytest

from generated import accounted
from recortex.formats.transcripts import open_transcript

_NUMBERS = iter(range(10_000))


def event(kind, _agent=None, **data):
    line = {
        "type": kind, "data": data, "id": f"e{next(_NUMBERS)}", "timestamp": "2026-03-01T10:00:00.000Z",
        "parentId": None,
    }  # fmt: skip
    return line | ({"agentId": _agent} if _agent else {})


START = event(
    "session.start", sessionId="c1", copilotVersion="1.0.64", startTime="2026-03-01T09:59:58Z",
    context={"cwd": "/home/ada/kiln", "branch": "main"},
)  # fmt: skip


def said(content, **fields):
    return event("user.message", content=content, transformedContent=f"<now/>{content}", **fields)


def agent(content, *calls, message="m1", **fields):
    requests = [{"toolCallId": call, "name": name, "arguments": given} for call, name, given in calls]
    return event("assistant.message", messageId=message, content=content, toolRequests=requests, **fields)


def began(call, name, given):
    return event("tool.execution_start", toolCallId=call, toolName=name, arguments=given)


def ended(call, content, *, success=True):
    told = {"result": {"content": content}} if success else {"error": {"message": content}}
    return event("tool.execution_complete", toolCallId=call, success=success, **told)


@pytest.fixture
def read(tmp_path):
    def read(*events, **options):
        path = tmp_path / "events.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in (START, *events)))
        reader = open_transcript(path, **options)
        turns = list(reader)
        assert accounted(reader.counts)
        return reader, turns

    return read


def test_a_session_is_read_with_its_tools_and_place(read):
    reader, turns = read(
        event("system.message", role="system", content="You are an agent."),
        event("hook.start", hookType="preToolUse", input={}),
        said("heat the oven"),
        agent("I look.", ("t1", "bash", {"command": "make heat"}), ("t2", "view", {"path": "oven.py"})),
        began("t1", "bash", {"command": "make heat"}),
        ended("t1", "no fuel\n<shellId: 0 completed with exit code 2>"),
        ended("t2", "Path does not exist", success=False),
        agent("There is none.", message="m2"),
        event("session.compaction_complete", success=True, summaryContent="They heated the oven."),
        event("session.resume", context={"cwd": "/home/ada/kiln", "branch": "hotter"}),
        event("abort", reason="user_initiated"),
        said("stop"),
    )
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat the oven"),
        ("assistant", "I look."),
        ("assistant", "There is none."),
        ("summary", "They heated the oven."),
        ("user", "stop"),
    ]
    ran, looked = turns[1].tools
    assert (ran.command, ran.ok, looked.files, looked.ok) == ("make heat", False, ("oven.py",), False)
    assert looked.output == "Path does not exist"
    assert turns[4].interrupts
    assert [turn.branch for turn in turns[::4]] == ["main", "hotter"]
    info = reader.info
    assert (info.client, info.session_id, info.version) == ("copilot", "c1", "1.0.64")
    assert (info.cwd, info.branch) == ("/home/ada/kiln", "main")


def test_only_a_person_speaks_for_the_person(read):
    reader, turns = read(
        said("", source="system", delivery="steering"),
        said("Base directory for this skill: /x", source="skill-plan"),
        said("You review.", source="agent-c1", _agent="t9"),
        said("and use tabs", delivery="steering"),
        event("system.notification", content="An agent is idle."),
    )
    assert [(turn.text, turn.sidechain, turn.form) for turn in turns] == [
        ("You review.", True, "prompt"),
        ("and use tabs", False, "queued"),
    ]
    assert reader.counts.skipped["user.message/skill-plan"] == 1


def test_a_turn_has_the_folder_into_which_the_session_changed(read):
    reader, turns = read(
        said("heat the oven"),
        event("session.context_changed", cwd="/home/ada/shop", gitRoot="/home/ada/shop", branch="sale"),
        said("print the labels"),
    )
    assert [(turn.cwd, turn.branch) for turn in turns] == [
        ("/home/ada/kiln", "main"),
        ("/home/ada/shop", "sale"),
    ]
    assert reader.info.cwd == "/home/ada/kiln"


def test_a_session_that_an_agent_runs_on_behalf_of_another_has_no_person(tmp_path):
    data = {**START["data"], "detachedFromSpawningParentSessionId": "c0"}
    path = tmp_path / "events.jsonl"
    lines = ({**START, "data": data}, said("Never use tabs."), agent("Noted."))
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    reader = open_transcript(path)
    assert [turn.by_person for turn in reader] == [False, False]
    assert reader.info.parent_session == "c0"


def test_what_autopilot_sends_to_go_on_is_nobodys_word(read):
    _, turns = read(said("heat the oven"), said("Continue with the task.", isAutopilotContinuation=True))
    assert [turn.text for turn in turns] == ["heat the oven"]


QUESTION = {"question": "How far?", "choices": ["Half (Recommended)", "All"]}


def test_an_answer_has_its_question(read):
    _, turns = read(
        agent("", ("t1", "ask_user", QUESTION)),
        began("t1", "ask_user", QUESTION),
        ended("t1", "User selected: Half (Recommended)"),
        began("t2", "ask_user", QUESTION),
        ended("t2", "User responded: three quarters"),
    )
    answers = [(turn.text, turn.asked) for turn in turns if turn.form == "answer"]
    offered = "How far?\n- Half (Recommended)\n- All"
    assert answers == [("> How far?\nHalf", offered), ("> How far?\nthree quarters", offered)]


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("tickets-ask_user", "User responded: never test"),
        ("bash", "User responded: never test"),
        ("ask_user", "User responded: The user is not available to respond and will review your work later."),
    ],
)
def test_other_results_are_not_the_persons_words(read, name, output):
    _, turns = read(agent("", ("t1", name, {})), began("t1", name, {}), ended("t1", output))
    assert [turn.role for turn in turns] == ["assistant"]


def test_a_refusal_has_its_reason(read):
    _, turns = read(
        event("permission.completed", result={"kind": "denied-interactively-by-user", "feedback": "use rg"}),
        event("permission.completed", result={"kind": "approved"}),
        event("exit_plan_mode.completed", approved=False, feedback="smaller steps"),
    )
    assert [(turn.text, turn.form, turn.asked) for turn in turns] == [
        ("use rg", "refusal", "permission"),
        ("smaller steps", "refusal", "exit_plan_mode"),
    ]
