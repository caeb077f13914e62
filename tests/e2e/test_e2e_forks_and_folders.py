"""Forks, sub-agents, steps back and changes of folder, as real clients write them today.

The person's words are known once, nobody else's are theirs, in the project where they were said; what they
took back they did not say.
"""

import json
import subprocess
from contextlib import contextmanager
from dataclasses import replace

import pytest
from agents.install import wanted
from agents.model import Model
from agents.script import Call
from agents.terminal import REWIND, typed
from agents.windows import Codex, Copilot, Gemini, Kilo, Opencode, Pi, Qwen

WINDOWS = {"codex": Codex}
if wanted() == "all":
    WINDOWS |= {
        "opencode": Opencode,
        "kilo": Kilo,
        "pi": Pi,
        "qwen": Qwen,
        "gemini": Gemini,
        "copilot": Copilot,
    }


def but(*left_out):
    """The clients that do what a test is of without a terminal, but for these."""
    return pytest.mark.parametrize("kind", [kind for kind in WINDOWS if kind not in left_out])


FORKING = but("gemini", "copilot")
WITH_AGENTS = but("pi")
GOING_BACK = but("qwen", "gemini", "copilot")
SENT = but("pi", "qwen", "gemini", "copilot")
"""Of the others no session tells whether a person or a program began it."""
MOVING = but("opencode", "kilo", "pi", "qwen")

RULE = "From now on run the tests with `make check`, never with pytest directly."
WHY = "Why is the import slow on Mondays?"
OWN = "From now on we always log in UTC in this repository."
LOOK = "Have a look at the parsers."
GONE = "From now on we never use tabs in this repository."
AFTER = "From now on every table has a comment in this repository."
ASK = "Let another agent look through the parsers."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
THERE = "From now on every screen in this repository has a snapshot test."


@pytest.fixture
def open_window(newest):
    """Open a client in the person's project, and import its sessions from there."""

    @contextmanager
    def open_window(kind):
        with Model() as model:
            window = WINDOWS[kind](newest.home, newest.project, newest.environment["PATH"], model)
            with window.opened():
                yield window

    return open_window


@pytest.fixture
def tools(newest):
    """The person's other project."""
    folder = newest.project.parent / "tools"
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    other = replace(newest, project=folder)
    other.memory("init")
    return other


def take_in(person, window):
    window.export()
    exported = [str(person.home / window.history)] if isinstance(window, Opencode) else []
    person.memory("import", window.format, *exported, "--no-embed")


def active(person):
    return sorted(one["text"] for one in person.memories() if one["status"] == "active")


def heard(person):
    pages = [one["session"] for one in person.memory("sessions")["sessions"]]
    told = [one for page in pages for one in person.memory("sessions", "--session", page)["exchanges"]]
    return sorted(one["message"] for one in told if one["opener"] == "person")


def answered(person):
    pages = [one["session"] for one in person.memory("sessions")["sessions"]]
    told = [one for page in pages for one in person.memory("sessions", "--session", page)["exchanges"]]
    return {one["message"]: one["conclusion"] for one in told}


@FORKING
def test_what_a_fork_repeats_was_said_once(newest, open_window, kind):
    with open_window(kind) as window:
        parent = window.begin()
        window.say(parent, RULE)
        window.say(parent, WHY)
        fork = window.fork(parent)
        window.say(fork, OWN)
        take_in(newest, window)
        take_in(newest, window)
    assert active(newest) == sorted([RULE, OWN])
    assert [one["evidence"] for one in newest.memories()] == [1, 1]
    assert heard(newest) == sorted([RULE, WHY, OWN])


@WITH_AGENTS
def test_what_an_agent_orders_another_is_nobodys_word(newest, open_window, kind):
    with open_window(kind) as window:
        session = window.begin()
        window.say(session, RULE)
        window.say(session, ASK, window.order(ORDER), "It reads them.", "It reads them.")
        take_in(newest, window)
        assert any(ORDER in request.text for request in window.model.main)
    assert [one["text"] for one in newest.memories()] == [RULE]
    assert heard(newest) == sorted([RULE, ASK])


@SENT
def test_what_a_program_sends_is_nobodys_word(newest, open_window, kind):
    with open_window(kind) as window:
        window.say(window.begin(), RULE)
        window.send(ORDER)
        take_in(newest, window)
        assert any(ORDER in request.text for request in window.model.main)
    assert [one["text"] for one in newest.memories()] == [RULE]
    assert heard(newest) == [RULE]


