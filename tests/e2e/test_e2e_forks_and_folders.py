"""Forks, sub-agents, steps back and changes of folder while Claude Code is at work with our hooks.

It teaches while it runs; an import afterwards adds nothing.
"""

import json

from agents.script import Call
from agents.terminal import REWIND, typed

RULE = "From now on run the tests with `make check`, never with pytest directly."
WHY = "Why is the import slow on Mondays?"
OWN = "From now on we always log in UTC in this repository."
LOOK = "Have a look at the parsers."
GONE = "From now on we never use tabs in this repository."
AFTER = "From now on every table has a comment in this repository."
ASK = "Let another agent look through the parsers."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
THERE = "From now on every screen in this repository has a snapshot test."


def active(person):
    return sorted(one["text"] for one in person.memories() if one["status"] == "active")


def answered(person):
    pages = [one["session"] for one in person.memory("sessions")["sessions"]]
    told = [one for page in pages for one in person.memory("sessions", "--session", page)["exchanges"]]
    return {one["message"]: one["conclusion"] for one in told}


def took_in(person):
    """What a person's memory knows once their sessions have taught it, and again when they are imported."""
    person.settle()
    first = (active(person), person.heard())
    person.memory("import", "claude-code", "--no-embed")
    assert (active(person), person.heard()) == first
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
