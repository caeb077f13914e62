"""Sessions that ask: nothing is given twice, what was given is counted, and processes do not disturb it."""

import subprocess
import sys

import pytest

from recortex import Cortex
from recortex.domain.session import Session
from recortex.domain.vocabulary import Actor, Scope

TASKS = ("fix the crash of the login page", "deploy the login service", "add a test of the login page")


@pytest.fixture
def store(tmp_path, clock, monkeypatch):
    """What is known of a login page, and an opened store for an agent."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db", clock=clock, actor=Actor.AGENT) as agent:
        for what in ("locks an account", "is cached for an hour", "is tested with Playwright"):
            agent.remember(f"The login page {what}", kind="tribal")
        yield agent


def records(cortex):
    return cortex._app.all_services(Scope.PROJECT)[0].store.sessions


def begin(cortex, id_, **more):
    now = cortex._app.clock()
    records(cortex).put(Session(id=id_, started_at=now, seen_at=now, **more))


def test_what_a_session_was_given_is_counted_and_not_given_again(store):
    begin(store, "s1")
    first = store.context("fix the crash of the login page", session="s1")
    told = [entry for entry in first.entries if entry.kind != "exchange"]
    assert len(told) == 3
    again = store.context("fix the crash of the login page", session="s1")
    assert again.entries == ()
    figures = store.sessions(figures=True).figures
    assert figures.tokens_given == sum(entry.tokens for entry in told)
    assert figures.tokens_saved == figures.tokens_given
    assert figures.ways["asked"].times == 3
    assert [one.summary for one in figures.most_given] != [""] * 3
    begin(store, "s2")
    assert len(store.context("fix the crash of the login page", session="s2").entries) == 3


_WORKER = """
import sys
from recortex import Cortex
from recortex.domain.vocabulary import Actor
with Cortex.open(url=sys.argv[1], actor=Actor.AGENT) as agent:
    for task in sys.argv[3:]:
        agent.context(task, session=sys.argv[2])
"""


@pytest.mark.full
def test_processes_of_several_sessions_do_not_disturb_each_other(store, tmp_path):
    names = [f"s{number}" for number in range(4)]
    for name in names:
        begin(store, name)
    url = f"sqlite:///{tmp_path}/c.db"
    workers = [subprocess.Popen([sys.executable, "-c", _WORKER, url, name, *TASKS]) for name in names]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    figures = store.sessions(figures=True).figures
    assert {one.intent: one.times for one in figures.intents} == {"fix_bug": 4, "deploy": 4, "add_test": 4}
    for name in names:
        given = [one.memory for one in records(store).receipts(name)]
        assert len(given) == len(set(given)) == 3
    assert figures.tokens_given == sum(one.tokens for name in names for one in records(store).receipts(name))
