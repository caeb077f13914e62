"""Sessions in the stores of Cursor and VS Code.

No editor wrote these stores: they are made here in the shapes in which public programs read them, Cursor's
with the tables of 2026 and those before, VS Code's as its own source writes them.
"""

import json
import sqlite3

import pytest

from recortex.formats.session_files import find_sessions, histories
from recortex.formats.transcripts import open_transcript

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
