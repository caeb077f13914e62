"""Transcripts of editors and their extensions."""

import json
import sqlite3

import pytest
from claude_lines import user, write

from generated import read_whole
from recortex.errors import FormatError
from recortex.formats.session_files import find_sessions, histories
from recortex.formats.transcripts import open_transcript

# -- Sessions in the stores of Cursor and VS Code.
#
# No editor wrote these stores: they are made here in the shapes in which public programs read them,
# Cursor's with the tables of 2026 and those before, VS Code's as its own source writes them.
RULE = "From now on run the tests with `make check`."
MORE = "We keep all times in UTC."
GONE = "From now on we never use tabs."
AT = 1_795_960_814_000
TABLES = """
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
"""
HEADERS = """CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER,
  lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER,
  value TEXT)"""


def bubble(id_, kind, text="", **more):
    return {"_v": 3, "bubbleId": id_, "type": kind, "text": text, **more}


def tool(id_, name, status="completed", result="", **params):
    former = {"name": name, "toolCallId": f"call {id_}", "status": status, "params": json.dumps(params)}
    return bubble(id_, 2, toolFormerData=former | {"result": json.dumps(result)})


SAID = (
    bubble("b1", 1, RULE, createdAt="2026-11-29T10:00:00.000Z",
           attachedCodeChunks=[{"lines": ["Never push."]}]),
    bubble("b2", 2, thinking={"text": "They want make."}, capabilityType=30),
    tool("b3", "run_terminal_command_v2", result={"output": "Always deploy on Friday.", "exitCodeV2": 1},
         command="make check"),
    tool("b4", "edit_file_v2", result={}, relativeWorkspacePath="src/kiln.py"),
    bubble("b5", 2, "Done."),
    bubble("b6", 1, "From now on we deploy on Mondays.", isSimulatedMsg=True),
    bubble("b7", 1, "Implement the plan as specified.", isPlanExecution=True),
    tool("b8", "ask_question",
         questions=[{"id": "q", "prompt": "Which zone?", "options": [{"id": "u", "label": "UTC"}]}],
         result={"answers": [{"questionId": "q", "selectedOptionIds": ["u"], "freeformText": MORE}]}),
)  # fmt: skip


def cursor(home, sessions, *, headers=True):
    """The database of an editor with these sessions: the id, the data, the bubbles."""
    path = home / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(TABLES + (HEADERS if headers else ""))
    put = "INSERT INTO cursorDiskKV VALUES (?, ?)"
    for id_, data, bubbles in sessions:
        listed = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in bubbles]
        whole = {"composerId": id_, "createdAt": AT, "fullConversationHeadersOnly": listed} | data
        database.execute(put, (f"composerData:{id_}", json.dumps(whole).encode()))
        for one in (*bubbles, bubble("gone", 1, GONE)):  # no list names what the person went back behind
            database.execute(put, (f"bubbleId:{id_}:{one['bubbleId']}", json.dumps(one).encode()))
    database.execute(put, ("composerData:broken", b"{"))
    database.execute(put, ("composerData:null", None))
    database.close()
    return path


def workspace(home, name, folder, editor="Cursor"):
    path = home / ".config" / editor / "User" / "workspaceStorage" / name
    path.mkdir(parents=True)
    (path / "workspace.json").write_text(json.dumps({"folder": folder}))
    return path


def persons(turns):
    return [one.text for one in turns if one.role == "user" and one.author == "person"]


def read(path):
    reader = open_transcript(path)
    return list(reader), reader.info


