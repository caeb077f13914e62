"""After a purge no file of the store holds the text: every byte is read here, too."""

from itertools import cycle

import pytest

from claude_sessions import claude_session
from example_exchanges import exchange, keep
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


def through_a_former_version(cortex):
    kept = cortex.remember(f"The word is {SECRET} for the gate.")
    cortex.edit(kept.id, text="The word is not written down.")
    return [kept.id]


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


def through(**fields):
    return lambda cortex: [cortex.remember("The gate has a word.", **fields).id]


WAYS = {
    "text": through_text,
    "content": lambda cortex: [
        cortex.remember(content={"knowledge": "known", "warnings": [f"never say {SECRET}"]}, kind="tribal").id
    ],
    "a former version": through_a_former_version,
    "tags": through(tags=[SECRET]),
    "metadata": through(metadata={"note": [f"it is {SECRET}"]}),
    "source": through(source={"session": "s", "quote": f"say {SECRET}"}),
    "a session": through(source=SECRET),
    "a summary": through(summary=f"Say {SECRET}"),
    "links": through(files=[f"src/{SECRET}.py"], functions=[f"{SECRET}.load"]),
    "patterns": through(patterns=[SECRET], constraints=[f"no {SECRET}"]),
    "a reason": through_a_reason,
    "the neighbour": through_the_neighbour,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
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
    assert purged.backups_rewritten == backup + 1  # the first is made with the first memory
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


def transcript(path, *said):
    """A session of Claude Code: what the person and the agent say in turn."""
    return claude_session(path, "/w", *zip(cycle(("user", "assistant")), said, strict=False))


def kept_exchanges(cortex):
    store = cortex._app.all_services()[0].store
    return store.exchanges.get(store.exchanges.ids_beginning(""))


def test_what_was_said_in_a_session_is_gone_from_every_file(project, clock, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    from recortex import Cortex

    said = (
        f"Where does {SECRET} stand?",
        f"Well, {SECRET} stands at the gate. I looked it up in the old plan of the house.",
        "Paint the other door green then, with the paint from last summer.",
        "The other door is green now.",
    )
    with Cortex.open(project, clock=clock) as cortex:
        cortex.import_("claude-code", str(transcript(tmp_path / "s1.jsonl", *said)))
        cortex.reembed()
        first, second = sorted(kept_exchanges(cortex), key=lambda one: one.first_turn)
        pool = cortex._app.all_services()[0].store.pool
        vectors = [row[0] for row in pool.rows("SELECT vector FROM embeddings WHERE key < 0")]
        assert len(vectors) >= 4
        assert cortex.status().stores[0].exchanges_without_vectors == 0
        cortex.backup()
        assert found_in(folder, SECRET)
        planned = cortex.purge(text=SECRET, dry_run=True)
        assert set(planned.exchanges) == {first.id, second.id}  # the second answers what the first ended with
        done = cortex.purge(text=SECRET)
        assert (set(done.exchanges), done.traces) == (set(planned.exchanges), ())
        assert done.backups_rewritten == 2  # the first is made with the first memories
        assert pool.value("SELECT count(*) FROM embeddings WHERE key < 0") == 0
        assert cortex.recall("Where does it stand?").exchanges == ()
    assert found_in(folder, SECRET, "quicksilv") == []
    assert not [path for path, data in bytes_of(folder).items() if any(one in data for one in vectors)]


def test_one_exchange_goes_with_the_stretches_of_work_within_it(cortex, folder):
    services = cortex._app.services("project")
    whole = exchange(1, id="ab" * 16, message=f"Look for {SECRET} please", asked="")
    work = exchange(2, opener="agent", part=1, root_turn=10, message="", asked=f"Look for {SECRET} please")
    other = exchange(3, message="b, but keep the parser table driven please 1")
    keep(services, whole, work, other)
    cortex.backup()
    memory = cortex.remember(OTHER)
    assert cortex.purge(whole.id[:12], dry_run=True).exchanges == (whole.id, work.id)
    done = cortex.purge(whole.id)
    assert (done.ids, done.exchanges, done.traces) == ((), (whole.id, work.id), ())
    assert found_in(folder, SECRET, "quicksilv") == []
    assert kept_exchanges(cortex) == [other]  # though it says what the first one said, too
    assert cortex.get(memory.id)
    with pytest.raises(MemoryNotFoundError):
        cortex.purge(whole.id)


@pytest.mark.parametrize("asked", ["Fürstenstraße Éclair", "FÜRSTENSTRASSE ÉCLAIR", "fürstenstrasse éclair"])
def test_letters_beyond_ascii_are_found_in_any_case_too(cortex, folder, asked):
    forms = ["Fürstenstraße Éclair", "FÜRSTENSTRASSE ÉCLAIR", "fürstenstraße éclair"]
    said = ("Whoever comes from {} is let in.", "The archive of {} is closed.", "Parcels to {} are insured.")
    for text, form in zip(said, forms, strict=True):
        cortex.remember(text.format(form))
    keep(cortex._app.services("project"), exchange(1, message=f"Say {forms[1]} please"))
    left = folder / "cortex.db.damaged-20260301T000000"
    left.write_bytes(b"\xff..." + forms[1].encode() + b"\xe2")
    cortex.backup()
    done = cortex.purge(text=asked)
    assert (len(done.ids), len(done.exchanges), done.traces) == (len(forms), 1, (str(left),))
    left.unlink()
    for path, data in bytes_of(folder).items():
        assert "fürstenstrasse" not in data.decode("utf-8", "ignore").casefold(), path


@pytest.mark.parametrize("by", ["id", "text"])
def test_a_purged_exchange_does_not_come_back_with_an_export_of_before(cortex, tmp_path, by):
    gone = exchange(1, message=f"Look for {SECRET} please", asked="")
    other = exchange(2, message="Keep the parser table driven please")
    keep(cortex._app.services("project"), gone, other)
    export = tmp_path / "all.jsonl"
    cortex.export(str(export))
    cortex.purge(gone.id) if by == "id" else cortex.purge(text=SECRET)
    done = cortex.import_("jsonl", path=str(export))
    assert (done.exchanges, done.skipped) == (0, {"it was purged here": 1})
    assert kept_exchanges(cortex) == [other]
    assert cortex.history(gone.id).gone == "purge"
