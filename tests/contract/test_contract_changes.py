"""What changes beside a memory, on every engine: its vectors, symbols, records, validations, copies."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from example_memories import AT, attach, code, id_of, insert, memory, update
from recortex import Cortex
from recortex.consolidation.consolidating import Consolidating
from recortex.domain.memory import FileLink, SymbolLink
from recortex.domain.reports import Check
from recortex.domain.search import MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Origin, Scope, Status
from recortex.embeddings.building import EmbedderChain, HashedEmbedder, Shape, ShapedEmbedder
from recortex.storage.postgres.store import PgStore
from recortex.storage.records import rows as kept_rows
from repositories import git

# -- What a change of the embedding model needs of a store, on every engine.
NOW = to_micros(AT)


def vectors_of(store, count, model, first=1):
    """Memories, each with a vector of its own by a model."""
    made = [memory(number, f"Statement {number}") for number in range(first, first + count)]
    insert(store, *made)
    for one in made:
        attach(store, one, code(1, -1), model)
    return made


def test_the_most_important_and_most_used_come_first(store):
    made = [
        memory(1, "low", priority=2),
        memory(2, "often used", priority=5, access_count=3),
        memory(3, "older", priority=5),
        memory(4, "newer", priority=5),
        memory(5, "critical", priority=9),
    ]
    insert(store, *made)
    ranked = [id_of(number) for number in (5, 2, 4, 3, 1)]
    assert store.vectors.pending(10, best_first=True) == ranked
    assert store.vectors.pending(2, best_first=True) == ranked[:2]
    assert sorted(store.vectors.pending(10)) == sorted(ranked)
    for one in made:
        attach(store, one, code(1, -1), "old")
    (old,) = store.vectors.others("new")
    assert store.vectors.outdated([old], 10) == ranked
    assert store.vectors.outdated([old], 3) == ranked[:3]
    assert store.vectors.outdated([], 3) == []


def test_what_has_the_wanted_vector_or_needs_none_is_not_outdated(store):
    vectors_of(store, 3, "old")
    vectors_of(store, 2, "new", first=10)
    insert(store, memory(20, "gone", status=Status.ARCHIVED), memory(21, "waits"))
    attach(store, memory(20, "gone"), code(1, 1, -1), "old")
    others = store.vectors.others("new")
    assert list(others.values()) == ["old"]
    assert store.vectors.count_outdated(others) == 3
    assert sorted(store.vectors.outdated(others, 9)) == [id_of(number) for number in (1, 2, 3)]
    assert (store.vectors.made("new"), store.vectors.made("old")) == (2, 4)
    assert store.vectors.count_pending() == 1
    assert sorted(store.vectors.others("none").values()) == ["new", "old"]


def test_a_stand_in_replaces_no_vector(store):
    one, other = [*vectors_of(store, 1, "wanted"), memory(2, "waits")]
    insert(store, other)
    with store.transaction():
        keys = store.vectors.put("stand-in", {b"a" * 16: code(-1, 1), b"b" * 16: code(1, 1, -1)})
        store.vectors.attach(
            [
                (one.id, keys[b"a" * 16], bytes.fromhex(one.content_hash)),
                (other.id, keys[b"b" * 16], bytes.fromhex(other.content_hash)),
            ],
            first=True,
        )
    assert store.vectors.codes_of([one.id, other.id], "wanted") == {one.id: code(1, -1)}
    assert store.vectors.codes_of([one.id, other.id], "stand-in") == {other.id: code(1, 1, -1)}


def test_former_vectors_go_when_no_memory_has_them(store):
    made = vectors_of(store, 3, "old")
    for one in made[:2]:
        attach(store, one, code(-1, 1), "new")
    others = store.vectors.others("new")
    assert store.vectors.made("old") == 3  # kept, so that going back costs nothing
    assert store.vectors.drop_left_behind(others) == 2
    assert (store.vectors.made("old"), store.vectors.made("new")) == (1, 2)
    assert store.vectors.codes_of([made[2].id], "old")
    assert store.vectors.drop_left_behind(others) == 0


def test_progress_adds_up_until_it_is_finished(store):
    assert store.vectors.reembedding("new") is None
    store.vectors.reembedded("new", NOW, done=50, milliseconds=400)
    store.vectors.reembedded("new", NOW + 5, done=7, milliseconds=100)
    assert tuple(store.vectors.reembedding("new")) == (NOW, None, 57, 500)
    store.vectors.reembedded("abandoned", NOW, done=1, milliseconds=1)
    store.vectors.finish_reembedding("new", NOW + 9)
    assert tuple(store.vectors.reembedding("new")) == (NOW, NOW + 9, 57, 500)
    assert store.vectors.reembedding("abandoned") is None
    store.vectors.reembedded("new", NOW + 20, done=2, milliseconds=30)
    assert tuple(store.vectors.reembedding("new")) == (NOW + 20, None, 2, 30)


def test_an_embedder_s_vectors_can_be_forgotten_with_their_length(store):
    made = vectors_of(store, 3, "model")
    vectors_of(store, 1, "another", first=9)
    assert store.vectors.dimensions("model") == len(code(1))
    assert store.vectors.forget("model") == 3
    assert store.vectors.dimensions("model") is None
    assert store.vectors.count_pending() == 3
    assert store.vectors.made("another") == 1
    with store.transaction():
        keys = store.vectors.put("model", {b"short": b"\x01\xff" * 8})
        store.vectors.attach([(made[0].id, keys[b"short"], bytes.fromhex(made[0].content_hash))])
    assert store.vectors.dimensions("model") == 16
    assert store.vectors.codes_of([made[0].id], "model") == {made[0].id: b"\x01\xff" * 8}


def test_a_claim_is_given_once(store, layout):
    with store.vectors.claimed() as held:
        assert held
        if layout != "sqlite":
            with (
                closing(PgStore(store.address, clock=lambda: AT, connections=2)) as other,
                other.vectors.claimed() as second,
            ):
                assert not second
    with store.vectors.claimed() as again:
        assert again


def test_a_store_changes_its_model_in_the_middle_of_use(project, clock, layout, server):
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    short = ShapedEmbedder(HashedEmbedder(), Shape(dimensions=64))
    with Cortex.open(project, url=url, clock=clock) as cortex:
        services = cortex._app.services(Scope.PROJECT)
        services.embedding._embedder = services.retrieval._embedder = EmbedderChain([HashedEmbedder()])
        wishes = [{"text": f"The service number{place} listens on {8000 + place}"} for place in range(120)]
        cortex.remember_many(wishes, link=False)
        services.embedding._embedder = services.retrieval._embedder = EmbedderChain([short])
        for limit, left in ((70, 50), (0, 0)):
            assert cortex.reembed(limit=limit).left == left
            for place in (3, 60, 119):
                hits = cortex.recall(f"What does number{place} listen on?").hits
                assert hits[0].memory.text.endswith(str(8000 + place))
        assert services.store.vectors.others(short.name) == {}
        assert (services.store.vectors.made(short.name), services.store.vectors.made("hashed-tfidf")) == (
            120,
            0,
        )
        assert cortex.status().stores[0].model_change is None


# -- The symbols that memories hang on are kept alike on every engine.
OPEN = SymbolLink(
    "src/store.py", "Store.open", "method", 2, "a" * 32, 10, 22, b"\1\2\0\0", "c" * 40, b"k" * 32
)
SHUT = replace(OPEN, name="Store.shut", first=24, last=30)
USED = replace(OPEN, path="src/files.py", name="read", role="caller")


def put(store, number, *links, role="about"):
    (one,) = store.memories.get([id_of(number)])
    with store.transaction():
        store.symbols.put(one, links, role)
        store.symbols.looked(one, f"said {number}")


def kept(store, number):
    return store.symbols.find_links([id_of(number)]).get(id_of(number), [])


def test_links_are_given_back_as_they_were_and_put_in_place_of_former_ones(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN, SHUT)
    put(store, 1, USED, role="caller")
    put(store, 2, SHUT)
    assert kept(store, 1) == [OPEN, SHUT, USED]
    put(store, 1, replace(OPEN, hash="b" * 32, last=25))
    assert kept(store, 1) == [replace(OPEN, hash="b" * 32, last=25), USED]
    assert kept(store, 2) == [SHUT]
    assert store.symbols.find_hashes([id_of(1), id_of(9)]) == {id_of(1): "said 1"}


def test_a_memory_is_looked_at_once_in_each_of_its_states(store):
    insert(store, memory(1), memory(2), memory(3, status=Status.ARCHIVED))
    assert store.symbols.unlinked(9) == [id_of(2), id_of(1)]
    put(store, 2)
    assert store.symbols.unlinked(9) == [id_of(1)]
    (old,) = store.memories.get([id_of(2)])
    update(store, old, replace(old, text="Another text.", updated_at=AT + timedelta(hours=1)))
    assert store.symbols.unlinked(1) == [id_of(2)]
    put(store, 1, OPEN)
    assert store.symbols.linked(9) == [id_of(1)]


def test_what_hangs_on_functions_of_a_file_is_found_with_its_role(store):
    insert(store, memory(1), memory(2), memory(3, status=Status.PROPOSED))
    put(store, 1, OPEN, SHUT)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    put(store, 3, OPEN)
    rows = [(id_of(1), "about", "Store.open"), (id_of(2), "caller", "Store.open")]
    assert store.symbols.hanging("src/store.py", ["open", "close"]) == rows
    assert store.symbols.hanging("src/other.py", ["open"]) == []
    assert store.sessions.cited(["src/store.py", "src/other.py"]) == ["src/store.py"]


def test_a_function_is_searched_by_either_of_its_names(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    for name in ("open", "Store.open"):
        assert [one.id for one in store.memories.find(MemoryQuery(functions=(name,)))] == [id_of(1)]
    assert store.memories.count(MemoryQuery(functions=("shut",))) == 0


def test_what_hangs_on_a_symbol_is_about_its_file(store):
    insert(store, memory(1), memory(2))
    put(store, 1, OPEN)
    put(store, 2, replace(OPEN, role="caller"), role="caller")
    for path in ("src/store.py", "src/"):
        assert [one.id for one in store.memories.find(MemoryQuery(files=(path,)))] == [id_of(1)]


def test_links_go_with_their_memory(store):
    insert(store, memory(1))
    put(store, 1, OPEN)
    with store.transaction():
        store.memories.delete(id_of(1))
    assert store.symbols.hanging("src/store.py", ["open"]) == []
    assert store.symbols.unlinked(9) == []


# -- A project's records and commits are followed in the same way by every engine.
WHEN = "2024-03-01T00:00:00Z"
NEW = "# 2. Use the post\n\nDate: 2024-02-02\n\n## Status\n\n{}\n\n## Decision\n\nWe use the post.\n"
OLD = "# 1. Use pigeons\n\nDate: 2024-01-01\n\n## Status\n\n{}\n\n## Decision\n\nWe use pigeons.\n"


def made(folder, old="Superseded by ADR 2"):
    (folder / "adr").mkdir(parents=True)
    (folder / "adr" / "0001-pigeons.md").write_text(OLD.format(old))
    (folder / "adr" / "0002-post.md").write_text(NEW.format("Accepted"))
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Switch from pigeons to the post", at=WHEN)
    return folder


@pytest.fixture
def url(tmp_path, layout, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    return f"sqlite:///{tmp_path}/shared.db" if layout == "sqlite" else server.workspace_url(layout)


def standing(cx):
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    return sorted((one.source.rule, one.text.partition("\n")[0], one.status.value) for one in found)


def test_records_and_commits_are_followed(tmp_path, url, clock):
    root = made(tmp_path / "one")
    with Cortex.open(root, url=url, clock=clock) as cx:
        assert (cx.import_("adr").added, cx.import_("git").added) == (2, 1)
        assert (cx.import_("adr").unchanged, cx.import_("git", rebuild=True).unchanged) == (2, 1)
        assert standing(cx) == [
            ("commit_decision", "Switch from pigeons to the post.", "active"),
            ("decision_record", "We use pigeons.", "superseded"),
            ("decision_record", "We use the post.", "active"),
        ]
        (root / "adr" / "0001-pigeons.md").write_text(OLD.format("Accepted"))
        assert cx.import_("adr").changed == 1
        assert {status for _, _, status in standing(cx)} == {"active"}


def test_projects_that_share_a_store_end_nothing_of_each_other(tmp_path, url, layout, clock):
    if layout != "sqlite":
        pytest.skip("a server's workspace is one project's")
    with Cortex.open(made(tmp_path / "one"), url=url, clock=clock) as cx:
        cx.import_("adr")
        cx.import_("git")
        before = standing(cx)
    (tmp_path / "two" / "adr").mkdir(parents=True)
    (tmp_path / "two" / "adr" / "0001-other.md").write_text(
        OLD.format("Accepted").replace("pigeons", "ships")
    )
    git(tmp_path / "two", "init", "-q", "-b", "main", ".")
    git(tmp_path / "two", "add", ".")
    git(tmp_path / "two", "commit", "-q", "-m", "Drop support for ships", at=WHEN)
    with Cortex.open(tmp_path / "two", url=url, clock=clock) as cx:
        assert (cx.import_("adr").added, cx.import_("adr").ended) == (1, 0)
        assert (cx.import_("git").added, cx.import_("git", rebuild=True).ended) == (1, 0)
        assert set(before) < set(standing(cx))


# -- What a validation leaves behind in a store: columns of a memory that are no state of it.
LINK = FileLink("src/a.py", 3, 8, "f" * 64, "c" * 40, "2.signature")
LATER = AT + timedelta(hours=5)


def validated(store, number=1):
    (one,) = store.statistics.find_by_ids([id_of(number)])
    return one.checked_at, one.standing, one.standing_since


def note(store, *checks, at=AT):
    with store.transaction():
        store.memories.check(checks, at)


def found(number, cited, verdict=""):
    return Check(id_of(number), AT, cited, verdict)


def test_a_check_is_kept_beside_the_state_and_since_when_it_holds(store):
    insert(store, memory(1, files=(LINK,)))
    assert validated(store) == (None, None, None)
    note(store, found(1, 0.5, "citation:moderate"))
    assert validated(store) == (to_micros(AT), 0.5, to_micros(AT))
    note(store, found(1, 0.5, "citation:moderate"), at=LATER)
    assert validated(store) == (to_micros(LATER), 0.5, to_micros(AT))
    note(store, found(1, None), at=LATER)
    assert validated(store) == (to_micros(LATER), None, to_micros(LATER))
    (one,) = store.memories.get([id_of(1)])
    assert (one.version, one.files, len(store.memories.history(one.id))) == (1, (LINK,), 1)


def test_a_state_that_changed_meanwhile_is_left_alone(store):
    insert(store, memory(1))
    note(store, Check(id_of(1), LATER, 1.0, ""))
    assert validated(store) == (None, None, None)


def test_a_change_keeps_the_check_unless_other_code_is_cited(store):
    insert(store, memory(1, files=(LINK,)))
    note(store, found(1, 0.5, "citation:moderate"))
    (old,) = store.memories.get([id_of(1)])
    retagged = update(store, old, replace(old, tags=("db",), updated_at=LATER))
    assert validated(store)[1] == 0.5
    assert store.memories.verdicts([id_of(1)]) == {id_of(1): "citation:moderate"}
    update(store, retagged, replace(retagged, files=(replace(LINK, path="src/b.py"),), updated_at=LATER))
    assert validated(store) == (None, None, None)
    assert store.memories.verdicts([id_of(1)]) == {}


def test_those_that_were_never_checked_come_first_then_the_longest_ago(store):
    insert(store, *(memory(number, f"Fact {number}") for number in range(1, 5)))
    insert(store, memory(5, status=Status.ARCHIVED), memory(6, origin=Origin.REPOSITORY))
    insert(store, memory(7, kind="code"))
    note(store, found(1, 1.0), at=LATER)
    note(store, found(2, 1.0))
    assert store.memories.unchecked(LATER, 9) == [id_of(3), id_of(4), id_of(2), id_of(1)]
    assert store.memories.unchecked(AT, 9) == [id_of(3), id_of(4), id_of(2)]
    assert store.memories.unchecked(AT, 1) == [id_of(3)]


def test_rows_that_were_sealed_before_there_were_signatures_still_fit(store):
    plain = replace(LINK, signature="")
    (key,) = insert(store, memory(1, files=(plain,)))
    database = store.database
    row = database.rows("SELECT path, line_start, line_end, content_hash, commit_id FROM memory_files "
                        "WHERE /*own*/ memory_key = ?", (key,))[0]  # fmt: skip
    assert kept_rows._since_sealed("files", [(*row, "")]) == [tuple(row)]
    assert list(kept_rows.unfit_rows(database.rows, database.queries("memories"))) == []
    with store.transaction():
        database.rows("UPDATE memory_files SET signature = 'x' WHERE /*own*/ memory_key = ?", (key,))
    assert [one.id for one in kept_rows.unfit_rows(database.rows, database.queries("memories"))] == [id_of(1)]


# -- Consolidation from the plan to the merged memory and back, on every engine, with the shipped model.
SAID = (
    ("How is the site deployed?", "The release workflow on GitHub Actions deploys the site."),
    ("what deploys the site?", "The site is deployed by the release workflow on GitHub Actions."),
    ("deployment of the site", "GitHub Actions deploys the site with the release workflow."),
    ("Why is the search index so large?", "Stop words were kept in it."),
)


@pytest.fixture
def cortex(project, clock, layout, server):
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.fixture
def episodes(cortex, clock):
    """Three episodes on one matter and one on another, ten days old."""
    kept = [
        cortex.remember(kind="episodic", content={"user_query": asked, "agent_response": answered})
        for asked, answered in SAID
    ]
    clock.pass_(days=10)
    return kept


def statuses(cortex, memories):
    return [cortex.get(one.id).status for one in memories]


def test_episodes_become_knowledge_that_is_found_and_undone_as_one_change(cortex, episodes):
    *same, other = episodes
    (planned,) = cortex.consolidate("plan").groups
    assert statuses(cortex, episodes) == [Status.ACTIVE] * 4
    (group,) = cortex.consolidate("run").groups
    assert (group.refused, group.result) == ("", "strengthened")
    assert group.memory.text == planned.memory.text
    assert statuses(cortex, same) == [Status.SUPERSEDED] * 3
    assert cortex.get(other.id).status is Status.ACTIVE
    assert cortex.recall("how is the site deployed?").hits[0].memory.id == group.memory.id
    assert cortex.consolidate("metrics").metrics["precision"] >= 0.7
    assert cortex.consolidate("run").groups == ()
    cortex.undo(group.memory.id)
    assert statuses(cortex, episodes) == [Status.ACTIVE] * 4


def test_what_another_process_changed_meanwhile_is_left_as_it_is(cortex, clock, episodes):
    engine = Consolidating(cortex._app.all_services()[0], now=clock(), actor=Actor.USER)
    (proposal,) = engine.plan().proposals
    cortex.forget(episodes[0].id)
    assert engine.carry_out(proposal) is None
    assert statuses(cortex, episodes) == [Status.ARCHIVED, *[Status.ACTIVE] * 3]
    assert cortex.list(kinds=["semantic"]).memories == ()


def test_what_a_person_keeps_apart_is_not_merged(cortex, episodes):
    one, two, three, _ = episodes
    cortex.review("both", [one.id, two.id])
    cortex.review("both", [one.id, three.id])
    cortex.review("both", [two.id, three.id])
    assert cortex.consolidate("plan").groups == ()