@pytest.mark.parametrize("version", ["named", "numbered", "by bubble", "by workspace"])
def test_cursors_bubbles_are_read_in_the_folder_that_was_open(tmp_path, version):
    place = workspace(tmp_path, "w1", "file:///home/ada/kiln%20two")
    uri = {
        "$mid": 1,
        "scheme": "file",
        "fsPath": "/home/ada/kiln two",
        "external": "file:///home/ada/kiln%20two",
    }
    data = {"workspaceIdentifier": {"id": "w1", "uri": uri}} if version == "named" else {}
    first, *rest = SAID
    if version == "by bubble":
        first = first | {"workspaceUris": ["file:///home/ada/kiln%20two"]}
    path = cursor(tmp_path, [("c1", data, (first, *rest))], headers=version in {"named", "numbered"})
    if version == "numbered":
        with sqlite3.connect(path) as database:
            database.execute("INSERT INTO composerHeaders (composerId, workspaceId, isSubagent, value)"
                             " VALUES ('c1', 'w1', 0, '{}')")  # fmt: skip
    if version == "by workspace":
        with sqlite3.connect(place / "state.vscdb") as database:
            database.executescript(TABLES)
            listed = json.dumps({"allComposers": [{"composerId": "c1"}]})
            database.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (listed,))
    before = path.read_bytes()
    found = find_sessions("cursor", home=tmp_path).sessions
    assert [(one.path, one.modified) for one in found] == [(path / "c1", AT / 1000)]
    turns, info = read(path / "c1")
    assert (info.session_id, info.cwd) == ("c1", "/home/ada/kiln two")
    assert persons(turns) == [RULE, f"> Which zone?\nUTC\n{MORE}"]
    calls = [call for turn in turns for call in turn.tools]
    assert [(one.command, one.files, one.ok) for one in calls][:2] == [
        ("make check", (), False), ("", ("src/kiln.py",), True),
    ]  # fmt: skip
    assert "Friday" not in " ".join(one.text for one in turns)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["state.vscdb"]


@pytest.mark.parametrize(
    "data",
    [{"subagentInfo": {"parentComposerId": "c1"}}, {"isBestOfNSubcomposer": True}],
    ids=["a sub-agent", "the same prompt to another model"],
)
def test_what_an_agent_gave_another_in_cursor_is_not_the_persons(tmp_path, data):
    path = cursor(tmp_path, [("c2", data, SAID[:1])])
    assert [one.author for one in read(path / "c2")[0]] == ["agent"]


def test_the_copy_of_a_cursor_session_says_the_same_again(tmp_path):
    other = SAID[0] | {"bubbleId": "copied"}
    path = cursor(tmp_path, [("c1", {}, SAID[:1]), ("c3", {}, (other,))])
    assert read(path / "c1")[0][0].uuid == read(path / "c3")[0][0].uuid


def test_a_cursor_session_of_old_holds_its_messages_itself(tmp_path):
    path = cursor(tmp_path, [("c4", {"conversation": [bubble("b1", 1, RULE), bubble("b2", 2, "Done.")]}, ())])
    assert [one.path.name for one in find_sessions("cursor", home=tmp_path).sessions] == ["c4"]
    assert [one.text for one in read(path / "c4")[0]] == [RULE, "Done."]


def test_without_a_folder_nothing_was_said_in_a_project_of_this_machine(tmp_path):
    remote = {
        "workspaceIdentifier": {"id": "w1", "uri": {"scheme": "vscode-remote", "path": "/home/ada/kiln"}}
    }
    path = cursor(tmp_path, [("c5", remote, SAID)])
    info = read(path / "c5")[1]
    assert info.cwd == ""
    assert info.digest


def request(id_, text, *answer, **more):
    return {
        "requestId": id_, "timestamp": AT + len(id_), "message": {"text": text, "parts": [{"kind": "text"}]},
        "variableData": {"variables": [{"kind": "file", "name": "NOTES.md", "value": "Never push."}]},
        "response": list(answer), **more,
    }  # fmt: skip


TERMINAL = {
    "kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "toolCallId": "t1", "isComplete": True,
    "invocationMessage": {"value": "Always deploy on Friday."},
    "toolSpecificData": {
        "kind": "terminal", "commandLine": {"original": "make check"},
        "terminalCommandState": {"exitCode": 1},
        "terminalCommandOutput": {"text": "Always deploy on Friday."},
    },
}  # fmt: skip
REQUESTS = (
    request("r1", RULE, {"kind": "thinking", "value": "They want make."}, {"value": "I look at "},
            {"kind": "inlineReference", "inlineReference": {"path": "/home/ada/kiln/a.py"}},
            {"value": "."}, TERMINAL,
            {"kind": "textEditGroup", "uri": {"fsPath": "/home/ada/kiln/a.py"}, "edits": []},
            {"kind": "toolInvocationSerialized", "toolId": "read", "toolCallId": "t2",
             "subAgentInvocationId": "s"}),
    request("r22", '@agent Continue: "Run it?"', confirmation="Continue"),
    request("r333", "From now on we deploy on Mondays.", isSystemInitiated=True),
    request("r4444", MORE, {"value": "Noted."}),
    request("r55555", GONE, {"value": "No tabs."}, shouldBeRemovedOnSend={"requestId": "r55555"}),
)  # fmt: skip


