"""Searches by words, in any case and language, and by likeness, on every engine."""

from random import Random

import numpy as np
import pytest

from example_exchanges import SAID_AT, exchange
from example_memories import (
    AT,
    DIMENSIONS,
    MODEL,
    attach,
    bury,
    changed,
    code,
    id_of,
    insert,
    memory,
    question_vector,
)
from recortex import Cortex
from recortex.domain.memory import FileLink, PatternLink, Source
from recortex.domain.search import Links, MemoryQuery, SearchText
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Status
from recortex.engines.exchanges.service import ExchangeRetrieval, terms
from recortex.engines.indexing import search_text
from recortex.engines.retrieval.service import Retrieval
from recortex.storage.database import folded
from recortex.storage.postgres import words as postgres_words
from recortex.storage.records.rows import INDEXED
from recortex.storage.sqlite import store as sqlite_search


# -- The contract of `ports.search.SearchStore` and `ports.store.Lookalikes`, on every engine.
def keys_of(matches):
    return [key for key, _ in matches]


def test_full_text_search_finds_a_word_and_follows_changes(store):
    (key, _) = insert(store, memory(1, "bcrypt password hashing"), memory(2, "the queue is slow"))
    assert keys_of(store.search.match(["bcrypt"], 5, None)) == [key]
    changed(store, id_of(1), text="argon2 password hashing")
    assert store.search.match(["bcrypt"], 5, None) == []
    assert keys_of(store.search.match(["argon2"], 5, None)) == [key]
    assert store.search.frequencies(["bcrypt", "argon2", "queue"]) == [0, 1, 1]
    bury(store, id_of(1))
    assert store.search.match(["argon2"], 5, None) == []
    assert store.search.frequencies(["argon2", "queue"]) == [0, 1]


def test_what_was_rolled_back_is_neither_found_nor_counted(store):
    insert(store, memory(1, "the cache"))

    def half():
        with store.transaction():
            insert(store, memory(2, "another cache"))
            assert store.search.frequencies(["cache"]) == [2]
            assert len(store.search.match(["cache"], 5, None)) == 2
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert store.search.frequencies(["cache"]) == [1]
    assert len(store.search.match(["cache"], 5, None)) == 1
    insert(store, memory(3, "a third cache"))
    assert store.search.frequencies(["cache"]) == [2]


def test_words_are_stemmed_and_lose_their_accents(store):
    keys = insert(store, memory(1, "Caching naïve queries"), memory(2, "über die Caches"))
    assert keys_of(store.search.match(["cached"], 5, None)) == keys
    assert store.search.frequencies(["cache", "naive", "NAÏVE", "uber", ""]) == [2, 1, 1, 1, 0]


def test_which_memories_hold_which_words(store):
    keys = insert(store, memory(1, "caching queries"), memory(2, "a queue"), memory(3, "the Cache's queue"))
    held = store.search.holding(["cached", "queue", "o'clock", '"', "", "nowhere"], keys[:2])
    assert held == {
        "cached": {keys[0]}, "queue": {keys[1]}, "o'clock": set(), '"': set(), "": set(), "nowhere": set(),
    }  # fmt: skip
    assert store.search.holding(["cache"], keys)["cache"] == {keys[0], keys[2]}
    assert store.search.holding(["cache"], []) == {"cache": set()}


def test_columns_weigh_as_they_should(store):
    keys = [
        *insert(store, memory(1, "alpha beta"), search=SearchText(context="needle")),
        *insert(store, memory(2, "needle beta"), search=SearchText(context="gamma")),
        *insert(store, memory(3, "gamma beta"), search=SearchText(terms="needle")),
        *insert(store, *(memory(n, f"filler {n}") for n in range(4, 12))),
    ]
    assert keys_of(store.search.match(["needle"], 9, None)) == [keys[2], keys[1], keys[0]]


def test_a_word_may_be_searched_with_any_ending(store):
    keys = insert(
        store, memory(1, "Die Datenbankverbindung ist langsam"), memory(2, "Datenbanken und Datenbank"),
        memory(3, "Daten und Bank"), *(memory(n, f"filler {n}") for n in range(4, 12)),
    )  # fmt: skip
    assert set(keys_of(store.search.match(["datenbank*"], 9, None))) == set(keys[:2])
    assert keys_of(store.search.match(["datenbank*", "langsam"], 9, None, all_required=True)) == keys[:1]
    assert store.search.frequencies(["datenbankv*", "datenbank", "nirgends*"]) == [1, 1, 0]
    one, both = (store.search.match([word], 9, None)[0][1] for word in ("langsam", "datenbankv*"))
    assert one == pytest.approx(both)


