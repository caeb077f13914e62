"""Questions are understood: times, versions, two in one, sets; each can be switched off."""

import subprocess
from datetime import timedelta

import pytest

from recortex import Cortex

CACHE = "The cache of the {} is warmed by the job {}"


@pytest.fixture
def spread(cortex, clock):
    """Two memories in the same words, three weeks apart."""
    old = cortex.remember(CACHE.format("shop", "alpha"), kind="decision")
    clock.pass_(days=21)
    new = cortex.remember(CACHE.format("shop", "omega"), kind="decision")
    clock.pass_(days=1)
    return old, new


def first(cortex, question, **more):
    return cortex.recall(question, **more).hits[0].memory.id


def switched(cortex, name, monkeypatch):
    monkeypatch.setenv(f"RECORTEX_RECALL_{name}", "false")
    return Cortex.open(cortex._app.root, clock=cortex._app.clock)


def test_a_time_that_is_said_decides_between_equals(cortex, spread, monkeypatch):
    old, new = spread
    assert first(cortex, "what did we decide yesterday about the cache of the shop?") == new.id
    assert first(cortex, "what did we decide three weeks ago about the cache of the shop?") == old.id
    hit = cortex.recall("what warms the cache of the shop since last week?", explain=True).hits[0]
    assert (hit.memory.id, hit.signals["date"]) == (new.id, 1.0)
    with switched(cortex, "TIMES", monkeypatch) as off:
        hits = off.recall("what did we decide three weeks ago about the cache of the shop?", floor=False).hits
        assert all("date" not in hit.signals for hit in hits)


def test_a_version_is_the_day_of_its_tag(tmp_path, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    day = clock() + timedelta(days=5)
    git = {"GIT_COMMITTER_DATE": day.isoformat(), "GIT_AUTHOR_DATE": day.isoformat(), "PATH": "/usr/bin:/bin"}
    for words in (
        ["init", "-q"],
        ["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "x"],
        ["tag", "v2.0"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env=git)
    with Cortex.open(tmp_path, clock=clock) as cortex:
        cortex.remember(CACHE.format("shop", "alpha"), kind="decision")
        clock.pass_(days=9)
        new = cortex.remember(CACHE.format("shop", "omega"), kind="decision")
        clock.pass_(days=90)
        old = cortex.recall("how is the cache of the shop warmed before 2.0?").hits[0].memory
        assert first(cortex, "how is the cache of the shop warmed since 2.0?") == new.id != old.id
        found = cortex.recall("how is the cache of the shop warmed since 3.1?")
        assert found.query.endswith("since 3.1?")
        assert all("date" not in hit.signals for hit in found.hits)
