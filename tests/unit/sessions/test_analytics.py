"""Many sessions in figures, and their limits."""

from datetime import UTC, datetime, timedelta

from recortex.domain.session import GivenMemory, Receipt, Session, SessionLimits, room
from recortex.domain.vocabulary import Scope
from recortex.engines.usage import analytics, noted

AT = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
LIMITS = SessionLimits(idle_hours=12, most_days=30, most_tokens=100)


def session(hours=0.0, **more):
    return Session(id="s", started_at=AT, seen_at=AT + hours * HOUR, **more)


def test_what_was_given_and_used_and_asked():
    given_ = [
        GivenMemory("a", "surface", 4, 0, 40, 0),
        GivenMemory("b", "surface", 2, 1, 20, 10),
        GivenMemory("b", "prompt", 3, 2, 30, 20),
        GivenMemory("c", "file", 1, 0, 10, 0),
    ]
    asked = [("fix_bug", noted(10, 30)), ("fix_bug", "20"), ("deploy", "90"), ("", "odd text")]
    found = analytics([session(1), session(3), session(9)], 1, given_, asked, 16)
    assert (found.sessions, found.running, found.hours) == (3, 1, 3)
    assert (found.tokens_given, found.tokens_used, found.ratio, found.tokens_saved) == (100, 30, 0.3, 46)
    assert {name: (way.times, way.used, way.tokens) for name, way in found.ways.items()} == {
        "file": (1, 0, 10),
        "prompt": (3, 2, 30),
        "surface": (6, 1, 60),
    }
    assert [(one.intent, one.times, one.ms, one.slow_ms) for one in found.intents] == [
        ("fix_bug", 2, 10, 20),
        ("", 1, 0, 0),
        ("deploy", 1, 90, 90),
    ]
    assert (found.questions, found.ms, found.slow_ms) == (4, 10, 90)
    assert [(one.id, one.given, one.used) for one in found.most_given] == [
        ("b", 5, 3),
        ("a", 4, 0),
        ("c", 1, 0),
    ]
    assert [one.id for one in found.most_used] == ["b"]
    assert [one.id for one in found.least_useful] == ["a"]


def test_what_may_still_be_given_unasked():
    receipts = [
        Receipt(
            session="s", context=0, memory=channel, scope=Scope.PROJECT, channel=channel, at=AT, tokens=40
        )
        for channel in ("surface", "prompt", "asked")
    ]
    assert room(receipts, LIMITS) == 20
    assert room(receipts * 2, LIMITS) == 0
    assert room(receipts * 2, LIMITS._replace(most_tokens=0)) == float("inf")
