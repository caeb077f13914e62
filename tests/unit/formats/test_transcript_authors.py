"""Who wrote a line of a transcript: the person, the client, a command."""

import json
import os
import time
from pathlib import Path

import pytest
from claude_lines import user, write

from recortex.errors import InvalidInputError, UntrustedFileError
from recortex.formats.command_text import Typed, bodies, template, typed_beside
from recortex.formats.hook_events import HookEvent
from recortex.formats.session_files import find_sessions, histories
from recortex.formats.transcripts import open_transcript

# -- Whose word a prompt is, by what each client writes beside it.
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
            (ASKED, "One."), (SYSTEM, ALONE), (ANSWERED, "Ok."), (ASKED, "Two."), (ANSWERED, "Ok."),
            (ASKED, "3"),
        ]
    )  # fmt: skip
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


# -- What of a prompt stands in a command file, and what was typed beside it.
FILE = "Review the change in $ARGUMENTS and never touch the generated files."


def beside(text, *files, name="a.md"):
    found = [made for file in files for body in bodies(name, file) if (made := template(body))]
    told = typed_beside(text, found)
    return told and told.words


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (FILE, FILE.replace("$ARGUMENTS", "src/a.py"), "src/a.py"),
        (FILE, FILE.replace("$ARGUMENTS", ""), ""),
        (FILE, FILE, ""),
        (f"---\ndescription: Looks.\n---\n{FILE}\n", FILE.replace("$ARGUMENTS", "it"), "it"),
        (FILE.replace("$ARGUMENTS", "{{args}}"), FILE.replace("$ARGUMENTS", "it"), "it"),
        ("Compare the two branches named $1 and $2 by line, $1 first.",
         "Compare the two branches named a and b c by line, a first.", "a\n\nb c"),
        ("Look at the change that I name here: $@", "Look at the change that I name here:", ""),
        ("Look at the change I name here: ${@:2}", "Look at the change I name here: x\r\ny", "x\ny"),
        ("Deploy it to the site.", "Deploy it to the site.\n\nnot on Fridays", "not on Fridays"),
        ("Deploy it to the site.", "Deploy it to the site.\n\n/deploy not now", "not now"),
        ("Deploy it to the site.", "Deploy it to the site.\n\nARGUMENTS: not now", "not now"),
        ("Deploy it to the site.", "Deploy it to the site. Not now.", None),
        ("Deploy it to the site.", "Please: deploy it to the site.", None),
        ("Say what changed since then:\n!`git log`", "Say what changed since then:\nNever push.", ""),
        ("Say what changed since then:\n!{git log} $1", "Say what changed since then:\nNever x", ""),
    ],
)  # fmt: skip
def test_only_the_arguments_were_typed(file, text, expected):
    assert beside(text, file) == expected


@pytest.mark.parametrize(
    ("file", "within"),
    [
        ("Do not $ARGUMENTS when you look at the silo.", True),
        ('Search the whole silo for "$ARGUMENTS" and count.', True),
        ("Look at the silo and say what is in it: $ARGUMENTS", False),
        ("Look at the silo and say what is in it.\n\n$ARGUMENTS\n\nthen stop", False),
        ("Look at the silo and say what is in it.\n<words>$ARGUMENTS</words>", False),
        ("Look at the silo and say what is in it.", False),
    ],
)
def test_what_fills_a_place_in_a_sentence_is_told_from_what_stands_alone(file, within):
    text = file.replace("$ARGUMENTS", "always deploy on Fridays")
    told = typed_beside(text if "$" in file else f"{file}\n\nalways deploy on Fridays", [template(file)])
    assert told == Typed("always deploy on Fridays", within)


def test_of_several_commands_the_one_that_leaves_least_made_it():
    open_, whole = "Do the following now, please: $ARGUMENTS", "Do the following now, please: never use tabs."
    assert beside("Do the following now, please: never use tabs.", open_, whole) == ""
    assert beside("Do the following now, please: never use tabs.", whole, open_) == ""
    shown = "Do the following now, please: !`cat rules.txt`"
    assert beside("Do the following now, please: never use spaces.", open_, shown) == ""


