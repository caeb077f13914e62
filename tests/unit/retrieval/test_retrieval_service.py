from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import drawn
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory, Source
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor
from recortex.embeddings.building import EmbedderChain, HashedEmbedder
from recortex.engines.indexing import search_text
from recortex.engines.ingestion.normalisation import Embedding
from recortex.engines.retrieval.service import Retrieval
from recortex.engines.similarity import content_hash
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
NOTES = (
    "Use bcrypt with 12 rounds for hashing passwords in the login service",
    "Deploy with make release, never by hand", "getUserName trims whitespace since version 2",
    "The queue worker needs Redis on port 6380", "数据库迁移必须在部署之前运行", "Carrier labels are printed as ZPL",
)  # fmt: skip


def memory(number, text, kind="tribal", **more):
    kind = Kind(kind)
    return Memory(
        id=str(UUID(int=number + (4 << 76) + (8 << 60))), kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=NOW, updated_at=NOW, valid_from=NOW,
        content_hash=content_hash(kind, text), **more,
    )  # fmt: skip


def filled(memories, embedder):
    store = SqliteStore(Path(":memory:"), backups=Path(), clock=lambda: NOW)
    with store.transaction():
        for one in memories:
            store.memories.insert(one, search_text(one), actor=Actor.USER)
    Embedding(store, embedder).embed(memories)
    return store


@pytest.fixture(scope="module")
def embedder():
    return EmbedderChain([HashedEmbedder()])


@pytest.fixture(scope="module")
def notes(embedder):
    store = filled([memory(n, text) for n, text in enumerate(NOTES)], embedder)
    yield Retrieval(store.search, embedder)
    store.close()


def texts(found):
    return [hit.memory.text for hit in found.hits]


@pytest.mark.parametrize("recipe", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hashing passwords with bcrypt", 0),
        ("bcrypt", 0),
        ("deploy with make", 1),
        ("redis port of the queue worker", 3),
    ],
)
def test_every_recipe_finds_the_answer(notes, recipe, asked, answer):
    assert texts(notes.recall(asked, limit=3, now=NOW, recipe=recipe))[0] == NOTES[answer]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("getUserName", 2), ("user name", 2), ("get_user_name", 2), ("数据库", 4), ("迁移", 4)],
)
def test_identifiers_in_any_spelling_and_scripts_without_spaces_are_found(notes, asked, answer):
    assert texts(notes.recall(asked, limit=1, now=NOW)) == [NOTES[answer]]


@pytest.mark.parametrize("asked", ["", "  ", "\0", "the of and", "!?"])
def test_a_question_that_asks_for_nothing_has_no_hits_even_without_a_floor(notes, asked):
    assert notes.recall(asked, limit=5, now=NOW, floor=False).hits == ()


@pytest.mark.parametrize(
    "asked",
    ['"', '" OR "', "NEAR(a b)", "a AND NOT b", "x*", "((((", "text:foo", "{terms} : x", "^a", "a\0b",
     "'; DROP", "a" * 1_000_000, "ab " * 300_000, "\ud800 bcrypt"],
)  # fmt: skip
def test_hostile_questions_are_questions(notes, asked):
    assert len(notes.recall(asked, limit=5, now=NOW).hits) <= 5


@settings(max_examples=drawn(40), deadline=None)
@given(
    asked=st.lists(
        st.sampled_from(
            ["bcrypt", "deploy", "make", "queue", "redis", "labels", "carrier", "rounds", "unheard"]
        ),
        min_size=1,
        max_size=4,
    ).map(" ".join)
)
def test_hybrid_holds_what_words_find_and_what_meaning_finds(notes, asked):
    ids = {
        recipe: {
            hit.memory.id for hit in notes.recall(asked, limit=50, now=NOW, recipe=recipe, floor=False).hits
        }
        for recipe in ("hybrid", "keyword", "semantic")
    }
    assert ids["keyword"] | ids["semantic"] <= ids["hybrid"]


def test_filters_hold_even_when_most_candidates_do_not_pass(embedder):
    many = [memory(n, f"The cache of service {n} is warmed at night") for n in range(400)]
    few = [memory(400 + n, f"The cache of the old service {n}", "decision") for n in range(3)]
    store = filled([*many, *few], embedder)
    only = MemoryQuery(kinds=(Kind("decision"),))
    found = Retrieval(store.search, embedder).recall("cache of service", limit=10, now=NOW, only=only)
    assert {hit.memory.kind for hit in found.hits} == {"decision"}
    assert len(found.hits) == 3
    store.close()


def test_the_file_that_is_named_decides(embedder):
    pair = [memory(n, f"Close the pool in {n} places", files=(FileLink(f"src/pool_{n}.py"),)) for n in (1, 2)]
    store = filled(pair, embedder)
    found = Retrieval(store.search, embedder).recall(
        "where is the pool closed in pool_2.py", limit=1, now=NOW
    )
    assert found.hits[0].memory.files[0].path == "src/pool_2.py"
    store.close()


def test_a_dialogue_is_asked_by_speaker_and_day(embedder):
    turns = [
        memory(
            n, f"I went running near the lake {n}", "conversation",
            source=Source(session=f"s{n}", turn=0, speaker=who),
        )
        for n, who in ((1, "Ann"), (2, "Bob"))
    ]  # fmt: skip
    store = filled(turns, embedder)
    found = Retrieval(store.search, embedder).recall(
        "Where did Bob go running?", limit=2, now=NOW + timedelta(days=1)
    )
    assert [hit.memory.source.speaker for hit in found.hits] == ["Bob", "Ann"]
    assert found.hits[0].signals["speaker"] == 1.0
    store.close()
