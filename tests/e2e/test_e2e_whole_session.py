"""A whole session of each client, as it is today: the memory holds the person's words and nobody else's.

`install` writes what the client reads: it starts our server, and the model is offered our tools. Whether its
hooks taught the memory while it was at work or what it wrote down is imported afterwards: each word of the
person is known once, in the project where it was said.
"""

import pytest
from agents.install import wanted
from agents.model import Model
from agents.scenario import NOBODYS, play
from agents.windows import WINDOWS

AT_ONCE = ("claude-code", "codex")
WITH_HOOKS = ("claude-code", "codex", "gemini", "qwen", "copilot")
CHOSEN = list(WINDOWS) if wanted() == "all" else list(AT_ONCE)


def active(person):
    return sorted(said(one["text"]) for one in person.memories() if one["status"] == "active")


def said(text):
    """What a person said, as they and as their memory word it."""
    return text.removeprefix("Decision: ").removeprefix("let's ").rstrip(".")


def by_import(person, window):
    """What the client wrote is imported; a second time changes nothing."""
    window.export()
    for _ in range(2):
        person.memory("import", window.format, *window.exported)


def by_hooks(person, window):
    """The client's hooks have taught the memory while it was at work."""
    person.settle(window.stays)


WAYS = [pytest.param(by_import, id="imported"), pytest.param(by_hooks, id="at work")]


@pytest.mark.parametrize("learn", WAYS)
@pytest.mark.timeout(1800)  # a client is started at a terminal for each prompt
@pytest.mark.parametrize("kind", CHOSEN)
def test_only_the_persons_words_are_theirs(newest, tools, kind, learn):
    if learn is by_hooks and kind not in WITH_HOOKS:
        pytest.skip("this client has no hooks of ours")
    newest.memory("init")
    with Model() as model:
        at_work = learn is by_hooks
        window = WINDOWS[kind](newest.home, newest.project, newest.environment["PATH"], model, at_work)
        if window.installs:
            newest.memory("install", window.installs, *([] if at_work else ["--no-hooks"]))
        played = play(window, tools.project, lambda: learn(newest, window))
        told = "\n".join(request.text for request in model.requests)
        with window.opened():  # some are asked for what they keep
            for person in (newest, tools):
                learn(person, window)
            check(newest, tools, played)
            for person in (newest, tools):
                by_import(person, window)
            check(newest, tools, played)
    assert [one for one in played.others if one not in told] == []
    assert not window.installs or "Redis" in played.recalled


def check(person, elsewhere, played):
    """What the memory of both projects holds is what the person said there, and nothing of anybody else."""
    assert person.heard() == sorted(played.messages)
    assert active(person) == sorted(map(said, played.kept))
    assert elsewhere.heard() == played.elsewhere
    assert active(elsewhere) == [said(text) for text in played.elsewhere]
    everything = person.memories() + elsewhere.memories()
    assert [one["text"] for one in everything if any(mark in one["text"] for mark in NOBODYS)] == []
    assert {one["evidence"] for one in everything} == {1}
