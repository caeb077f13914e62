"""Causes, inferences and consolidation, over a real store."""

import shutil
from dataclasses import replace

import pytest

from places import store_folder
from recortex.app.changes import keep_inferred
from recortex.app.jobs import Work
from recortex.app.jobs.table import do_pruning, follow_causes
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import Importance, Origin, RelationStatus, RelationType, Status, Trust
from recortex.errors import CorruptStoreError, InvalidInputError, MemoryNotFoundError, PermissionsError
from recortex.storage.records.relations import RelationRecords
from recortex.storage.sqlite.store import SqliteStore

# -- counterfactual, intervention, traverse and related agree with each other, over a real store.
FILES = {"worker": ["src/worker.py", "tests/test_worker.py"], "retry": ["src/retry.py"]}


@pytest.fixture
def made(cortex):
    """A queue led to a worker and retries; the worker and a rule led to logs; docs depend on the worker."""
    texts = {
        "queue": "We adopted a queue for mails", "worker": "One worker process sends what is queued",
        "retry": "Failed sends are tried five times", "rule": "Auditors ask for a log of mails",
        "logs": "Each send is written to the log", "docs": "The operations handbook describes the worker",
        "loss": "Mails are lost when the server restarts",
    }  # fmt: skip
    ids = {
        name: cortex.remember(text, kind="tribal", files=FILES.get(name, ())).id
        for name, text in texts.items()
    }
    for one, relation, other in (
        ("queue", "caused", "worker"),
        ("retry", "derived_from", "worker"),
        ("worker", "enabled", "logs"),
        ("rule", "caused", "logs"),
        ("docs", "depends_on", "worker"),
        ("queue", "prevented", "loss"),
    ):
        cortex.link(ids[one], ids[other], relation=relation)
    return ids


def names(made, memories):
    back = {id_: name for name, id_ in made.items()}
    return {back[one.id] for one in memories}


def test_what_would_be_missing_and_what_keeps_another_cause(cortex, made):
    found = cortex.counterfactual(made["queue"])
    losses = {names(made, [one.reached.memory]).pop(): (one.loss, one.others) for one in found.missing}
    assert losses == {
        "worker": ("falls", ()),
        "retry": ("falls", ()),
        "logs": ("weakened", (made["rule"],)),
        "loss": ("possible", ()),
    }
    assert not cortex.counterfactual(made["logs"]).missing


def test_what_to_update_has_files_and_tests(cortex, made):
    found = cortex.intervention(made["queue"])
    assert names(made, [one.memory for one in found.dependents]) == {
        "worker", "retry", "logs", "loss", "docs",
    }  # fmt: skip
    assert [one.name for one in found.files] == ["src/retry.py", "src/worker.py"]
    assert [(one.name, one.memories) for one in found.tests] == [("tests/test_worker.py", (made["worker"],))]


def test_limits_are_kept_and_told(cortex, made):
    assert cortex.counterfactual(made["queue"], limit=1).more
    assert len(cortex.intervention(made["queue"], limit=2).dependents) == 2
    assert {one.reached.depth for one in cortex.counterfactual(made["queue"], depth=1).missing} == {1}
    with pytest.raises(InvalidInputError, match="depth"):
        cortex.intervention(made["queue"], depth=11)


def test_a_time_shows_what_was_known_then(cortex, made, clock):
    then = clock.pass_(hours=1)
    clock.pass_(hours=1)
    cortex.unlink(made["queue"], made["worker"])
    late = cortex.remember("The worker was split in two", kind="tribal").id
    cortex.link(made["worker"], late, relation="caused")
    cortex.edit(made["worker"], text="Two workers send what is queued")
    now = cortex.traverse(made["queue"], depth=5, direction="effects")
    assert names(made, [one.memory for one in now.reached]) == {"loss"}
    before = cortex.traverse(made["queue"], depth=5, direction="effects", as_of=then)
    assert names(made, [one.memory for one in before.reached]) == {"worker", "retry", "logs", "loss"}
    (worker,) = [one.memory for one in before.reached if one.memory.id == made["worker"]]
    assert worker.text.startswith("One worker")
    assert len(cortex.counterfactual(made["queue"], as_of=then).missing) == 4
    with pytest.raises(MemoryNotFoundError, match="was not known"):
        cortex.traverse(late, as_of=then)


def test_an_import_leaves_out_what_closes_a_circle_and_says_so(cortex, made, tmp_path):
    cortex.export(str(tmp_path / "all.jsonl"))
    cortex.unlink(made["queue"], made["worker"])
    cortex.link(made["retry"], made["queue"], relation="caused")
    done = cortex.import_("jsonl", str(tmp_path / "all.jsonl"))
    assert [one for one in done.problems if "a cause of itself" in one]


