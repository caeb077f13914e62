"""After a purge no file of the store holds the text: every byte is read here, too."""

import pytest

from places import store_folder
from recortex.errors import MemoryNotFoundError

SECRET = "zanzibar-quicksilver"  # noqa: S105  no password: any word that must go
OTHER = "The queue drops jobs after a day."


def bytes_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def found_in(folder, *needles):
    """Files that hold a text as it is, in lower case, or a word of it as the index keeps it."""
    return [
        (path.name, needle)
        for path, data in bytes_of(folder).items()
        for needle in needles
        if needle.encode() in data or needle.lower().encode() in data.lower()
    ]


@pytest.fixture
def folder(project):
    return store_folder(project)


def through_text(cortex):
    return [cortex.remember(f"The word is {SECRET} for the gate.").id]


def through_content(cortex):
    return [
        cortex.remember(content={"knowledge": "known", "warnings": [f"never say {SECRET}"]}, kind="tribal").id
    ]


def through_a_former_version(cortex):
    kept = cortex.remember(f"The word is {SECRET} for the gate.")
    cortex.edit(kept.id, text="The word is not written down.")
    return [kept.id]


def through_tags(cortex):
    return [cortex.remember("The gate has a word.", tags=[SECRET]).id]


def through_metadata(cortex):
    return [cortex.remember("The gate has a word.", metadata={"note": [f"it is {SECRET}"]}).id]


def through_source(cortex):
    return [cortex.remember("The gate has a word.", source={"session": "s", "quote": f"say {SECRET}"}).id]


def through_a_session(cortex):
    return [cortex.remember("The gate has a word.", source=SECRET).id]


def through_a_summary(cortex):
    return [cortex.remember("The gate has a word.", summary=f"Say {SECRET}").id]


def through_links(cortex):
    kept = cortex.remember("The gate has a word.", files=[f"src/{SECRET}.py"], functions=[f"{SECRET}.load"])
    return [kept.id]


def through_patterns(cortex):
    return [cortex.remember("The gate has a word.", patterns=[SECRET], constraints=[f"no {SECRET}"]).id]


def through_a_reason(cortex):
    kept = cortex.remember("The gate has a word.")
    cortex.edit(kept.id, text="The gate has no word.", reason=f"{SECRET} leaked")
    cortex.edit(kept.id, text="The gate has no word today.")
    return [kept.id]


def through_the_neighbour(cortex):
    rows = [{"session": "s", "turn": turn, "speaker": "ada"} for turn in (1, 2)]
    first = cortex.remember(f"The word is {SECRET} for the gate.", kind="conversation", source=rows[0])
    second = cortex.remember("And nobody shall know it, right?", kind="conversation", source=rows[1])
    return [first.id, second.id]


WAYS = [value for name, value in list(globals().items()) if name.startswith("through_")]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("backup", [False, True], ids=["", "with a backup"])
def test_a_text_is_gone_from_every_file(cortex, folder, way, backup):
    kept = cortex.remember(OTHER)
    ids = way(cortex)
    if backup:
        cortex.backup()
    assert found_in(folder, SECRET)
    purged = cortex.purge(text=SECRET)
    assert set(purged.ids) <= set(ids)
    assert purged.ids
    assert purged.traces == ()
    assert purged.searched_bytes > 0
    assert purged.backups_rewritten == backup
    assert found_in(folder, SECRET, "quicksilv") == []
    assert cortex.get(kept.id).text == OTHER
    for id_ in purged.ids:
        with pytest.raises(MemoryNotFoundError):
            cortex.get(id_)
    assert cortex.recall("quicksilver", recipe="keyword").hits == ()


def test_a_reason_of_a_relation_goes_and_the_memories_stay(cortex, folder):
    one, other = cortex.remember(OTHER), cortex.remember("The gate has a word.")
    cortex.link(one.id, other.id, evidence=[f"both say {SECRET}"])
    cortex.backup()
    purged = cortex.purge(text=SECRET)
    assert purged.ids == ()
    assert found_in(folder, SECRET, "quicksilv") == []
    assert cortex.related(one.id).neighbours[0].relation.evidence == ()


def test_a_version_that_only_a_backup_still_has_is_found_there(cortex, folder, clock):
    kept = cortex.remember(f"The word is {SECRET} for the gate.")
    cortex.backup()
    for number in range(11):
        clock.pass_(minutes=1)
        cortex.edit(kept.id, text=f"The word is number {number}.")
    assert [one for one in cortex.history(kept.id).versions if SECRET in one.memory.text] == []
    purged = cortex.purge(text=SECRET)
    assert purged.traces == ()
    assert found_in(folder, SECRET, "quicksilv") == []


def test_a_purge_by_id_takes_every_version(cortex, folder, clock):
    kept = through_a_former_version(cortex)[0]
    clock.pass_(hours=1)
    cortex.backup()
    purged = cortex.purge(kept[:20])
    assert purged.ids == (kept,)
    assert found_in(folder, SECRET, "quicksilv", "written down") == []
    history = cortex.history(kept)
    assert (history.id, history.versions) == (kept, ())


def test_a_purge_by_id_leaves_the_other_store_alone(cortex):
    mine = cortex.remember(f"The word is {SECRET} for the gate.")
    everywhere = cortex.remember("Answers are short.", scope="global")
    assert cortex.purge(mine.id).ids == (mine.id,)
    assert cortex.get(everywhere.id)
    assert cortex.purge(everywhere.id).ids == (everywhere.id,)


def test_vectors_go_too(project, clock, monkeypatch, folder):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    from recortex import Cortex

    with Cortex.open(project, clock=clock) as cortex:
        kept = cortex.remember(f"The word is {SECRET} for the gate.")
        pool = cortex._app.all_services()[0].store.pool
        vector = pool.value("SELECT vector FROM embeddings")
        cortex.purge(kept.id)
        assert pool.value("SELECT count(*) FROM embeddings") == 0
    assert not [path for path, data in bytes_of(folder).items() if vector in data]


def test_a_dry_run_only_shows(cortex, folder):
    ids = through_text(cortex)
    purged = cortex.purge(text=SECRET, dry_run=True)
    assert (purged.dry_run, list(purged.ids)) == (True, ids)
    assert cortex.get(ids[0])
    assert found_in(folder, SECRET)


def test_a_damaged_copy_that_still_holds_the_text_is_named(cortex, folder):
    through_text(cortex)
    left = folder / "cortex.db.damaged-20260301T000000"
    left.write_bytes(b"..." + SECRET.encode() + b"...")
    assert cortex.purge(text=SECRET).traces == (str(left),)
