import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import accounted, drawn
from recortex.formats.transcripts import TranscriptReader, formats, open_transcript
from recortex.formats.transcripts.detection import GENERIC

AT = "2026-03-01T10:00:00Z"


def claude(kind, uuid, message, **fields):
    return {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": AT, "message": message, **fields}


def codex(payload, kind="response_item"):
    return {"timestamp": AT, "type": kind, "payload": payload}


CALL = {"type": "function_call", "name": "shell", "arguments": '{"command": "ls"}', "call_id": "k"}
USE = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "out", "is_error": False}
RESPONSE = {"functionResponse": {"id": "t", "name": "ls", "response": {"output": "out"}}}
ASK = {"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": {}}
REPLY = {"type": "tool_result", "tool_use_id": "q", "content": "answered"}
REPLIED = {"questions": [{"question": "how?", "options": [{"label": "so"}]}], "answers": {"how?": "so"}}
ASKED = {"toolCallId": "t", "name": "ask_user", "arguments": {"question": "how?"}}
PI_CALL = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls"}}


def queue(operation, content=None):
    fields = {} if content is None else {"content": content}
    return {"type": "queue-operation", "operation": operation, "timestamp": AT, "sessionId": "s", **fields}


def copilot(kind, **data):
    return {"type": kind, "data": data, "id": kind, "timestamp": AT, "parentId": None}


def pi(number, message):
    return {"type": "message", "id": str(number), "parentId": None, "timestamp": AT, "message": message}


