"""What was said in sessions, and documents, on every engine."""

from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from example_exchanges import SAID_AT as NOW
from example_exchanges import exchange
from example_memories import insert, memory
from generated import drawn
from recortex import Cortex
from recortex.documents.making import Source, make
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.search import MemoryQuery, document_id
from recortex.domain.vocabulary import Domain
from recortex.storage.database import copied_tables
from recortex.storage.records import rows
from recortex.storage.records.vectors import quantised
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.transfer import copy
from recortex.text.tokens import TokenCounter

# -- Exchanges: kept once, found by words and vectors, copied, erased, and never another workspace's.
MODEL = "a-model"


def put(store, *exchanges, terms=""):
    with store.transaction():
        return store.exchanges.put([(one, terms) for one in exchanges], NOW)


def keys(store, *exchanges):
    ids = [one.id for one in exchanges]
    found = store.exchange_search.exchanges(store.exchanges.oldest(10_000))
    by_id = {one.id: key for key, one in found.items()}
    return [by_id[id_] for id_ in ids]


def counted(store, *words):
    return dict(zip(words, store.exchange_search.frequencies(words), strict=True))


def vector(*values):
    return np.array(values, "<f4").tobytes()


def attach(store, key, *vectors):
    with store.transaction():
        hashes = [f"{key}-{place}".encode() for place, _ in enumerate(vectors)]
        made = store.exchange_vectors.put(
            MODEL, {hash_: quantised(one) for hash_, one in zip(hashes, vectors, strict=True) if one}
        )
        store.exchange_vectors.attach({key: tuple(made.get(hash_) for hash_ in hashes)})


def test_what_is_put_is_read_as_it_was(store):
    one = exchange(1, ending="refused", passed=("make", "make test"), opener="agent", part=2, root_turn=3)
    two = exchange(2, started_at=None, ended_at=None, files=(), asked="")
    assert put(store, one, two) == 2
    assert store.exchanges.get([two.id, "f" * 32, one.id]) == [two, one]
    assert store.exchanges.ids_beginning("0" * 30) == [one.id, two.id]
    assert store.check().whole


def test_sessions_are_found_by_how_their_ids_begin(store):
    put(store, *(exchange(number, session=f"a{number // 2}") for number in range(9)))
    assert store.exchanges.ids_beginning("a", of_sessions=True) == ["a0", "a1", "a2"]
    assert store.exchanges.ids_beginning("a4", of_sessions=True) == ["a4"]
    assert store.exchanges.ids_beginning("b", of_sessions=True) == []


def test_an_exchange_grows_in_its_session_and_loses_its_vectors(store):
    one = exchange(1)
    put(store, one)
    (key,) = keys(store, one)
    attach(store, key, vector(1, 2, 3, 4), vector(-1, 2, 3, 4))
    assert store.exchange_vectors.waiting(9) == []
    assert put(store, replace(one, passed=("make",))) == 1
    assert store.exchange_vectors.count_waiting() == 0
    grown = replace(one, last_turn=99, conclusion="And now it ends elsewhere: quicksilver.")
    assert put(store, grown) == 1
    assert store.exchanges.get([one.id]) == [grown]
    assert [kept for kept, _ in store.exchange_vectors.waiting(9)] == [key]
    assert put(store, one) == 0
    assert [found for found, _ in store.exchange_search.match(counted(store, "quicksilver"), 5, None)] == [
        key
    ]
    assert store.exchange_search.frequencies(["quicksilver", "tests", "pass"]) == [1, 0, 0]
    assert store.check().whole