def test_of_equals_the_oldest_comes_first_and_the_limit_cuts(store):
    keys = insert(store, *(memory(n, "the same words") for n in range(5)))
    assert keys_of(store.search.match(["same", "words"], 3, None)) == keys[:3]


def test_a_search_is_restricted_before_it_is_cut(store):
    plain = [memory(n, "cache cache cache") for n in range(20)]
    wanted = memory(30, "a cache among many other words", files=(FileLink("src/a.py"),), tags=("db",))
    keys = insert(store, *plain, wanted)
    for only in (MemoryQuery(files=("src/",)), MemoryQuery(tags=("db",))):
        assert keys_of(store.search.match(["cache"], 1, only)) == keys[-1:]
    assert store.search.match(["cache"], 5, MemoryQuery(tags=("none",))) == []


@pytest.mark.parametrize("word", ["o'brien", "don't", "O'Brien", "o’brien"])
def test_a_word_with_an_apostrophe_is_found_as_a_whole(store, word):
    keys = insert(store, memory(1, "Ask O'Brien, don't guess"), memory(2, "o is not brien, do not t"))
    assert keys_of(store.search.match([word], 5, None)) == keys[:1]
    assert store.search.frequencies([word]) == [1]


@pytest.mark.parametrize(
    "word",
    [
        "", " ", "'", '"', "\\", ":", "&", "|", "!", "(", ")", "*", "<->", "a:*", "'a' & !'b'", "a\0b",
        "\0", "$1", "%s", "{}", "🙂", "x" * 3000,
    ],
)  # fmt: skip
def test_any_word_may_be_asked_for(store, word):
    insert(store, memory(1, "a cache: (x) & 'y' | !z * <-> b"))
    assert all(count <= 1 for count in store.search.frequencies([word, "cache"]))
    assert len(store.search.match([word, "cache"], 5, None)) == 1
    assert len(store.search.match([word], 5, MemoryQuery())) <= 1
    assert len(store.search.candidates([word, "cache"])) == 1
    assert store.search.known_speakers([word]) == []


def test_nothing_is_asked_and_nothing_found(store):
    insert(store, memory())
    assert store.search.match([], 5, None) == []
    assert store.search.frequencies([]) == []
    assert store.search.candidates([]) == []
    assert store.search.known_speakers([]) == []
    assert store.search.facts([], MemoryQuery(), None) == []
    assert store.search.links([]) == store.search.memories([]) == {}
    assert store.search.around([], 3) == []
    assert store.search.centralities([]) == {}


def test_facts_are_the_columns_of_those_that_pass(store):
    source = Source(session="s", turn=4, speaker="Ada")
    (key, _) = insert(
        store,
        memory(
            1, "one", source=source, confidence=0.25, priority=7, last_accessed_at=AT, pinned=True,
            validated_at=AT, access_count=3, patterns=(PatternLink("a"), PatternLink("b")),
        ),
        memory(2, "two", status=Status.ARCHIVED), search=SearchText(traits=5),
    )  # fmt: skip
    (facts,) = store.search.facts([key, key + 1, key + 9], MemoryQuery(), None)
    at = to_micros(AT)
    expected = (
        *(key, "tribal", "s", 4, "Ada", at, at, at, 0.25, 7, 5, 1, at, 3, 2),
        *(None, None, "active", None, None),
    )
    assert tuple(facts) == expected


def test_turns_around_are_of_the_same_session(store):
    keys = insert(
        store,
        *(memory(n, f"{n}", source=Source(session="s", turn=n)) for n in range(5)),
        memory(8, "elsewhere", source=Source(session="t", turn=2)),
        memory(9, "nowhere", source=Source(turn=2)),
        memory(10, "no turn", source=Source(session="s")),
    )
    assert set(store.search.around([keys[2]], 1)) == {(keys[2], keys[1]), (keys[2], keys[3])}
    assert set(store.search.around(keys[6:], 9)) == set()
    assert len(store.search.around(keys[:5], 1)) == 8


