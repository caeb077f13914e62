from dataclasses import replace
from pathlib import Path

import pytest

from recortex import storage
from recortex.domain.search import BM25_WEIGHTS_DOUBLED, Facts, Links
from recortex.engines.indexing import Trait, Wording
from recortex.engines.retrieval.question import question
from recortex.engines.retrieval.scorer import (
    FLOOR,
    Evidence,
    Support,
    answerable,
    closeness,
    lacks_vector,
    score,
)
from recortex.engines.retrieval.vocabulary import Lookup, Vocabulary
from recortex.engines.retrieval.weights import CODE, DIALOGUE, PROSE, weights_of


def facts(key, **more):
    usual = {
        "kind": "tribal", "session": "", "turn": None, "speaker": "", "valid_from": 0, "recorded_at": 0,
        "last_accessed_at": None, "confidence": 1.0, "priority": 5, "traits": 0,
    }  # fmt: skip
    return Facts(key=key, **{**usual, **more})


def ranked(asked, candidates, **more):
    evidence = Evidence(**{"facts": candidates, "keyword": {}, "semantic": {}, "now": 0, **more})
    return [one.facts.key for one in score(question(asked), evidence)]


def test_words_and_meaning_both_count():
    candidates = [facts(1), facts(2), facts(3)]
    assert ranked("hash", candidates, keyword={1: 0.1, 2: 0.5}, semantic={1: 0.2, 2: 0.5, 3: 0.3})[0] == 2


def test_the_file_that_the_question_names_goes_first():
    found = ranked(
        "what about pool.py", [facts(1), facts(2)], links={2: Links(("src/pool.py",))}, files=("pool.py",)
    )
    assert found == [2, 1]


def test_the_speaker_who_is_named_goes_first():
    turns = [
        facts(n, speaker=who, session="s", turn=n, traits=int(Trait.DIALOGUE))
        for n, who in enumerate(["Ann", "Bob"])
    ]
    assert ranked("what does Bob like", turns, speakers=frozenset({"Bob"})) == [1, 0]


def test_a_turn_gains_from_its_neighbours():
    turns = [facts(n, session=f"s{n}", turn=1, traits=int(Trait.DIALOGUE)) for n in (1, 2)]
    found = ranked("running", turns, semantic={1: 0.3, 2: 0.3, 11: 0.0, 12: 0.9}, around={1: [11], 2: [12]})
    assert found == [2, 1]


@pytest.mark.parametrize("form", [0, int(Trait.DIALOGUE)])
def test_a_memory_that_waits_for_its_vector_is_weighed_by_its_words(form):
    kept = [facts(1, traits=form, vector=b"x"), facts(2, traits=form, vector=b"x")]
    keyword, semantic = {1: 0.3, 2: 0.2, 3: 0.5}, {1: 0.3, 2: 0.34}
    assert ranked("port", [*kept, facts(3, traits=form)], keyword=keyword, semantic=semantic)[0] == 3
    assert (
        ranked("port", [*kept, facts(3, traits=form)], keyword=keyword | {3: 0.1}, semantic=semantic)[-1] == 3
    )
    assert lacks_vector(facts(3))
    assert not lacks_vector(kept[0])
    assert not lacks_vector(facts(4, kind="code"))  # no vector is ever made of it


def test_tests_come_after_what_they_test_unless_asked_for():
    files = [facts(1, traits=int(Trait.OUTLINE | Trait.TEST)), facts(2, traits=int(Trait.OUTLINE))]
    assert ranked("token refresh", files, keyword={1: 0.4, 2: 0.4}) == [2, 1]


@pytest.mark.parametrize(
    ("path", "named", "value"),
    [
        ("src/a/b.py", "b.py", 1.0),
        ("src/a/b.py", "src/a", 1.0),
        ("src/a/b.py", "src/a/c.py", 0.5),
        ("src/ab.py", "b.py", 0.0),
    ],
)
def test_how_near_files_are(path, named, value):
    assert closeness(path, named) == value


