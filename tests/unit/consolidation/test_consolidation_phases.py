"""What may be merged, what keeps statements apart, what is selected, and how consolidation is tuned."""

from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.consolidation.consolidating import EVENTS, Event, averages, missed, tuned
from recortex.consolidation.guard import difference, sameness
from recortex.consolidation.jobs import Figures, trigger
from recortex.consolidation.phases import USUAL, Rarity, boost, candidates, find, key_phrases
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Origin, Status

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def memory(id_, text, kind="insight", **more):
    kind = Kind(kind)
    fields = {"recorded_at": NOW, "updated_at": NOW, "valid_from": NOW, "confidence": 0.8} | more
    return Memory(id=id_, kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text), **fields)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice is the owner of the service", "Sarah is the owner of the service"),
        ("The accent colour is purple", "The accent colour is cyan"),
        ("The server listens on port 8080", "The server listens on port 9090"),
        ("We build with Node 20.11", "We build with Node 22.1"),
        ("Never push to the main branch", "Push to the main branch"),
        ("The cache is used in tests", "The cache is used"),
        ("All requests are logged", "Some requests are logged"),
        ("The index was rebuilt each night", "The index is rebuilt each night"),
        ("Read the settings from app.toml", "Read the settings from user.toml"),
        (
            "The 1000-commit limit is per-branch, not global",
            "The 1000-commit limit is global, not per-branch",
        ),
        ("The offices are in San Francisco", "The offices are in New York"),
        ("The build needs the flag --fast", "The build needs the flag --slow"),
        ("Update all hooks to the unified types", "Updated all hooks to the unified types"),
        ("Please provide the text to add to `notes.txt`", "I have added the text to `notes.txt`"),
        ("The email validation is tested", "Task 3 (DONE): The email validation is tested"),
        ("The project is built with `mise run build`.", "The project is built with `go build ./...`."),
        ("Async and sync handlers behave alike", "Async and async handlers behave alike"),
        ("Handler types must be public", "Handler types should be public"),
        ("Log out and back in after the change", "Log in and back in after the change"),
        ("The runner calls `DepositPost` once", "The runner calls `DepositPostBase` once"),
        ("Orders are copied from staging to the archive", "Orders are copied from the archive to staging"),
        ("Replace Redis with Kafka for the queue", "Replace Kafka with Redis for the queue"),
        ("The cache retries the worker", "The worker retries the cache"),
        ("Run the migrations before the tests in CI", "Run the tests before the migrations in CI"),
        ("We use uv for locking and pip for installing", "We use pip for locking and uv for installing"),
    ],
)
def test_what_differs_is_kept_apart(one, other):
    assert difference(one, other)
    assert bool(difference(other, one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use bcrypt with 12 rounds for passwords", "Passwords are hashed by bcrypt with 12 rounds"),
        ("The release workflow deploys the site", "So the site is deployed by the release workflow"),
        (
            "We count changed lines, not all lines",
            "The issue is that we count changed lines instead of all lines",
        ),
        ("We deploy on Fridays in Berlin", "We deploy in Berlin on Fridays"),
        (
            "For locking and publishing, uv and twine are used",
            "uv and twine are used for publishing and locking",
        ),
        ("It isn't found by its path", "It is not found by its path"),
        ("**Fix:** `run()` reads the cache first", "run() reads the cache first"),
    ],
)
def test_what_says_the_same_is_not(one, other):
    assert difference(one, other) == ""


def test_the_more_they_share_the_surer_it_is_that_two_say_the_same():
    said = "The release workflow deploys the site from the docs folder"
    same = sameness(said, "The site is deployed from the docs folder by the release workflow", 0.95, 0.9)
    assert same > 0.65
    assert same == sameness(
        "The site is deployed from the docs folder by the release workflow", said, 0.95, 0.9
    )
    assert (
        sameness(said, "The site should be deployed from the docs folder by the workflow", 0.95, 0.9) < same
    )
    assert sameness(said, "The docs folder has the pages of the site", 0.8, 0.9) < 0.65


