"""`import --rebuild` makes exchanges again that are lost or were made by another version."""

from claude_sessions import claude_session
from recortex import Cortex
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import Scope


def say(folder, *said, first=0):
    """Go on with a session of Claude Code: each message of the person with the agent's answer."""
    told = [one for pair in said for one in zip(("user", "assistant"), pair, strict=True)]
    claude_session(folder / "one.jsonl", folder, *told, session="one", first=first)


def kept(cortex):
    """The exchanges of the store, without when they were kept."""
    return cortex._app.services(Scope.PROJECT).store.exchanges.find(ExchangeQuery())


def test_exchanges_are_made_again_and_only_once(tmp_path):
    (work := tmp_path / "work").mkdir()
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    say(
        sessions,
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
        say(sessions, ("And the retries?", "Three, then the mail is given up."), first=4)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        assert kept(cortex)[1:] == first
        again = kept(cortex)
        cortex.import_("any", str(sessions), embed=False, rebuild=True)
        cortex.import_("any", str(sessions), embed=False)
        assert kept(cortex) == again
