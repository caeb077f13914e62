"""One memory in several clients: what a person taught one of them, the others know."""

import subprocess

import pytest
from agents.install import PACKAGES, program, wanted
from agents.knowledge import NIGHTLY, SHIP
from agents.others import Host
from agents.patience import SECONDS
from agents.script import Call, Turn
from agents.terminal import typed_in_codex

KINDS = ["codex", "gemini", "qwen"] if wanted() == "all" else ["codex"]
QUESTION = {"query": "how do we deploy?"}
WAIT = {"command": "sleep 1", "description": "wait", "is_background": False}
OFFERED = "recall"
# The first requests may be sent before a client has asked the server for its tools.
TURNS = {
    "codex": [
        Turn((Call("exec_command", {"cmd": "sleep 1"}),), until=OFFERED),
        [Call("*recall", QUESTION)],
        "done",
    ],
    "gemini": [Turn((Call("run_shell_command", WAIT),), until=OFFERED), [Call("*recall", QUESTION)], "done"],
    "qwen": [Turn((Call("run_shell_command", WAIT),), until=OFFERED), [Call("*recall", QUESTION)], "done"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_client_learned_every_client_knows(newest, kind):
    assert newest.session([SHIP], ["I will."]).unharmed
    newest.settle()
    newest.memory("install", kind)
    other = Host(kind, newest.home, newest.project, newest.environment["PATH"])
    asked = other.ask("How do we deploy?", TURNS[kind])
    assert asked.code == 0, asked.printed
    assert SHIP in asked.requests[0].text
    assert SHIP in asked.requests[-1].last
    told = other.ask(NIGHTLY, ["I see."])
    assert told.code == 0, told.printed
    newest.settle()
    assert len(newest.memories()) == 1  # a program ran it, so nobody typed the prompt


def test_what_a_person_types_in_codex_is_in_its_next_brief(newest):
    newest.memory("install", "codex")
    codex = Host("codex", newest.home, newest.project, newest.environment["PATH"])
    assert codex.ask(SHIP, ["I will."]).code == 0
    newest.settle()
    assert newest.memories() == []  # `exec` is run by programs
    taught = typed_in_codex(codex, ["What is seven times eight?", SHIP], ["56", "I will."])
    assert taught.code == 0, taught.printed[-2000:]
    newest.settle()
    assert [(one["status"], one["origin"]) for one in newest.memories()] == [("active", "user")]
    asked = codex.ask("What is seven times eight?", ["56"])
    assert asked.code == 0, asked.printed
    assert SHIP in asked.requests[0].text
    assert SHIP not in taught.requests[0].text


def test_codex_takes_the_plugin_as_it_is(newest, marketplace):
    newest.memory("remember", SHIP)
    codex = Host("codex", newest.home, newest.project, newest.environment["PATH"])
    for words in (("marketplace", "add", str(marketplace)), ("add", "recortex@recortex")):
        command = [str(program("codex", *PACKAGES["codex"])), "plugin", *words]
        subprocess.run(
            command, env=codex.environment(""), cwd=newest.project, check=True, capture_output=True,
            timeout=SECONDS,
        )  # fmt: skip
    asked = codex.ask("How do we deploy?", TURNS["codex"])
    assert asked.code == 0, asked.printed
    assert SHIP in asked.requests[0].text
    assert SHIP in asked.requests[-1].last