@settings(max_examples=drawn(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(lengths=st.lists(st.integers(1, 30), min_size=2, max_size=3, unique=True))
def test_the_order_of_copies_does_not_matter(lengths):
    copies = [
        exchange(
            1, session=f"s{length}", first_turn=length, last_turn=2 * length, conclusion=f"End {length}."
        )
        for length in lengths
    ]
    kept = set()
    for order in permutations(copies):
        with in_memory() as store:
            for one in order:
                put(store, one)
            put(store, *order)
            (found,) = store.exchanges.get([copies[0].id])
            assert found.session == order[0].session
            kept.add((found.conclusion, found.last_turn - found.first_turn))
    assert kept == {(f"End {max(lengths)}.", max(lengths))}


def in_memory():
    return closing(SqliteStore(Path(":memory:"), backups=Path("none"), clock=lambda: NOW))


def test_neighbours_and_what_goes_on(store):
    first, second, third = (exchange(number) for number in (1, 2, 3))
    work = [
        exchange(10 + part, opener="agent", part=part, first_turn=20 + part, root_turn=20, message="")
        for part in (1, 2)
    ]
    put(store, first, second, *work, third, exchange(4, session="s2"))
    assert store.exchanges.around(second, 1, 2) == [first, *work]
    assert store.exchanges.around(third, 2, 5) == work
    assert store.exchanges.growing("s1") == (third, None)
    with store.transaction():
        store.exchanges.delete(keys(store, third))
    assert store.exchanges.growing("s1") == (second, work[1])
    assert store.exchanges.growing("unknown") == (None, None)


def test_finding_by_place_and_time(store):
    some = [exchange(number) for number in range(1, 6)]
    other = exchange(9, session="s2", branch="topic", folder="/elsewhere", part=1, root_turn=1)
    put(store, *some, other)
    exchanges = store.exchanges
    assert exchanges.find(ExchangeQuery()) == [other, *reversed(some)]
    assert exchanges.find(ExchangeQuery(limit=2, offset=1)) == [some[4], some[3]]
    assert exchanges.find(ExchangeQuery(branch="topic")) == [other]
    assert exchanges.find(ExchangeQuery(folder="/home/me/project", work=False, limit=1)) == [some[4]]
    assert exchanges.count(ExchangeQuery(work=False)) == 5
    since, until = some[1].ended_at, some[3].ended_at
    assert exchanges.find(ExchangeQuery(since=since, until=until)) == [some[2], some[1]]
    assert exchanges.find(ExchangeQuery(commits=("abc1234", "abc12345"))) == [other, *reversed(some)]
    assert exchanges.find(ExchangeQuery(commits=("0123456",))) == []
    assert exchanges.oldest(2) == keys(store, *some[:2])
    assert exchanges.oldest(9, before=some[1].ended_at) == keys(store, some[0])


def test_the_oldest_that_there_is_no_room_for(store):
    some = [exchange(number, conclusion="ä" * 500) for number in range(1, 6)]
    unknown = exchange(9, ended_at=None)  # kept before the others ended
    put(store, *some, unknown)
    each = 1800 + 2 * sum(
        len(text.encode()) for text in (some[0].asked, some[0].message, some[0].opening, some[0].conclusion)
    )
    assert store.exchanges.beyond(10 * each) == []
    assert store.exchanges.beyond(3 * each) == keys(store, unknown, *some[:2])
    assert store.exchanges.beyond(3 * each - 1) == keys(store, unknown, *some[:3])
    assert len(store.exchanges.beyond(0)) == 6


def test_what_the_person_said_since_is_read_in_the_order_in_which_it_was_kept(store):
    said = [exchange(number) for number in (3, 1, 2)]
    put(store, said[0], exchange(7, opener="agent", message=""), exchange(8, part=1, root_turn=10), *said[1:])
    found = store.exchange_search.added_after(0, 10)
    assert [one for _, one in found] == said
    assert store.exchange_search.added_after(found[0][0], 1) == [found[1]]
    assert not store.exchange_search.added_after(found[-1][0], 10)


def test_deleted_exchanges_leave_no_vectors_but_those_that_others_have(store):
    put(store, exchange(1), exchange(2))
    first, second = keys(store, exchange(1), exchange(2))
    attach(store, first, vector(1, 1, 1, 1), vector(1, 1, -1, 1))
    attach(store, second, vector(1, -1, 1, 1), None)
    with store.transaction():
        shared = store.exchange_vectors.keys_of([f"{first}-0".encode()])[f"{first}-0".encode()]
        store.exchange_vectors.attach({second: (shared, None)})
        assert store.exchanges.delete([first]) == 1
    assert store.exchange_search.nearest(vector(1, 1, 1, 1), 1, None, MODEL) == [second]
    assert store.vectors.agrees()
    assert list(store.exchange_vectors.keys_of([f"{first}-{place}".encode() for place in range(2)])) == [
        f"{first}-0".encode()
    ]


def test_sessions_are_told_by_their_exchanges(store):
    put(store, exchange(1), exchange(2, files=("a.py", "src/parser.py")), exchange(3, session="s2"))
    put(store, exchange(4, opener="agent", part=1, root_turn=20, message=""))
    latest, other = store.exchanges.sessions(ExchangeQuery())
    assert (latest.session, other.session) == ("s1", "s2")
    assert latest.exchanges == 2
    assert latest.asked == exchange(1).message
    assert latest.concluded == exchange(4).conclusion
    assert latest.files == ("src/parser.py", "a.py")
    assert (latest.started_at, latest.ended_at) == (exchange(1).started_at, exchange(4).ended_at)
    assert store.exchanges.sessions(ExchangeQuery(limit=1, offset=1)) == [other]


def test_words_find_in_every_part_and_rare_ones_count_more(store):
    some = [exchange(number) for number in range(1, 40)]
    one = exchange(50, asked="Which index: btree or quicksilver?", message="btree", opening="", conclusion="")
    two = exchange(51, asked="", message="Go ahead", conclusion="Moved to quicksilver, since it is faster.")
    put(store, *some, one, two)
    put(store, exchange(52, message="ok", asked="", opening="", conclusion=""), terms="quicksilver")
    search = store.exchange_search
    found = search.match(counted(store, "quicksilver", "parser", "btree", "nowhere"), 5, None)
    assert [key for key, _ in found[:1]] == keys(store, one)
    assert {key for key, _ in found[:3]} >= set(keys(store, two))
    assert found == sorted(found, key=lambda entry: -entry[1])
    assert search.frequencies(["quicksilver", "parser", "nowhere", ""]) == [3, 39, 0, 0]
    assert search.match({}, 5, None) == search.match({"nowhere": 1}, 5, None) == []
    only = ExchangeQuery(until=two.started_at)
    assert [key for key, _ in search.match({"quicksilver": 1}, 5, only)] == keys(store, one)
    assert search.size() >= 42


def test_more_words_find_where_the_rarest_find_too_few(store, monkeypatch):
    monkeypatch.setattr(rows, "MOST_FOUND", 3)
    monkeypatch.setattr(rows, "MOST_READ", 4)
    put(store, *(exchange(number) for number in range(1, 9)), exchange(20, message="quicksilver"))
    rare, *others = store.exchange_search.match(counted(store, "parser", "quicksilver"), 4, None)
    assert rare[0] == keys(store, exchange(20))[0]
    assert len({key for key, _ in others} & {*keys(store, *map(exchange, range(1, 9)))}) == 3
    only = ExchangeQuery(until=exchange(2).ended_at)
    assert [
        key for key, _ in store.exchange_search.match(counted(store, "parser", "quicksilver"), 4, only)
    ] == keys(store, exchange(1))


def test_the_nearest_by_either_vector(store):
    some = [exchange(number) for number in range(1, 5)]
    put(store, *some)
    first, second, third, _ = keys(store, *some)
    attach(store, first, vector(1, 1, 1, 1), vector(-1, -1, -1, -1))
    attach(store, second, vector(1, 1, 1, -1), vector(1, -1, -1, -1))
    attach(store, third, None, vector(-1, 1, 1, 1))
    search = store.exchange_search
    for _ in range(3):  # by the database, then by what is held in memory
        assert search.nearest(vector(1, 1, 1, 1), 3, None, MODEL)[:1] == [first]
        assert search.nearest(vector(1, -1, -1, -1), 1, None, MODEL) == [second]
        later = ExchangeQuery(since=some[1].ended_at)
        assert sorted(search.nearest(vector(1, 1, 1, 1), 3, later, MODEL)) == [second, third]
    assert search.nearest(vector(1, 1, 1, 1), 3, None, "another") == []
    with store.transaction():
        store.exchanges.delete([first])
    assert first not in search.nearest(vector(1, 1, 1, 1), 3, None, MODEL)
    put(store, exchange(9))
    (new,) = keys(store, exchange(9))
    attach(store, new, vector(1, 1, 1, 1), None)
    assert search.nearest(vector(1, 1, 1, 1), 1, None, MODEL) == [new]
    (facts,) = search.facts([new, first], None, MODEL)
    assert (facts.answered, facts.outcome) == (quantised(vector(1, 1, 1, 1)), None)
    assert search.facts([new], None, None)[0].answered is None


@pytest.mark.parametrize("memories_first", [True, False])
def test_vectors_of_memories_and_exchanges_stay_apart(store, memories_first):
    put(store, exchange(1))
    (key,) = keys(store, exchange(1))
    code = {b"a" * 16: quantised(vector(1, 1, 1, 1))}
    with store.transaction():
        mine = store.vectors.put(MODEL, code) if memories_first else {}
        theirs = store.exchange_vectors.put(MODEL, code)
        mine = mine or store.vectors.put(MODEL, code)
        store.exchange_vectors.attach({key: (theirs[b"a" * 16], None)})
    assert mine[b"a" * 16] > 0 > theirs[b"a" * 16]
    assert store.vectors.keys_of([b"a" * 16]) == mine
    assert store.exchange_vectors.keys_of([b"a" * 16]) == theirs
    assert store.vectors.made(MODEL) == 1
    assert store.vectors.agrees()
    with store.transaction():
        assert store.vectors.drop_unused() == 1  # the memories' one, which no memory has
    assert store.exchange_vectors.keys_of([b"a" * 16]) == theirs
    with store.transaction():
        assert store.exchange_vectors.release_others(MODEL, 9) == 0
        assert store.exchange_vectors.release_others("a newer one", 9) == 1
        assert store.vectors.drop_unused() == 1
    assert store.exchange_vectors.count_waiting() == 1


def test_unused_vectors_of_exchanges_are_dropped_by_maintenance(store):
    put(store, exchange(1), exchange(2))
    first, second = keys(store, exchange(1), exchange(2))
    attach(store, first, vector(1, 1, 1, 1), vector(1, 1, -1, 1))
    attach(store, second, vector(1, -1, 1, 1), None)
    with store.transaction():
        store.vectors.put(MODEL, {b"n" * 16: quantised(vector(1, 1, 1, -1))})  # the newest stays
        store.exchange_vectors.attach({first: (None, None)})
        unused = store.maintenance.unused_vectors(99)
        assert len(unused) == 2
        store.maintenance.drop_vectors([*unused, -(2**31) + 2])  # the last has an exchange
    assert store.exchange_search.nearest(vector(1, -1, 1, 1), 1, None, MODEL) == [second]
    assert store.maintenance.unused_vectors(99) == []


@pytest.mark.parametrize("ways", [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_a_copy_has_them_with_all_that_they_are_found_by(ways, empty):
    with empty(ways[0]) as source, empty(ways[1]) as target:
        some = [exchange(number) for number in range(1, 5)]
        put(source, *some, terms="quicksilver")
        (key, *_) = keys(source, *some)
        attach(source, key, vector(1, 1, 1, 1), vector(1, -1, 1, 1))
        copy(copied_tables(), source.full_copy, target.full_copy, lambda *_: None)
        target.full_copy.finish()
        assert target.exchanges.find(ExchangeQuery()) == source.exchanges.find(ExchangeQuery())
        assert target.exchange_search.frequencies(["quicksilver"]) == [4]
        assert target.exchange_search.nearest(vector(1, 1, 1, 1), 1, None, MODEL) == [key]
        assert target.maintenance.content().exchanges == 4
        assert target.check().whole
        put(source, replace(some[0], last_turn=99, conclusion="Otherwise."))
        copy(copied_tables(), source.full_copy, target.full_copy, lambda *_: None)
        assert target.exchange_search.frequencies(["otherwise"]) == [1]
        assert target.check().whole


def test_a_text_is_erased_from_exchanges_and_their_backups(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a workspace of PostgreSQL has its backups here
    told = "the launch code is correcthorsebatterystaple"
    put(store, exchange(1), exchange(2, conclusion=f"Well: {told}."), exchange(3, failed=(told,)))
    store.backups.make(NOW)
    assert store.exchanges_holding(told) == [exchange(2).id, exchange(3).id]
    done = store.erase([], [told], text=told, files=store.backups.all, now=NOW)
    assert store.exchanges.find(ExchangeQuery()) == [exchange(1)]
    assert store.exchange_search.frequencies(["correcthorsebatterystaple"]) == [0]
    assert (done.traces, done.exchanges) == ((), 2)
    assert done.backups == len(store.backups.all()) == 1
    assert store.check().whole


def test_a_purged_memory_takes_the_exchange_along_that_says_it(store):
    one = memory(1, "We deploy on Fridays only after lunch.")
    insert(store, one)
    put(store, exchange(1, message=f"Remember: {one.text}"), exchange(2))
    assert store.erase([one.id], [one.text], files=list, now=NOW).exchanges == 1
    assert store.exchanges.find(ExchangeQuery()) == [exchange(2)]


def test_workspaces_see_nothing_of_each_others(empty):
    with empty("postgres") as mine, empty("postgres") as theirs:
        put(mine, exchange(1))
        put(theirs, exchange(2), terms="quicksilver")
        (key,) = keys(theirs, exchange(2))
        attach(theirs, key, vector(1, 1, 1, 1), None)
        assert mine.exchanges.find(ExchangeQuery()) == [exchange(1)]
        assert mine.exchanges.get([exchange(2).id]) == []
        assert (
            mine.exchange_search.match(counted(mine, "quicksilver", "option"), 5, None)[0][0]
            == keys(mine, exchange(1))[0]
        )
        assert mine.exchange_search.frequencies(["quicksilver", "parser"]) == [0, 1]
        for _ in range(2):
            assert mine.exchange_search.nearest(vector(1, 1, 1, 1), 5, None, MODEL) == []
        assert mine.exchanges.sessions(ExchangeQuery())[0].exchanges == 1
        with mine.transaction():
            mine.exchanges.delete([key, key + 1])
        assert theirs.exchanges.count(ExchangeQuery()) == 1


# -- Documents on every engine: ingested, found, framed, followed, copied and erased alike.
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


def put_document(store, path, text, at, domain=None):
    made = make(Source(path, text.encode(), ".", at, domain), at, count)
    with store.transaction():
        store.documents.put(made.document, made.chunks)


@pytest.fixture
def filled(store, clock):
    for path, text in TEXTS.items():
        put_document(store, path, text, clock())
    return store


def attach_vectors(store, *vectors):
    waiting = store.chunk_vectors.waiting(9)
    codes = {f"{one:016}".encode(): quantised(each) for (one, _), each in zip(waiting, vectors, strict=False)}
    with store.transaction():
        keys = list(store.chunk_vectors.put(MODEL, codes).values())
        store.chunk_vectors.attach({one: (key,) for (one, _), key in zip(waiting, keys, strict=False)})
    return [one for one, _ in waiting]


def test_the_nearest_are_chunks_and_no_others(filled):
    first, second, third = attach_vectors(
        filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1)
    )
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
    attach_vectors(filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1))
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
    attach_vectors(filled, vector(1, 1, 1, 1), vector(1, 1, 1, -1), vector(-1, -1, -1, -1))
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
