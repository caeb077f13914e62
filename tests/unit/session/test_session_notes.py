"""Sessions, receipts and signals in the real store."""

from dataclasses import replace
from pathlib import Path

import pytest

from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.vocabulary import Scope
from recortex.storage.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path, clock):
    opened = SqliteStore(tmp_path / "s.db", backups=tmp_path / "b", clock=clock)
    yield opened
    opened.close()


def receipt(clock, memory: str = "m1", context: int = 0) -> Receipt:
    return Receipt(
        session="s", context=context, memory=memory, scope=Scope.PROJECT, channel="prompt", at=clock(),
        score=0.7, tokens=9
    )  # fmt: skip


def test_a_session_comes_back_as_it_was_put(store, clock):
    session = Session(
        id="s",
        started_at=clock(),
        seen_at=clock(),
        client="codex",
        cwd="/p",
        transcript="/t",
        process=7,
        context=2,
    )
    store.sessions.put(session)
    assert store.sessions.get("s") == session
    assert store.sessions.get("other") is None
    assert store.sessions.recent(5) == [session]


def test_what_was_learned_is_not_undone_by_a_hook_that_knew_less(store, clock):
    session = Session(id="s", started_at=clock(), seen_at=clock(), transcript="/t")
    store.sessions.put(session)
    store.sessions.captured("s", clock(), size=9, told="x")
    store.sessions.put(replace(session, seen_at=clock.pass_(minutes=1)))
    found = store.sessions.get("s")
    assert (found.captured_size, found.told, found.seen_at) == (9, "x", clock())


def test_a_memory_is_given_once_in_a_context(store, clock):
    assert store.sessions.give([receipt(clock), receipt(clock, "m2")]) == [
        receipt(clock),
        receipt(clock, "m2"),
    ]
    assert store.sessions.give([receipt(clock)]) == []
    assert store.sessions.give([receipt(clock, context=1)]) == [receipt(clock, context=1)]


def test_the_first_use_counts(store, clock):
    one = receipt(clock)
    store.sessions.give([one])
    assert store.sessions.mark_used(one, clock.pass_(minutes=2), "quoted")
    assert not store.sessions.mark_used(one, clock.pass_(minutes=2), "file")
    [found] = store.sessions.receipts("s")
    assert found.used_as == "quoted"


def test_a_command_that_failed_is_known_until_it_works(store, clock):
    def signal(name) -> Signal:
        return Signal(session="s", at=clock(), name=name, subject="make", digest="d")

    assert not store.sessions.has_failed("s", "d")
    store.sessions.note([signal("failed")])
    assert store.sessions.has_failed("s", "d")
    store.sessions.note([signal("mended")])
    assert not store.sessions.has_failed("s", "d")
    assert [one.name for one in store.sessions.signals("s")] == ["failed", "mended"]
    store.sessions.forget_text("mak")
    assert store.sessions.signals("s") == []


def test_what_is_noted_of_old_sessions_goes(store, clock):
    store.sessions.put(Session(id="s", started_at=clock(), seen_at=clock(), transcript="/t"))
    store.sessions.give([receipt(clock)])
    store.sessions.note([Signal(session="s", at=clock(), name="read", subject="a.py")])
    assert store.sessions.forget_before(clock()) == 0
    assert store.sessions.forget_before(clock.pass_(days=1)) == 1
    assert (store.sessions.get("s"), store.sessions.receipts("s"), store.sessions.signals("s")) == (
        None,
        [],
        [],
    )