def test_forms_have_their_weights_and_what_is_missing_leaves_its_weight():
    assert weights_of(int(Trait.DIALOGUE | Trait.TIME)) == DIALOGUE.bare
    assert weights_of(int(Trait.NUMBER), pieces=True) == PROSE.whole
    alone = weights_of(int(Trait.CODE), words=True, vectors=False)
    bare = CODE.bare.compared
    assert alone.compared[:2] == (bare.keyword + bare.semantic, 0.0)


def test_words_one_by_one_count_and_vectors_stand_in_for_what_has_none():
    wording = {1: Wording(0.3, 0.1, 0.3, 9), 2: Wording(0.6, 0.5, 0.6, 9)}
    alike = dict.fromkeys((1, 2), 0.5)
    assert ranked("port", [facts(1), facts(2)], semantic=alike, wording=wording) == [2, 1]
    found = ranked("port", [facts(1), facts(2), facts(3)], semantic={**alike, 3: 0.9}, wording=wording)
    assert found == [3, 2, 1]


def test_the_weights_of_columns_are_those_of_the_sqlite_query():
    query = (Path(storage.__file__).parent / "sql/sqlite/search.sql").read_text(encoding="utf-8")
    text, *more = (str(weight / 2) for weight in BM25_WEIGHTS_DOUBLED.values())
    assert f"bm25(memories_fts, {text}, {', '.join(f'{one} * ?2' for one in more)})" in query


def test_a_strange_name_needs_more_support():
    known = Support(coverage=0.3, unknown=0.0, unknown_names=0.0, likeness=0.5)
    strange = Support(coverage=0.1, unknown=0.6, unknown_names=1.0, likeness=0.4)
    assert answerable(known) > FLOOR > answerable(strange)


def test_words_alone_and_meaning_alone_can_answer():
    assert answerable(Support(coverage=0.5, unknown=0.1, unknown_names=0.0)) > FLOOR
    assert answerable(Support(coverage=None, unknown=0.1, unknown_names=0.0, likeness=0.6)) > FLOOR
    assert answerable(Support(coverage=0.05, unknown=0.8, unknown_names=0.0)) < FLOOR


def test_between_two_languages_likeness_alone_decides():
    strange = Support(coverage=0.0, unknown=1.0, unknown_names=1.0, likeness=0.3)
    assert answerable(strange) < FLOOR < answerable(replace(strange, across=True))
    assert answerable(replace(strange, across=True, likeness=0.2)) < FLOOR


def test_rare_words_are_looked_up_first_and_words_everywhere_not_at_all():
    vocabulary = Vocabulary(1000, {"everywhere": 900, "rare": 2, "some": 100, "unknown": 0})
    assert vocabulary.lookup() == Lookup(("rare", "some"))
    assert vocabulary.common() == {"everywhere"}
    assert Vocabulary(1000, {"everywhere": 900}).lookup() == Lookup(("everywhere",))
    assert 0.0 < vocabulary.unknown() < 1.0


def test_common_words_find_nothing_but_count_where_rarer_ones_find_something():
    vocabulary = Vocabulary(
        1_000_000, {"rare": 40, "rarer": 2_900, "some": 90_000, "many": 200_000, "most": 600_000}
    )
    assert vocabulary.lookup() == Lookup(("rare", "rarer"), score_only=("some", "many"))


def test_of_common_words_alone_so_many_must_be_together_that_few_memories_are_found():
    vocabulary = Vocabulary(1_000_000, {"one": 30_000, "two": 60_000, "three": 90_000})
    assert vocabulary.lookup() == Lookup(("one", "two"), all_required=True, score_only=("three",))
    assert Vocabulary(1_000_000, {"one": 30_000}).lookup() == Lookup(("one",))
    assert Vocabulary(1_000_000, {"one": 300_000, "two": 400_000}).lookup() == Lookup(
        ("one", "two"), all_required=True
    )


def test_in_a_small_store_no_word_is_common():
    vocabulary = Vocabulary(5, {"auth": 4})
    assert vocabulary.common() == frozenset()
    assert vocabulary.lookup() == Lookup(("auth",))


def test_the_silence_of_a_small_store_says_less():
    question = {"deploy": 0, "service": 1}
    small, large = Vocabulary(12, question), Vocabulary(49, question)
    assert small.unmentioned() < large.unmentioned() < large.unknown()
