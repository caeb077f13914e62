"""Transcripts of Codex, Gemini CLI, Pi and other clients."""

import json

import pytest

from generated import read_whole
from recortex.formats.transcripts import open_transcript


@pytest.fixture
def read(tmp_path):
    def read(name, *lines, **options):
        path = tmp_path / name
        path.write_text(
            "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
        )
        return read_whole(path, **options)

    return read


def codex(kind, payload, at="2026-03-01T10:00:00.000Z"):
    return {"timestamp": at, "type": kind, "payload": payload}


def said(role, text, **fields):
    kind = "output_text" if role == "assistant" else "input_text"
    return codex(
        "response_item",
        {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **fields},
    )


META = codex(
    "session_meta",
    {
        "id": "c1", "cwd": "/home/ada/kiln", "cli_version": "0.169.0", "git": {"branch": "main"},
        "source": "exec",
    },
)  # fmt: skip


def call(name, arguments, call_id="k1", **fields):
    return codex(
        "response_item",
        {
            "type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call_id,
            **fields,
        },
    )  # fmt: skip


def output(value, call_id="k1"):
    return codex("response_item", {"type": "function_call_output", "call_id": call_id, "output": value})


def test_codex_joins_what_the_agent_does_until_a_result(read):
    reader, turns = read(
        "rollout-1.jsonl",
        META,
        said("developer", "You may use skills."),
        said("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        said("user", "heat the oven"),
        codex("event_msg", {"type": "user_message", "message": "heat the oven"}),
        codex("response_item", {"type": "reasoning", "summary": []}),
        said("assistant", "I look.", id="m1"),
        call("shell", {"command": ["bash", "-lc", "ls oven"]}),
        output(json.dumps({"output": "oven.py", "metadata": {"exit_code": 1}})),
        said("assistant", "There it is.", id="m2"),
        codex("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
        said("user", "stop"),
        codex("compacted", {"message": "They heated the oven."}),
    )
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat the oven"), ("assistant", "I look."), ("assistant", "There it is."),
        ("user", "stop"), ("summary", "They heated the oven."),
    ]  # fmt: skip
    (shell,) = turns[1].tools
    assert (shell.command, shell.ok, shell.output) == ("ls oven", False, "oven.py")
    assert turns[3].interrupts
    assert (reader.info.session_id, reader.info.cwd, reader.info.branch) == ("c1", "/home/ada/kiln", "main")
    assert (turns[0].cwd, turns[0].branch) == ("/home/ada/kiln", "main")


@pytest.mark.parametrize(
    ("value", "ok", "text"),
    [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine", True, "fine"),
        ("Chunk ID: 1\nProcess exited with code 2\nOutput:\nbad", False, "bad"),
        (
            [
                {"type": "input_text", "text": "Wall time: 0.1 seconds\nOutput:"},
                {"type": "input_text", "text": "x"},
            ],
            None,
            "x",
        ),
        ('{"output": broken', None, '{"output": broken'),
    ],
)
def test_codex_tells_of_success_by_an_exit_code(read, value, ok, text):
    _, turns = read("rollout-1.jsonl", META, call("exec_command", {"cmd": "make"}), output(value))
    (made,) = turns[0].tools
    assert (made.command, made.ok, made.output) == ("make", ok, text)


def test_codex_patches_name_their_files(read):
    patch = "*** Begin Patch\n*** Update File: oven.py\n@@\n-a\n+b\n*** Add File: kiln.py\n+x\n*** End Patch"
    custom = {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "k1"}
    _, turns = read("rollout-1.jsonl", META, codex("response_item", custom))
    (made,) = turns[0].tools
    assert (made.files, made.writes, made.ok) == (("oven.py", "kiln.py"), True, None)


def gemini(uid, kind, content, **fields):
    return {"id": uid, "type": kind, "timestamp": "2026-03-01T10:00:00Z", "content": content, **fields}


TOOL = {
    "id": "g1", "name": "write_file", "args": {"file_path": "a.txt", "content": "x"}, "status": "success",
    "result": [{"functionResponse": {"id": "g1", "name": "write_file", "response": {"output": "written"}}}],
}  # fmt: skip
MESSAGES = [
    gemini("1", "user", [{"text": "write it"}]),
    gemini("2", "gemini", "Writing.", toolCalls=[TOOL], thoughts=[{"subject": "hm"}]),
    gemini("3", "info", "saved"),
    gemini("4", "gemini", "Written."),
]
GEMINI_HEADER = {"sessionId": "g0", "projectHash": "abc", "startTime": "2026-03-01T10:00:00Z"}


def check_gemini(reader, turns):
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "write it"),
        ("assistant", "Writing."),
        ("assistant", "Written."),
    ]
    (made,) = turns[1].tools
    assert (made.files, made.writes, made.ok, made.output) == (("a.txt",), True, True, "written")
    assert (reader.info.session_id, reader.client) == ("g0", "gemini")