SHAPES = {
    "claude-code": [
        claude("user", "1", {"role": "user", "content": "hello"}),
        claude("assistant", "2", {"id": "m", "content": [{"type": "text", "text": "hi"}, USE]}),
        claude("user", "3", {"content": [RESULT]}),
        claude("user", "4", {"content": "sum"}, isCompactSummary=True),
        claude(
            "attachment",
            "5",
            None,
            attachment={"type": "queued_command", "prompt": "x", "commandMode": "prompt"},
        ),
        queue("enqueue", "use gas"),
        claude("assistant", "6", {"id": "n", "content": [ASK]}),
        queue("remove"),
        claude("user", "7", {"content": [REPLY]}, toolUseResult=REPLIED),
        claude("assistant", "8", {"id": "o", "content": [{"type": "text", "text": "so"}]}),
        queue("enqueue", "x"),
        queue("popAll", "x"),
    ],
    "codex": [
        codex(
            {"id": "c", "cwd": "/x", "git": {"branch": "main"}, "source": {"subagent": "x"}}, "session_meta"
        ),
        codex({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}),
        codex(CALL),
        codex(
            {
                "type": "function_call_output",
                "call_id": "k",
                "output": '{"output": "x", "metadata": {"exit_code": 0}}',
            }
        ),
        codex({"message": "sum"}, "compacted"),
    ],
    "gemini": [
        {"sessionId": "s", "projectHash": "h", "startTime": AT, "kind": "main"},
        {"id": "1", "type": "user", "content": [{"text": "hello"}, RESPONSE], "timestamp": AT},
        {
            "id": "2",
            "type": "gemini",
            "content": "hi",
            "toolCalls": [{"id": "t", "name": "ls", "args": {}, "status": "success", "result": [RESPONSE]}],
        },
        {"$set": {"messages": [{"id": "3", "type": "user", "content": "more"}]}},
    ],
    "copilot": [
        copilot("session.start", sessionId="c", context={"cwd": "/x", "branch": "main"}),
        copilot("user.message", content="hello"),
        copilot("assistant.message", messageId="m", content="hi", toolRequests=[ASKED]),
        copilot("tool.execution_start", toolCallId="t", toolName="ask_user", arguments={"question": "how?"}),
        copilot(
            "tool.execution_complete", toolCallId="t", success=True, result={"content": "User selected: a"}
        ),
        copilot("permission.completed", result={"kind": "denied", "feedback": "no"}),
        copilot("session.compaction_complete", summaryContent="sum"),
    ],
    "pi": [
        {"type": "session", "id": "p", "cwd": "/x", "timestamp": AT, "version": 3},
        pi(1, {"role": "user", "content": [{"type": "text", "text": "hello"}]}),
        pi(2, {"role": "assistant", "content": [{"type": "text", "text": "hi"}, PI_CALL], "stopReason": "x"}),
        pi(3, {"role": "toolResult", "toolCallId": "t", "content": [{"type": "text", "text": "out"}]}),
        pi(4, None) | {"type": "compaction", "summary": "sum"},
    ],
    "qwen": [
        claude("user", "1", {"parts": [{"text": "hello"}]}),
        claude(
            "assistant", "2", {"parts": [{"functionCall": {"id": "t", "name": "ls", "args": {"path": "x"}}}]}
        ),
        claude("tool_result", "3", {"parts": [RESPONSE]}, toolCallResult={"status": "success"}),
    ],
    "opencode": [
        {
            "info": {"id": "1", "role": "user", "time": {"created": 1}, "path": {"cwd": "/"}},
            "parts": [{"type": "text", "text": "hello"}],
        },
        {
            "info": {"id": "2", "role": "assistant", "summary": True},
            "parts": [
                {
                    "type": "tool",
                    "tool": "bash",
                    "callID": "t",
                    "state": {
                        "status": "completed",
                        "input": {"command": "ls"},
                        "output": "x",
                        "metadata": {"exit": 0},
                    },
                }
            ],
        },
    ],
    "swe-agent": [
        {"role": "user", "content": "the task"},
        {"action": "ls", "observation": "x", "thought": "I look", "state": '{"working_dir": "/"}'},
    ],
    "chat": [
        {"role": "user", "content": "hello", "timestamp": AT},
        [[{"role": "assistant", "content": "hi"}]],
    ],
    "text": ["User: hello", "Assistant: hi", "> quoted"],
}
FORMATS = (*formats(), *GENERIC)
ROWS = [row for row in FORMATS if row.split is None]
DOCUMENTS = {
    "gemini": lambda records: {"sessionId": "s", "projectHash": "h", "messages": records},
    "opencode": lambda records: {"info": {"id": "s"}, "messages": records, "parts": 0},
    "swe-agent": lambda records: {"trajectory": records, "history": records, "observation": 0},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def paths(value, at=()):
    yield at
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from paths(inner, (*at, key))


def replaced(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = replaced(value[at[0]], at[1:], new)
    return copy


@st.composite
def spoiled(draw, name):
    """A record of a format with something of a wrong type at some place, or cut, or as it should be."""
    shape = draw(st.sampled_from(SHAPES[name]))
    if draw(st.booleans()):
        shape = replaced(shape, draw(st.sampled_from(list(paths(shape)))), draw(JSON))
    raw = shape.encode("utf-8", "replace") if isinstance(shape, str) else json.dumps(shape).encode()
    if draw(st.integers(0, 3)) == 0:
        raw = raw[: draw(st.integers(0, len(raw)))]
    return raw.replace(b"\n", b" ")


def files(name):
    junk = st.binary(max_size=40) | st.just(b"[" * 5_000) | st.just(b'{"type":"user","a":"\\ud83d"}')
    return st.tuples(
        st.lists(st.one_of(spoiled(name), spoiled(name), junk), max_size=12), st.sampled_from([b"", b"\n"])
    ).map(lambda parts: b"\n".join(parts[0]) + parts[1])


def read(path, row, **options):
    reader = TranscriptReader(path, row, **options)
    turns = list(reader)
    assert accounted(reader.counts), reader.counts
    assert reader.counts.turns == len(turns)
    assert [turn.index for turn in turns] == list(range(len(turns)))
    assert all(turn.start <= turn.end and (turn.text or turn.tools) and turn.uuid for turn in turns)
    return reader, turns


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "s.jsonl"


quick = settings(max_examples=drawn(60))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@quick
@given(data=st.data())
def test_no_line_is_lost_whatever_it_holds(row, path, data):
    raw = data.draw(files(row.name))
    path.write_bytes(raw)
    reader, turns = read(path, row)
    assert reader.counts.lines == len(raw.split(b"\n")) - (raw.endswith(b"\n") or not raw)
    assert reader.cursor + len(raw.rsplit(b"\n", 1)[-1]) * reader.counts.torn == len(raw)
    again, more = read(path, row, cursor=reader.cursor)
    assert more == []
    assert again.counts.torn == reader.counts.torn
    assert [turn.uuid for turn in turns] == [turn.uuid for turn in read(path, row)[1]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@quick
@given(data=st.data())
def test_reading_as_it_grows_gives_the_same_turns(row, path, data):
    """Cut anywhere, read up to the cut, go on from the cursor: every turn once, with its results."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in SHAPES[row.name]]
    raw = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(raw)
    _, whole = read(path, row)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=4)))
    cursor, parts = 0, []
    for cut in cuts:
        path.write_bytes(raw[:cut])
        reader, turns = read(path, row, cursor=cursor, final=False)
        assert reader.cursor >= cursor
        cursor = reader.cursor
        parts += turns
    path.write_bytes(raw)
    parts += read(path, row, cursor=cursor)[1]
    assert [(turn.uuid, turn.text, turn.tools, turn.start) for turn in parts] == [
        (turn.uuid, turn.text, turn.tools, turn.start) for turn in whole
    ]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@quick
@given(data=st.data())
def test_no_record_of_a_document_is_lost(name, path, data):
    records = [shape for shape in SHAPES[name] if "$set" not in shape and "projectHash" not in shape]
    for place in data.draw(st.lists(st.integers(0, len(records) - 1), max_size=2)):
        places = [at for at in paths(records[place]) if at]
        records[place] = replaced(records[place], data.draw(st.sampled_from(places)), data.draw(JSON))
    document = DOCUMENTS[name](records)
    if data.draw(st.integers(0, 3)) == 0:
        document = replaced(
            document, data.draw(st.sampled_from([at for at in paths(document) if at])), data.draw(JSON)
        )
    raw = json.dumps(document).encode()
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.integers(0, 4)) == 0 else raw)
    row = next(row for row in FORMATS if row.name == name and row.split)
    reader, _ = read(path, row)
    assert read(path, row, cursor=reader.cursor)[1] == []


@quick
@given(raw=st.binary(max_size=300))
def test_any_bytes_are_refused_or_read(path, raw):
    from recortex.errors import FormatError

    path.write_bytes(raw)
    try:
        reader = open_transcript(path)
    except FormatError:
        return
    list(reader)
    assert accounted(reader.counts)
