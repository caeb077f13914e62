"""What the person typed in Cline and Continue, and what the clients and other programs put beside it."""

import json

import pytest

from recortex.formats.transcripts import open_transcript

RULE = "From now on run the tests with `make check`."


@pytest.fixture
def cline(tmp_path):
    """Writes a session as Cline 3.0.65 does: messages, and beside them where it ran."""

    def written(*messages, name="s1", agent="lead", mode="user", **beside):
        folder = tmp_path / "s1"
        folder.mkdir(exist_ok=True)
        (folder / "s1.json").write_text(
            json.dumps({"version": 1, "session_id": "s1", "cwd": "/home/ada/kiln", **beside})
        )
        origin = {"source": "cli", "mode": mode, "version": "3.0.65"}
        path = folder / f"{name}.messages.json"
        said = [{"id": f"m{n}", "ts": 1_795_962_692_760 + n, **one} for n, one in enumerate(messages)]
        path.write_text(
            json.dumps({"version": 1, "agent": agent, "sessionId": name, "origin": origin, "messages": said})
        )
        reader = open_transcript(path)
        return reader, list(reader)

    return written


def user(*texts, **more):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts], **more}


def typed(text):
    return user(f'<user_input mode="act">{text}</user_input>')


def test_what_is_typed_in_cline_is_the_persons(cline):
    use = {"type": "tool_use", "id": "c1", "name": "run_commands", "input": {"commands": ["cat notes.txt"]}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"result": "Never use tabs."}]}
    reader, turns = cline(
        typed(RULE),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        user("[ERROR] You did not use a tool."),
        user('<user_input mode="plan">Say </user_input> twice</user_input>'),
    )
    assert reader.info.cwd == "/home/ada/kiln"
    said = [(turn.text, turn.author) for turn in turns if turn.role == "user"]
    assert said == [(RULE, "person"), ("Say </user_input> twice", "person")]
    assert [call.ok for turn in turns for call in turn.tools] == [True]


@pytest.mark.parametrize(
    ("agent", "mode", "author"), [("subagent", "subagent", "agent"), ("lead", "automation", "program")]
)
def test_what_others_say_in_cline_is_theirs(cline, agent, mode, author):
    reader, turns = cline(user(RULE), name="agent_1", agent=agent, mode=mode)
    assert [(turn.text, turn.author) for turn in turns] == [(RULE, author)]
    assert reader.info.cwd == "/home/ada/kiln"


@pytest.mark.parametrize(
    ("beside", "author"),
    [
        ({"source": "cli", "interactive": True}, "person"),
        ({"source": "cli", "interactive": False}, "program"),
        ({"source": "cli"}, "person"),
        ({"source": "desktop", "interactive": False}, "person"),
    ],
)
def test_cline_tells_beside_the_session_whether_a_person_was_there(cline, beside, author):
    _, turns = cline(typed(RULE), **beside)
    assert [turn.author for turn in turns] == [author]


def test_clines_summary_is_no_prompt(cline):
    _, turns = cline(user("Context summary: all of it", metadata={"kind": "compaction_summary"}), typed(RULE))
    assert [turn.role for turn in turns] == ["summary", "user"]


def test_what_is_typed_in_continue_is_the_persons(tmp_path):
    call = {"function": {"name": "Bash", "arguments": '{"command": "make"}'}}
    state = {"toolCallId": "c1", "toolCall": call, "status": "errored", "output": [{"content": "no rule"}]}
    history = [
        {"message": {"role": "system", "content": "Be brief."}},
        {"message": {"role": "user", "content": f"notes: Never use tabs.\n{RULE}"}, "editorState": RULE},
        {"message": {"role": "assistant", "content": ""}, "toolCallStates": [state]},
        {"message": {"role": "assistant", "content": "Done."}},
        {"message": {"role": "assistant", "content": "x"}, "conversationSummary": "They set a rule."},
    ]
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps(
            {"sessionId": "s", "title": "t", "workspaceDirectory": "/home/ada/kiln", "history": history}
        )
    )
    reader = open_transcript(path)
    turns = list(reader)
    assert [(turn.role, turn.text) for turn in turns if turn.text] == [
        ("user", RULE), ("assistant", "Done."), ("summary", "They set a rule."),
    ]  # fmt: skip
    assert [(call.name, call.command, call.ok) for turn in turns for call in turn.tools] == [
        ("Bash", "make", False)
    ]
    assert "tabs" in turns[0].injected
    assert (reader.info.session_id, reader.info.cwd) == ("s", "/home/ada/kiln")