def test_links_and_memories_by_key(store):
    linked = memory(1, files=(FileLink("b.py"), FileLink("a.py")), patterns=(PatternLink("p"),))
    keys = insert(store, linked, memory(2, "plain"))
    assert {
        key: Links(tuple(sorted(found.files)), found.patterns)
        for key, found in store.search.links(keys).items()
    } == {keys[0]: Links(("a.py", "b.py"), ("p",))}
    assert store.search.memories([*keys, 999]) == {keys[0]: linked, keys[1]: memory(2, "plain")}
    assert store.search.searchable() == 2


def test_speakers_are_known_whatever_their_case(store):
    insert(
        store, *(memory(n, f"{n}", source=Source(speaker=who)) for n, who in enumerate(["Ada", "ÉVA", ""]))
    )
    assert store.search.known_speakers(["ADA", "ada", "ad", ""]) == ["Ada"]
    assert store.search.known_speakers(["ÉVA"]) == ["ÉVA"]


def test_lookalikes_are_living_and_the_most_alike_come_first(store):
    insert(
        store, memory(1, "retry the queue"), memory(2, "retry the queue after a timeout"),
        memory(3, "retry the queue after a timeout", status=Status.ARCHIVED),
        memory(4, "something else"), *(memory(n, f"filler {n}") for n in range(5, 12)),
    )  # fmt: skip
    assert store.search.candidates(["queue", "timeout"]) == [
        (id_of(2), "retry the queue after a timeout"),
        (id_of(1), "retry the queue"),
    ]


@pytest.mark.parametrize("scored", [0, 5, 10_000])
def test_lookalikes_among_many_memories_hold_the_rarest_words(store, scored, monkeypatch):
    monkeypatch.setattr("recortex.storage.sqlite.store.MANY_ROWS", 10)
    monkeypatch.setattr("recortex.storage.sqlite.store.MOST_ALIKE", scored)
    insert(
        store,
        memory(1, "the cache of leases drains"),
        *(memory(n, f"the cache of worker {n}") for n in range(2, 30)),
        memory(30, "the cache of leases drains", status=Status.ARCHIVED),
    )
    assert store.search.candidates(["drains", "leases", "cache", "nowhere"])[0][0] == id_of(1)
    both = [id_ for id_, _ in store.search.candidates(["cache", "worker"])]
    assert len(both) == 8
    assert id_of(1) not in both
    assert store.search.candidates(["nowhere"]) == []


@pytest.mark.parametrize("common", [0, 3, 500])
@pytest.mark.parametrize("many", [40, 200])
def test_lookalikes_of_many_are_those_of_each_however_common_their_words_are(
    store, common, many, monkeypatch
):
    monkeypatch.setattr("recortex.storage.sqlite.lookalikes._COMMON", common)
    random = Random(many)  # noqa: S311  seeded on purpose
    words = ["queue", "timeouts", "retried", "cache_key", "don't", "Straße", "lease", "12", "drain"]

    def said():
        return " ".join(random.choices(words, weights=range(9, 0, -1), k=random.randint(1, 9)))

    def more(first):
        told = (memory(number, said()) for number in range(first, first + 90))
        insert(store, *told, search=SearchText(said(), said()))

    for first in (1, 91, 181):
        more(first)
        asked = [random.sample(words, random.randint(0, 5)) for _ in range(many)]
        assert store.search.candidates_of_all(asked) == [store.search.candidates(one) for one in asked]


# -- Searching by common words.
#
# What must be together, what only counts in the score, and how many are scored.
@pytest.fixture
def three(store):
    """Two memories with a word each, one with both, and others."""
    texts = ("alpha is here", "beta is here", "alpha and beta are here", *(f"filler {n}" for n in range(8)))
    return insert(store, *(memory(number, text) for number, text in enumerate(texts, 1)))[:3]


def test_every_word_must_be_there_where_that_is_asked(store, three):
    alpha, beta, both = three
    assert set(keys_of(store.search.match(["alpha", "beta"], 9, None))) == {alpha, beta, both}
    assert keys_of(store.search.match(["alpha", "beta"], 9, None, all_required=True)) == [both]
    assert store.search.match(["alpha", "unheard"], 9, None, all_required=True) == []


