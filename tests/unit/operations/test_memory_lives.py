"""What becomes of memories: replaced, merged, moved, restored, proposed, grown old."""

from dataclasses import replace
from datetime import date

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs import Work
from recortex.app.jobs.learning import learn
from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.table import fold_retold
from recortex.domain.vocabulary import Actor, Scope, Status
from recortex.errors import AmbiguousIdError, InvalidInputError, MemoryNotFoundError
from recortex.mcp.session import ToolDispatcher
from recortex.operations import moving
from recortex.operations.registry import operations_of


# -- What becomes of memories: supersede, merge, review, history, restore, links.
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


# -- A memory goes from one store to the other with its history, and is never in neither.
TEXT = "Releases are cut on Thursdays"


@pytest.fixture
def kept(cortex):
    """A project's memory with a former state, tags and a relation."""
    memory = cortex.remember(TEXT, tags=["release"])
    other = cortex.remember("The release notes are written by hand")
    cortex.link(memory.id, other.id, relation="supports")
    cortex.edit(memory.id, text=f"{TEXT}, never on Fridays")
    return memory


def stores_of(cortex, id_):
    return [services.scope for services in cortex._app.all_services() if services.store.memories.get([id_])]


def test_it_goes_with_its_history_and_tells_what_stays(cortex, kept):
    moved = cortex.move(kept.id[:8], to="global")
    assert moved.memory.id == kept.id
    assert moved.memory.scope is Scope.GLOBAL
    assert moved.memory.tags == ("release",)
    assert [one.split()[0] for one in moved.left] == ["supports"]
    assert stores_of(cortex, kept.id) == [Scope.GLOBAL]
    history = cortex.history(kept.id)
    assert [(one.memory.text, one.memory.scope) for one in history.versions] == [
        (f"{TEXT}, never on Fridays", Scope.GLOBAL),
        (TEXT, Scope.GLOBAL),
    ]
    assert cortex.recall("when are releases cut?").hits[0].memory.id == kept.id


def test_there_and_back_is_where_it_was(cortex, kept):
    for to in ("global", "project", "global", "project"):
        cortex.move(kept.id, to=to)
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]
    assert cortex.get(kept.id).text == f"{TEXT}, never on Fridays"
    cortex.undo(kept.id)
    assert cortex.get(kept.id).text == TEXT
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]


def test_an_interrupted_move_loses_nothing_and_is_finished(cortex, kept, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(moving, "_taken_out", killed)
        with pytest.raises(KeyboardInterrupt):
            cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.PROJECT, Scope.GLOBAL]
    with pytest.raises(AmbiguousIdError, match="in the project's store and in the global one") as told:
        cortex.get(kept.id)
    assert "recortex move" in told.value.hint
    cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.GLOBAL]
    assert len(cortex.history(kept.id).versions) == 2


def test_what_is_there_already_or_nowhere_is_refused(cortex, kept):
    with pytest.raises(InvalidInputError, match="already"):
        cortex.move(kept.id, to="project")
    with pytest.raises(MemoryNotFoundError):
        cortex.move("ffffffff", to="global")
    twin = cortex.remember(f"{TEXT}, never on Fridays", scope="global")
    with pytest.raises(InvalidInputError, match=twin.id):
        cortex.move(kept.id, to="global")
    assert stores_of(cortex, kept.id) == [Scope.PROJECT]


def test_what_went_and_was_purged_there_is_gone(cortex, kept):
    cortex.move(kept.id, to="global")
    cortex.purge(kept.id)
    assert cortex.history(kept.id).gone is not None


# -- Proposals that nobody looked at leave the list, as it says before; what was said can still be found.
PROPOSED = "Should we keep the harvest invoices in the silo database `harvest_invoices`?"


