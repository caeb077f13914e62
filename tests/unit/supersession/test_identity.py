"""A statement replaces a known one about the same thing, not one about another thing of the same sort."""

import pytest

from recortex.domain.vocabulary import Status
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.detection import Outcome, find_supersession

THINGS = [
    ("issue #41", "issue #42"), ("PR 310", "PR 311"), ("port 8081", "port 9091"), ("HTTP 401", "HTTP 403"),
    ("line 41", "line 87"), ("chapter 3", "chapter 4"), ("node 3", "node 4"), ("shard s-1", "shard s-2"),
    ("release 4.0", "release 5.0"), ("Python 3.11", "Python 3.12"), ("ticket ABC-120", "ticket ABC-121"),
    ("error E1042", "error E1043"), ("queue A", "queue B"), ("migration 0017", "migration 0018"),
    ("the file src/a.py", "the file src/b.py"), ("the function getUser", "the function getTeam"),
    ("module user_cache", "module team_cache"), ("Kotlin", "Rust"), ("python", "kotlin"),
    ("worker-1", "worker-2"),
]  # fmt: skip
REVERSALS = [
    ("{} uses Redis.", "{} uses Memcached."),
    ("{} needs 3 approvals.", "{} needs 5 approvals."),
    ("The limit of {} is 10.", "The limit of {} is 20."),
    ("In {}, the default is 10.", "In {}, the default is 20."),
    ("In {} we use tabs.", "In {} we use spaces now."),
    ("{} uses Redis.", "{} was moved from Redis to Memcached."),
    ("{} uses Redis.", "{} no longer uses Redis."),
    ("Use Redis for {}.", "Use Memcached instead of Redis for {}."),
    ("For {} use Jest.", "For {} use Vitest now."),
    ("Never rename {}.", "You may rename {} from now on."),
    ("The port of {} is 8080.", "The port of {} changed from 8080 to 9090."),
    ("We use Redis in {}.", "We stopped using Redis in {}."),
    ("Always squash commits of {}.", "Never squash commits of {}."),
]
SAME_VALUE = ["{} is caused by a race.", "The fix for {} is in main.", "Restart the cache when {} fails."]


@pytest.mark.parametrize(("one", "other"), THINGS, ids=lambda thing: thing)
@pytest.mark.parametrize(("known", "new"), [*REVERSALS, *((text, text) for text in SAME_VALUE)])
def test_what_is_said_of_another_thing_replaces_nothing(one, other, known, new):
    known, new = known.format(one), new.format(other)
    assert find_supersession(new, known).outcome is not Outcome.REPLACES
    assert not is_near_duplicate(new, known)


@pytest.mark.parametrize(("thing", "_other"), THINGS, ids=lambda thing: thing)
@pytest.mark.parametrize(("known", "new"), REVERSALS)
def test_what_is_said_of_the_same_thing_replaces(thing, _other, known, new):
    assert find_supersession(new.format(thing), known.format(thing)).outcome is Outcome.REPLACES


def test_two_issues_are_two_memories(cortex, clock):
    first = cortex.remember("Issue #41 is caused by a race in the session cache", kind="tribal")
    clock.pass_(hours=1)
    second = cortex.remember("Issue #42 is caused by a race in the session cache", kind="tribal")
    assert [cortex.get(one.id).status for one in (first, second)] == [Status.ACTIVE, Status.ACTIVE]
    clock.pass_(hours=1)
    third = cortex.remember("Issue #42 is caused by a deadlock in the session cache now", kind="tribal")
    assert cortex.get(first.id).status is Status.ACTIVE
    assert cortex.get(third.id).status is Status.ACTIVE


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Use tabs in Go.", "Use spaces in Python."),
        ("We indent with tabs in Go.", "We indent with spaces in Python now."),
        (
            "Use tabs for indentation in Go.",
            "From now on use spaces for indentation in Python instead of tabs.",
        ),
    ],
)
def test_a_language_has_its_own_rules(known, new):
    assert find_supersession(new, known).outcome is not Outcome.REPLACES


@pytest.mark.parametrize("known", ["Just do it, and use tabs in Go.", "We will do it.", "Never do that."])
def test_a_clause_of_fillers_names_nothing(known):
    assert find_supersession("Use spaces in Python instead of tabs.", known).outcome is not Outcome.REPLACES
