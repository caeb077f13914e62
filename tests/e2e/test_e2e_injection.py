"""What a session is given: the brief, memories for a prompt, warnings for a file, and nothing else."""

import json

import pytest
from agents.knowledge import ASKED_INVOICES, ASKED_NOTHING, INVOICES, NIGHTLY, SHIP, standing
from agents.script import Call, Turn

MOST = 10_000  # characters; the client cuts what is longer
EDITS = ("--allowedTools", "Read", "Edit")


@pytest.fixture
def full(person):
    """A person whose brief is full of other things, and who knows one thing more."""
    (person.project / "rows.json").write_text(json.dumps(standing(80)))
    person.memory("remember_many", "@rows.json")
    person.memory("remember", INVOICES, "--kind", "semantic", "--importance", "low")
    return person


def test_an_empty_store_gives_nothing(person):
    ran = person.session(["hi", ASKED_INVOICES], ["hello", "I do not know."])
    assert ran.unharmed, ran
    assert {hook["hook_event"] for hook in ran.hooks} >= {"SessionStart", "UserPromptSubmit", "Stop"}
    assert ran.given() == []


def test_a_session_is_given_its_brief_what_answers_a_prompt_and_a_files_warning_each_once(full):
    file = full.project / "src" / "invoice.py"
    file.parent.mkdir()
    file.write_text("RATE = 1\nSTEP = 2\n")
    warning = "Never cache the VAT rate here: it changes at midnight and the batch runs across it."
    words = ("--kind", "tribal", "--importance", "low", "--files", "src/invoice.py")
    full.memory("remember", warning, *words)
    edits = [
        [Call("Read", {"file_path": str(file)})],
        [Call("Edit", {"file_path": str(file), "old_string": "RATE = 1", "new_string": "RATE = 3"})],
        [Call("Edit", {"file_path": str(file), "old_string": "STEP = 2", "new_string": "STEP = 4"})],
        "done",
    ]
    ours = f"/recortex:recall {ASKED_INVOICES}"
    again = "Thanks. Once more: are invoices rounded per line?"
    prompts = [ours, ASKED_NOTHING, ASKED_INVOICES, again]
    ran = full.session(prompts, ["per line", *edits, "per line", "per line"], words=EDITS)
    assert ran.unharmed, ran
    first, *_, done, asked, last = ran.requests

    (brief,) = ran.given("SessionStart")
    assert brief in first.text
    assert 500 < len(brief) < MOST

    assert INVOICES not in done.text  # neither the brief nor our own command brought it
    (recalled,) = ran.given("UserPromptSubmit")
    assert INVOICES in recalled
    assert recalled in asked.last
    assert INVOICES not in last.last

    assert file.read_text() == "RATE = 3\nSTEP = 4\n"
    # the file is being worked on, so the brief warns of it already
    assert [warning in given for given in (brief, *ran.given("PreToolUse"))] == [True]
    assert last.text.count(warning) == 1


def test_no_prompt_brings_nothing(newest):
    newest.memory("remember", INVOICES)
    heard = {
        "session_id": "one",
        "cwd": str(newest.project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": " \n",
    }
    done = newest.hook("user-prompt-submit", json.dumps(heard).encode())
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_the_brief_is_in_the_first_request_and_after_compaction_again(person, small_window, trigger):
    for text in (SHIP, NIGHTLY):
        person.memory("remember", text)
    full = Turn(("answer",), input_tokens=195_000)
    prompts, turns = ["hi", "/compact", "go on"], ["hello", "end"]
    if trigger == "auto":
        prompts, turns = ["hi", "more", "and more"], [full, full, "end"]
    ran = person.session(prompts, turns, words=small_window if trigger == "auto" else ())
    assert ran.unharmed, ran
    brief = ran.given("SessionStart")[0]
    assert brief in ran.requests[0].text
    assert len(brief) < MOST
    assert SHIP in brief
    assert "staging database" in brief
    assert "SCRIPTED SUMMARY" in ran.requests[-1].text
    assert len(ran.given("SessionStart")) >= 2
    assert ran.given("SessionStart")[-1] in ran.requests[-1].text
    assert SHIP in ran.requests[-1].text
