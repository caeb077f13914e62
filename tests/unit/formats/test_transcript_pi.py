import json

import pytest

from generated import accounted
from recortex.formats.transcripts import open_transcript

SESSION = {
    "type": "session", "version": 3, "id": "p1", "timestamp": "2026-03-01T10:00:00.000Z",
    "cwd": "/home/ada/kiln",
}  # fmt: skip


def entry(number, kind="message", **fields):
    return {
        "type": kind, "id": f"{number:08x}", "parentId": None, "timestamp": "2026-03-01T10:00:01.000Z",
        **fields,
    }  # fmt: skip


def message(number, role, *blocks, **fields):
    return entry(number, message={"role": role, "content": list(blocks), **fields})


def text(value):
    return {"type": "text", "text": value}


def call(id_, name, **arguments):
    return {"type": "toolCall", "id": id_, "name": name, "arguments": arguments}


LINES = (
    entry(1, "model_change", provider="x", modelId="y"),
    message(2, "user", text("heat the oven")),
    message(
        3,
        "assistant",
        {"type": "thinking", "thinking": "Which?"},
        text("I look."),
        call("k", "bash", command="ls"),
    ),
    message(4, "toolResult", text("out"), toolCallId="k", toolName="bash", isError=True),
    message(5, "bashExecution", command="make", output="x"),
    message(6, "assistant", text("I would"), stopReason="aborted"),
    entry(7, "message", message={"role": "user", "content": "stop"}),
    entry(8, "compaction", summary="They heated it."),
    entry(9, "custom_message", content="be brief", customType="x"),
    message(10, "assistant", text("Done.")),
)


@pytest.fixture
def read(tmp_path):
    def read(*lines, name="2026-03-01_p1.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        reader = open_transcript(path)
        turns = list(reader)
        assert accounted(reader.counts)
        return reader, turns

    return read


def test_a_session_is_read_with_its_tools(read):
    reader, turns = read(SESSION, *LINES)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat the oven"),
        ("assistant", "I look."),
        ("assistant", "I would"),
        ("user", "stop"),
        ("summary", "They heated it."),
        ("assistant", "Done."),
    ]
    (ran,) = turns[1].tools
    assert (ran.command, ran.ok, ran.output) == ("ls", False, "out")
    assert [turn.interrupts for turn in turns[2:4]] == [False, True]
    assert turns[5].injected == "be brief"
    info = reader.info
    assert (info.client, info.session_id, info.cwd) == ("pi", "p1", "/home/ada/kiln")
    assert turns[0].cwd == "/home/ada/kiln"


def test_a_file_that_begins_in_the_middle_is_one(read):
    assert len(read(*LINES)[1]) == 6