def chat(*requests):
    return {
        "version": 3, "creationDate": AT, "responderUsername": "GitHub Copilot", "sessionId": "v1",
        "requests": list(requests),
    }  # fmt: skip


def whole(path):
    path.write_text(json.dumps(chat(*REQUESTS), indent=2))


def one_line(path):
    path.write_text(json.dumps(chat(*REQUESTS)))


def changes(path):
    """As they come: a request, its answer in parts, one that is replaced, one that is being written."""
    first, *rest = REQUESTS
    lines = [
        {"kind": 0, "v": chat()},
        {"kind": 2, "k": ["requests"], "v": [first | {"response": first["response"][:1]}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "No."}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": first["response"][1:], "i": 1},
        {"kind": 1, "k": ["customTitle"], "v": "Tests"},
        {"kind": 2, "k": ["requests"], "v": [request("r0", GONE)]},
        {"kind": 2, "k": ["requests"], "v": rest, "i": 1},
        {"kind": 3, "k": ["customTitle"]},
        {"kind": 1, "k": ["nowhere", 9, "x"], "v": 1},
    ]
    path.write_text(
        "".join(json.dumps(one) + "\n" for one in lines) + '{"kind":2,"k":["requests"],"v":[{"req'
    )


@pytest.mark.parametrize("write", [whole, one_line, changes], ids=lambda one: one.__name__)
def test_chats_of_vs_code_are_read_in_the_folder_of_their_workspace(tmp_path, write):
    place = workspace(tmp_path, "w2", "file:///home/ada/kiln", "Code") / "chatSessions"
    place.mkdir()
    path = place / ("v1.jsonl" if write is changes else "v1.json")
    write(path)
    assert "vscode" in histories(tmp_path)
    found = find_sessions("vscode", home=tmp_path)
    assert [one.path for one in found.sessions] == [path]
    assert found.unknown == []
    turns, info = read(path)
    assert (info.session_id, info.cwd, info.client) == ("v1", "/home/ada/kiln", "vscode")
    assert persons(turns) == [RULE, MORE]
    assert [one.text for one in turns if one.role == "assistant"] == ["I look at `a.py`.", "Noted."]
    assert [(one.command, one.files, one.ok) for one in turns[1].tools] == [
        ("make check", (), False), ("", ("/home/ada/kiln/a.py",), True),
    ]  # fmt: skip


def test_a_chat_without_a_folder_was_said_in_no_project(tmp_path):
    place = tmp_path / ".config" / "Code" / "User" / "globalStorage" / "emptyWindowChatSessions"
    place.mkdir(parents=True)
    one_line(place / "v1.json")
    assert read(place / "v1.json")[1].digest
    exported = tmp_path / "chat.json"
    one_line(exported)
    assert not read(exported)[1].digest


# -- What the person typed in Cline and Continue, and what the clients and other programs put beside it.
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


def cline_user(*texts, **more):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts], **more}


def typed(text):
    return cline_user(f'<user_input mode="act">{text}</user_input>')


def test_what_is_typed_in_cline_is_the_persons(cline):
    use = {"type": "tool_use", "id": "c1", "name": "run_commands", "input": {"commands": ["cat notes.txt"]}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"result": "Never use tabs."}]}
    reader, turns = cline(
        typed(RULE),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        cline_user("[ERROR] You did not use a tool."),
        cline_user('<user_input mode="plan">Say </user_input> twice</user_input>'),
    )
    assert reader.info.cwd == "/home/ada/kiln"
    said = [(turn.text, turn.author) for turn in turns if turn.role == "user"]
    assert said == [(RULE, "person"), ("Say </user_input> twice", "person")]
    assert [call.ok for turn in turns for call in turn.tools] == [True]


