"""What a session taught is kept, however it ended, and once."""

import signal
import threading
from pathlib import Path

import pytest
from agents.install import NEWEST
from agents.knowledge import NIGHTLY, REVIEWED, SHIP
from agents.person import eventually
from agents.script import Call, Turn
from agents.terminal import typed


def test_what_a_session_taught_is_kept_after_its_end(person):
    ran = person.session([SHIP, "Thank you."], ["I will.", "You're welcome."])
    assert ran.unharmed, ran
    person.settle()
    (kept,) = person.memories()
    assert kept["text"] == SHIP
    assert kept["source"]["session"] == ran.ids[0]
    assert kept["evidence"] == 1


def test_each_turn_of_a_long_session_is_kept_once(newest):
    ran = newest.session([SHIP, REVIEWED, NIGHTLY, "Thank you."], ["Noted."] * 3)
    assert ran.unharmed, ran
    again = newest.session(
        ["And one thing more: what is the time?"], ["Late."], words=("--resume", ran.ids[0])
    )
    assert again.unharmed, again
    newest.settle()
    kept = [one["text"] for one in newest.memories()]
    assert len(kept) == 3
    assert {SHIP, REVIEWED} <= set(kept)


def test_what_was_said_before_clear_is_kept(person, version):
    prompts, turns = [SHIP, "/clear", REVIEWED], ["I will.", "I will."]
    if version == NEWEST:
        assert len(person.session(prompts, turns).ids) == 2
    else:
        assert typed(person, prompts, turns) == 0  # without a person before it, it knows no such command
    person.settle()
    kept = {one["text"]: one["source"]["session"] for one in person.memories()}
    assert set(kept) == {SHIP, REVIEWED}
    assert kept[SHIP] != kept[REVIEWED]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_session_that_was_killed_at_work_loses_nothing(person, sent):
    waiting = Turn(("never",), held=threading.Event())
    turns = [[Call("Bash", {"command": "sleep 0.5"})], waiting]
    ran = person.session([SHIP], turns, words=("--allowedTools", "Bash"), end=sent, at_request=2)
    waiting.held.set()
    assert ran.code in {-sent, 128 + sent}
    if sent == signal.SIGKILL:
        person.settle()
        assert person.memories() == []
        person.session(["hi"], ["hello"])
    assert eventually(lambda: person.about("make ship"))
    person.settle()
    assert [one["text"] for one in person.memories()] == [SHIP]


def test_jobs_that_are_killed_are_made_up_for(newest):
    with newest.killing_jobs() as killed:
        assert newest.session([SHIP, REVIEWED], ["I will.", "I will."]).unharmed
        newest.settle()
    assert killed or not Path("/proc").exists()
    assert newest.session(["hi"], ["hello"]).unharmed
    newest.settle()
    assert sorted(one["text"] for one in newest.memories()) == sorted([SHIP, REVIEWED])
    assert [one["evidence"] for one in newest.memories()] == [1, 1]


def test_two_sessions_about_the_same_leave_one_memory_with_more_evidence(newest):
    newest.session([SHIP], ["I will."])
    newest.settle()
    newest.session([SHIP], ["I know."])
    newest.settle()
    (kept,) = newest.memories()
    assert kept["evidence"] == 2


def test_what_was_given_never_comes_back_as_a_memory(newest):
    """The agent gets its memories by the brief, a prompt, a tool and a command line, and repeats them."""
    texts = [newest.memory("remember", text)["text"] for text in (SHIP, REVIEWED, NIGHTLY)]
    before = newest.memories()
    asked = [
        [Call("Bash", {"command": "recortex recall 'how do we deploy?'"})],
        [Call("mcp__plugin_recortex_recortex__recall", {"query": "how do we deploy?"})],
        "\n".join(["From memory:", *(f"- {text}" for text in texts)]),
        "Yes.",
    ]
    words = ("--allowedTools", "Bash", "mcp__plugin_recortex_recortex")
    for _ in range(2):
        ran = newest.session(["How do we deploy?", "/compact", "Is that all?"], asked, words=words)
        assert ran.unharmed, ran
        assert SHIP in ran.requests[0].text
        newest.settle()
    after = newest.memories()
    assert sorted(one["text"] for one in after) == sorted(one["text"] for one in before)
    assert [one["evidence"] for one in after] == [1] * len(before)
