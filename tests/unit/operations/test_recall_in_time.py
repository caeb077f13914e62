"""Recall as of a time, of what was true at a time, fresh or stale, and over a damaged index."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError

QUESTION = "which cluster is the deploy target?"


@pytest.fixture
def moved(cortex, clock):
    """A decision, its correction after ten days, its reversal after ten more."""
    first = cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    start = clock()
    clock.pass_(days=10)
    cortex.edit(first.id, text="The deploy target is the Paris cluster", reason="moved")
    clock.pass_(days=10)
    last = cortex.remember("The deploy target is the Dublin cluster", kind="decision", supersedes=first.id)
    clock.pass_(days=10)
    return start, first, last


def said(found):
    return [hit.memory.text.split()[-2] for hit in found.hits]


@pytest.mark.parametrize(
    ("days", "city"), [(0, "Frankfurt"), (5, "Frankfurt"), (12, "Paris"), (25, "Dublin")]
)
def test_a_recall_as_of_a_time_answers_as_the_store_stood_then(cortex, moved, days, city):
    at = moved[0] + timedelta(days=days)
    found = cortex.recall(QUESTION, as_of=at)
    assert said(found) == [city]
    assert found.hits[0].memory.status is Status.ACTIVE
    assert said(cortex.recall(QUESTION, as_of=at, recipe="keyword")) == [city]


def test_undoing_a_replacement_brings_the_replaced_one_back(cortex, moved):
    _, first, last = moved
    cortex.undo(last.id)
    assert said(cortex.recall(QUESTION)) == ["Paris"]
    assert cortex.get(first.id).superseded_by is None


def test_a_recall_counts_an_access_and_a_look_into_the_past_does_not(cortex, moved, clock):
    _, first, last = moved
    cortex.recall(QUESTION)
    cortex.recall(QUESTION, as_of=moved[0])
    kept = cortex.get(last.id)
    assert (kept.access_count, kept.last_accessed_at) == (1, clock())
    assert cortex.get(first.id).access_count == 0


def test_a_cited_file_is_fresh_changed_or_gone(cortex):
    root = cortex._app.root
    source = root / "parser.py"
    source.write_text("first\nsecond\nthird\n")
    cortex.remember("The parser module reads one token ahead", files=["parser.py:2-3"])

    def state():
        return cortex.recall("how far does the parser module read ahead?").hits[0].freshness

    assert state() == "fresh"
    source.write_text("another\nsecond\nthird\n")
    assert state() == "fresh"
    source.write_text("another\nsecond, changed\nthird\n")
    assert state() == "changed"
    source.unlink()
    assert state() == "gone"


def test_a_damaged_index_is_made_anew_by_the_recall_that_meets_it(cortex):
    kept = cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    pool = cortex._app.all_services()[0].store.pool
    pool.exclusive().execute("UPDATE memories_fts_data SET block = x'00ff' WHERE id > 10")
    cortex.close()
    assert [hit.memory.id for hit in cortex.recall(QUESTION).hits] == [kept.id]
    seen = cortex._app.all_services()[0].store.ledger.degradations()
    assert [(one.degradation.component, one.degradation.recovered) for one in seen] == [
        ("keyword index", True)
    ]
    assert cortex.status().fallbacks == ()


def test_a_damaged_index_is_made_anew_by_the_write_that_meets_it(cortex):
    cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    cortex._app.all_services()[0].store.pool.exclusive().execute(
        "UPDATE memories_fts_data SET block = x'00ff' WHERE id > 10"
    )
    cortex.close()
    added = cortex.remember("Pangolins guard the build cache", kind="tribal")
    assert [hit.memory.id for hit in cortex.recall("who guards the build cache?").hits] == [added.id]


def test_a_review_of_several_decides_about_all_or_none(cortex):
    waits = cortex.remember("The queue is drained at midnight", status="proposed")
    settled = cortex.remember("The queue holds a thousand jobs")
    with pytest.raises(InvalidInputError):
        cortex.review("approve", [waits.id, settled.id])
    assert cortex.get(waits.id) == replace(cortex.get(waits.id), status=Status.PROPOSED)
    assert [one.status for one in cortex.review("approve", [waits.id]).memories] == [Status.ACTIVE]
