"""Ending a memory: its successor, the end of its validity, and how it is still found."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory, Source
from recortex.domain.vocabulary import Actor, RelationType, Status
from recortex.engines.indexing import search_text_in
from recortex.engines.similarity import content_hash
from recortex.engines.supersession import supersede
from recortex.storage.sqlite.store import SqliteStore

AT = datetime(2026, 6, 1, tzinfo=UTC)


def turn(number, speaker, text):
    kind = Kind("conversation")
    return Memory(
        id=str(UUID(int=number + (4 << 76) + (8 << 60))), kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=AT, updated_at=AT, valid_from=AT,
        content_hash=content_hash(kind, text), source=Source(session="s", turn=number, speaker=speaker),
    )  # fmt: skip


@pytest.fixture
def store():
    opened = SqliteStore(Path(":memory:"), backups=Path(), clock=lambda: AT)
    with opened.transaction():
        for one in (turn(1, "Ann", "Which marathon?"), turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")):
            opened.memories.insert(one, search_text_in(opened, one), actor=Actor.USER)
    yield opened
    opened.close()


def test_an_ended_turn_is_still_found_by_the_turn_before_it(store):
    old, new = turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")
    matched = store.search.match(["marathon"], 10, None)
    with store.transaction():
        supersede(store, old, by=new.id, since=AT, at=AT + timedelta(hours=1), actor=Actor.USER)
    assert len(store.search.match(["marathon"], 10, None)) == len(matched) == 2


def test_it_ends_when_its_successor_began_and_is_recorded_later(store):
    old, new = turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")
    later = AT + timedelta(days=2)
    with store.transaction():
        supersede(store, old, by=new.id, since=AT + timedelta(days=1), at=later, actor=Actor.USER, why="said")
    (ended,) = store.memories.get([old.id])
    assert (ended.status, ended.superseded_by) == (Status.SUPERSEDED, new.id)
    assert (ended.valid_until, ended.updated_at) == (AT + timedelta(days=1), later)
    (relation,) = store.relations.find_touching([old.id])
    assert (relation.type, relation.evidence, relation.inferred) == (RelationType.SUPERSEDES, ("said",), True)
