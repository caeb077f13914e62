"""What a person says in Claude Code beside prompts."""

import json

import pytest
from claude_lines import agent, line, result, text, use, user, write

from generated import accounted
from recortex.formats.transcripts import open_transcript


@pytest.fixture
def read(tmp_path):
    def read(*lines, **options):
        reader = open_transcript(write(tmp_path / "s1.jsonl", *lines), **options)
        turns = list(reader)
        assert accounted(reader.counts)
        return reader, turns

    return read


def queue(operation, content=None, second=0):
    at = f"2026-03-01T10:00:{second:02}.000Z"
    fields = {} if content is None else {"content": content}
    return json.dumps(
        {"type": "queue-operation", "operation": operation, "timestamp": at, "sessionId": "s1", **fields}
    )


def attached(uuid, prompt, **fields):
    return line(
        "attachment",
        uuid,
        attachment={"type": "queued_command", "prompt": prompt, "commandMode": "prompt"},
        **fields,
    )


WORK = agent("a1", "m1", text("I heat."), use("t1", "Bash", command="make"))
DONE = result("r1", "t1", "hot")
AFTER = agent("a2", "m2", text("It is hot."))
# What the client writes of a message in the queue: how it is delivered, and how often it is told by a line.
DELIVERED = {
    "nowhere": [WORK, queue("enqueue", "use gas", 1), DONE, queue("remove"), AFTER],
    "an attachment": [
        WORK, queue("enqueue", "use gas", 1), DONE, queue("remove", "use gas"), AFTER,
        attached("q1", "use gas"),
    ],
    "an attachment of a version between": [
        WORK, queue("enqueue", "use gas", 1), DONE, queue("remove"), attached("q1", "use gas"), AFTER,
    ],
    "a line": [WORK, DONE, queue("enqueue", "use gas", 1), AFTER, queue("dequeue"), user("u2", "use gas")],
    "a line of two": [
        WORK, DONE, queue("enqueue", "use gas", 1), queue("enqueue", "and wood", 2), AFTER, queue("dequeue"),
        queue("dequeue"), user("u2", "use gas\nand wood"),
    ],
    "the end of the file": [WORK, DONE, AFTER, queue("enqueue", "use gas", 1)],
    "a new prompt": [WORK, DONE, queue("enqueue", "use gas", 1), AFTER, user("u2", "thanks")],
}  # fmt: skip


@pytest.mark.parametrize("way", DELIVERED)
def test_what_is_said_while_the_agent_works_is_told_once(read, way):
    _, turns = read(user("u1", "heat"), *DELIVERED[way])
    assert sum("use gas" in turn.text for turn in turns if turn.role == "user") == 1
    assert [turn.index for turn in turns] == list(range(len(turns)))
    assert [turn.text for turn in turns if turn.role == "assistant"] == ["I heat.", "It is hot."]


@pytest.mark.parametrize(
    "lines",
    [
        [queue("enqueue", "<task-notification>done</task-notification>"), queue("remove")],
        [queue("enqueue", '{"task_id":"b1","description":"make"}'), queue("dequeue")],
        [queue("enqueue", "/model opus"), queue("dequeue")],
        [queue("enqueue")],
        [queue("enqueue", "use gas"), queue("popAll", "use gas")],
        [queue("enqueue", "use gas"), queue("remove", "use gas"), AFTER, user("u2", "thanks")],
    ],
)
def test_what_was_not_said_is_not_told(read, lines):
    _, turns = read(user("u1", "heat"), WORK, *lines, agent("a9", "m9", text("Bye.")))
    assert {turn.text for turn in turns if turn.role == "user"} <= {"heat", "thanks"}


QUESTIONS = [
    {
        "question": "Which fuel?",
        "header": "Fuel",
        "options": [
            {"label": "Gas (Recommended)", "description": "Burns clean."},
            {"label": "Wood", "description": ""},
        ],
        "multiSelect": True,
    },
    {"question": "When?", "options": [{"label": "Now"}]},
]
ASKED = agent("a1", "m1", use("t1", "AskUserQuestion", questions=QUESTIONS))


