"""Whose word a prompt is, by what each client writes beside it."""

import json

import pytest

from recortex.domain.session import HookEvent
from recortex.formats.transcripts import open_transcript

SAID = "From now on answer in JSON only."
AT = "2026-08-10T09:00:00.000Z"


@pytest.fixture
def author(tmp_path):
    """Writes lines, and gives the author of what was said in each `user` turn that is left."""

    def author(*lines):
        path = tmp_path / "s1.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return [(turn.author, turn.text) for turn in open_transcript(path) if turn.role == "user"]

    return author


def claude(**fields):
    return {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s1", "version": "2.1.330",
        "timestamp": AT, "message": {"role": "user", "content": SAID}, **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ["person"]),
        ({"promptSource": "typed", "turnOrigin": "human", "entrypoint": "cli"}, ["person"]),
        ({"promptSource": "sdk", "turnOrigin": "sdk", "entrypoint": "sdk-cli"}, ["program"]),
        ({"promptSource": "sdk", "turnOrigin": "sdk"}, ["program"]),
        ({"entrypoint": "sdk-ts"}, ["program"]),
        ({"promptSource": "sdk", "turnOrigin": "sdk", "entrypoint": "claude-vscode"}, ["person"]),
        ({"turnOrigin": "scheduled", "entrypoint": "cli"}, ["agent"]),
        ({"turnOrigin": "peer", "entrypoint": "cli"}, ["agent"]),
        ({"turnOrigin": "auto_continuation"}, []),
        ({"turnOrigin": "system"}, []),
        ({"origin": {"kind": "channel"}}, []),
        ({"isSidechain": True}, ["agent"]),
    ],
)
def test_claude_code_tells_where_a_prompt_comes_from(author, fields, expected):
    assert [name for name, _ in author(claude(**fields))] == expected


@pytest.mark.parametrize(
    "tag", ["agent-message", "cross-session-message", "teammate-message", "coordinator-relay"]
)
def test_what_other_sessions_send_is_nobodys_prompt(author, tag):
    sent = f'<{tag} from="Ada">\n{SAID}\n</{tag}>'
    assert author(claude(message={"role": "user", "content": sent})) == []
    assert not HookEvent(name="user-prompt-submit", session="s1", prompt=sent).asks
    assert HookEvent(name="user-prompt-submit", session="s1", prompt=SAID).asks


def qwen(number, kind="user", text=SAID, parent=None, **fields):
    line = {
        "uuid": f"q{number}", "parentUuid": parent, "sessionId": "s1", "timestamp": AT, "type": kind,
        "version": "0.24.4", **fields,
    }  # fmt: skip
    return line if kind == "system" else line | {"message": {"parts": [{"text": text}]}}


def called(*, sent=None, command="/deploy now", shown=()):
    first = {"phase": "invocation", "rawCommand": command} | ({} if sent is None else {"sentToModel": sent})
    second = {"phase": "result", "rawCommand": command, "outputHistoryItems": list(shown)}
    return (
        qwen(1, "system", subtype="slash_command", systemPayload=first),
        qwen(2, "system", parent="q1", subtype="slash_command", systemPayload=second),
        qwen(3, parent="q2", provenance="real_user"),
        qwen(4, "assistant", "Done.", parent="q3"),
        qwen(5, parent="q4", text="Thanks."),
    )


INIT = {
    "codex": (
        "Generate a file named AGENTS.md that serves as a contributor guide for this repository.\n"
        "Always be short."
    ),
    "opencode": "Create or update `AGENTS.md` for this repository.\n\nAlways be short.",
    "gemini": (
        "You are an AI agent that brings the power of Gemini directly into the terminal. Your task is to "
        "analyze the current directory and generate a comprehensive GEMINI.md file. Always be short."
    ),
    "claude-code": (
        "Please analyze this codebase and create a CLAUDE.md file, which will be given to future instances "
        "of Claude Code. Always be short."
    ),
}