# -- traverse and related: the same walk, over a real store.
@pytest.fixture
def chain(cortex):
    """A chain of four: each depends on the next one, ever more weakly."""
    memories = [
        cortex.remember(f"Part {name} of the system", kind="core") for name in ("one", "two", "three", "four")
    ]
    for strength, near, far in zip((0.9, 0.6, 0.3), memories, memories[1:], strict=False):
        cortex.unlink(near.id, far.id)
        cortex.link(near.id, far.id, relation="depends_on", strength=strength)
    for relation in cortex._app.all_services()[0].store.relations.all():
        if relation.type == "related":
            cortex.unlink(relation.source_id, relation.target_id, relation="related")
    return memories


@pytest.mark.parametrize(
    ("options", "reached"),
    [
        ({"direction": "outgoing"}, [2, 3]), ({"direction": "incoming"}, [0]),
        ({"direction": "both"}, [0, 2, 3]), ({"relations": ["depends_on"]}, [0, 2, 3]),
        ({"relations": ["supports"]}, []), ({"min_strength": 0.6}, [0, 2]), ({"limit": 1}, [0]),
    ],
)  # fmt: skip
def test_only_what_is_asked_for_is_followed(cortex, chain, options, reached):
    found = cortex.traverse(chain[1].id, depth=10, **options)
    assert [one.memory.id for one in found.reached] == [chain[place].id for place in reached]
    assert found.more == ("limit" in options)


def test_related_is_the_same_walk(cortex, chain):
    related = cortex.related(chain[1].id, depth=3)
    walked = cortex.traverse(chain[1].id, depth=3)
    assert [(one.memory.id, one.depth, one.relation) for one in related.neighbours] == [
        (one.memory.id, one.depth, one.path[-1]) for one in walked.reached
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"depth": -1}, {"depth": 11}, {"min_strength": 1.1}, {"min_strength": -1}, {"limit": 0},
        {"relations": ["x"]},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(cortex, chain, options):
    with pytest.raises(InvalidInputError):
        cortex.traverse(chain[0].id, **options)


# -- What is inferred from a session waits for a person, and what a person rejected does not come back.
SAID = (
    (
        3,
        "assistant",
        "incident",
        "",
        "The importer crashes since `parse_rows` is called with a missing header",
    ),
    (6, "assistant", "decision", "", "Use `read_header` first and give its result to `parse_rows`"),
    (8, "assistant", "semantic", "", "The export writes `totals.csv` with a line for each day of the month"),
    (9, "user", "tribal", "person_corrected_ought", "There should be one line for each week in `totals.csv`"),
    (30, "assistant", "semantic", "", "Colours of the theme come from `palette.json`"),
)


@pytest.fixture
def said(cortex):
    """A failure and its remedy, a statement and its correction, and something else."""
    wishes = [
        {
            "text": text,
            "kind": kind,
            "source": {"session": "s1", "turn": turn, "speaker": speaker, "rule": rule},
        }
        for turn, speaker, kind, rule, text in SAID
    ]
    cortex.remember_many(wishes, link=False)
    found = cortex.list(limit=10).memories
    return [next(one.id for one in found if one.text == text) for *_, text in SAID]


def services(cortex):
    return cortex._app.all_services()[0]


def stored(cortex):
    return services(cortex).store.relations.all()


def work(cortex, clock):
    found = services(cortex)
    return Work(found, clock(), clock, found.settings, lambda: 60.0)


def test_a_remedy_follows_its_failure_and_a_correction_what_it_corrects(cortex, said):
    crash, remedy, export, weekly, _ = said
    found = cortex.infer()
    assert {(one.cause.id, one.effect.id) for one in found.causes} == {(crash, remedy), (export, weekly)}
    assert {one.relation.type for one in found.causes} == {RelationType.TRIGGERED_BY}
    for one in stored(cortex):
        assert (one.status, one.inferred) == (RelationStatus.SUGGESTED, True)
        assert one.evidence[0].endswith("later.")
        assert 0.0 <= one.strength <= 1.0


def test_suggestions_are_not_followed_until_they_are_confirmed(cortex, said):
    cortex.infer()
    assert not cortex.traverse(said[0], direction="effects").reached
    assert not cortex.traverse(said[0]).reached
    assert not cortex.related(said[0]).neighbours
    (first,) = [one for one in cortex.review().causes if one.cause.id == said[0]]
    cortex.link(first.relation.source_id, first.relation.target_id, relation=first.relation.type)
    assert [one.memory.id for one in cortex.traverse(said[0], direction="effects").reached] == [said[1]]
    assert [one.cause.id for one in cortex.review().causes] == [said[2]]


def test_what_a_person_rejected_does_not_come_back(cortex, said, clock):
    cortex.infer()
    cortex.unlink(said[0], said[1])
    assert cortex.infer().found == 0
    assert cortex.infer(said[1]).found == 0
    follow_causes(work(cortex, clock))
    assert len(stored(cortex)) == 1