@GOING_BACK
@pytest.mark.parametrize("known", [False, True], ids=["unknown", "known before"])
def test_what_was_taken_back_was_not_said(newest, open_window, kind, known):
    with open_window(kind) as window:
        session = window.begin()
        window.say(session, LOOK)
        window.say(session, GONE)
        if known:
            take_in(newest, window)
            assert active(newest) == [GONE]
        window.back(session)
        window.say(session, AFTER)
        take_in(newest, window)
    assert active(newest) == [AFTER]
    assert heard(newest) == sorted([LOOK, AFTER])


@MOVING
def test_a_turn_belongs_to_the_project_of_its_folder(newest, tools, open_window, kind):
    with open_window(kind) as window:
        session = window.begin()
        window.say(session, RULE)
        window.say(session, THERE, folder=tools.project)
        window.say(session, AFTER, folder=newest.project)
        for person in (tools, newest):
            take_in(person, window)
    assert active(tools) == heard(tools) == [THERE]
    assert active(newest) == heard(newest) == sorted([RULE, AFTER])


# Claude Code is at work with our hooks, so it teaches while it runs; an import afterwards adds nothing.


def took_in(person):
    """What a person's memory knows once their sessions have taught it, and again when they are imported."""
    person.settle()
    first = (active(person), heard(person))
    person.memory("import", "claude-code", "--no-embed")
    assert (active(person), heard(person)) == first
    return first


def test_claude_code_forks_a_session(newest):
    newest.memory("init")
    (parent,) = newest.session([RULE, WHY]).ids
    assert newest.session([OWN], words=("--resume", parent, "--fork-session")).unharmed
    assert took_in(newest) == (sorted([RULE, OWN]), sorted([RULE, WHY, OWN]))
    assert [one["evidence"] for one in newest.memories()] == [1, 1]


def test_claude_code_orders_an_agent(newest):
    newest.memory("init")
    order = Call("Agent", {"description": "parsers", "prompt": ORDER, "subagent_type": "general-purpose"})
    assert newest.session([RULE, ASK], ["Noted.", order, "done"], words=("--allowedTools", "Agent")).unharmed
    assert took_in(newest) == ([RULE], sorted([RULE, ASK]))
    assert newest.about("grep") == []


def test_claude_code_goes_back(newest):
    newest.memory("init")
    (session,) = newest.session([LOOK, GONE]).ids
    newest.settle()
    assert active(newest) == [GONE]
    (file,) = (newest.home / ".claude/projects").glob(f"*/{session}.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    answer = next(line["uuid"] for line in lines if line["type"] == "assistant")
    words = ("--resume", session, "--resume-session-at", answer)
    assert newest.session([AFTER], words=words).ids == [session]
    assert took_in(newest) == ([AFTER], sorted([LOOK, AFTER]))


def test_claude_code_goes_back_in_its_terminal(newest):
    newest.memory("init")
    assert typed(newest, [LOOK, GONE, REWIND, AFTER], ["Looked.", "Noted.", "Noted."]) == 0
    (file,) = (newest.home / ".claude/projects").glob("*/*.jsonl")
    said = [line for line in map(json.loads, file.read_text().splitlines()) if line["type"] == "user"]
    parents = {line["message"]["content"]: line["parentUuid"] for line in said}
    assert parents[GONE] == parents[AFTER]  # both are still written there, as answers to the same place
    newest.settle()
    assert took_in(newest) == ([AFTER], sorted([LOOK, AFTER]))


def test_claude_code_changes_its_folder(newest, tools):
    newest.memory("init")
    change = Call("Bash", {"command": f"cd '{tools.project}' && pwd", "description": "look"})
    words = ("--allowedTools", "Bash", "--add-dir", str(tools.project))
    ran = newest.session([RULE, LOOK, THERE], ["Noted.", change, "I am there.", "Noted."], words=words)
    assert ran.unharmed, ran
    assert took_in(newest) == ([RULE], sorted([RULE, LOOK]))
    assert took_in(tools) == ([THERE], [THERE])
    assert answered(newest)[LOOK] == "I am there."  # where it was asked, though the agent had gone by then
    assert answered(tools) == {THERE: "Noted."}