@pytest.mark.parametrize("client", INIT)
def test_what_a_client_sends_for_its_own_command_is_nobodys_prompt(author, client):
    text = INIT[client]
    said = {"type": "input_text", "text": text}
    lines = {
        "codex": [
            {"type": "session_meta", "timestamp": AT, "payload": {"id": "s1", "cwd": "/x", "source": "cli"}},
            {"type": "response_item", "timestamp": AT,
             "payload": {"type": "message", "role": "user", "content": [said]}},
        ],
        "opencode": [opencode(parts=[{"type": "text", "text": text}])],
        "gemini": [
            {"sessionId": "s1", "projectHash": "h", "startTime": AT, "kind": "main"},
            {"id": "1", "type": "user", "timestamp": AT, "content": [{"text": text}]},
        ],
        "claude-code": [claude(message={"role": "user", "content": text})],
    }  # fmt: skip
    assert author(*lines[client]) == []
    assert not HookEvent(name="user-prompt-submit", session="s1", prompt=text).asks
    assert HookEvent(name="user-prompt-submit", session="s1", prompt="Create or update AGENTS.md").asks


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([qwen(1)], ["person"]),
        ([qwen(1, provenance="real_user")], ["person"]),
        ([qwen(1, provenance="goal")], []),
        ([qwen(1), qwen(2, subtype="cron", parent="q1")], ["person", "agent"]),
        ([qwen(1), qwen(2, subtype="goal_runtime", parent="q1", provenance="real_user")], ["person"]),
        ([qwen(1), qwen(2, subtype="notification", parent="q1")], ["person"]),
        ([qwen(1), qwen(2, subtype="mid_turn_user_message", parent="q1")], ["person", "person"]),
        (called(sent=True), ["repository", "person"]),
        (called(), ["repository", "person"]),
        (called(sent=False), ["person", "person"]),
        (called(command="/about", shown=[{"type": "about"}]), ["person", "person"]),
        (called(command="/model"), ["person", "person"]),
    ],
)
def test_qwen_code_tells_what_is_a_goals_a_timers_or_a_commands(author, lines, expected):
    found = author(qwen(0, "assistant", "Hello."), *lines)
    assert [name for name, _ in found] == expected


ALONE = (
    "You are the GitHub Copilot CLI, built by GitHub. You are running in non-interactive mode and have no way"
)
ATTENDED = (
    "You are the GitHub Copilot CLI, an interactive assistant. " + "x" * 400 + ALONE
)  # of the repository


def copilot(*events):
    """Events by their kind and what they say."""
    started = {"sessionId": "c1", "version": 1, "copilotVersion": "1.0.102", "context": {"cwd": "/x"}}
    told = [("session.start", started), *((kind, {"content": text}) for kind, text in events)]
    return [
        {"type": kind, "id": f"e{number}", "timestamp": AT, "parentId": None, "data": data}
        for number, (kind, data) in enumerate(told)
    ]


ASKED, SYSTEM, ANSWERED = "user.message", "system.message", "assistant.message"


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([(ASKED, SAID), (ANSWERED, "Ok.")], ["person"]),
        ([(ASKED, SAID), (SYSTEM, ATTENDED), (ANSWERED, "Ok.")], ["person"]),
        ([(ASKED, SAID), (SYSTEM, ALONE), (ANSWERED, "Ok.")], ["program"]),
        ([(ASKED, SAID), (SYSTEM, ALONE)], ["program"]),
        # It is told again only where it has changed: the second runs as the first did.
        (
            [
                *[(ASKED, "One."), (SYSTEM, ALONE), (ANSWERED, "Ok."), (ASKED, "Two."), (ANSWERED, "Ok.")],
                *[(ASKED, "Three."), (SYSTEM, ATTENDED), (ANSWERED, "Ok."), (ASKED, "Four.")],
            ],
            ["program", "program", "person", "person"],
        ),
        # What the model is told once it has answered is of the prompts that follow.
        ([(ASKED, "One."), (ANSWERED, "Ok."), (SYSTEM, ALONE), (ASKED, "Two.")], ["person", "program"]),
    ],
)
def test_copilot_tells_the_model_that_nobody_is_there(author, events, expected):
    assert [name for name, _ in author(*copilot(*events))] == expected


