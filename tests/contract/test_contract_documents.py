"""Documents on every engine: ingested, found, framed, followed, copied and erased alike."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from recortex import Cortex
from recortex.documents.making import Source, make
from recortex.domain.search import MemoryQuery, document_id
from recortex.domain.vocabulary import Domain
from recortex.storage.database import copied_tables
from recortex.storage.records.vectors import quantised
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.transfer import copy
from recortex.text.tokens import TokenCounter

MODEL = "a-model"
TEXTS = {
    "docs/parcels.md": "# Parcels\n\nA parcel is tracked by its walrus number.\n",
    "docs/kiosk.txt": "The kiosk printer jams when it is cold.\n",
    "notes/login.rst": "Login\n=====\n\nThe session cookie of a user holds a token.\n",
}


@pytest.fixture
def cortex(project, clock, layout, server, monkeypatch):
    """The memory of a project, kept by each engine, with vectors of hashed words."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    monkeypatch.chdir(project)
    for name, text in TEXTS.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


def test_what_was_ingested_is_found_framed_and_followed(cortex, project):
    first = cortex.ingest(["docs", "notes"])
    assert (len(first.added), first.documents, first.without_vectors) == (3, 3, 0)
    assert cortex.ingest().unchanged == 3
    (hit,) = cortex.recall("the walrus number of a parcel", among="documents").documents
    assert (hit.path, hit.first_line, hit.last_line, hit.freshness) == ("docs/parcels.md", 1, 3, "fresh")
    assert cortex.get(hit.id).chunk.text == TEXTS["docs/parcels.md"].strip()
    assert "walrus number" in cortex.frame("track a parcel by its walrus number").text
    (project / "docs" / "parcels.md").rename(project / "notes" / "parcels.md")
    (project / "docs" / "kiosk.txt").unlink()
    again = cortex.ingest()
    assert [one.path for one in again.renamed] == ["notes/parcels.md"]
    assert (again.removed, again.documents, again.without_vectors) == (("docs/kiosk.txt",), 2, 0)
    assert cortex.recall("when does the kiosk printer jam?", among="documents").documents == ()
    assert cortex._app.all_services()[0].store.check().whole


def test_a_purge_takes_them_along(cortex):
    cortex.ingest(["docs", "notes"])
    assert len(cortex.purge(text="walrus number").chunks) == 1
    assert cortex.recall("the walrus number of a parcel", among="documents").documents == ()
    assert cortex.recall("when does the kiosk printer jam?", among="documents").documents


count = TokenCounter().count


def put(store, path, text, at, domain=None):
    made = make(Source(path, text.encode(), ".", at, domain), at, count)
    with store.transaction():
        store.documents.put(made.document, made.chunks)


@pytest.fixture
def filled(store, clock):
    for path, text in TEXTS.items():
        put(store, path, text, clock())
    return store


def attach(store, *vectors):
    waiting = store.chunk_vectors.waiting(9)
    codes = {f"{one:016}".encode(): quantised(each) for (one, _), each in zip(waiting, vectors, strict=False)}
    with store.transaction():
        keys = list(store.chunk_vectors.put(MODEL, codes).values())
        store.chunk_vectors.attach({one: (key,) for (one, _), key in zip(waiting, keys, strict=False)})
    return [one for one, _ in waiting]


def vector(*values):
    return np.array(values, "<f4").tobytes()


def test_the_nearest_are_chunks_and_no_others(filled):
    first, second, third = attach(filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1))
    search = filled.chunk_search
    for _ in range(3):  # by the database, then by what is held in memory
        assert search.nearest(vector(1, 1, 1, 1), 2, None, MODEL) == [first, second]
        assert search.nearest(vector(1, 1, 1, 1), 2, MemoryQuery(files=("notes/",)), MODEL) == [third]
    assert filled.exchange_search.nearest(vector(1, 1, 1, 1), 9, None, MODEL) == []
    assert filled.search.nearest(vector(1, 1, 1, 1), 9, None, MODEL) == []
    (facts,) = search.facts([second], MemoryQuery(), MODEL)
    assert facts.vector == quantised(vector(1, 1, 1, -1))


def test_filters_are_those_that_a_document_can_pass(filled):
    def found(**filters):
        keys = [key for key, _ in filled.chunk_search.match(["a", "the"], 9, MemoryQuery(**filters))]
        return {one.path for one in filled.chunk_search.chunks(keys).values()}

    assert found() == {*TEXTS}
    assert found(domains=(Domain.AUTH,)) == {"notes/login.rst"}
    assert found(files=("docs/", "notes/login.rst")) == {*TEXTS}
    assert found(files=("docs/kiosk.txt",)) == {"docs/kiosk.txt"}
    assert found(tags=("no document has one",)) == {*TEXTS}


def test_a_copy_in_the_other_engine_finds_the_same(filled, tmp_path, clock):
    attach(filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1))
    with closing(SqliteStore(Path(tmp_path / "c.db"), backups=tmp_path / "b", clock=clock)) as other:
        copy(copied_tables(), filled.full_copy, other.full_copy, lambda *_: None)
        other.full_copy.finish()
        assert other.documents.all() == filled.documents.all()
        assert other.documents.chunks_of("docs/parcels.md") == filled.documents.chunks_of("docs/parcels.md")
        for asked in (["walrus"], ["kiosk", "cookie"]):
            one, two = (each.chunk_search.match(asked, 9, None) for each in (filled, other))
            assert [key for key, _ in one] == [key for key, _ in two]
            assert [score for _, score in one] == pytest.approx([score for _, score in two], rel=1e-3)
        near = [each.chunk_search.nearest(vector(1, 1, 1, 1), 9, None, MODEL) for each in (filled, other)]
        assert near[0] == near[1]
        assert other.check().whole


def test_what_nobody_has_any_more_leaves_no_words_and_no_vectors(filled):
    attach(filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1))
    with filled.transaction():
        assert filled.documents.delete([*TEXTS, "docs/nowhere.md"]) == 3
    assert filled.documents.count() == (0, 0)
    assert filled.chunk_search.frequencies(["walrus", "kiosk"]) == [0, 0]
    assert filled.database.value("SELECT count(*) FROM embeddings e WHERE /*own e*/ 1 = 1") == 0
    assert filled.check().whole


def test_damage_to_a_row_is_noticed(filled):
    filled.database.rows(
        "UPDATE documents SET title = 'another' WHERE /*own*/ id = ?", (document_id("docs/kiosk.txt"),)
    )
    filled.database.rows("UPDATE chunks SET text = 'another' WHERE /*own*/ path = ?", ("docs/parcels.md",))
    from recortex.storage.records.rows import unfit_rows

    links = filled.database.queries("memories")
    found = {one.table for one in unfit_rows(filled.database.rows, links)}
    assert found == {"documents", "chunks"}