def test_other_evidence_makes_a_suggestion_active(cortex, said):
    cortex.infer()
    (waits,) = [one for one in stored(cortex) if one.target_id == said[0]]
    same = replace(waits, evidence=("It tells what to do about what failed, 9 turns later.",))
    assert keep_inferred(services(cortex), [same]) == []
    other = replace(waits, evidence=("A commit reverts it.",))
    (kept,) = keep_inferred(services(cortex), [other])
    assert kept.status is RelationStatus.ACTIVE
    assert kept.evidence == (*waits.evidence, "A commit reverts it.")


def test_weak_relations_and_old_suggestions_go_and_are_noted(cortex, said, clock):
    cortex.infer()
    cortex.link(said[3], said[4], relation="caused", strength=0.15)
    cortex.link(said[2], said[4], relation="supports", strength=0.1)
    assert do_pruning(work(cortex, clock)).counts == {"relations": 1}
    clock.pass_(days=91)
    assert do_pruning(work(cortex, clock)).counts == {"relations": 2}
    assert [one.type for one in stored(cortex)] == [RelationType.SUPPORTS]
    noted = [one for one in cortex.history(said[3]).audit if one.operation == "unlink"]
    assert next(one.details["strength"] for one in noted) == 0.15
    assert {one.reason for one in services(cortex).store.relations.former(said)} == {"pruned"}


def test_doctor_names_a_circle_of_an_older_store_and_upkeep_breaks_it(cortex, said, clock):
    relations = services(cortex).store.relations
    relations._keep([Relation(said[0], said[1], RelationType.CAUSED, clock(), 0.9)])
    relations._keep([Relation(said[1], said[0], RelationType.CAUSED, clock(), 0.5)])
    told = [one.message for one in cortex.doctor().findings if "causes of themselves" in one.message]
    assert len(told) == 1
    assert said[1][:8] in told[0]
    assert do_pruning(work(cortex, clock)).counts == {"relations": 0, "doubted": 1}
    assert [one.strength for one in stored(cortex) if one.status is RelationStatus.SUGGESTED] == [0.5]
    assert not [one for one in cortex.doctor().findings if "causes of themselves" in one.message]


# -- Consolidation from the pair to the merged memory and back.
FIRST = "Run the database migrations before the integration tests of the shop"
SECOND = "Run the database migrations before the integration tests of the webshop"


@pytest.fixture
def pair(cortex, clock):
    """Two memories that say the same, the second one more important and pinned."""
    first = cortex.remember(
        FIRST, kind="procedural", tags=["db"], files=["shop/test_db.py"], importance="low"
    )
    clock.pass_(days=1)
    second = cortex.remember(
        SECOND, kind="procedural", tags=["test"], files=["shop/migrate.py"], importance="high", pinned=True,
        metadata={"commands": ["make migrate"]}, confidence=0.8,
    )  # fmt: skip
    clock.pass_(days=1)
    return first, second


def state(cortex):
    services = cortex._app.all_services()[0]
    memories = {one.id: one for one in cortex.list(limit=1000, statuses=list(Status)).memories}
    return memories, sorted(map(repr, services.store.relations.all()))


def test_what_may_contradict_is_told_and_merged_only_with_words(cortex):
    kept = cortex.remember_many(
        [{"text": "Always squash the commits of a branch"}, {"text": "Never squash the commits of a branch"}],
        link=False,
    )
    (one,) = cortex.consolidate().pairs
    assert "«always»" in one.contradiction
    with pytest.raises(InvalidInputError, match="contradict"):
        cortex.consolidate("merge", kept.ids)
    done = cortex.consolidate("merge", kept.ids, text="Squash the commits of a branch when it is merged")
    assert done.merged.text == "Squash the commits of a branch when it is merged"


def test_a_dry_run_shows_the_merged_memory_and_changes_nothing(cortex, pair, project):
    before = state(cortex)
    shown = cortex.consolidate("merge", [one.id for one in pair], dry_run=True)
    assert shown.merged.priority == pair[1].priority
    assert shown.merged.text in {FIRST, SECOND}
    assert shown.backup == ""
    assert state(cortex) == before
    assert [
        one.name for one in (store_folder(project) / "backups").iterdir() if "first" not in one.name
    ] == []


