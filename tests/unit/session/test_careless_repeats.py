"""What the person says carelessly in two sessions holds; what is asked or done twice does not."""

import pytest

from recortex.app.jobs.learning import learn
from recortex.app.jobs.repeats import keep_repeats
from recortex.app.jobs.work import Work
from recortex.domain.vocabulary import Scope, Status

STATED = [
    ("i told u already, its venv/bin/python tests.py !!",) * 2,
    ("i told u already, its venv/bin/python tests.py !!", "i told you, its venv/bin/python tests.py"),
    ("we deploy from the release branch", "again: we deploy from the release branch"),
]
PASSING = [
    ("how do i run venv/bin/python tests.py", "is it venv/bin/python tests.py?"),
    ("fix the tests in billing", "i told you, fix the tests in billing"),
    ("i told u already, its venv/bin/python tests.py 1", "i told u already, its venv/bin/python tests.py 2"),
    ("commit and push", "ok now commit and push"),
    ("the export still fails", "the export still fails!!"),
    ("look at src/app.py, it crashes", "look at src/app.py, it crashes again"),
]


@pytest.fixture
def said_in_sessions(cortex, transcript, clock):
    """Learns from a session for each message, looks for repeats after it, and gives what is active."""

    cortex.init()

    def run(*messages):
        services = cortex._app.services(Scope.PROJECT)
        for number, message in enumerate(messages):
            session = transcript(f"s{number}").says("user", "Add the export of the invoices.")
            at = f"2026-03-{number + 1:02}T12:00:00Z"  # the same words at one moment would be a copy
            session.says("assistant", "The export is in place.").says("user", message, at)
            session.says("assistant", "Understood.", at)
            learn(cortex._app.services, session.path, clock=clock, final=True, dry_run=False)
            keep_repeats(Work(services, clock(), clock, cortex._app.settings, lambda: 60.0))
            clock.pass_(days=1)
        return [one.text for one in cortex.list(statuses=(Status.ACTIVE,)).memories]

    return run


@pytest.mark.parametrize("messages", STATED)
def test_what_is_stated_in_two_sessions_is_active(said_in_sessions, messages):
    (text,) = said_in_sessions(*messages)
    told = text.lower().rstrip(".!")
    assert any(told in message for message in messages)


@pytest.mark.parametrize("messages", PASSING)
def test_what_is_asked_done_or_seen_twice_is_not(said_in_sessions, messages):
    assert said_in_sessions(*messages) == []


def test_once_is_not_enough(said_in_sessions):
    assert said_in_sessions(STATED[0][0]) == []