@pytest.mark.parametrize(
    ("agent", "mode", "author"), [("subagent", "subagent", "agent"), ("lead", "automation", "program")]
)
def test_what_others_say_in_cline_is_theirs(cline, agent, mode, author):
    reader, turns = cline(cline_user(RULE), name="agent_1", agent=agent, mode=mode)
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
    _, turns = cline(
        cline_user("Context summary: all of it", metadata={"kind": "compaction_summary"}), typed(RULE)
    )
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
def read_copilot(tmp_path):
    def read(*events, **options):
        path = tmp_path / "events.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in (START, *events)))
        return read_whole(path, **options)

    return read


def test_a_session_is_read_with_its_tools_and_place(read_copilot):
    reader, turns = read_copilot(
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
        ("user", "heat the oven"), ("assistant", "I look."), ("assistant", "There is none."),
        ("summary", "They heated the oven."), ("user", "stop"),
    ]  # fmt: skip
    ran, looked = turns[1].tools
    assert (ran.command, ran.ok, looked.files, looked.ok) == ("make heat", False, ("oven.py",), False)
    assert looked.output == "Path does not exist"
    assert turns[4].interrupts
    assert [turn.branch for turn in turns[::4]] == ["main", "hotter"]
    info = reader.info
    assert (info.client, info.session_id, info.version) == ("copilot", "c1", "1.0.64")
    assert (info.cwd, info.branch) == ("/home/ada/kiln", "main")


def test_only_a_person_speaks_for_the_person(read_copilot):
    reader, turns = read_copilot(
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


def test_a_turn_has_the_folder_into_which_the_session_changed(read_copilot):
    reader, turns = read_copilot(
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


def test_what_autopilot_sends_to_go_on_is_nobodys_word(read_copilot):
    _, turns = read_copilot(
        said("heat the oven"), said("Continue with the task.", isAutopilotContinuation=True)
    )
    assert [turn.text for turn in turns] == ["heat the oven"]


QUESTION = {"question": "How far?", "choices": ["Half (Recommended)", "All"]}


def test_an_answer_has_its_question(read_copilot):
    _, turns = read_copilot(
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
def test_other_results_are_not_the_persons_words(read_copilot, name, output):
    _, turns = read_copilot(agent("", ("t1", name, {})), began("t1", name, {}), ended("t1", output))
    assert [turn.role for turn in turns] == ["assistant"]


def test_a_refusal_has_its_reason(read_copilot):
    _, turns = read_copilot(
        event("permission.completed", result={"kind": "denied-interactively-by-user", "feedback": "use rg"}),
        event("permission.completed", result={"kind": "approved"}),
        event("exit_plan_mode.completed", approved=False, feedback="smaller steps"),
    )
    assert [(turn.text, turn.form, turn.asked) for turn in turns] == [
        ("use rg", "refusal", "permission"),
        ("smaller steps", "refusal", "exit_plan_mode"),
    ]


def test_a_torn_last_line_is_read_when_it_is_whole(tmp_path):
    whole = user("u2", "second")
    path = write(tmp_path / "s1.jsonl", user("u1", "first"), whole[:40], end="")
    for final in (False, True):
        reader, turns = read_whole(path, final=final)
        assert [turn.text for turn in turns] == ["first"]
        assert (reader.counts.torn, reader.cursor) == (1, len(user("u1", "first")) + 1)
    with path.open("a") as file:
        file.write(whole[40:] + "\n")
    assert [turn.text for turn in read_whole(path, cursor=reader.cursor, final=False)[1]] == ["second"]


def test_a_file_that_was_replaced_by_a_shorter_one_is_read_again(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "new"))
    reader, turns = read_whole(path, cursor=10_000, final=True)
    assert reader.restarted
    assert [turn.text for turn in turns] == ["new"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FormatError, match="absent"):
        open_transcript(tmp_path / "absent.jsonl")
    with pytest.raises(FormatError):
        open_transcript(tmp_path)


def test_an_endless_last_line_waits_or_is_skipped(tmp_path):
    path = write(tmp_path / "s1.jsonl", user("u1", "first"), user("u2", "x" * (17 * 1024 * 1024)), end="")
    growing, turns = read_whole(path, final=False)
    assert (growing.counts.torn, growing.cursor, len(turns)) == (1, len(user("u1", "first")) + 1, 1)
    ended, _ = read_whole(path, final=True)
    assert (ended.counts.skipped, ended.cursor) == ({"oversized": 1}, path.stat().st_size)
