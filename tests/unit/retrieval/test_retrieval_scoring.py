from dataclasses import replace
from pathlib import Path

from recortex import storage
from recortex.domain.search import BM25_WEIGHTS_DOUBLED, Facts
from recortex.engines.indexing import Trait
from recortex.engines.retrieval.question import question
from recortex.engines.retrieval.scorer import (
    FLOOR,
    Evidence,
    Support,
    answerable,
    score,
)
from recortex.engines.retrieval.weights import Lookup, Vocabulary


def facts(key, **more):
    usual = {
        "kind": "tribal", "session": "", "turn": None, "speaker": "", "valid_from": 0, "recorded_at": 0,
        "last_accessed_at": None, "confidence": 1.0, "priority": 5, "traits": 0,
    }  # fmt: skip
    return Facts(key=key, **{**usual, **more})


def ranked(asked, candidates, **more):
    evidence = Evidence(**{"facts": candidates, "keyword": {}, "semantic": {}, "now": 0, **more})
    return [one.facts.key for one in score(question(asked), evidence)]


def test_a_turn_gains_from_its_neighbours():
    turns = [facts(n, session=f"s{n}", turn=1, traits=int(Trait.DIALOGUE)) for n in (1, 2)]
    found = ranked("running", turns, semantic={1: 0.3, 2: 0.3, 11: 0.0, 12: 0.9}, around={1: [11], 2: [12]})
    assert found == [2, 1]


def test_the_weights_of_columns_are_those_of_the_sqlite_query():
    query = (Path(storage.__file__).parent / "sql/sqlite/search.sql").read_text(encoding="utf-8")
    text, *more = (str(weight / 2) for weight in BM25_WEIGHTS_DOUBLED.values())
    assert f"bm25(memories_fts, {text}, {', '.join(f'{one} * ?3' for one in more)})" in query


def test_words_alone_and_meaning_alone_can_answer():
    assert answerable(Support(coverage=0.5, unknown=0.1, unknown_names=0.0)) > FLOOR
    assert answerable(Support(coverage=None, unknown=0.1, unknown_names=0.0, likeness=0.6)) > FLOOR
    assert answerable(Support(coverage=0.05, unknown=0.8, unknown_names=0.0)) < FLOOR


def test_between_two_languages_likeness_alone_decides():
    strange = Support(coverage=0.0, unknown=1.0, unknown_names=1.0, likeness=0.3)
    assert answerable(strange) < FLOOR < answerable(replace(strange, across=True))
    assert answerable(replace(strange, across=True, likeness=0.2)) < FLOOR


def test_of_common_words_alone_so_many_must_be_together_that_few_memories_are_found():
    vocabulary = Vocabulary(1_000_000, {"one": 30_000, "two": 60_000, "three": 90_000})
    assert vocabulary.lookup() == Lookup(("one", "two"), all_required=True, score_only=("three",))
    assert Vocabulary(1_000_000, {"one": 30_000}).lookup() == Lookup(("one",))
    assert Vocabulary(1_000_000, {"one": 300_000, "two": 400_000}).lookup() == Lookup(
        ("one", "two"), all_required=True
    )