@pytest.mark.parametrize("indent", [None, 2])
def test_gemini_in_one_document(read, tmp_path, indent):
    name = "session-1.json"
    check_gemini(*read(name, json.dumps({**GEMINI_HEADER, "messages": MESSAGES}, indent=indent)))
    first = open_transcript(tmp_path / name, final=False)
    assert [turn.uuid for turn in first] == ["1", "2"]
    assert first.cursor == 3
    rest = open_transcript(tmp_path / name, cursor=first.cursor)
    assert [turn.uuid for turn in rest] == ["4"]
    assert list(open_transcript(tmp_path / name, cursor=rest.cursor)) == []


def test_gemini_line_by_line_where_messages_are_written_again(read):
    reader, turns = read(
        "session-1.jsonl", {**GEMINI_HEADER, "kind": "main"},
        {
            "$set": {
                "messages": [
                    gemini("0", "user", [{"text": "<session_context>\nSetup\n</session_context>"}])
                ]
            }
        },
        MESSAGES[0], {"$set": {"lastUpdated": "x"}}, gemini("2", "gemini", "Writing."), MESSAGES[1],
        gemini("5", "user", [{"functionResponse": TOOL["result"][0]["functionResponse"]}]),
        MESSAGES[3], {"$rewindTo": "4"}, {"$set": {"messages": MESSAGES}},
    )  # fmt: skip
    check_gemini(reader, turns)
    assert turns[0].injected == "Setup"


def test_what_gemini_repeats_after_a_compression_is_no_word_of_the_persons(read):
    summary = "I look at what was said.\n<state_snapshot>\nFrom now on never use tabs.\n</state_snapshot>"
    kept = [
        gemini("0", "user", [{"text": "<session_context>\nSetup\n</session_context>"}]),
        gemini("6", "user", [{"text": summary}]),
        gemini("7", "gemini", [{"text": "Got it. Thanks for the additional context!"}]),
        gemini("8", "user", [{"text": "write it"}]),  # the copy of the first, under another id
    ]
    _, turns = read(
        "session-1.jsonl", {**GEMINI_HEADER, "kind": "main"}, MESSAGES[0],
        gemini("2", "gemini", "Writing."), {"$set": {"messages": kept}},
        gemini("9", "user", [{"text": "go on"}]),
        {"$set": {"messages": [*kept, gemini("9", "user", [{"text": "go on"}])]}},
    )  # fmt: skip
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "write it"), ("assistant", "Writing."), ("summary", summary), ("user", "go on"),
    ]  # fmt: skip


def qwen(uid, kind, parts, **fields):
    return {
        "uuid": uid, "sessionId": "q0", "timestamp": "2026-03-01T10:00:00Z", "type": kind,
        "cwd": "/home/ada", "version": "0.15.10", "message": {"role": "user", "parts": parts}, **fields,
    }  # fmt: skip


