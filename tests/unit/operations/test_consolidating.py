"""Consolidation from the pair to the merged memory and back."""

import shutil

import pytest

from places import store_folder
from recortex.domain.vocabulary import Importance, Origin, RelationType, Status, Trust
from recortex.errors import CorruptStoreError, InvalidInputError, MemoryNotFoundError, PermissionsError
from recortex.storage.records.relations import RelationRecords
from recortex.storage.sqlite.store import SqliteStore

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