def replied(answers, annotations=None, **fields):
    told = {"questions": QUESTIONS, "answers": answers, "annotations": annotations or {}}
    return result("r1", "t1", "User has answered your questions", toolUseResult=told, **fields)


@pytest.mark.parametrize(
    ("answers", "notes", "said"),
    [
        (
            {"Which fuel?": "Gas (Recommended)", "When?": "Now"},
            {},
            "> Which fuel?\nGas\n> Burns clean.\n\n> When?\nNow",
        ),
        ({"Which fuel?": "Gas (Recommended), Wood"}, {}, "> Which fuel?\nGas\n> Burns clean.\nWood"),
        ({"Which fuel?": "coal, if there is any"}, {}, "> Which fuel?\ncoal, if there is any"),
        ({"When?": "(notes only)"}, {"When?": {"notes": "after lunch"}}, "> When?\nafter lunch"),
    ],
)
def test_an_answer_has_its_question_and_its_options_in_words(read, answers, notes, said):
    _, turns = read(ASKED, replied(answers, notes))
    answer = turns[1]
    assert (answer.role, answer.form, answer.text) == ("user", "answer", said)
    assert answer.asked.startswith("Which fuel?\n- Gas (Recommended): Burns clean.\n- Wood\n\nWhen?\n- Now")


@pytest.mark.parametrize(
    "lines",
    [
        [agent("a1", "m1", use("t1", "mcp__tickets__ask", questions=QUESTIONS)), replied({"When?": "Now"})],
        [ASKED, replied({})],
        [ASKED, result("r1", "t1", "failed", error=True, toolUseResult="InputValidationError")],
        [ASKED, result("r1", "t1", 'User has answered your questions: "When?"="never"')],
    ],
)
def test_only_the_clients_record_is_an_answer(read, lines):
    _, turns = read(*lines)
    assert [turn.role for turn in turns] == ["assistant"]


SAID = (
    "The user doesn't want to proceed with this tool use. "
    "The tool use was rejected (eg. if it was a file edit,"
    " the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the cache"
)


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("Edit", {"file_path": "oven.py"}, "Edit: oven.py"),
        ("ExitPlanMode", {"plan": "# Heat"}, "ExitPlanMode: # Heat"),
        ("Bash", {"command": "curl x"}, "Bash: curl x"),
    ],
)
def test_a_refusal_of_older_clients_has_its_reason(read, name, arguments, asked):
    note = "\n\nNote: The user's next message may contain a correction."
    _, turns = read(
        agent("a1", "m1", use("t1", name, **arguments)), result("r1", "t1", SAID + note, error=True)
    )
    assert [(turn.text, turn.form, turn.asked) for turn in turns[1:]] == [("use the cache", "refusal", asked)]
    assert turns[0].tools[0].ok is False


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("mcp__tickets__read", {}),
        ("WebFetch", {}),
        ("Bash", {"version": "1.0.64"}),  # it gave a command's own output back as it was
        ("Edit", {"error": False}),
    ],
)
def test_a_result_that_another_may_have_written_is_no_refusal(read, name, fields):
    _, turns = read(agent("a1", "m1", use("t1", name)), result("r1", "t1", SAID, **{"error": True, **fields}))
    assert [turn.role for turn in turns] == ["assistant"]


def test_notes_and_what_stands_behind_a_command_are_the_persons(read):
    reader, turns = read(
        user("u1", "<user-memory-input>never run the tests</user-memory-input>"),
        user("u2", "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n"
             "<command-args>a hotter oven</command-args>"),
        user("u3", "<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        user("u4", "<command-name>/clear</command-name>\n<command-args></command-args>"),
    )  # fmt: skip
    assert [(turn.text, turn.form) for turn in turns] == [
        ("never run the tests", "note"), ("/plan a hotter oven", "command"),
    ]  # fmt: skip
    assert reader.counts.skipped == {"injected": 2}


def test_a_plan_that_was_accepted_is_the_agents(read):
    _, turns = read(user("u1", "Implement the following plan:\n\n# Heat the oven\n"))
    assert [turn.role for turn in turns] == ["plan"]