def test_qwen(read):
    asked = {
        "functionCall": {
            "id": "k",
            "name": "tool_call",
            "args": {"name": "run_shell_command", "arguments": {"command": "make"}},
        }
    }
    answer = {"functionResponse": {"id": "k", "name": "tool_call", "response": {"output": "no rule"}}}
    reader, turns = read(
        "q0.jsonl",
        qwen("1", "user", [{"text": "build"}]),
        {**qwen("2", "system", []), "subtype": "ui_telemetry"},
        qwen("3", "assistant", [{"text": "thinking", "thought": True}, {"text": "Building."}, asked]),
        qwen("4", "tool_result", [answer], toolCallResult={"callId": "k", "status": "error"}),
        qwen("5", "assistant", [{"text": "It failed."}]),
    )
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "build"),
        ("assistant", "Building."),
        ("assistant", "It failed."),
    ]
    (made,) = turns[1].tools
    assert (made.name, made.command, made.ok, made.output) == ("run_shell_command", "make", False, "no rule")
    assert (reader.client, reader.info.session_id) == ("qwen", "q0")


@pytest.mark.parametrize("indent", [None, 1])
def test_opencode(read, indent):
    def message(uid, role, *parts, **info):
        return {
            "info": {
                "id": uid, "role": role, "sessionID": "o0", "time": {"created": 1_790_000_000_000}, **info,
            },
            "parts": parts,
        }  # fmt: skip

    tool = {
        "type": "tool", "tool": "bash", "callID": "k",
        "state": {
            "status": "completed", "input": {"command": "make"}, "output": "ok", "metadata": {"exit": 2},
        },
    }  # fmt: skip
    export = {
        "info": {
            "id": "o0", "version": "1.18.33", "directory": "/home/ada", "parentID": "o-1",
            "time": {"created": 1_790_000_000_000},
        },
        "messages": [
            message(
                "1", "user",
                {"type": "text", "text": "build"},
                {"type": "text", "text": "added", "synthetic": True},
            ),
            message("2", "assistant", {"type": "reasoning", "text": "hm"}, tool, path={"cwd": "/home/ada"}),
            message("3", "assistant", {"type": "text", "text": "Built."}),
            message("4", "assistant", {"type": "text", "text": "We built."}, summary=True),
        ],
    }  # fmt: skip
    reader, turns = read("export.json", json.dumps(export, indent=indent))
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "build"), ("assistant", ""), ("assistant", "Built."), ("summary", "We built."),
    ]  # fmt: skip
    assert turns[0].injected or turns[1].injected
    assert (turns[1].tools[0].ok, turns[1].tools[0].command, turns[1].cwd) == (False, "make", "/home/ada")
    assert turns[0].at.year == 2026
    assert (reader.info.session_id, reader.info.parent_session) == ("o0", "o-1")


def test_swe_agent(read):
    steps = [
        {
            "action": "ls\n", "observation": "oven.py", "thought": "I look.",
            "state": '{"working_dir": "/kiln", "open_file": "n/a"}',
        },
        {
            "action": "edit 1:2\nx\nend_of_edit", "observation": "ok", "response": "I edit.",
            "state": {"open_file": "/kiln/oven.py"},
        },
        {"action": "str_replace_editor create /kiln/a.py --file_text x", "observation": "", "thought": ""},
        {"action": "", "thought": "Done.", "observation": ""},
    ]  # fmt: skip
    history = [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {
            "role": "user",
            "content": [{"type": "text", "text": "ISSUE:\nThe oven is cold.\n\nINSTRUCTIONS:\nUse edit."}],
        },
    ]
    reader, turns = read(
        "kiln.traj", json.dumps({"environment": "x", "trajectory": steps, "history": history})
    )
    assert [(turn.role, turn.text) for turn in turns] == [
        ("assistant", "I look."), ("assistant", "I edit."), ("assistant", ""), ("assistant", "Done."),
    ]  # fmt: skip
    tools = [call for turn in turns for call in turn.tools]
    assert [(call.name, call.command, call.files, call.writes) for call in tools] == [
        ("shell", "ls", (), False),
        ("edit", "", ("/kiln/oven.py",), True),
        ("str_replace_editor", "", ("/kiln/a.py",), True),
    ]
    assert (turns[0].cwd, tools[0].output, tools[0].ok) == ("/kiln", "oven.py", None)
    assert "The oven is cold." in turns[0].injected
    assert reader.counts.lines == 5


