"""`import --rebuild` makes exchanges again that are lost or were made by another version."""

import json

from recortex import Cortex
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import Scope


def transcript(folder, session, *messages, day=1):
    """A session of Claude Code: each message of the person with the agent's answer."""
    path = folder / f"{session}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        for number, (said, answered) in enumerate(messages):
            for role, text in (("user", said), ("assistant", answered)):
                line = {
                    "type": role,
                    "sessionId": session,
                    "uuid": f"{session}-{len(said)}-{number}-{role}",
                    "cwd": str(folder),
                    "timestamp": f"2026-03-0{number + day}T10:00:00Z",
                    "message": {"role": role, "content": text},
                }
                file.write(json.dumps(line) + "\n")
    return path


def kept(cortex):
    """The exchanges of the store, without when they were kept."""
    return cortex._app.services(Scope.PROJECT).store.exchanges.find(ExchangeQuery())


def test_exchanges_are_made_again_and_only_once(tmp_path):
    (work := tmp_path / "work").mkdir()
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    transcript(
        sessions,
        "one",
        ("Which queue do we use for the mails?", "We use SQLite as the queue. Redis would need a server."),
        ("Then write that down, please.", "Written into docs/queue.md."),
    )
    with Cortex.open(work) as cortex:
        cortex.import_("any", str(sessions), embed=False)
        first = kept(cortex)
        assert [one.message for one in first][-1] == "Which queue do we use for the mails?"
        store = cortex._app.services(Scope.PROJECT).store
        with store.transaction():
            store.exchanges.delete_session("one")
        cortex.import_("any", str(sessions), embed=False)
        assert kept(cortex) == []
        transcript(sessions, "one", ("And the retries?", "Three, then the mail is given up."), day=3)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        assert kept(cortex)[1:] == first
        again = kept(cortex)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        cortex.import_("any", str(sessions), embed=False)
        assert kept(cortex) == again
