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


def test_the_brief_is_in_the_first_request_and_whole(person):
    for text in (SHIP, NIGHTLY):
        person.memory("remember", text)
    ran = person.session(["hi"], ["hello"])
    assert ran.unharmed, ran
    (brief,) = ran.given("SessionStart")
    assert brief in ran.requests[0].text
    assert len(brief) < MOST
    assert SHIP in brief
    assert "staging database" in brief


def test_a_full_brief_is_whole_too(full):
    ran = full.session(["hi"], ["hello"])
    (brief,) = ran.given("SessionStart")
    assert brief in ran.requests[0].text
    assert 500 < len(brief) < MOST


def test_a_prompt_brings_what_answers_it_and_never_twice(full):
    prompts = [ASKED_NOTHING, ASKED_INVOICES, "Thanks. Once more: are invoices rounded per line?"]
    ran = full.session(prompts, ["56", "per line", "per line"])
    assert ran.unharmed, ran
    assert INVOICES not in ran.requests[0].text
    (recalled,) = ran.given("UserPromptSubmit")
    assert INVOICES in recalled
    assert recalled in ran.requests[1].last
    assert INVOICES not in ran.requests[2].last


def test_our_own_commands_and_no_prompt_bring_nothing(full):
    ran = full.session([f"/recortex:recall {ASKED_INVOICES}"], ["per line"])
    assert ran.unharmed, ran
    assert ran.given("UserPromptSubmit") == []
    heard = {
        "session_id": "one",
        "cwd": str(full.project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": " \n",
    }
    done = full.hook("user-prompt-submit", json.dumps(heard).encode())
    assert (done.returncode, done.stdout) == (0, b"")


def test_touching_a_file_brings_its_warning_once(full):
    file = full.project / "src" / "invoice.py"
    file.parent.mkdir()
    file.write_text("RATE = 1\nSTEP = 2\n")
    warning = "Never cache the VAT rate here: it changes at midnight and the batch runs across it."
    words = ("--kind", "tribal", "--importance", "low", "--files", "src/invoice.py")
    full.memory("remember", warning, *words)
    turns = [
        [Call("Read", {"file_path": str(file)})],
        [Call("Edit", {"file_path": str(file), "old_string": "RATE = 1", "new_string": "RATE = 3"})],
        [Call("Edit", {"file_path": str(file), "old_string": "STEP = 2", "new_string": "STEP = 4"})],
        "done",
    ]
    ran = full.session([ASKED_NOTHING], turns, words=EDITS)
    assert ran.unharmed, ran
    assert file.read_text() == "RATE = 3\nSTEP = 4\n"
    assert [warning in given for given in ran.given("PreToolUse")] == [True]
    assert ran.requests[-1].text.count(warning) == 1


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_after_compaction_the_brief_is_there_again(person, small_window, trigger):
    person.memory("remember", SHIP)
    full = Turn(("answer",), input_tokens=195_000)
    prompts, turns = ["hi", "/compact", "go on"], ["hello", "end"]
    if trigger == "auto":
        prompts, turns = ["hi", "more", "and more"], [full, full, "end"]
    ran = person.session(prompts, turns, words=small_window if trigger == "auto" else ())
    assert ran.unharmed, ran
    assert "SCRIPTED SUMMARY" in ran.requests[-1].text
    assert len(ran.given("SessionStart")) >= 2
    assert ran.given("SessionStart")[-1] in ran.requests[-1].text
    assert SHIP in ran.requests[-1].text