def test_chat_lines(read):
    message = {"role": "user", "content": "User: hello", "timestamp": "2026-03-01T10:00:00Z"}
    reader, turns = read(
        "chat.txt",
        [[message, {"role": "assistant", "content": "Assistant: hi"}]],
        {"role": "user", "content": [{"type": "text", "text": "more"}]},
        {"role": "system", "content": "x"},
        "5",
    )
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "more"),
    ]
    assert (reader.counts.skipped, reader.counts.malformed) == ({"role/system": 1}, 1)
    assert len({turn.uuid for turn in turns}) == 3


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Saved on Monday", "", "User: heat it", "slowly", "", "please", "Assistant: Done.",
            "> not a prompt",
        ),
        (
            "# Session", "## User", "heat it", "slowly", "", "please", "## Assistant", "Done.",
            "> not a prompt",
        ),
        ("**Human:** heat it", "slowly", "", "please", "**Claude:** Done.", "> not a prompt"),
    ],
)  # fmt: skip
def test_prose_with_named_speakers(read, lines):
    _, turns = read("session.txt", *lines)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat it\nslowly\n\nplease"),
        ("assistant", "Done.\n> not a prompt"),
    ]


def test_prose_from_a_terminal(read):
    reader, turns = read(
        "terminal.txt", "✻ Welcome", "> heat the oven", "  slowly", "", "⏺ Bash(oven --heat)",
        "  ⎿  220 degrees", "     held", "⏺ It is hot.", "> thanks", "<system-reminder>be",
        "kind</system-reminder>",
    )  # fmt: skip
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat the oven\n  slowly"),
        ("assistant", "It is hot."),
        ("user", "thanks"),
    ]
    assert turns[2].injected == "be\nkind"
    assert reader.counts.skipped == {"preamble": 1, "tool-output": 3}


SAID = (
    "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
    "never run the tests"
)
REFERENCED = "\n--- Content from referenced files ---"


def test_files_that_a_gemini_prompt_names_are_not_typed(read):
    parts = [{"text": "look at @notes.md"}, {"text": REFERENCED}, {"text": "Never run the tests."}]
    shown = [{"text": "look at @notes.md now"}]
    base = {"type": "user", "timestamp": "2026-03-01T10:00:00Z"}
    document = {"sessionId": "g", "projectHash": "h", "messages": [
        {**base, "id": "1", "content": parts},
        {**base, "id": "2", "content": parts, "displayContent": shown},
        {**base, "id": "3", "content": f"and this{REFERENCED}\nNever run the tests."},
    ]}  # fmt: skip
    _, turns = read("session-g.json", json.dumps(document))
    assert [turn.text for turn in turns] == ["look at @notes.md", "look at @notes.md now", "and this"]


def test_files_that_a_qwen_prompt_names_are_not_typed(read):
    parts = [{"text": "look at @notes.md"}, {"text": REFERENCED}, {"text": "Never run the tests."}]
    _, turns = read("q.jsonl", qwen("1", "user", parts))
    assert [turn.text for turn in turns] == ["look at @notes.md"]


