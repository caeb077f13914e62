"""The golden sets of consolidation: memories, what is to become of them, and why."""

import json
import sqlite3
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.consolidation.consolidating import MEASURED
from recortex.consolidation.phases import USUAL, statement
from recortex.domain.session import Receipt
from recortex.domain.vocabulary import Status
from recortex.engines.exchanges import sentences

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "consolidation").glob("*.json"))


@pytest.fixture
def cortex(project, clock):
    """The memory of a project, with the vectors of the shipped model."""
    with Cortex.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture
def stored(cortex, clock):
    """Keeps the memories of a golden set, and lets ten days pass."""

    def keep(given):
        kept = [cortex.remember(**one) for one in given["memories"]]
        assert len({one.id for one in kept}) == len(kept)
        store = cortex._app.all_services()[0].store
        for one, times in zip(kept, given.get("use", ()), strict=False):
            for _ in range(times):
                store.memories.touch([one.id], clock())
        for place in given.get("break_index", ()):
            with sqlite3.connect(store.path) as database:
                database.execute("DELETE FROM memories_fts WHERE rowid = ?", [place + 1])
        clock.pass_(days=10)
        return kept

    return keep


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_consolidation(request, monkeypatch, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    if not given.get("vectors", True):
        monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    stored, cortex = request.getfixturevalue("stored"), request.getfixturevalue("cortex")
    kept, expected = stored(given), given["expect"]
    found = cortex.consolidate("plan")
    assert found.pending == expected["pending"], given["why"]
    assert len(found.groups) == len(expected["groups"]), given["why"]
    for group, wanted in zip(found.groups, expected["groups"], strict=True):
        assert {one.id for one in group.sources} == {kept[place].id for place in wanted["sources"]}
        _check(group, wanted, kept)


def _check(group, wanted, kept):
    made, text = group.memory, statement(group.memory)
    assert wanted.get("refused", "") in group.refused
    assert bool(group.refused) == ("refused" in wanted)
    assert group.result == wanted.get("result", group.result)
    assert made.kind == wanted.get("kind", made.kind)
    assert text == wanted.get("text", text)
    assert len(list(sentences(text))) == wanted.get("sentences", len(list(sentences(text))))
    assert [word for word in wanted.get("holds", ()) if word not in text] == []
    assert [word for word in wanted.get("once", ()) if text.count(word) != 1] == []
    assert list(made.tags) == wanted.get("tags", list(made.tags)) or set(made.tags) == set(wanted["tags"])
    assert {one.path for one in made.files} == set(wanted.get("files", [one.path for one in made.files]))
    assert made.pinned is wanted.get("pinned", made.pinned)
    assert made.evidence == wanted.get("evidence", made.evidence)
    assert made.confidence == pytest.approx(wanted.get("confidence", made.confidence))
    if wanted.get("whole"):
        said = {each for one in kept for each in sentences(statement(one))}
        assert set(sentences(text)) <= said


def test_what_was_given_of_the_sources_counts_for_the_successor_until_it_is_undone(cortex, stored, clock):
    kept = stored(json.loads(next(path for path in GOLDEN if path.stem == "cluster_5_diverse").read_text()))
    first, second = kept[0], kept[1]
    sessions = cortex._app.all_services()[0].store.sessions
    given = {"scope": first.scope, "channel": "asked", "at": clock()}
    sessions.give([Receipt(session="s", context=0, memory=first.id, **given)])
    sessions.give([Receipt(session="s", context=place, memory=second.id, **given) for place in (0, 1)])
    before = sessions.receipts("s")
    made = cortex.consolidate("run").groups[0].memory
    after = {(one.context, one.memory) for one in sessions.receipts("s")}
    assert {(0, made.id), (1, made.id)} < after  # one context has it once
    assert len(after) == len(before)
    cortex.undo(made.id)
    assert sessions.receipts("s") == before


def test_what_was_consolidated_is_not_consolidated_again(cortex, stored):
    stored(json.loads(next(path for path in GOLDEN if path.stem == "cluster_with_noise").read_text()))
    first = cortex.consolidate("run")
    assert [one.refused for one in first.groups] == [""]
    again = cortex.consolidate("run")
    assert again.groups == ()
    assert again.backup == ""


def test_each_consolidation_is_measured(cortex, stored):
    assert cortex.consolidate("metrics").events == 0
    stored(json.loads(next(path for path in GOLDEN if path.stem == "cluster_5_diverse").read_text()))
    (group,) = cortex.consolidate("run").groups
    found = cortex.consolidate("metrics")
    assert found.events == 1
    assert found.metrics["precision"] >= 0.7
    assert found.metrics["compression"] > 1.5
    assert found.metrics["stability"] == 1.0
    (told,) = [one for one in cortex.history(group.memory.id).audit if one.operation == MEASURED]
    assert told.details["limits"] == USUAL._asdict()
    cortex.undo(group.memory.id)
    assert cortex.consolidate("metrics").metrics["stability"] == 0.0


def test_a_job_merges_near_copies_once_a_day_and_nothing_else(cortex, clock):
    copies = [
        cortex.remember(text)
        for text in (
            "Passwords are hashed by bcrypt with 12 rounds",
            "Use bcrypt with 12 rounds for passwords",
        )
    ]
    apart = [cortex.remember(f"The accent colour of the theme is {colour}") for colour in ("purple", "cyan")]
    clock.pass_(days=10)
    cortex.gc()
    assert {cortex.get(one.id).status for one in copies} == {Status.SUPERSEDED}
    assert {cortex.get(one.id).status for one in apart} == {Status.ACTIVE}


def test_the_job_can_be_switched_off(request, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_CONSOLIDATION_AUTOMATIC", "false")
    cortex = request.getfixturevalue("cortex")
    kept = cortex.remember("Passwords are hashed by bcrypt with 12 rounds")
    cortex.remember("Use bcrypt with 12 rounds for passwords")
    clock.pass_(days=10)
    cortex.gc()
    assert cortex.get(kept.id).status is Status.ACTIVE