@pytest.fixture
def proposal(cortex, clock, tmp_path):
    """A proposal that was learned from an exchange of a session."""
    said = [
        ("user", "Add the export."),
        ("assistant", PROPOSED),
        ("user", "yes, do that"),
        ("assistant", "Done."),
    ]
    path = claude_session(tmp_path / "s1.jsonl", cortex._app.root, *said, at=clock().isoformat())
    learn(cortex._app.services, path, clock=clock, final=True, dry_run=False)
    (one,) = cortex.list(statuses=(Status.PROPOSED,)).memories
    assert one.text == "Agreed to: Keep the harvest invoices in the silo database `harvest_invoices`."


@pytest.mark.usefixtures("proposal")
def test_a_proposal_that_is_pruned_leaves_its_exchange(cortex, clock):
    assert cortex.review().leaving == 0
    clock.pass_(days=55)
    assert cortex.review().leaving == 1  # within a week
    for _ in range(3):
        clock.pass_(days=95)
        cortex.lifecycle(trust_clock=True)
        cortex.gc()
    assert cortex.review().leaving == 0
    assert not cortex.list(statuses=(Status.PROPOSED, Status.ACTIVE)).memories
    recalled = cortex.recall("harvest invoices silo database").exchanges
    (found,) = [one for one in recalled if one.message == "yes, do that"]
    assert "harvest_invoices" in found.asked
    assert "yes, do that" in str(cortex.get(found.id))


@pytest.mark.parametrize("said", ["hmm okay", "ok", "yeah sure", "hmm, okay!", "alright then"])
def test_a_sound_of_agreement_teaches_nothing(cortex, said):
    with pytest.raises(InvalidInputError, match="nothing to learn"):
        cortex.learn(said)
    assert not cortex.list(statuses=()).memories


def test_feedback_keeps_what_is_right_instead_as_it_is_worded(cortex):
    one = cortex.remember("Mocks in integration tests.", kind="preference")
    cortex.feedback(one.id, "modify", text="no mock in integration tests")
    assert cortex.get(one.id).text == "no mock in integration tests"


# -- lifecycle: what fades is put away step by step, for reasons that can be read, and comes back.
def statuses(cortex, *memories):
    return [cortex.get(one.id).status for one in memories]


@pytest.fixture
def old(cortex, clock):
    """An episode that has been below its kind's threshold for long, and is linked to nothing."""
    memory = cortex.remember("The build was green after the cache was emptied", kind="episodic")
    clock.pass_(days=60)
    return memory


def test_what_faded_is_archived_then_pruned(cortex, clock, old):
    kept = cortex.remember("The service is written in Go", kind="core")
    first = cortex.lifecycle(trust_clock=True)
    assert (first.archived, first.pruned) == (1, 0)
    (change,) = first.changes
    assert (change.id, change.kind, change.status, change.scope) == (
        old.id, "episodic", "archived", "project",
    )  # fmt: skip
    assert change.reason == "confidence 0.00, below 0.1 since 2026-03-24"
    assert statuses(cortex, old, kept) == [Status.ARCHIVED, Status.ACTIVE]
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=29)
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=1)
    assert cortex.lifecycle(trust_clock=True).pruned == 1
    assert statuses(cortex, old, kept) == [Status.PRUNED, Status.ACTIVE]
    clock.pass_(days=1000)
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_each_step_is_in_the_history_and_can_be_undone(cortex, old):
    cortex.lifecycle(trust_clock=True)
    history = cortex.history(old.id)
    assert (history.versions[0].changed_by, history.versions[0].reason[:10]) == (Actor.DECAY, "confidence")
    assert [(one.operation, one.actor) for one in history.audit][-1] == ("archive", Actor.DECAY)
    cortex.undo(old.id)
    assert statuses(cortex, old) == [Status.ACTIVE]
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_a_proposal_that_nothing_confirmed_is_archived_and_comes_back_as_one(cortex, clock, monkeypatch):
    memory = cortex.remember("The worker may need a second queue", kind="decision")
    services, proposed = cortex._app.services(memory.scope), replace(memory, status=Status.PROPOSED)
    services.ingestion.change(memory, proposed, now=clock(), actor=Actor.USER, operation="doubt")
    clock.pass_(days=59)
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=1)
    assert (
        cortex.lifecycle(trust_clock=True).changes[0].reason
        == "proposed, and nothing confirmed it since 2026-03-01"
    )
    assert statuses(cortex, memory) == [Status.ARCHIVED]
    cortex.undo(memory.id)
    assert statuses(cortex, memory) == [Status.PROPOSED]
    monkeypatch.setenv("RECORTEX_LIFECYCLE_PROPOSAL_DAYS", "0")
    clock.pass_(days=1000)
    with type(cortex).open(cortex._app.root, clock=clock) as patient:
        assert patient.lifecycle(trust_clock=True).changes == ()


