"""Vectors that were left out are made later, in batches, however often it is stopped."""

import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Scope

COUNT = 150


@pytest.fixture
def waiting(project, clock, monkeypatch):
    """The memory of a project with 150 statements and one global one, none with a vector."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    told = []
    with Cortex.open(project, clock=clock, progress=lambda *step: told.append(step)) as cortex:
        wishes = [
            {"text": f"The service number{place} listens on port {8000 + place}"} for place in range(COUNT)
        ]
        cortex.remember_many(wishes, embed=False)
        cortex.remember_many([{"text": "Short answers are liked", "scope": "global"}], embed=False)
        told.clear()
        yield cortex, told


def test_everything_is_embedded_with_progress(waiting):
    cortex, told = waiting
    done = cortex.backfill()
    assert (done.done, done.left, done.dry_run) == (COUNT + 1, 0, False)
    assert done.embedder
    assert done.seconds > 0
    overall = [step for step in told if step[2] == COUNT + 1]
    assert [step[1] for step in overall] == [50, 100, 150, 151]
    again = cortex.backfill()
    assert (again.done, again.left) == (0, 0)


def test_it_goes_on_where_it_ended(waiting):
    cortex, _ = waiting
    parts = [cortex.backfill(limit=70, scope=Scope.PROJECT) for _ in range(3)]
    assert [one.done for one in parts] == [70, 70, 10]
    assert [one.left for one in parts] == [80, 10, 0]
    assert cortex.backfill().done == 1
