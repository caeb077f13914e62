"""What is said again in another session is more evidence; a copy of a session is none."""

import json

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope, Status


@pytest.fixture
def history(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "sessions").mkdir()

    def say(session, *messages, by="user"):
        path = tmp_path / "sessions" / f"{session}.jsonl"
        answered = ("assistant", f"Done, that is how it is now in the branch of {session}.")
        said = [one for text in messages for one in ((by, text), answered)]
        first = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
        at = f"2026-03-01T1{session[-1]}:00:00Z"
        return claude_session(path, tmp_path / "work", *said, session=session, at=at, first=first)

    with Cortex.open(tmp_path / "work") as cortex:
        yield cortex, say, tmp_path / "sessions"


def about(cortex, word):
    store = cortex._app.services(Scope.PROJECT).store
    return [one for one in store.memories.find(MemoryQuery(statuses=())) if word in one.text.lower()]


def test_a_copy_whose_times_were_rounded_raises_nothing(history):
    cortex, say, sessions = history
    path = say("s0", "Maybe the harvest table must be read from the replica.")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for name, at in (("s0", "10:00:31"), ("s9", "10:00:00")):
        told = [
            {key: value for key, value in line.items() if key != "uuid"}
            | {"sessionId": name, "timestamp": f"2026-03-01T{at}Z"}
            for line in lines
        ]
        text = "\n".join(map(json.dumps, told)) + "\n"
        (sessions / f"{name}.jsonl").write_text(text, encoding="utf-8")
    cortex.import_("any", str(sessions))
    assert [one.status for one in about(cortex, "replica")] == [Status.PROPOSED]


def test_what_is_said_of_the_moment_in_two_sessions_stays_proposed(history):
    cortex, say, sessions = history
    for number in range(2):
        say(f"s{number}", "Maybe the harvest table must be read from the replica.")
        cortex.import_("any", str(sessions))
    (proposed,) = about(cortex, "replica")
    assert (proposed.status, proposed.evidence) == (Status.PROPOSED, 2)