def test_a_recall_resets_the_decay(cortex, clock, old):
    del old
    assert cortex.recall("build green cache emptied", floor=False).hits
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=20)
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_pinned_ones_and_hubs_stay(cortex, clock):
    pinned = cortex.remember("A pinned episode", kind="episodic", pinned=True)
    hub = cortex.remember("An episode that much hangs on", kind="episodic")
    for name in ("one", "two"):
        cortex.link(cortex.remember(f"Leaf {name}", kind="core").id, hub.id)
    lesser = cortex.remember("An episode that little hangs on", kind="episodic")
    cortex.link(hub.id, lesser.id)
    clock.pass_(days=1000)
    assert [one.id for one in cortex.lifecycle(trust_clock=True).changes] == [lesser.id]
    assert statuses(cortex, pinned, hub) == [Status.ACTIVE, Status.ACTIVE]


def test_a_suggested_relation_makes_no_hub(cortex, clock):
    from dataclasses import replace

    from recortex.domain.vocabulary import RelationStatus

    leaf = cortex.remember("A leaf", kind="core")
    memory = cortex.remember("An episode", kind="episodic")
    cortex.link(leaf.id, memory.id)
    relations = cortex._app.all_services()[0].store.relations
    relations.put(replace(relations.all()[0], status=RelationStatus.SUGGESTED))
    clock.pass_(days=1000)
    assert cortex.lifecycle(trust_clock=True).archived == 1


def test_a_dry_run_changes_nothing(cortex, old):
    result = cortex.lifecycle(dry_run=True)
    assert (result.dry_run, result.archived, len(result.changes)) == (True, 1, 1)
    assert statuses(cortex, old) == [Status.ACTIVE]


def test_what_another_process_changed_meanwhile_is_left_alone(cortex, clock, old):
    services = cortex._app.all_services()[0]
    late = services.store.statistics.fading

    def fading(before):
        found = late(before)
        cortex.edit(old.id, tags=["new"])
        return found

    services.store.statistics.fading = fading
    assert run_lifecycle(services, clock.now, cortex._app.settings).transitions == ()
    assert statuses(cortex, old) == [Status.ACTIVE]


# -- An agent's memory of the person's own words gives way to them; what says more, or something else,
# stays.
SAID = {"origin": "user", "source": {"session": "s1", "speaker": "user", "rule": "person_rule"}}


@pytest.fixture
def folded(cortex, clock):
    """Keeps what the person said and what an agent wrote, runs the job, and gives the agent's status."""

    def run(said, retold, *, said_first, days=0, **more):
        def person():
            return cortex.remember(said, kind="preference", **SAID)

        def agent():
            services = cortex._app.services(Scope.PROJECT)
            one = cortex.remember(retold, kind="procedural", origin="agent", **more)
            return one, services

        if said_first:
            own = person()
            clock.pass_(days=days)
            one, services = agent()
        else:
            one, services = agent()
            clock.pass_(days=days)
            own = person()
        counts = fold_retold(Work(services, clock(), clock, cortex._app.settings, lambda: 60.0)).counts
        left = cortex.get(one.id)
        assert cortex.get(own.id).status is Status.ACTIVE
        assert counts["retold"] == (left.status is Status.SUPERSEDED)
        return left.status, left.superseded_by == own.id

    return run


