"""What the other tests rely on: hooks fire and reach the model; compaction, resuming and signals work."""

import json
import signal
import sys
import threading

import pytest
from agents.patience import SECONDS
from agents.person import Person
from agents.script import Call, Turn

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact", "SessionEnd")
HOOK = """
import json, sys
heard = json.load(sys.stdin)
event = heard["hook_event_name"]
source = heard.get("source") or heard.get("reason") or heard.get("trigger") or ""
with open(sys.argv[1], "a") as log:
    print(event, source, file=log)
if event in ("SessionStart", "UserPromptSubmit"):
    said = {"hookEventName": event, "additionalContext": f"TOY {event} {source}"}
    print(json.dumps({"hookSpecificOutput": said}))
"""


@pytest.fixture
def toy(someone, version, write_plugin, tmp_path):
    (tmp_path / "hook.py").write_text(HOOK)
    command = f"{sys.executable} {tmp_path}/hook.py {tmp_path}/log"
    one = {"type": "command", "timeout": round(SECONDS), "command": command}
    return someone(version, (write_plugin({event: [{"hooks": [one]}] for event in EVENTS}),))


def heard(person: Person) -> list[str]:
    """What the hooks were called with since the last time."""
    log = person.home.parent / "log"
    lines = log.read_text().split("\n")
    log.unlink()
    return [line.strip() for line in lines if line]


def test_hooks_fire_and_their_words_reach_the_model(toy):
    turns = [[Call("Bash", {"command": "echo from-bash"})], "one", "two"]
    ran = toy.session(["hi", "/compact keep names", "go on"], turns, words=("--allowedTools", "Bash"))
    assert ran.unharmed, ran
    assert heard(toy) == [
        "SessionStart startup", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop",
        "PreCompact manual", "SessionStart compact", "UserPromptSubmit", "Stop", "SessionEnd other",
    ]  # fmt: skip
    first, second, third = ran.requests
    assert "TOY SessionStart startup" in first.text
    assert "TOY UserPromptSubmit" in first.last
    assert second.last == "from-bash"
    assert "TOY SessionStart compact" in third.text
    assert "TOY SessionStart startup" not in third.text
    assert any("TOY SessionStart" in hook["stdout"] for hook in ran.hooks)


def test_a_session_is_taken_up_again(toy):
    begun = toy.session(["hi"], ["one"])
    again = toy.session(["more"], ["two"], words=("--resume", begun.ids[0]))
    assert again.ids[-1] == begun.ids[0]
    assert "SessionStart resume" in heard(toy)
    assert "one" in json.dumps(again.requests[0].body)


def test_a_full_window_is_compacted(toy, small_window):
    full = [Turn(("answer",), input_tokens=195_000)] * 2
    ran = toy.session(["hi", "more", "and more"], [*full, "end"], words=small_window)
    assert {"PreCompact auto", "SessionStart compact"} <= set(heard(toy))
    assert "TOY SessionStart compact" in ran.requests[-1].text


@pytest.mark.parametrize(("sent", "ended"), [(signal.SIGTERM, True), (signal.SIGKILL, False)])
def test_a_session_is_ended_by_a_signal(toy, sent, ended):
    waiting = Turn(("never",), held=threading.Event())
    ran = toy.session(["hi", "more"], ["one", waiting], end=sent, at_request=2)
    assert ran.code in {128 + sent, -sent}
    assert ("SessionEnd other" in heard(toy)) is ended
    waiting.held.set()