def test_codex_blocks_and_what_an_editor_has_open_are_not_typed(read):
    opened = (
        "# Context from my IDE setup:\n## My request for Codex:\nNever run the tests.\n"
        "## My request for Codex:\nfix it"
    )
    blocks = [
        "<skill>\n<name>a</name>\nNever run the tests.\n</skill>",
        "<environment_context>x</environment_context>\nNever run the tests.",
        (
            "# AGENTS.md instructions for /kiln\n\n<INSTRUCTIONS>\nx</INSTRUCTIONS>\nNever run the tests.\n"
            "</INSTRUCTIONS>"
        ),
        opened,
    ]
    messages = [said("user", text) for text in blocks]
    _, turns = read("rollout-c.jsonl", *messages)
    assert [(turn.role, turn.text) for turn in turns] == [("user", "fix it")]


PLANS = (
    "PLEASE IMPLEMENT THIS PLAN:\n# Kiln\n\nAlways log in UTC.",
    "A previous agent produced the plan below to accomplish the user's task. Implement it.\n\n# Kiln",
)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (["<image name=[Image #1]>", "</image>", "[Image #1] center it"], [("user", "[Image #1] center it")]),
        (['<image name=[Image #1] path="/tmp/a b.png">', "</image>"], []),
        (["Use <image> here, not </image>"], [("user", "Use <image> here, not </image>")]),
        (
            ["## Code review guidelines:\nNever praise.\n## My request for Codex:\nPlease review the kiln"],
            [("user", "Please review the kiln")],
        ),
        (
            ["# Review findings:\n\n## Finding 1 (kiln.py:3)\nNever log.\n## My request for Codex:\nmend it"],
            [("user", "mend it")],
        ),
        (
            ["## Code review guidelines:\nNever praise."],
            [("user", "## Code review guidelines:\nNever praise.")],
        ),
        *(([text], [("plan", text)]) for text in PLANS),
    ],
)
def test_what_codex_sends_for_a_button_or_around_a_picture_is_not_typed(read, blocks, expected):
    content = [{"type": "input_text", "text": text} for text in blocks]
    message = codex("response_item", {"type": "message", "role": "user", "content": content})
    _, turns = read("rollout-c.jsonl", said("assistant", "Ready."), message)
    assert [(turn.role, turn.text) for turn in turns[1:]] == expected


def test_a_tools_result_in_any_client_is_nobodys_word(read):
    answer = {"functionResponse": {"id": "k", "name": "shell", "response": {"error": SAID}}}
    _, turns = read(
        "q.jsonl",
        qwen("1", "assistant", [{"functionCall": {"id": "k", "name": "shell", "args": {}}}]),
        qwen("2", "tool_result", [answer], toolCallResult={"callId": "k", "status": "error"}),
    )
    assert {turn.role for turn in turns} == {"assistant"}


QUESTION = {
    "id": "fuel", "question": "Which fuel?", "header": "Fuel",
    "options": [{"label": "Gas (Recommended)", "description": "Burns clean."},
                {"label": "Wood", "description": ""}],
}  # fmt: skip
OFFERED = "Which fuel?\n- Gas (Recommended): Burns clean.\n- Wood"


def said_beside(turns):
    return [(turn.form, turn.text, turn.asked) for turn in turns if turn.role == "user"]


def test_codex_answers_have_their_questions(read):
    reply = {"answers": {"fuel": {"answers": ["Gas (Recommended)", "user_note: from the tank"]}}}
    _, turns = read(
        "rollout-1.jsonl", META, call("request_user_input", {"questions": [QUESTION]}),
        output(json.dumps(reply)), call("shell", {"command": "cat"}, "k2"), output(json.dumps(reply), "k2"),
    )  # fmt: skip
    assert said_beside(turns) == [("answer", "> Which fuel?\nGas\n> Burns clean.\nfrom the tank", OFFERED)]
    assert len({turn.uuid for turn in turns}) == len(turns)


def opencode_tool(tool, call_id, **state):
    return {"type": "tool", "tool": tool, "callID": call_id, "state": state}