def test_words_beside_find_nothing_but_count(store, three):
    alpha, beta, both = three
    plain = dict(store.search.match(["alpha"], 9, None))
    more = store.search.match(["alpha"], 9, None, score_only=["beta"])
    assert keys_of(more) == [both, alpha]
    assert beta not in dict(more)
    assert dict(more)[alpha] == pytest.approx(plain[alpha], rel=1e-6)
    assert dict(more)[both] == pytest.approx(
        dict(store.search.match(["alpha", "beta"], 9, None))[both], rel=1e-6
    )


@pytest.mark.usefixtures("three")
def test_words_beside_that_nobody_holds_change_nothing(store):
    assert store.search.match(["alpha"], 9, None, score_only=["unheard"]) == store.search.match(
        ["alpha"], 9, None
    )
    assert store.search.match([], 9, None, score_only=["alpha"]) == []


def test_of_more_than_can_be_scored_the_latest_are(store, monkeypatch):
    for module in (sqlite_search, postgres_words):
        monkeypatch.setattr(module, "MOST_SCORED", 3)
    keys = insert(store, *(memory(number, f"alpha {number}") for number in range(1, 9)))
    assert sorted(keys_of(store.search.match(["alpha"], 9, None))) == keys[-3:]
    assert len(store.search.match(["alpha"], 2, None)) == 2


@pytest.fixture
def few_counted(monkeypatch):
    """Of a store that is opened from now on, fifty memories with a word are counted."""
    monkeypatch.setitem(INDEXED, "memories", INDEXED["memories"]._replace(counted=50))


@pytest.mark.usefixtures("few_counted")
def test_the_frequency_of_a_common_word_is_about_right(store):
    texts = [f"alpha {number}" if number % 3 else f"beta {number}" for number in range(300)]
    insert(store, *(memory(number, text) for number, text in enumerate(texts, 1)))
    (alpha, one) = store.search.frequencies(["alpha", "17"])
    assert 195 <= alpha <= 205
    assert one == 1


# -- A text is found in any case, on every engine alike, with letters beyond ASCII and whole in its length.
SAID = (
    "Fürstenstraße Éclair", "FÜRSTENSTRASSE ÉCLAIR", "fürstenstrasse éclair", "ΟΔΟΣ οδός", "ПОЧТА почта",
    "an eﬃcient oﬀer [^a-z]-\\d (?i)x .* ß", "AN EFFICIENT OFFER", "ßss SSß sßs", "long " * 300 + "Ärger",
)  # fmt: skip
SOUGHT = (
    *SAID,
    *map(str.upper, SAID),
    *map(str.lower, SAID),
    *("strasse", "traß", "sss", "ssss", "EFFI", "OFF", "ΔΌΣ", "éC", "[^A", "\\D", "long LONG", "x ."),
)


def test_a_text_is_found_in_any_case(store):
    made = {memory(n, text).id: text for n, text in enumerate(SAID)}
    insert(store, *(memory(n, text) for n, text in enumerate(SAID)))
    for sought in SOUGHT:
        expected = {id_ for id_, text in made.items() if folded(sought) in folded(text)}
        assert set(store.holding(sought)) == expected, sought


# -- Text in other languages than English: found by words of two characters, and told apart, on every
# engine.
SAID_IN = {
    "迁移之前先备份数据库。": ("数据库", "迁移", "备份"), "登录接口使用bcrypt做认证,令牌十五分钟后过期。": ("认证", "令牌", "登录", "bcrypt"),
    "データベースへの接続は十秒で切れる。": ("データベース", "接続"), "管理画面の認証は二段階にする。": ("認証", "管理"),
    "데이터베이스를 백업한 뒤에 배포한다.": ("데이터베이스", "백업", "배포"), "토큰은 십오 분 동안 유효하다.": ("토큰", "유효"),
    "Die Datenbankverbindung bricht nach zehn Sekunden ab.": ("Wie ist die Datenbank verbunden?",),
}  # fmt: skip
ASKED = [(query, text) for text, queries in SAID_IN.items() for query in queries]
FILLER = [f"The worker {number} retries a job of the queue {number} times." for number in range(60)]


def test_queries_of_two_characters_find_their_memory(store):
    for number, text in enumerate([*SAID_IN, *FILLER]):
        made = memory(number, text)
        insert(store, made, search=search_text(made))
    retrieval = Retrieval(store.search)
    for query, text in ASKED:
        assert [hit.memory.text for hit in retrieval.recall(query, limit=3, now=AT).hits] == [text], query


