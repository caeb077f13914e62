"""Exchanges for tests, and keeping them."""

from datetime import UTC, datetime, timedelta

from recortex.domain.exchange import Exchange
from recortex.engines.exchanges.service import terms

SAID_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def exchange(number, **changes):
    """One of a session, different from others by its number."""
    at = SAID_AT + timedelta(minutes=number)
    plain = {
        "id": f"{number:032x}",
        "session": "s1",
        "client": "claude-code",
        "opener": "person",
        "first_turn": 10 * number,
        "last_turn": 10 * number + 4,
        "root_turn": 10 * number,
        "started_at": at,
        "ended_at": at + timedelta(seconds=30),
        "asked": f"Shall I use option {number} or wait?",
        "message": f"b, but keep the parser table driven please {number}",
        "opening": "I'll keep it table driven.",
        "conclusion": f"The parser reads its rules from a table now; tests pass. Commit {number}.",
        "files": ("src/parser.py",),
        "failed": ("pytest -x",),
        "commit": "abc1234",
        "branch": "main",
        "folder": "/home/me/project",
    }
    return Exchange(**plain | changes)


def keep(services, *exchanges, at=SAID_AT):
    """Keep exchanges in a store with all that they are found by but vectors; returns how many changed."""
    with services.store.transaction():
        return services.store.exchanges.put([(one, terms(one)) for one in exchanges], at)