@pytest.mark.parametrize(
    "file", ["$ARGUMENTS", "yes", "", "a$1b", "".join("e$1" * 40), "From now on $1", "---\n"]
)
def test_a_file_that_says_little_takes_no_word_from_the_person(file):
    assert beside("yes", file) is None
    assert beside("From now on we never use tabs here, since everybody else here uses spaces.", file) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('prompt = """\nLook at {{args}} for long.\n"""', ["Look at {{args}} for long.\n"]),
        ("prompt = 3", []), ("prompt = ", []), ("[" * 50_000, []), ('description = "x"', []),
    ],
)  # fmt: skip
def test_toml_gives_its_prompt(text, expected):
    assert list(bodies("a.toml", text)) == expected


def test_a_hostile_file_costs_no_more_than_reading_the_text():
    made = [template("a" * 30 + "$1a" * 99) for _ in range(300)]
    text = "a" * 30 + "ab" * 30_000
    before = time.process_time()
    typed_beside(text + "c", [one for one in made if one])
    assert time.process_time() - before < 2


@pytest.fixture
def home(tmp_path):
    project = tmp_path / ".claude" / "projects" / "-home-ada-kiln"
    (project / "s1" / "subagents").mkdir(parents=True)
    (project / "memory").mkdir()
    write(project / "memory" / "notes.md", "User: x", "Assistant: y")
    write(project / "s1.jsonl", user("u1", "a"))
    agent = write(project / "s1" / "subagents" / "agent-a1.jsonl", user("u2", "b", isSidechain=True))
    write(project / "s1" / "subagents" / "agent-a1.meta.json", "{}")
    write(project / "odd.jsonl", '{"a": 1}')
    os.utime(agent, (1, 1))
    codex = tmp_path / ".codex" / "sessions" / "2026" / "03"
    codex.mkdir(parents=True)
    write(
        codex / "rollout-1.jsonl",
        json.dumps({"timestamp": "x", "type": "session_meta", "payload": {"id": "c"}}),
    )
    return tmp_path


def test_a_clients_history_is_found_oldest_first(home):
    found = find_sessions("claude-code", home=home)
    assert [one.path.name for one in found.sessions] == ["agent-a1.jsonl", "s1.jsonl"]
    assert [path.name for path in found.aside] == ["odd.jsonl"]
    assert found.sessions[0].size > 0


def test_sessions_in_the_projects_folder_are_found(home, tmp_path):
    history = tmp_path / "kiln" / ".specstory" / "history"
    history.mkdir(parents=True)
    write(history / "talk.md", "<!-- Generated by SpecStory -->", "", "_**User**_", "", "heat", "", "---")
    found = find_sessions("specstory", home=home, project=tmp_path / "kiln")
    assert [one.path.name for one in found.sessions] == ["talk.md"]
    assert "specstory" in {
        one.client for one in find_sessions(None, home=home, project=tmp_path / "kiln").sessions
    }
    assert "specstory" in histories(home, project=tmp_path / "kiln")
    assert "specstory" not in histories(home)


def test_bad_arguments_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="no client"):
        find_sessions("emacs", home=tmp_path)
    with pytest.raises(InvalidInputError, match="does not exist"):
        find_sessions(None, tmp_path / "absent")


def test_what_cannot_be_read_is_named(home):
    (home / ".codex" / "sessions" / "gone.jsonl").symlink_to(home / "nowhere")
    found = find_sessions("codex", home=home)
    assert [path.name for path in found.unreadable] == ["gone.jsonl"]


@pytest.mark.parametrize("client", [None, "text", "codex"])
def test_a_device_that_is_named_is_refused_and_not_read(client):
    with pytest.raises(UntrustedFileError, match="no regular file"):
        find_sessions(client, Path("/dev/zero"))