def test_queries_of_two_characters_find_what_was_said(store):
    said = [exchange(number, message=text) for number, text in enumerate([*SAID_IN, *FILLER])]
    with store.transaction():
        store.exchanges.put([(one, terms(one)) for one in said], SAID_AT)
    retrieval = ExchangeRetrieval(store.exchange_search, len)
    for query, text in ASKED:
        hits = retrieval.recall(query, limit=1)
        assert [hit.message for hit in hits] == [text], query


@pytest.fixture
def cortex(project, clock, layout, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("known", "new", "replaced"),
    [
        ("报表缓存保存在 Memcached 里。", "报表缓存不再保存在 Memcached 里。", True),
        ("报表缓存保存在 Memcached 里。", "订单队列不再保存在 RabbitMQ 里。", False),
        ("請求書は wkhtmltopdf で作る。", "請求書は wkhtmltopdf ではなく Chromium で作る。", True),
        ("請求書は wkhtmltopdf で作る。", "納品書は Chromium で作る。", False),
        ("로그는 14일 동안 보관한다.", "로그는 60일 동안 보관한다.", True),
        ("Berichte verschickt der Dienst mailer.", "Berichte verschickt nicht mehr der Dienst mailer.", True),
        ("Los informes se envían con SES.", "Los informes se envían con Mailgun en lugar de SES.", True),
        ("Les rapports sont envoyés par SES.", "Faut-il envoyer les rapports sans SES ?", False),
    ],
)
def test_a_statement_replaces_what_it_ends_in_other_languages_too(cortex, clock, known, new, replaced):
    for number in range(12):  # others that share words with both
        cortex.remember(f"{number}: {known[: 4 + number % 3]} {number}, 其他 その他 기타 andere otros autres")
    first = cortex.remember(known)
    clock.pass_(hours=1)
    cortex.remember(new)
    status = cortex.get(first.id).status
    assert status is (Status.SUPERSEDED if replaced else Status.ACTIVE)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("报表每天早上六点生成。", "报表每天早上六点生成"),
        ("レポートは毎朝六時に作る。", "レポートは毎朝六時に作る"),
        ("Berichte entstehen jeden Morgen um sechs.", "Berichte entstehen jeden Morgen um sechs!"),
    ],
)
def test_a_statement_with_another_ending_is_the_same(cortex, known, new):
    assert cortex.remember(known).id == cortex.remember(new).id


def test_texts_that_differ_in_a_few_characters_are_proposed_as_duplicates(cortex):
    one = cortex.remember("部署之前必须先在预发布环境运行全部集成测试。")
    two = cortex.remember("部署之前应该先在预发布环境运行全部的集成测试。")
    cortex.remember("周五下午不要发布新版本。")
    pairs = cortex.consolidate().pairs
    assert [{pair.better.id, pair.other.id} for pair in pairs] == [{one.id, two.id}]


# -- The contract of `ports.store.Vectors`, and of the search by likeness, on every engine.
OTHER = "another-model"


def test_likeness_search_finds_the_near_vector_first(store):
    near, far = memory(1, "near"), memory(2, "far")
    keys = insert(store, near, far)
    attach(store, near, code(1, 1, 1, -1))
    attach(store, far, code(-1, -1, -1, 1))
    asked = question_vector(1, 1, 1, -1)
    assert store.has_vectors
    assert store.search.nearest(asked, 2, None, MODEL) == keys
    assert store.search.nearest(asked, 1, None, MODEL) == keys[:1]
    assert store.search.nearest(asked, 2, None, OTHER) == []
    assert store.search.nearest(asked, 2, MemoryQuery(tags=("none",)), MODEL) == []
    assert store.search.vectors(keys, MODEL)[keys[0]] == code(1, 1, 1, -1)
    assert store.search.vectors(keys, OTHER) == {}


def test_memories_that_say_the_same_share_a_vector(store):
    one, other = memory(1, "the same"), memory(2, "the same")
    insert(store, one, other)
    assert attach(store, one, code(1, -1)) == attach(store, other, code(1, -1))
    assert store.vectors.agrees()
    assert store.maintenance.vector_sharing() == (2, 1, 0)
    bury(store, one.id)
    with store.transaction():
        assert store.vectors.drop_unused() == 0
    bury(store, other.id)
    with store.transaction():
        assert store.vectors.drop_unused() == 1
    assert store.vectors.agrees()


