"""Random lives of memories against a naive model: what was recorded when, what was true when, and undo."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import drawn, fractions, said
from recortex.domain.vocabulary import Domain, Status
from recortex.errors import MemoryNotFoundError

DAY = timedelta(days=1)
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
world = st.integers(-5, 12).map(lambda days: BEGIN + days * DAY)
hours = st.sampled_from([0, 0, 1, 5, 24, 49])

edits = st.fixed_dictionaries(
    {},
    optional={
        "text": said,
        "tags": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
        "confidence": fractions,
        "priority": st.integers(1, 10),
        "pinned": st.booleans(),
        "domain": st.sampled_from(Domain),
        "files": st.lists(st.sampled_from(["a.py", "b.py:3", "c/d.py:1-9"]), max_size=2, unique=True),
        "metadata": st.dictionaries(said, said, max_size=1),
        "summary": said,
    },
)
changes = st.one_of(
    st.tuples(st.just("edit"), edits),
    st.tuples(st.just("forget"), st.just({})),
    st.tuples(st.just("restore"), st.just({})),
    st.tuples(st.just("undo"), st.just({})),
    st.tuples(
        st.just("link"),
        st.fixed_dictionaries({}, optional={"function": st.just("f"), "pattern": st.just("p")}),
    ),
)
steps = st.lists(st.tuples(st.integers(0, 2), hours, changes), max_size=9)


def say(memory):
    """What a memory says, apart from when it was written down."""
    plain = datetime(2000, 1, 1, tzinfo=UTC)
    return replace(memory, updated_at=plain, version=0, access_count=0, last_accessed_at=None)


def apply(cortex, id_, name, arguments):
    if name == "link":
        return cortex.link(id_, **({"function": "g"} | arguments)).memory
    if name == "forget":
        return cortex.forget(id_).memory
    return getattr(cortex, name)(id_, **arguments)


@settings(max_examples=drawn(30))
@given(
    births=st.lists(st.tuples(hours, world, st.none() | world), min_size=1, max_size=3),
    lives=steps,
    probes=st.lists(st.tuples(st.integers(-1, 400), world), min_size=1, max_size=6),
)
def test_as_of_and_valid_at_agree_with_a_naive_model(fresh_cortex, new_clock, births, lives, probes):
    clock = new_clock(BEGIN)
    states = {}
    with fresh_cortex(clock) as cortex:
        for number, (passed, start, end) in enumerate(births):
            clock.pass_(hours=passed)
            until = None if end is None else max(start, end)
            kept = cortex.remember(f"Memory {number}", valid_from=start, valid_until=until)
            states[kept.id] = [(clock.now, kept)]
        ids = list(states)
        for number, passed, (name, arguments) in lives:
            clock.pass_(hours=passed)
            id_ = ids[number % len(ids)]
            states[id_].append((clock.now, apply(cortex, id_, name, arguments)))
        for after, valid_at in probes:
            compare(cortex, states, BEGIN + timedelta(hours=after), valid_at)


def compare(cortex, states, as_of, valid_at):
    known = {id_: held(history, as_of) for id_, history in states.items()}
    for id_, state in known.items():
        if state is None:
            with pytest.raises(MemoryNotFoundError):
                cortex.get(id_, as_of=as_of)
            continue
        assert cortex.get(id_, as_of=as_of) == state
        if not state.was_valid_at(valid_at):
            with pytest.raises(MemoryNotFoundError):
                cortex.get(id_, as_of=as_of, valid_at=valid_at)
    active = {id_: state for id_, state in known.items() if state and state.status is Status.ACTIVE}
    page = cortex.list(as_of=as_of)
    assert {one.id: one for one in page.memories} == active
    assert page.total == len(active)
    true = {id_ for id_, state in active.items() if state.was_valid_at(valid_at)}
    assert {one.id for one in cortex.list(as_of=as_of, valid_at=valid_at).memories} == true


def held(history, as_of):
    """The last state written down at or before a time."""
    return next((state for at, state in reversed(history) if at <= as_of), None)


@given(lives=st.lists(changes, min_size=1, max_size=8))
def test_every_kept_version_can_be_restored(fresh_cortex, new_clock, lives):
    clock = new_clock(BEGIN)
    with fresh_cortex(clock) as cortex:
        kept = cortex.remember("The tests need `TZ=UTC`.", kind="tribal")
        for name, arguments in lives:
            clock.pass_(minutes=1)
            apply(cortex, kept.id, name, arguments)
        clock.pass_(minutes=1)
        oldest = cortex.history(kept.id).versions[-1]
        assert say(cortex.restore(kept.id, version=oldest.version)) == say(oldest.memory)


@given(before=st.lists(changes, max_size=3), change=changes, passed=hours)
def test_undo_after_a_change_is_nothing(fresh_cortex, new_clock, before, change, passed):
    clock = new_clock(BEGIN)
    with fresh_cortex(clock) as cortex:
        kept = cortex.remember("The tests need `TZ=UTC`.", kind="tribal", tags=["x"], patterns=["q", "a"])
        for name, arguments in before:
            clock.pass_(minutes=1)
            kept = apply(cortex, kept.id, name, arguments)
        former = cortex.get(kept.id)
        clock.pass_(hours=passed)
        changed = apply(cortex, kept.id, *change)
        if changed.version == former.version:
            return
        assert say(cortex.undo(kept.id)) == say(former)
        assert say(cortex.get(kept.id)) == say(former)
        assert say(cortex.undo(kept.id)) == say(changed)


@given(lives=st.lists(changes, max_size=9))
def test_recording_intervals_follow_one_another(fresh_cortex, new_clock, lives):
    clock = new_clock(BEGIN)
    with fresh_cortex(clock) as cortex:
        kept = cortex.remember("The tests need `TZ=UTC`.")
        for name, arguments in lives:
            clock.pass_(minutes=1)
            apply(cortex, kept.id, name, arguments)
        versions = cortex.history(kept.id).versions
    assert versions[0].recorded_to is None
    for newer, older in pairwise(versions):
        assert older.recorded_to == newer.recorded_from >= older.recorded_from
        assert newer.version == older.version + 1