def test_candidates_are_old_episodes_and_sure_statements():
    old = {"recorded_at": NOW - timedelta(days=8)}
    kept = [memory("a", "How are backups made?", "episodic", **old), memory("b", "Backups run at night")]
    left = [
        memory("c", "How are backups made?", "episodic"),
        memory("d", "Backups run at night", confidence=0.3),
        memory("e", "Backups run at night", origin=Origin.CONSOLIDATION),
        memory("f", "Backups run at night", status=Status.SUPERSEDED),
    ]
    assert candidates([*left, *kept], NOW) == [[kept[0]], [kept[1]]]


def test_no_two_that_differ_are_in_one_group_and_nothing_is_in_two():
    texts = [
        "The worker retries a failed job 3 times", "A failed job is retried 3 times by the worker",
        "The worker retries a failed job 5 times", "The proxy strips the header before it forwards",
    ]  # fmt: skip
    memories = [memory(str(place), text) for place, text in enumerate(texts)]
    found = find(memories, {})
    groups = [{one.id for one in group.sources} for group in found.groups]
    assert groups == [{"0", "1"}]
    assert {frozenset((pair.one.id, pair.other.id)) for pair in found.apart.values()} <= {
        frozenset("02"), frozenset("12")
    }  # fmt: skip
    assert find(memories[::-1], {}).groups == found.groups


STATEMENTS = [
    "The worker retries a failed job 3 times", "A failed job is retried 3 times by the worker",
    "The worker retries a failed job 5 times", "The worker never retries a failed job",
    "The proxy strips the header before it forwards", "So the proxy strips the header before it forwards",
    "The proxy strips the cookie before it forwards", "The index is rebuilt each night",
]  # fmt: skip


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=10), st.randoms())
def test_the_order_makes_no_difference_and_no_memory_is_lost_or_taken_twice(texts, random):
    memories = [memory(f"{place:02}", text) for place, text in enumerate(texts)]
    mixed = list(memories)
    random.shuffle(mixed)
    (some,), (others,) = candidates(memories, NOW), candidates(mixed, NOW)
    assert some == others
    assert sorted(one.id for one in some) == [one.id for one in memories]
    found, again = find(some, {}), find(others, {})
    assert found == again
    taken = [one.id for group in found.groups for one in group.sources]
    assert len(taken) == len(set(taken))
    for group in found.groups:
        assert not any(difference(a.text, b.text) for a, b in combinations(group.sources, 2))


def test_key_phrases_are_frequent_here_and_rare_elsewhere():
    texts = ["The release workflow deploys", "Deploy with the release workflow"]
    rarity = Rarity([*texts, "We deploy", "They deploy", "Deploy again"])
    assert key_phrases(texts, rarity)[0] == "release workflow"


def test_confidence_grows_with_the_size_of_a_cluster():
    assert [boost(size) for size in (2, 3, 8, 50)] == pytest.approx([1.0, 1.05, 1.3, 1.3])


def event(**more):
    return Event(**({"id": "a", "sources": 3, "precision": 1.0, "compression": 4.0, "lift": 2.0} | more))


def test_targets_that_are_missed_are_named():
    assert missed(averages([event()])) == []
    assert missed(averages([event(precision=0.5, compression=6.0, contradicted=True, stands=False)])) == [
        "precision", "compression", "contradictions", "stability",
    ]  # fmt: skip
    assert averages([]) == {}


def test_low_precision_makes_clusters_larger_and_closer_within_bounds():
    assert tuned([event(precision=0.5)] * (EVENTS - 1)) == USUAL
    once = tuned([event(precision=0.5)] * EVENTS)
    assert once.smallest == USUAL.smallest + 1
    assert once.linked > USUAL.linked
    often = tuned([event(precision=0.5)] * EVENTS * 50)
    assert often.smallest == 5
    assert often.linked <= 0.9


def test_texts_that_are_too_short_keep_more():
    assert tuned([event(compression=7.0)] * EVENTS).novel > USUAL.novel


@pytest.mark.parametrize(
    ("more", "due"),
    [
        ({}, False),
        ({"days": None}, True),
        ({"days": 8.0}, True),
        ({"notice": "due"}, True),
        ({"notice": "due", "days": 0.5}, False),
        ({"tokens": 60_000}, True),
        ({"confidence": 0.4}, True),
        ({"contradicted": 0.1}, True),
    ],
)
def test_when_it_is_time(more, due):
    usual = {"days": 2.0, "tokens": 1_000, "confidence": 0.8, "contradicted": 0.0, "notice": ""}
    assert bool(trigger(Figures(**(usual | more)))) is due