def test_a_merge_keeps_what_both_had(cortex, pair, clock):
    first, second = pair
    neighbour = cortex.remember("The lock file of yarn is checked in", kind="tribal")
    cortex.link(first.id, neighbour.id, relation="supports", strength=0.7)
    cortex.link(neighbour.id, second.id, relation="depends_on")
    cortex.link(first.id, second.id, relation="refines")
    done = cortex.consolidate("merge", [first.id[:8], second.id[:8]])
    new = done.merged
    assert new == cortex.get(new.id)
    assert (new.confidence, new.importance, new.pinned, new.origin) == (
        1.0, Importance.HIGH, True, Origin.CONSOLIDATION,
    )  # fmt: skip
    assert (new.trust, new.status, new.scope) == (Trust.TRUSTED, Status.ACTIVE, first.scope)
    assert set(new.tags) == {"db", "test"}
    assert {link.path for link in new.files} == {"shop/test_db.py", "shop/migrate.py"}
    assert new.metadata == {"commands": ["make migrate"]}
    assert new.evidence == first.evidence + second.evidence
    assert new.valid_from == first.valid_from
    for old in done.superseded:
        assert (old.status, old.superseded_by, old.valid_until) == (Status.SUPERSEDED, new.id, clock())
    relations = {
        (one.source_id, one.type, one.target_id): one.strength
        for one in cortex._app.all_services()[0].store.relations.find_touching([new.id])
    }
    related = {key for key in relations if key[1] is not RelationType.RELATED}
    assert related == {
        (new.id, RelationType.SUPERSEDES, first.id), (new.id, RelationType.SUPERSEDES, second.id),
        (new.id, RelationType.SUPPORTS, neighbour.id), (neighbour.id, RelationType.DEPENDS_ON, new.id),
    }  # fmt: skip
    assert relations[new.id, RelationType.SUPPORTS, neighbour.id] == 0.7
    assert cortex.consolidate().pairs == ()
    assert [hit.memory.id for hit in cortex.recall("when do the migrations run?").hits] == [new.id]
    assert "consolidate" in [entry.operation for entry in cortex.history(new.id).audit]


@pytest.mark.parametrize("step", ["put", "commit"])
def test_a_failed_merge_leaves_the_store_as_it_was(cortex, pair, monkeypatch, step):
    before = state(cortex)

    def broken(*_):
        raise CorruptStoreError("The store is damaged.")

    with monkeypatch.context() as patch:
        if step == "put":
            patch.setattr(RelationRecords, "put", broken)
        else:
            patch.setattr(cortex._app.all_services()[0].store.pool, "_commit", _failing_commit(cortex))
        with pytest.raises(CorruptStoreError) as caught:
            cortex.consolidate("merge", [one.id for one in pair])
    assert "before-merge" in caught.value.hint
    assert state(cortex) == before


def _failing_commit(cortex):
    pool = cortex._app.all_services()[0].store.pool

    def commit():
        pool._rollback()
        raise CorruptStoreError("The store is damaged.")

    return commit


def test_no_backup_no_merge(cortex, pair, project):
    before = state(cortex)
    folder = store_folder(project) / "backups"
    shutil.rmtree(folder)
    folder.write_text("in the way")
    with pytest.raises(PermissionsError):
        cortex.consolidate("merge", [one.id for one in pair])
    assert state(cortex) == before


def test_what_cannot_be_merged(cortex, pair):
    first, second = pair
    for ids in ([], [first.id], [first.id] * 2, [first.id, second.id, first.id]):
        with pytest.raises(InvalidInputError):
            cortex.consolidate("merge", ids)
    with pytest.raises(MemoryNotFoundError):
        cortex.consolidate("merge", [first.id, "00000000-0000-4000-8000-000000000000"])
    cortex.forget(second.id)
    with pytest.raises(InvalidInputError, match="cannot be merged"):
        cortex.consolidate("merge", [first.id, second.id])


def test_stores_are_not_mixed(cortex):
    mine = cortex.remember(FIRST)
    everywhere = cortex.remember(SECOND, scope="global")
    assert cortex.consolidate().pairs == ()
    with pytest.raises(InvalidInputError, match="cannot be merged"):
        cortex.consolidate("merge", [mine.id, everywhere.id])


def test_a_merge_of_what_somebody_changed_meanwhile_is_refused(cortex, pair, monkeypatch):
    first, second = pair
    make = SqliteStore.transaction

    def meanwhile(store):
        monkeypatch.setattr(SqliteStore, "transaction", make)
        cortex.forget(second.id)
        return make(store)

    monkeypatch.setattr(SqliteStore, "transaction", meanwhile)
    with pytest.raises(MemoryNotFoundError, match="no longer active"):
        cortex.consolidate("merge", [first.id, second.id])
    assert cortex.get(first.id).status is Status.ACTIVE


def test_a_cause_and_its_effect_are_not_merged(cortex, pair):
    first, second = pair
    between = cortex.remember("The shop had no schema").id
    cortex.link(first.id, between, relation="caused")
    cortex.link(between, second.id, relation="caused")
    before = state(cortex)
    with pytest.raises(InvalidInputError, match="a cause of itself"):
        cortex.consolidate("merge", [first.id, second.id])
    assert state(cortex) == before