def test_opencode_answers_and_refusals_are_the_persons(read):
    refused = (
        "The user rejected permission to use this specific tool call with the following feedback: use rg"
    )
    parts = [
        opencode_tool(
            "question", "1", status="completed", input={"questions": [QUESTION]}, output="…",
            metadata={"answers": [["Wood", "coal"]]},
        ),
        opencode_tool("bash", "2", status="error", input={"command": "grep x"}, error=refused),
        opencode_tool("tickets_read", "3", status="error", input={}, error=refused),
        opencode_tool("tickets_question", "4", status="completed", input={},
                      metadata={"answers": [["never"]]}),
    ]  # fmt: skip
    document = {
        "info": {"id": "o0", "version": "1.18.33", "projectID": "p"},
        "messages": [{"info": {"id": "1", "role": "assistant", "sessionID": "o0"}, "parts": parts}],
    }
    _, turns = read("o0.json", document)
    assert said_beside(turns) == [
        ("answer", "> Which fuel?\nWood\ncoal", OFFERED),
        ("refusal", "use rg", "bash: grep x"),
    ]


def test_gemini_answers_and_refused_plans_are_the_persons(read):
    def ran(call_id, name, output, **args):
        result = [{"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}]
        return {"id": call_id, "name": name, "args": args, "status": "success", "result": result}

    plan = "Plan rejected. User feedback: smaller steps\n\nThe plan is stored at: /x.md\nRevise the plan."
    calls = [
        ran("1", "ask_user", '{"answers":{"0":"Wood"}}', questions=[QUESTION]),
        ran("2", "exit_plan_mode", plan, plan="# Heat"),
        ran("3", "mcp_tickets_ask_user", '{"answers":{"0":"Wood"}}', questions=[QUESTION]),
    ]
    message = gemini("2", "gemini", "I ask.", toolCalls=calls)
    for name, lines in {
        "session-1.json": [{**GEMINI_HEADER, "messages": [message]}],
        "session-1.jsonl": [{**GEMINI_HEADER, "kind": "main"}, gemini("2", "gemini", "I"), message, message],
    }.items():
        assert said_beside(read(name, *lines)[1]) == [
            ("answer", "> Which fuel?\nWood", OFFERED),
            ("refusal", "smaller steps", "exit_plan_mode: # Heat"),
        ]


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


def pi_call(id_, name, **arguments):
    return {"type": "toolCall", "id": id_, "name": name, "arguments": arguments}


LINES = (
    entry(1, "model_change", provider="x", modelId="y"),
    message(2, "user", text("heat the oven")),
    message(
        3, "assistant", {"type": "thinking", "thinking": "Which?"}, text("I look."),
        pi_call("k", "bash", command="ls"),
    ),
    message(4, "toolResult", text("out"), toolCallId="k", toolName="bash", isError=True),
    message(5, "bashExecution", command="make", output="x"),
    message(6, "assistant", text("I would"), stopReason="aborted"),
    entry(7, "message", message={"role": "user", "content": "stop"}),
    entry(8, "compaction", summary="They heated it."),
    entry(9, "custom_message", content="be brief", customType="x"),
    message(10, "assistant", text("Done.")),
)  # fmt: skip


def test_a_session_is_read_with_its_tools(read):
    reader, turns = read("2026-03-01_p1.jsonl", SESSION, *LINES)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "heat the oven"), ("assistant", "I look."), ("assistant", "I would"), ("user", "stop"),
        ("summary", "They heated it."), ("assistant", "Done."),
    ]  # fmt: skip
    (ran,) = turns[1].tools
    assert (ran.command, ran.ok, ran.output) == ("ls", False, "out")
    assert [turn.interrupts for turn in turns[2:4]] == [False, True]
    assert turns[5].injected == "be brief"
    info = reader.info
    assert (info.client, info.session_id, info.cwd) == ("pi", "p1", "/home/ada/kiln")
    assert turns[0].cwd == "/home/ada/kiln"


def test_a_file_that_begins_in_the_middle_is_one(read):
    assert len(read("2026-03-01_p1.jsonl", *LINES)[1]) == 6