def test_every_int8_code_is_kept_exactly(store):
    every = (np.arange(DIMENSIONS) % 256 - 128).astype(np.int8).tobytes()
    (key,) = insert(store, memory())
    attach(store, memory(), every)
    assert store.vectors.codes_of([id_of(1), "nobody"], MODEL) == {id_of(1): every}
    assert store.vectors.codes_of([id_of(1)], OTHER) == {}
    assert store.search.vectors([key, key + 1], MODEL) == {key: every}
    (facts,) = store.search.facts([key], MemoryQuery(), MODEL)
    assert facts.vector == every


@pytest.mark.parametrize("dimensions", [1, 7, 64, 1024])
def test_vectors_of_any_length_are_kept_and_searched(store, dimensions):
    (key,) = insert(store, memory())
    vector = bytes([1, 255][place % 2] for place in range(dimensions))
    attach(store, memory(), vector)
    assert store.vectors.codes_of([id_of(1)], MODEL) == {id_of(1): vector}
    asked = np.ones(dimensions, "<f4").tobytes()
    if dimensions % 8 == 0:  # no embedder has others, and sqlite-vec takes no others
        assert store.search.nearest(asked, 3, None, MODEL) == [key]


def test_vectors_are_known_by_their_hash(store):
    with store.transaction():
        keys = store.vectors.put(MODEL, {b"a" * 16: code(1), b"b" * 16: code(-1)})
        assert store.vectors.put(MODEL, {b"a" * 16: code(1)}) == {b"a" * 16: keys[b"a" * 16]}
    assert store.vectors.keys_of([b"b" * 16, b"c" * 16]) == {b"b" * 16: keys[b"b" * 16]}


def test_a_vector_is_attached_only_to_the_text_that_it_was_made_for(store):
    insert(store, memory())
    with store.transaction():
        keys = store.vectors.put(MODEL, {b"a" * 16: code(1)})
        store.vectors.attach([(id_of(1), keys[b"a" * 16], b"\0" * 32)])
    assert store.vectors.codes_of([id_of(1)], MODEL) == {}


def test_what_waits_for_a_vector(store):
    insert(store, *(memory(n, f"{n}", priority=n + 1) for n in range(3)))
    insert(store, memory(3, "code", "code"), memory(4, "old", status=Status.ARCHIVED))
    assert set(store.vectors.pending(9)) == {id_of(0), id_of(1), id_of(2)}
    assert store.vectors.pending(9, best_first=True) == [id_of(2), id_of(1), id_of(0)]
    assert store.vectors.pending(1, best_first=True) == [id_of(2)]
    assert store.vectors.count_pending() == 3
    attach(store, memory(1, "1"), code(1))
    attach(store, memory(2, "2"), code(1), OTHER)
    assert store.vectors.pending(9) == [id_of(0)]
    changed(store, id_of(0), status=Status.ARCHIVED, updated_at=AT)
    assert store.vectors.pending(9) == []
    assert store.vectors.count_pending() == 0


def test_vectors_of_two_models_are_never_mixed(store):
    keys = insert(store, memory(1, "one"), memory(2, "other"))
    attach(store, memory(1, "one"), code(1))
    attach(store, memory(2, "other"), code(1), OTHER)
    assert store.search.nearest(question_vector(1), 9, None, MODEL) == keys[:1]
    assert store.search.nearest(question_vector(1), 9, None, OTHER) == keys[1:]
    facts = {one.key: one.vector for one in store.search.facts(keys, MemoryQuery(), MODEL)}
    assert facts == {keys[0]: code(1), keys[1]: None}


def test_word_pieces_are_kept_with_their_vector_and_gone_with_it(store):
    keys = insert(store, memory(1, "one"), memory(2, "other"))
    vector = attach(store, memory(1, "one"), code(1))
    attach(store, memory(2, "other"), code(-1))
    for pieces in (b"a" * 24, bytes(48)):  # the later ones count
        with store.transaction():
            store.vectors.put_pieces({vector: pieces})
    assert store.search.pieces(keys, MODEL) == {keys[0]: bytes(48)}
    assert store.search.pieces(keys, OTHER) == {}
    assert store.vectors.forget(MODEL) == 2
    attach(store, memory(1, "one"), code(1))
    assert store.search.pieces(keys, MODEL) == {}


def test_few_vectors_need_no_index(store):
    insert(store, memory())
    attach(store, memory(), code(1))
    assert store.vectors.keep_index() == 0
    assert store.vectors.index_state() is None
