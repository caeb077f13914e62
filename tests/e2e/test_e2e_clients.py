"""One memory in several clients: what a person taught one of them, the others know."""

import subprocess
from pathlib import Path

import pytest
from agents.install import PACKAGES, program, wanted
from agents.knowledge import NIGHTLY, SHIP
from agents.others import Host
from agents.script import Call

KINDS = ["codex", "gemini", "qwen"] if wanted() == "all" else ["codex"]
QUESTION = {"query": "how do we deploy?"}
WAIT = {"command": "sleep 1", "description": "wait", "is_background": False}
# The first request may be sent before a client has asked the server for its tools.
TURNS = {
    "codex": [[Call("exec_command", {"cmd": "sleep 1"})], [Call("*recall", QUESTION)], "done"],
    "gemini": [[Call("run_shell_command", WAIT)], [Call("*recall", QUESTION)], "done"],
    "qwen": [
        [Call("run_shell_command", WAIT)],
        [Call("tool_search", {"query": "select:mcp__recortex__recall"})],
        [Call("tool_call", {"name": "mcp__recortex__recall", "arguments": QUESTION})],
        "done",
    ],
}
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_client_learned_every_client_knows(newest, kind):
    assert newest.session([SHIP], ["I will."]).unharmed
    newest.settle()
    newest.memory("install", kind)
    other = Host(kind, newest.home, newest.project)
    asked = other.ask("How do we deploy?", TURNS[kind])
    assert asked.code == 0, asked.printed
    assert SHIP in asked.requests[0].text
    assert SHIP in asked.requests[-1].last
    told = other.ask(NIGHTLY, ["I see."])
    assert told.code == 0, told.printed
    newest.settle()
    assert len(newest.memories()) == 2
    again = newest.session(["hi"], ["hello"])
    assert "staging database" in again.requests[0].text


def test_codex_takes_the_plugin_as_it_is(newest):
    newest.memory("remember", SHIP)
    codex = Host("codex", newest.home, newest.project)
    for words in (("marketplace", "add", str(ROOT)), ("add", "recortex@recortex")):
        command = [str(program("codex", *PACKAGES["codex"])), "plugin", *words]
        subprocess.run(
            command, env=codex.environment(""), cwd=newest.project, check=True, capture_output=True
        )
    asked = codex.ask("How do we deploy?", TURNS["codex"])
    assert asked.code == 0, asked.printed
    assert SHIP in asked.requests[0].text
    assert SHIP in asked.requests[-1].last
