"""Whatever three people do and however it is delivered, they end with the same versions; none is lost."""

import random
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from example_exchanges import TALK, said
from generated import drawn
from recortex.errors import RecortexError
from replicas import Meeting, Person

pytestmark = pytest.mark.usefixtures("without_vectors")

YEAR = timedelta(days=365)
OFFSETS = (timedelta(0), YEAR, -YEAR)
people = st.integers(0, 2)
acts = st.sampled_from(
    (
        "remember",
        "remember",
        "edit",
        "edit",
        "edit",
        "tag",
        "forget",
        "restore",
        "undo",
        "purge",
        "link",
        "sync",
        "sync",
        *TALK,
    )
)
steps = st.lists(st.tuples(people, acts, st.integers(0, 9)), max_size=50)


def act(person, what, number):
    """Do something, if it can be done."""
    listed = person.cortex.list(limit=1000, statuses=["active", "archived"]).memories
    ids = sorted(one.id for one in listed)
    id_ = ids[number % len(ids)] if ids else ""
    if what != "remember" and not id_:
        return
    match what:
        case "remember":
            person.remember(f"{person.name} decided that limit {number} holds for queue {number}.")
        case "edit":
            person.cortex.edit(id_, text=f"{person.name} says that the limit is {number}.")
        case "tag":
            person.cortex.edit(id_, tags=[f"{person.name}{number}"])
        case "link":
            person.cortex.link(id_, ids[(number + 1) % len(ids)], relation="supports")
        case _:
            getattr(person.cortex, what)(id_)


@settings(max_examples=drawn(8), phases=(Phase.explicit, Phase.generate))  # shrinking would take minutes
@given(steps=steps, seed=st.integers(0, 2**16))
def test_replicas_converge(steps, seed):
    drawing = random.Random(seed)  # noqa: S311  seeded
    with tempfile.TemporaryDirectory() as folder:
        team = [
            Person(Path(folder) / name, name, offset=offset)
            for name, offset in zip(("Ada", "Bob", "Cyd"), OFFSETS, strict=True)
        ]
        # Two ways to each other: what is delivered by one is repeated by the other, in small pieces.
        ways = [Meeting("one", limit=3), Meeting("two", limit=1)]
        try:
            for person in team:
                person.shares()
            written, purged = set(), set()
            for place, (number, what, value) in enumerate(steps):
                person = team[number]
                if what in TALK:
                    purged |= what(person, drawing, place) or set()
                elif what == "sync":
                    sync(person, drawing.choice(ways), drawing)
                    written |= {each[:3] for each in person.ids()}
                else:
                    with suppress(RecortexError):  # there is none, or it cannot be done
                        act(person, what, value)
            for way in ways:
                way.offline = False
            for _ in range(4):
                for person in team:
                    for way in ways:
                        done = person.sync(way)
            assert done.agreed
            assert done.problems == ()
            compare(team, written, purged)
        finally:
            for person in team:
                person.close()


def sync(person, way, drawing):
    """Sync, or a part of it; one time in five there is no network."""
    way.offline = drawing.random() < 0.2
    try:
        person.sync(way, pull=drawing.random() < 0.8, push=drawing.random() < 0.8)
    except RecortexError:
        assert way.offline


def compare(team, written, purged):
    """All have the same, nothing of what was written is lost, and what was purged says nothing any more."""
    sets = [{each[:3] for each in person.ids()} for person in team]
    assert sets[0] == sets[1] == sets[2]
    assert written <= sets[0]
    assert team[0].heads() == team[1].heads() == team[2].heads()
    told = [sorted((one.id, one.text, one.status, one.tags) for one in _all(person)) for person in team]
    assert told[0] == told[1] == told[2]
    for person in team:
        assert {f"exchange:{one}" for one in said(person)} <= person.heads().keys()
        assert purged.isdisjoint(said(person))
        versions = person.log.of_records(f"exchange:{one}" for one in purged)
        assert not any(one.body for each in versions.values() for one in each)
        with person.store.transaction():
            person.log.look_no_more()
        assert person.replica().capture() == 0  # a look through the whole store finds nothing that was missed


def _all(person):
    """The memories that the team shares, as a store shows them; what nobody was sent is not among them."""
    shared = person.heads()
    listed = person.cortex.list(limit=1000, statuses=["active", "archived", "superseded"]).memories
    return [one for one in listed if one.id in shared]
