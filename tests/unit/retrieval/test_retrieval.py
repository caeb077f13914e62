"""Which memories answer a question, in which order, and what a prompt intends."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_memories import AT, memory
from generated import drawn
from recortex import storage
from recortex.domain.exchange import ExchangeHit
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory, Source
from recortex.domain.search import BM25_WEIGHTS_DOUBLED, Facts, Hit, MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor
from recortex.embeddings.building import EmbedderChain, HashedEmbedder
from recortex.engines.indexing import Trait, search_text
from recortex.engines.ingestion import Embedding
from recortex.engines.retrieval.explaining import USUAL, boosts, classify, read_matrix, rules
from recortex.engines.retrieval.question import (
    MOST_PARTS,
    NamedDate,
    agreement,
    asks_for_a_set,
    cap_scores,
    date_agreement,
    in_turns,
    named_dates,
    periods,
    question,
    split,
)
from recortex.engines.retrieval.scorer import FLOOR, Evidence, Support, answerable, lifted, score
from recortex.engines.retrieval.service import Retrieval, later_first
from recortex.engines.retrieval.weights import LIKELY, Lookup, Vocabulary, select_beside
from recortex.engines.similarity import content_hash
from recortex.errors import InvalidInputError
from recortex.storage.sqlite.store import SqliteStore

# -- Which memories answer a question, and in which order.


# -- The golden sets of retrieval: memories, a question, what is to be told, and why.
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "retrieval").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_retrieval(reading, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = [reading.remember(**one).id for one in given["memories"]]
    found = reading.recall(**given["ask"])
    told = [kept.index(hit.memory.id) for hit in found.hits]
    assert told[:1] == ([given["first"]] if "first" in given else told[:1]), given["why"]
    assert sorted(told) == given.get("found", sorted(told)), given["why"]
    assert found.tokens <= given.get("most_tokens", found.tokens), given["why"]
    for name in given.get("signals", ()):
        assert found.hits[0].signals[name] > 0, given["why"]


# -- Which memories are told beside what was said in sessions.
def hit(number, *, rule="stated", weak=False, **signals):
    one = memory(number)
    return Hit(
        memory=replace(one, source=replace(one.source, rule=rule)), score=0.6, signals=signals, weak=weak
    )


def said(score):
    return ExchangeHit(
        id="e", said_at=AT, by="person", session="s", turn=0, client="c", score=score, tokens=9
    )


SURE, UNSURE = {"keyword": 0.9, "semantic": 0.8}, {"keyword": 0.1, "semantic": 0.3}


def test_beside_unlikely_exchanges_an_unsure_one_is_told_as_weak_where_it_is_likelier():
    sure, known, unsure = hit(1, **SURE), hit(2, rule="", weak=True), hit(3, **UNSURE)
    assert list(select_beside([unsure, sure, known], [said(LIKELY / 2)])) == [sure, known]
    found = list(select_beside([unsure, sure, known], [said(LIKELY / 2_000)]))
    assert found == [replace(unsure, weak=True), sure, known]


# -- Questions that ask for more than one thing.
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("how do we hash passwords and where are the sessions stored?",
         ("how do we hash passwords", "where are the sessions stored?")),
        ("Which port does redis use? Who decided on Kafka?",
         ("Which port does redis use", "Who decided on Kafka?")),
        ("is there a largest upload, and which status says so?",
         ("is there a largest upload", "which status says so?")),
        ("what does Ann do at night and what did John do with his kids?",
         ("what does Ann do at night", "what did John do with his kids?")),
    ],
)  # fmt: skip
def test_two_questions_in_one(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "how do we hash passwords and where are they stored?",
        "which port does redis use? And who decided that?",
    ],
)
def test_a_part_that_leans_on_another_is_asked_with_all(text):
    first, second = split(text)
    assert second == text
    assert first != text


@pytest.mark.parametrize(
    "text",
    [
        "how do we hash passwords?", "why redis and why not memcached?", "when and where do we deploy?",
        "what did Ann say about how and when we deploy?",
        "what is the difference between how A works and how B works?", "fix the login and add a test",
        "how are retries bounded, and why?", "", "what is it and what is it and what is it? " * 50,
    ],
)  # fmt: skip
def test_one_question_stays_whole(text):
    assert split(text) == (text,)


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["how", "what", "and", "?", "redis", "stored", ";", ",", "they"])).map(
        " ".join
    )
)
def test_any_text_has_few_parts_with_words_of_it(text):
    found = split(text)
    assert 1 <= len(found) <= MOST_PARTS
    assert all(one in text for one in found)


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("which services use Redis?", True), ("which days do we release?", True),
        ("what are the ports of the services?", True), ("what kinds of tests do we have?", True),
        ("list all environments", True), ("which indexes exist", True),
        ("what reads the token stream in the parser module?", False),
        ("which port does the license server use?", False), ("what happens when redis is down?", False),
        ("what is the status of the release?", False), ("how are passwords hashed?", False),
    ],
)  # fmt: skip
def test_whether_several_things_are_asked_for(text, many):
    assert asks_for_a_set(text) is many


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=3))
def test_answers_take_turns(answers):
    found = in_turns(answers, lambda one: one)
    assert sorted(found) == sorted({one for some in answers for one in some})
    for some in answers:
        if some:
            assert found.index(some[0]) < len(answers)


@given(st.lists(st.floats(0, 1), max_size=6))
def test_scores_of_joined_answers_never_rise(scores):
    found = cap_scores([Hit(memory=memory(1), score=score) for score in scores])
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len(found) == len(scores)


# -- Of two answers that contradict each other, the later one stands before the earlier one.
ANY = MemoryQuery()


def hits(said):
    """Hits in this order, each said so many days after the first."""
    return [
        Hit(
            memory=memory(number, f"Statement {number}", valid_from=AT + timedelta(days=day)),
            score=1 - number / 10,
        )
        for number, day in enumerate(said)
    ]


@given(said=st.permutations(range(6)), pairs=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_the_later_one_goes_first_nothing_is_lost_and_the_earlier_one_says_so(said, pairs):
    found = hits(said)
    pairs = {(one, other) for one, other in pairs if one != other}
    told = later_first(found, [(found[one].memory, found[other].memory) for one, other in pairs], ANY)
    assert {hit.memory.id for hit in told} == {hit.memory.id for hit in found}
    scores = [hit.score for hit in told]
    assert scores == sorted(scores, reverse=True)
    earlier = {min(pair, key=lambda number: said[number]) for pair in pairs}
    assert {hit.memory.id for hit in told if hit.disputed} == {found[number].memory.id for number in earlier}
    if len(pairs) == 1:
        ((one, other),) = pairs
        places = {hit.memory.id: place for place, hit in enumerate(told)}
        later, before = sorted((one, other), key=lambda number: -said[number])
        assert places[found[later].memory.id] < places[found[before].memory.id]


def test_a_later_one_that_is_no_hit_becomes_one_where_the_filters_let_it():
    found, later = hits([0]), memory(9, "Ports are assigned", valid_from=AT + timedelta(days=3))
    pairs = [(later, found[0].memory)]
    first, second = later_first(found, pairs, ANY)
    assert (first.memory, first.score, first.disputed) == (later, second.score, "")
    assert second.disputed == f"2026-03-04, {later.id[:8]}: Ports are assigned"
    (told,) = later_first(found, pairs, MemoryQuery(kinds=("incident",)))
    assert told.disputed == second.disputed


def test_words_names_dates_and_paths_are_read_from_a_question():
    asked = question("When did Ann change getUserName in src/auth/users.py on 5 May 2025?")
    assert {"ann", "getusername", "user", "name", "users"} <= set(asked.words)
    assert "ann" in asked.names
    assert asked.dates == (NamedDate(5, 5, 2025),)
    assert asked.paths == ("src/auth/users.py",)
    assert asked.answer is Trait.TIME


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("how many retries?", Trait.NUMBER),
        ("where is it deployed", Trait.PLACE),
        ("why redis", Trait.REASON),
        ("redis port", Trait(0)),
    ],
)
def test_the_kind_of_answer(text, trait):
    assert question(text).answer == trait


@pytest.mark.parametrize("text", ["", "   ", "\0\0", "what is it", "???", "of the"])
def test_questions_that_ask_for_nothing_have_no_words(text):
    assert question(text).words == ()


def test_the_latest_is_not_about_tests():
    assert not question("the latest release").about_tests
    assert question("flaky tests").about_tests


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("in May", (NamedDate(None, 5, None),)), ("may I march on", ()),
        ("March 14, 2024", (NamedDate(14, 3, 2024),)), ("the 2nd of June", (NamedDate(2, 6, None),)),
        ("since 2023-07", (NamedDate(None, 7, 2023),)), ("2023-99", ()),
        ("back in 2022", (NamedDate(None, None, 2022),)),
    ],
)  # fmt: skip
def test_dates_in_words(text, dates):
    if text == "2023-99":
        dates = (NamedDate(None, None, 2023),)
    assert named_dates(text) == dates


def test_days_after_a_date_agree_less_and_less():
    dates = (NamedDate(10, 3, 2025),)
    days = [to_micros(datetime(2025, 3, day, tzinfo=UTC)) for day in (10, 17, 30)]
    assert [date_agreement(dates, at) for at in days] == [1.0, 0.6, 0.0]
    assert date_agreement(dates, 10**19) == 0.0


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


NOW = datetime(2026, 6, 1, tzinfo=UTC)
NOTES = (
    "Use bcrypt with 12 rounds for hashing passwords in the login service",
    "Deploy with make release, never by hand", "getUserName trims whitespace since version 2",
    "The queue worker needs Redis on port 6380", "数据库迁移必须在部署之前运行", "Carrier labels are printed as ZPL",
)  # fmt: skip


def note(number, text, kind="tribal", **more):
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
    store = filled([note(n, text) for n, text in enumerate(NOTES)], embedder)
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
    many = [note(n, f"The cache of service {n} is warmed at night") for n in range(400)]
    few = [note(400 + n, f"The cache of the old service {n}", "decision") for n in range(3)]
    store = filled([*many, *few], embedder)
    only = MemoryQuery(kinds=(Kind("decision"),))
    found = Retrieval(store.search, embedder).recall("cache of service", limit=10, now=NOW, only=only)
    assert {hit.memory.kind for hit in found.hits} == {"decision"}
    assert len(found.hits) == 3
    store.close()


def test_the_file_that_is_named_decides(embedder):
    pair = [note(n, f"Close the pool in {n} places", files=(FileLink(f"src/pool_{n}.py"),)) for n in (1, 2)]
    store = filled(pair, embedder)
    found = Retrieval(store.search, embedder).recall(
        "where is the pool closed in pool_2.py", limit=1, now=NOW
    )
    assert found.hits[0].memory.files[0].path == "src/pool_2.py"
    store.close()


def test_a_dialogue_is_asked_by_speaker_and_day(embedder):
    turns = [
        note(
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


# -- Times that a question names: resolved, compared, and left out where no memory has their words.
TODAY = datetime(2026, 3, 11, 15, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)


def days(text):
    """The times of a text as days."""
    return [
        tuple(
            None if at is None else f"{datetime.fromtimestamp(at / 1e6, UTC):%m-%d}"
            for at in (one.since, one.until)
        )
        for one in periods(text, TODAY)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what did we decide yesterday?", ("03-10", "03-11")),
        ("what broke last night", ("03-10", "03-11")), ("the day before yesterday", ("03-09", "03-10")),
        ("what changed today", ("03-11", "03-12")), ("last week", ("03-02", "03-09")),
        ("this week", ("03-09", "03-16")), ("in the last 3 days", ("03-08", "03-11")),
        ("over the past two weeks", ("02-25", "03-11")), ("three days ago", ("03-08", "03-09")),
        ("a couple of months ago", ("12-26", "01-25")), ("on Friday", ("03-06", "03-07")),
        ("since Monday", ("03-09", None)), ("before last week", (None, "03-02")),
        ("last month", ("02-01", "03-01")), ("this quarter", ("01-01", "04-01")),
        ("last weekend", ("03-07", "03-09")), ("since March", ("03-01", None)),
        ("since 5 February", ("02-05", None)), ("until 2026-01-02", (None, "01-02")),
        ("after December", ("12-01", None)),
    ],
)  # fmt: skip
def test_a_time_is_resolved(text, found):
    assert days(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "the last one", "may I use it", "Monday's build", "in March", "two weeks before 5 May 2025",
        "until 31 February", "the week",
    ],
)  # fmt: skip
def test_what_is_no_time_relative_to_now(text):
    assert days(text) == []


WORDS = ["since", "last", "999", "years", "months", "ago", "on", "31", "june", "weekend"]
INSTANTS = st.datetimes(timezones=st.just(UTC))


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join), INSTANTS)
def test_any_text_at_any_time_has_times_or_none(text, now):
    for one in periods(text, now):
        assert one.since is None or one.until is None or one.since <= one.until
        assert 0.0 <= agreement([one], to_micros(now)) <= 1.0


def facts_of_day(key, day, traits=0):
    return Facts(
        key=key, kind="tribal", session="", turn=None, speaker="", valid_from=to_micros(TODAY - day * DAY),
        recorded_at=0, last_accessed_at=None, confidence=1.0, priority=5, traits=traits,
    )  # fmt: skip


def test_code_has_no_time_and_a_turn_of_dialogue_is_compared_with_dates_itself():
    text = "what changed since 1 March?"
    code, turn = facts_of_day(1, 1, int(Trait.CODE)), facts_of_day(2, 1, int(Trait.DIALOGUE))
    for one in (code, turn):
        (before,) = score(question(text), Evidence([one], {one.key: 0.2}, {}, now=to_micros(TODAY)))
        assert lifted([before], periods(text, TODAY), question(text).dates) == [before]
    (said,) = score(question("x"), Evidence([turn], {2: 0.2}, {}, now=to_micros(TODAY)))
    (after,) = lifted([said], periods("yesterday", TODAY), ())
    assert after == replace_total(said, said.weights.spoken.date)


def replace_total(one, added):
    return one._replace(total=one.total + added, spoken=one.spoken._replace(date=1.0))


def test_nothing_is_lost_by_lifting():
    found = score(
        question("x"), Evidence([facts_of_day(n, n) for n in range(9)], {}, {}, now=to_micros(TODAY))
    )
    after = lifted(found, periods("last week", TODAY), ())
    assert sorted(one.facts.key for one in after) == list(range(9))


# -- Classifying what a task is about, and what helps with it.
TASKS = {
    "the login page crashes with a TypeError when the token is missing": "fix_bug",
    "users get logged out at random, please fix": "fix_bug",
    "implement CSV export for invoices": "add_feature", "add an endpoint that lists devices": "add_feature",
    "extract method from the importer and clean up the duplicated parsing": "refactor",
    "check the upload handler for SQL injection and other vulnerabilities": "security_audit",
    "how does the retry queue work?": "understand_code",
    "write tests for the tariff calculator": "add_test", "review this pull request": "review_code",
    "deploy the worker to staging": "deploy",
    "migrate the settings table from MySQL to Postgres": "migrate",
    "should we use SSE or websockets here?": "decide",
    "what did we say about the cache last time?": "recall",
    "give me a recap of this week's work": "summarize",
    "where were we, and what is left?": "track_progress",
    "spawn a sub-agent that reads the docs": "spawn_agent",
    "what is the difference between the two parsers": "compare", "": USUAL, "zebra": USUAL,
}  # fmt: skip


@pytest.mark.parametrize(("task", "intent"), TASKS.items())
def test_a_task_in_ordinary_words_has_its_intent(task, intent):
    assert classify(task) == intent


def test_files_in_view_and_recent_actions_decide_where_words_do_not():
    assert classify("next", files=["tests/test_invoice.py"]) == "add_test"
    assert classify("next", files=["deploy/service.yaml"]) == "deploy"
    assert classify("next", actions=["failed"]) == "fix_bug"


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_has_one_intent(task, files):
    assert classify(task, files) in rules()


def test_bugs_want_gotchas_and_incidents_first():
    found = boosts("fix_bug")
    assert found["tribal"] == 1.5
    assert found["incident"] > found["procedural"]


def test_a_matrix_of_the_persons_goes_before_the_usual_one():
    own = read_matrix("[fix_bug]\ntribal = 0.1\n")
    assert boosts("fix_bug", own)["tribal"] == 0.1
    assert boosts("fix_bug", own)["code_smell"] == 1.5


@pytest.mark.parametrize(
    "text", ["[fix_bug", "[nothing]\n", "[fix_bug]\nzebra = 1", "[fix_bug]\ntribal = 9", "fix_bug = 1"]
)
def test_a_matrix_that_is_none_is_refused_with_what_is_wrong(text):
    with pytest.raises(InvalidInputError):
        read_matrix(text)


def test_each_intent_has_kinds_that_count_more():
    assert len(rules()) == 19
    for intent in set(rules()) - {USUAL}:
        weights = boosts(intent)
        assert max(weights.values()) > 1, intent
        assert all(0 < one <= 2 for one in weights.values())


@pytest.mark.parametrize(
    ("intent", "numbers"),
    [
        ("add_feature", (1.0, 1.0, 1.5, 1.2, 0.5, 1.3, 1.0, 0.8, 1.2)),
        ("fix_bug", (1.0, 1.5, 0.8, 1.2, 1.0, 1.0, 0.8, 1.0, 1.5)),
        ("refactor", (1.0, 1.2, 1.0, 1.3, 0.5, 1.5, 1.2, 1.5, 1.3)),
        ("security_audit", (1.0, 2.0, 1.0, 1.5, 0.3, 1.2, 1.5, 1.0, 1.8)),
        ("understand_code", (1.0, 1.2, 0.8, 1.5, 0.5, 1.5, 0.8, 1.5, 1.0)),
        ("add_test", (1.0, 1.2, 1.5, 1.0, 0.5, 1.0, 0.8, 0.8, 1.3)),
    ],
)
def test_the_numbers_that_were_asked_for(intent, numbers):
    kinds = "core tribal procedural semantic episodic pattern_rationale constraint_override decision_context"
    assert tuple(boosts(intent)[kind] for kind in (*kinds.split(), "code_smell")) == numbers
