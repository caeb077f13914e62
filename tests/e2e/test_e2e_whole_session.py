"""A whole session of each client, as it is today: the memory holds the person's words and nobody else's.

`install` writes what the client reads: it starts our server, and the model is offered our tools. What the
client then wrote down is imported: each word of the person once, in the project where it was said.
"""

import pytest
from agents.install import wanted
from agents.model import Model
from agents.scenario import NOBODYS, play
from agents.windows import WINDOWS

AT_ONCE = ("claude-code", "codex")
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


@pytest.mark.parametrize("kind", CHOSEN)
def test_only_the_persons_words_are_theirs(newest, tools, kind):
    newest.memory("init")
    with Model() as model:
        window = WINDOWS[kind](newest.home, newest.project, newest.environment["PATH"], model)
        if window.installs:
            newest.memory("install", window.installs, "--no-hooks")
        played = play(window, tools.project, lambda: by_import(newest, window))
        for person in (newest, tools):
            by_import(person, window)
        told = "\n".join(request.text for request in model.requests)
    assert [one for one in played.others if one not in told] == []
    assert newest.heard() == sorted(played.messages)
    assert active(newest) == sorted(map(said, played.kept))
    assert tools.heard() == played.elsewhere
    assert active(tools) == [said(text) for text in played.elsewhere]
    everything = newest.memories() + tools.memories()
    assert [one["text"] for one in everything if any(mark in one["text"] for mark in NOBODYS)] == []
    assert {one["evidence"] for one in everything} == {1}
    assert not window.installs or "Redis" in played.recalled