@pytest.mark.parametrize("said_first", [True, False])
@pytest.mark.parametrize(
    ("said", "retold"),
    [
        ("Always run ruff before you commit.", "Run ruff before committing"),
        (
            "Never push to main, always open a pull request.",
            "Never push directly to main; open a pull request",
        ),
        (
            "We keep sessions in Redis because Postgres locked up.",
            "Sessions are kept in Redis, Postgres locked up",
        ),
    ],
)
def test_the_person_s_words_take_the_place_of_an_agent_s(folded, said, retold, said_first):
    assert folded(said, retold, said_first=said_first) == (Status.SUPERSEDED, True)


@pytest.mark.parametrize("said_first", [True, False])
@pytest.mark.parametrize(
    ("said", "retold"),
    [
        ("Always run ruff before you commit.", "Run mypy before you commit"),
        ("Retry 3 times on a timeout.", "Retry 5 times on a timeout"),
        (
            "The staging database is rebuilt on Mondays.",
            "The staging database is rebuilt on Mondays from seeds.sql",
        ),
        ("Always run the tests with `just test`.", "Run the linter with `just lint`"),
    ],
)
def test_what_says_more_or_something_else_stays(folded, said, retold, said_first):
    assert folded(said, retold, said_first=said_first) == (Status.ACTIVE, False)


@pytest.mark.parametrize("more", [{"days": 3}, {"files": ["setup.cfg"]}, {"pinned": True}])
def test_so_does_what_is_older_pinned_or_about_a_file(folded, more):
    said, retold = "Always run ruff before you commit.", "Run ruff before committing"
    assert folded(said, retold, said_first=True, **more) == (Status.ACTIVE, False)


def test_it_can_be_undone(cortex, clock):
    services = cortex._app.services(Scope.PROJECT)
    cortex.remember("Always run ruff before you commit.", kind="preference", **SAID)
    one = cortex.remember("Run ruff before committing", kind="procedural", origin="agent")
    work = Work(services, clock(), clock, cortex._app.settings, lambda: 60.0)
    assert fold_retold(work).counts == {"retold": 1}
    cortex.undo(one.id)
    assert cortex.get(one.id).status is Status.ACTIVE
    assert fold_retold(work).counts == {"retold": 0}
    assert any(entry.actor is Actor.LEARNING for entry in cortex.history(one.id).audit)


# -- `remember` answers what was known of the matter, and adds nothing that is known.
@pytest.fixture
def agent(cortex, project, clock):  # noqa: ARG001  after the person's
    with Cortex.open(project, clock=clock, actor=Actor.AGENT) as opened:
        yield opened


SHIP = "We deploy with `make ship`, because the script tags each release."


def told(memory):
    return [(one.id, one.text, one.said_on, one.done) for one in memory.known]


def test_what_is_new_is_only_kept(cortex):
    first = cortex.remember(SHIP)
    assert first.known == ()
    assert cortex.remember("Parcels are keyed by `parcel_id`, since names change.").known == ()


def test_what_resembles_it_is_told_and_what_it_replaces(reading):
    cortex = reading
    first = cortex.remember(SHIP)
    beside = cortex.remember("We deploy with `make ship` on the build host: the script tags each release.")
    assert told(beside) == [(first.id, SHIP, date(2026, 3, 1), "linked")]
    after = cortex.remember("We no longer deploy with `make ship`; deploy with `just release`.")
    assert "replaced" in {one.done for one in after.known}


def test_what_the_person_says_in_other_words_is_kept_in_them(cortex):
    first = cortex.remember(SHIP)
    again = cortex.remember("We deploy with `make ship`, because the script tags releases.")
    assert again.id != first.id
    assert told(again) == [(first.id, SHIP, date(2026, 3, 1), "linked")]


def test_an_agent_is_told_by_the_tool(cortex, agent):
    first = cortex.remember(SHIP)
    desk = ToolDispatcher(operations_of(Cortex), lambda: agent)
    answer = desk.call("remember", {"text": "We deploy with `make ship`, because the script tags releases."})
    assert answer.data["known"] == [
        {"id": first.id, "text": SHIP, "said_on": "2026-03-01", "status": "active", "done": "confirmed"}
    ]
    assert "known" not in desk.call("remember", {"text": "Lint with ruff."}).data
