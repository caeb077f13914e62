"""Gemini CLI and Copilot CLI at their terminals: what the person takes back is not theirs any more.

A fork says nothing twice. Whether the hooks taught the memory at once or it is imported afterwards.
"""

import pytest
from agents.install import wanted
from agents.model import Model
from agents.steps_back import CopilotAtTerminal, GeminiAtTerminal

LOOK = "Have a look at the parsers."
GONE = "From now on we never use tabs in this repository."
AFTER = "From now on every table has a comment in this repository."
LEFT = "From now on every release of this repository is named after a river."
LATE = "From now on we always log in UTC in this repository."
OWN = "From now on every endpoint in this repository is written down in `api.yaml`."
CHANGE = "Write down what is new."

pytestmark = [
    pytest.mark.skipif(wanted() != "all", reason="these clients take long to install"),
    pytest.mark.timeout(1800),
]
AT_WORK = pytest.mark.parametrize("at_work", [False, True], ids=["imported", "at work"])


def active(person):
    return sorted(one["text"] for one in person.memories() if one["status"] == "active")


def took_in(person, window):
    """What the memory knows: where hooks taught it, an import adds nothing."""
    if window.at_work:
        person.settle()
        first = (active(person), person.heard())
    for _ in range(2):
        person.memory("import", window.format)
        assert not window.at_work or (active(person), person.heard()) == first
    assert {one["evidence"] for one in person.memories()} == {1}
    return active(person), person.heard()


def begun(person, kind, model, at_work):
    person.memory("init")
    window = kind(person.home, person.project, person.environment["PATH"], model, at_work)
    person.memory("install", window.installs, *([] if at_work else ["--no-hooks"]))
    return window


@AT_WORK
def test_gemini_goes_back(newest, at_work):
    with Model() as model:
        window = begun(newest, GeminiAtTerminal, model, at_work)
        with window.opened(), window.at_terminal():
            window.say(LOOK, "Looked.")
            window.say(GONE, "Noted.")
            window.back()
            window.say(AFTER, "Heard.")
        assert took_in(newest, window) == ([AFTER], sorted([LOOK, AFTER]))


@AT_WORK
def test_gemini_goes_back_to_what_it_saved(newest, at_work):
    with Model() as model:
        window = begun(newest, GeminiAtTerminal, model, at_work)
        with window.opened():
            with window.at_terminal():
                window.say(LOOK, "Looked.")
                window.say(AFTER, "Heard.")
                window.does("/chat save here", "saved with tag")
                window.say(GONE, "Noted.")
                window.does("/chat resume here", "Heard.")
                window.say(LATE, "Noted.")
            with window.at_terminal():  # another session that begins with what this one had said by then
                window.does("/chat resume here", "Heard.")
                window.say(OWN, "Noted.")
        kept = sorted([AFTER, LATE, OWN])
        assert took_in(newest, window) == (kept, sorted([LOOK, *kept]))


@AT_WORK
def test_gemini_restores_a_file(newest, at_work):
    with Model() as model:
        (newest.project / "old.txt").write_text("old\n")
        window = begun(newest, GeminiAtTerminal, model, at_work)
        with window.opened(), window.at_terminal(asking=True):
            window.say(AFTER, "Heard.")
            window.changes(CHANGE)
            window.say(GONE, "Noted.")
            window.restore()
            window.say(LATE, "Noted.")
        kept = sorted([AFTER, LATE])
        assert took_in(newest, window) == (kept, sorted([CHANGE, *kept]))


@AT_WORK
def test_copilot_goes_back_and_forks(newest, at_work):
    with Model() as model:
        window = begun(newest, CopilotAtTerminal, model, at_work)
        with window.opened(), window.at_terminal():
            window.say(LOOK, "Looked.")
            window.say(GONE, "Noted.")
            window.back()
            window.say(AFTER, "Heard.")
            with window.forked():
                window.say(LEFT, "Noted.")
                window.back()
                window.say(OWN, "Noted.")
            window.say(LATE, "Noted.")
        kept = sorted([AFTER, OWN, LATE])
        assert took_in(newest, window) == (kept, sorted([LOOK, *kept]))


@AT_WORK
def test_copilot_leaves_after_it_went_back(newest, at_work):
    with Model() as model:
        window = begun(newest, CopilotAtTerminal, model, at_work)
        with window.opened(), window.at_terminal():
            window.say(AFTER, "Heard.")
            window.say(GONE, "Noted.")
            window.back()
        assert took_in(newest, window) == ([AFTER], [AFTER])
