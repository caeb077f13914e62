"""The contract of `ports.search.SearchStore` and `ports.store.Lookalikes`, on every engine."""

from random import Random

import pytest

from example_memories import AT, bury, changed, id_of, insert, memory
from recortex.domain.memory import FileLink, PatternLink, Source
from recortex.domain.search import Links, MemoryQuery, SearchText
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Status


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
        store,
        memory(1, "Die Datenbankverbindung ist langsam"),
        memory(2, "Datenbanken und Datenbank"),
        memory(3, "Daten und Bank"),
        *(memory(n, f"filler {n}") for n in range(4, 12)),
    )
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
        store,
        memory(1, "retry the queue"),
        memory(2, "retry the queue after a timeout"),
        memory(3, "retry the queue after a timeout", status=Status.ARCHIVED),
        memory(4, "something else"),
        *(memory(n, f"filler {n}") for n in range(5, 12)),
    )
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