def test_who_asks_in_copilot_is_known_to_a_reader_that_goes_on(tmp_path):
    path = tmp_path / "s1.jsonl"
    lines = copilot(
        *[
            (ASKED, "One."),
            (SYSTEM, ALONE),
            (ANSWERED, "Ok."),
            (ASKED, "Two."),
            (ANSWERED, "Ok."),
            (ASKED, "3"),
        ]
    )
    said, cursor = [], 0
    for end in range(1, len(lines) + 1):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines[:end]))
        reader = open_transcript(path, cursor=cursor, final=end == len(lines))
        said += [turn.author for turn in reader if turn.role == "user"]
        cursor = reader.cursor
    assert said == ["program"] * 3


def opencode(**fields):
    info = {"id": "x1", "directory": "/x", "projectID": "p", **fields.pop("session", {})}
    message = {"info": {"id": "m1", "role": "user", "sessionID": "x1", **fields.pop("info", {})}}
    parts = fields.pop("parts", [{"type": "text", "text": SAID}])
    return {"info": info, "messages": [message | {"parts": parts}]}


KILO = {"kilo": {"injected": True}}
UNATTENDED = [{"permission": name, "pattern": "*", "action": "deny"} for name in ("question", "plan_exit")]
"""What `opencode run` writes of a session: nobody is there to be asked."""


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (opencode(), [("person", SAID)]),
        (opencode(session={"parentID": "x0"}), [("agent", SAID)]),
        (opencode(session={"permission": UNATTENDED}), [("program", SAID)]),
        (opencode(session={"permission": [{"permission": "edit", "action": "deny"}]}), [("person", SAID)]),
        (opencode(session={"permission": UNATTENDED, "parentID": "x0"}), [("agent", SAID)]),
        (opencode(info={"metadata": KILO}), [("repository", SAID)]),
        (opencode(parts=[{"type": "text", "text": SAID, "metadata": KILO}]), [("repository", SAID)]),
        (
            opencode(
                parts=[{"type": "text", "text": SAID, "metadata": KILO}, {"type": "text", "text": "Go."}]
            ),
            [("person", "Go.")],
        ),
        (opencode(session={"revert": {"messageID": "m1"}}), []),
    ],
)
def test_opencode_and_kilo_tell_what_an_agent_or_a_command_said(author, document, expected):
    assert author(document) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'<file name="/x/a.md">\n{SAID}\n</file>\nWhat is this?', [("person", "What is this?")]),
        (f'<file name="/x/a.md">\n</file>\n{SAID}\n</file>\nWhat is this?', [("person", "What is this?")]),
        (
            f'<file name="/x/a.md">\nx\n</file>\n<file name="/x/b.md">\n{SAID}\n</file>\nGo.',
            [("person", "Go.")],
        ),
        (f'<skill name="a" location="/x/a">\n{SAID}\n</skill>\n\nGo.', [("person", "Go.")]),
        (f'<file name="/x/a.md">\n{SAID}\n</file>\n', []),
        (f"{SAID} See <file> there.", [("person", f"{SAID} See <file> there.")]),
    ],
)
def test_a_file_that_pi_includes_is_not_typed(author, text, expected):
    head = {"type": "session", "id": "p1", "timestamp": AT, "cwd": "/x"}
    content = [{"type": "text", "text": text}]
    entry = {"type": "message", "id": "e1", "parentId": None, "timestamp": AT}
    assert author(head, entry | {"message": {"role": "user", "content": content}}) == expected
