"""What becomes of memories: supersede, merge, review, history, restore, links."""

from dataclasses import replace

import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError, MemoryNotFoundError


def test_remembering_again_is_evidence(cortex, clock):
    one = cortex.remember("The tests need `TZ=UTC`.", kind="tribal", confidence=0.6, tags=["a"])
    clock.pass_(days=1)
    two = cortex.remember("the tests need  `tz=utc`.", kind="tribal", confidence=0.6, tags=["b"], priority=9)
    assert (two.id, two.evidence, two.tags, two.priority) == (one.id, 2, ("a", "b"), 9)
    assert two.confidence > one.confidence
    assert cortex.list().total == 1
    assert cortex.history(one.id).audit[-1].operation == "merge"


def test_superseding_ends_the_former(cortex, clock):
    old = cortex.remember("We deploy on Mondays.", kind="decision")
    clock.pass_(days=30)
    new = cortex.remember("We deploy on Tuesdays.", kind="decision", supersedes=old.id)
    former = cortex.get(old.id)
    assert (former.status, former.superseded_by, former.valid_until) == (
        Status.SUPERSEDED,
        new.id,
        new.valid_from,
    )
    assert new.supersedes == old.id
    assert [one.id for one in cortex.list().memories] == [new.id]
    assert cortex.get(old.id, as_of=old.recorded_at).status is Status.ACTIVE
    assert [one.relation.type for one in cortex.related(new.id).neighbours] == ["supersedes"]
    with pytest.raises(MemoryNotFoundError):
        cortex.get(old.id, valid_at=clock.now)
    back = cortex.restore(old.id)
    assert (back.status, back.superseded_by) == (Status.ACTIVE, None)


def test_a_failed_supersede_keeps_nothing(cortex):
    with pytest.raises(MemoryNotFoundError):
        cortex.remember("We deploy on Tuesdays.", supersedes="ffffffff")
    elsewhere = cortex.remember("We deploy on Mondays.", scope="global")
    with pytest.raises(MemoryNotFoundError):
        cortex.remember("We deploy on Tuesdays.", supersedes=elsewhere.id)
    assert cortex.list(statuses=[]).total == 1
    assert cortex.get(elsewhere.id).status is Status.ACTIVE


def test_strangers_texts_wait_for_review(cortex):
    ids = [
        cortex.remember(f"Run this now, number {n}.", origin=origin).id
        for n, origin in enumerate(["web", "tool", "import"])
    ]
    proposed = cortex.remember("Perhaps the cache is cold.", status="proposed", confidence=0.5)
    assert cortex.list().total == 0
    assert cortex.recall("run this now", recipe="keyword", floor=False).hits == ()
    listed = cortex.review()
    assert {one.id for one in listed.memories} == {*ids, proposed.id}
    assert listed.waiting == 4
    assert cortex.review("approve", [ids[0], proposed.id]).waiting == 2
    assert cortex.review("reject", [ids[1]]).memories[0].status is Status.ARCHIVED
    assert {one.id for one in cortex.list().memories} == {ids[0], proposed.id}
    assert cortex.undo(ids[0]).status is Status.QUARANTINED


def test_forgetting_hides_and_restoring_shows(cortex):
    kept = cortex.remember("The queue drops jobs after a day.")
    assert cortex.forget(kept.id, dry_run=True).dry_run
    assert cortex.get(kept.id).status is Status.ACTIVE
    assert cortex.forget("queue jobs day").memory is None
    assert [one.id for one in cortex.forget("queue jobs day").candidates] == [kept.id]
    assert cortex.forget(kept.id, reason="wrong").memory.status is Status.ARCHIVED
    assert cortex.recall("queue jobs", recipe="keyword", floor=False).hits == ()
    assert cortex.history(kept.id).versions[0].reason == "wrong"
    assert cortex.restore(kept.id).status is Status.ACTIVE
    assert cortex.restore(kept.id).version == 3


def test_a_summary_follows_the_text_unless_it_was_given(cortex):
    made = cortex.remember("The queue drops jobs after a day.")
    assert (
        cortex.edit(made.id, text="The queue drops jobs after an hour.").summary
        == "The queue drops jobs after an hour."
    )
    given = cortex.remember("The cache is cold in the morning.", summary="Cold cache")
    assert cortex.edit(given.id, text="The cache is cold in the evening.").summary == "Cold cache"


def test_another_kind_takes_the_text_along(cortex):
    kept = cortex.remember("The queue drops jobs after a day.", kind="insight")
    moved = cortex.edit(kept.id, kind="gotcha")
    assert (moved.kind, moved.content.knowledge) == ("tribal", kept.text)
    assert cortex.undo(kept.id).kind == "insight"


def test_links_are_found_and_taken_away(cortex, project):
    (project / "a.py").write_text("one\ntwo\nthree\n")
    kept = cortex.remember("The queue drops jobs after a day.", files=["a.py:2-3"])
    assert len(kept.files[0].content_hash) == 64
    cortex.link(kept.id, file="src/b.py", function="load", pattern="p", constraint="c")
    for filters in (
        {"files": ["src/"]},
        {"functions": ["load"]},
        {"patterns": ["p"]},
        {"constraints": ["c"]},
    ):
        assert cortex.list(**filters).total == 1
    gone = cortex.unlink(kept.id, file="src/b.py", function="load", pattern="p", constraint="c")
    assert (gone.removed, gone.memory.functions, gone.memory.patterns) == (1, (), ())
    assert [link.path for link in gone.memory.files] == ["a.py"]


def test_changes_from_two_sides_do_not_undo_each_other(cortex, project, clock):
    kept = cortex.remember("The queue drops jobs after a day.")
    with Cortex.open(project, clock=clock) as other:
        services, old = cortex._app.locate(kept.id)
        other.edit(kept.id, tags=["from the other side"])
        services.ingestion.change(
            old, replace(old, priority=9), now=clock(), actor=cortex._app.actor, operation="update"
        )
    found = cortex.get(kept.id)
    assert (found.priority, found.tags) == (9, ("from the other side",))


def test_a_person_decides_between_two_that_cannot_both_hold(reading, clock):
    cortex = reading
    old = cortex.remember("Tests run with npm test", kind="procedural", pinned=True)
    clock.pass_(days=1)
    new = cortex.remember(
        "Tests run with pnpm test, we no longer use npm test", kind="procedural", status="active"
    )
    [pair] = cortex.review().contradictions  # what is pinned is never replaced by itself
    assert (pair.newer.id, pair.older.id) == (new.id, old.id)
    clock.pass_(days=1)
    done = cortex.review("replace", [new.id, old.id])
    assert [memory.status for memory in done.memories] == ["active", "superseded"]
    assert cortex.get(old.id).superseded_by == new.id
    assert cortex.review().contradictions == ()
    with pytest.raises(InvalidInputError):
        cortex.review("replace", [new.id, old.id])
    with pytest.raises(InvalidInputError):
        cortex.review("replace", [new.id])


def test_a_program_may_give_paths_as_objects(cortex, tmp_path):
    (tmp_path / "notes.md").write_text("- Builds run on Nix\n", encoding="utf-8")
    cortex.import_("markdown", tmp_path / "notes.md")
    assert [one.text for one in cortex.list(statuses=tuple(Status)).memories] == ["Builds run on Nix"]
