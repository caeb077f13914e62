"""Consolidation: which memories belong together, and what is made of them."""

import json
import subprocess
import sys
import venv
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import memories
from recortex.app.diagnosis import due
from recortex.consolidation.clustering import NOISE, hdbscan
from recortex.consolidation.duplicates import better_of, comparable, similar_vectors
from recortex.consolidation.phases import grounded
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory, Source
from recortex.domain.search import Hit
from recortex.domain.vocabulary import Trust
from recortex.engines.copies import alike, folded, overlapping
from recortex.engines.prompting.service import Polished
from recortex.engines.similarity import contradiction
from recortex.text.words import bag_of_words

# -- Which memories are thought to say the same, and what is said against it.
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def paired(id_, text, kind="insight", **more):
    kind = Kind(kind)
    fields = {"recorded_at": NOW, "updated_at": NOW, "valid_from": NOW} | more
    return Memory(id=id_, kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text), **fields)


A = paired("a", "Run the linter before each push to the shared branch")
B = paired("b", "Run the linter before each push to the main branch")
AT_ONE, AT_TWO = Source(session="s", turn=1), Source(session="s", turn=2)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("Always squash the commits", "Never squash the commits", "«always»"),
        ("Enable the cache in tests", "Disable the cache in tests", "«enable»"),
        ("Squash the commits", "Don't squash the commits", "only one of them says «dont»"),
        ("The port is 8080", "The port is 9090", "one says 8080, the other 9090"),
        ("Use version 1.2 of the client", "Use version 1.3 of the client", "1.2"),
        ("Tabs are used", "Tabs are used in this project", ""),
        ("It listens on 8080", "It listens on 8080 for 2 clients", ""),
        ("Never push at night", "Do never push at night", ""),
    ],
)
def test_what_may_contradict_is_said(a, b, said):
    assert said in contradiction(a, b)
    assert bool(contradiction(a, b)) is bool(said)
    assert bool(contradiction(b, a)) is bool(said)


def test_an_event_is_a_pair_with_the_same_moment_alone():
    first, again, later = (
        paired(id_, "Deployed the shop", kind="episodic", source=source)
        for id_, source in (("a", AT_ONE), ("b", AT_ONE), ("c", AT_TWO))
    )
    assert comparable(first, again)
    assert not comparable(first, later)


def test_the_better_one_is_the_more_trusted_then_the_surer():
    trusted = replace(A, trust=Trust.TRUSTED, confidence=0.5)
    derived = replace(B, trust=Trust.DERIVED, confidence=1.0)
    assert better_of(derived, trusted) == (trusted, derived)
    assert better_of(replace(trusted, id="c", confidence=0.9), trusted)[0].id == "c"


def test_too_many_comparisons_are_told():
    texts = {str(number): bag_of_words(f"the same few words number{number}") for number in range(40)}
    assert overlapping(texts).complete
    assert not overlapping(texts, most=10).complete


def test_vectors_of_another_length_are_no_pair():
    found = similar_vectors({"a": bytes([100, 0, 5]), "b": bytes([99, 0, 5]), "c": bytes([100, 0])})
    assert [(one.a, one.b) for one in found.pairs] == [("a", "b")]
    assert similar_vectors({}).pairs == ()


@pytest.mark.parametrize(
    ("extractions", "memories", "is_due"), [(9, 79, False), (10, 0, True), (0, 80, True), (0, 0, False)]
)
def test_when_it_is_due(extractions, memories, is_due):
    assert bool(due(NOW, extractions=extractions, memories=memories).notice) is is_due


# -- Near-copies: what says the same takes one place in an answer.
TEXT = "Use bcrypt with 12 rounds for hashing passwords"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT, "Use bcrypt with 14 rounds for hashing passwords"),
        (TEXT, "Do not use bcrypt with 12 rounds for hashing passwords"),
        (TEXT, "Use bcrypt with 12 rounds for hashing tokens"),
        ("Read `src/a.py` before the release", "Read `src/b.py` before the release"),
        ("Ann reviews what Bob merged", "Bob reviews what Ann merged"),
        ("Backups run before the migration", "Backups run after the migration"),
        ("Use it", "Use it well"),
    ],
)
def test_what_differs_in_a_figure_a_name_a_negation_or_a_role_is_no_copy(one, other):
    assert not alike(one, other)
    assert not alike(other, one)


def test_what_happened_twice_is_told_twice():
    first = memory(1, "Deployed the shop to staging", kind="episodic")
    second = replace(memory(2, "Deployed the shop to staging"), kind="episodic", valid_from=first.valid_from)
    hits = [
        Hit(memory=one, score=1.0) for one in (first, replace(second, source=replace(second.source, turn=9)))
    ]
    assert len(folded(hits)) == 2


def test_code_that_is_much_the_same_is_told_twice():
    texts = [
        f"def select{name}(table, field): return rows(table, field, {name})" for name in ("none", "nones")
    ]
    hits = [
        Hit(memory=memory(n, text, kind="code_description"), score=1.0) for n, text in enumerate(texts, 1)
    ]
    assert len(folded(hits)) == 2


@given(st.lists(memories(), max_size=8, unique_by=lambda one: one.id))
def test_folding_loses_no_memory_and_keeps_the_order(found):
    hits = [Hit(memory=one, score=1 - place / 10) for place, one in enumerate(found)]
    kept = folded(hits)
    ids = [one.memory.id for one in kept]
    assert ids == [hit.memory.id for hit in hits if hit.memory.id in set(ids)]
    assert sorted([*ids, *(id_ for one in kept for id_ in one.alike)]) == sorted(one.id for one in found)


def test_five_near_copies_take_one_place_of_eight_and_can_be_reached(cortex):
    texts = (
        TEXT, "Passwords are hashed using bcrypt with 12 rounds",
        "Please use bcrypt with 12 rounds to hash passwords",
        "Always use bcrypt with 12 rounds when hashing a password",
        "For hashing passwords, bcrypt with 12 rounds",
    )  # fmt: skip
    copies = {
        cortex.remember(text, kind=kind).id
        for text, kind in zip(
            texts, ("tribal", "decision", "insight", "preference", "procedural"), strict=True
        )
    }
    others = [
        cortex.remember(f"Passwords of the {name} are hashed by its own service").id
        for name in ("shop", "forum", "admin page", "gateway", "wiki", "blog", "mailer", "importer")
    ]
    assert len(cortex.list().memories) == len(copies) + len(others)
    question = "how are passwords hashed with bcrypt?"
    hits = cortex.recall(question, limit=8).hits
    (best,) = [hit for hit in hits if hit.memory.id in copies]
    assert {best.memory.id, *best.alike} == copies
    assert len(hits) == 8
    folded_id = best.alike[0]
    assert cortex.get(folded_id).id == folded_id
    assert [one.cause for one in cortex.explain(folded_id, query=question).reasons] == ["alike"]


def test_statements_that_differ_in_what_goes_where_take_two_places(cortex):
    both = {
        cortex.remember(f"Orders are copied from {one} to {other}", kind="decision").id
        for one, other in (("staging", "the archive"), ("the archive", "staging"))
    }
    hits = cortex.recall("how are orders copied?", floor=False).hits
    assert {hit.memory.id for hit in hits} == both


def test_many_near_copies_leave_no_place_empty(cortex):
    starts = (
        "", "please ", "always ", "just ", "now ", "simply ", "really ", "also ", "still ", "currently ",
    )  # fmt: skip
    for number in range(40):
        text = (
            f"{starts[number % 10]}hash passwords with bcrypt{'.' * (number // 10 % 2)}{'!' * (number // 20)}"
        )
        cortex.remember(
            text, kind=("tribal", "decision", "insight", "preference")[number % 4], tags=[str(number)]
        )
    other = cortex.remember("Passwords are rotated every year by the operators")
    found = cortex.recall("how are passwords hashed?", limit=2, floor=False)
    assert [hit.memory.id for hit in found.hits][1] == other.id


# -- HDBSCAN as it is published, and as scikit-learn does it.
ORACLE = """
import json, sys
import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
matrix, ours = np.load(sys.argv[1]), json.loads(sys.argv[2])
theirs = HDBSCAN(min_cluster_size=2, metric="precomputed", copy=True).fit(matrix.astype(np.float64)).labels_
print(adjusted_rand_score(theirs, ours), (theirs == -1).sum(), ours.count(-1))
"""


def matrix_of(points):
    found = 1.0 - points @ points.T
    found = np.clip((found + found.T) / 2, 0.0, None).astype(np.float32)
    np.fill_diagonal(found, 0.0)
    return found


def drawn(size):
    """Four fifths of the points lie around one of some centres, the others anywhere."""
    random = np.random.default_rng(size)
    centres, near = random.normal(size=(size // 8, 64)), size * 4 // 5
    points = np.concatenate(
        [
            centres[random.integers(len(centres), size=near)] + 0.25 * random.normal(size=(near, 64)),
            random.normal(size=(size - near, 64)),
        ]
    ).astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_points_does_not_matter(random):
    matrix, order = matrix_of(drawn(40)), list(range(40))
    random.shuffle(order)
    plain, mixed = hdbscan(matrix), hdbscan(matrix[np.ix_(order, order)])
    back = dict(zip(order, mixed, strict=True))
    for a, b in combinations(range(40), 2):
        assert (plain[a] == plain[b] != NOISE) == (back[a] == back[b] != NOISE)


@pytest.mark.full
def test_clusters_are_those_of_scikit_learn(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "scikit-learn==1.9.1"], check=True)
    for size in (500, 2_000, 5_000):
        matrix = matrix_of(drawn(size))
        np.save(tmp_path / "matrix.npy", matrix)
        ours = json.dumps(hdbscan(matrix))
        told = subprocess.check_output(
            [python, "-c", ORACLE, tmp_path / "matrix.npy", ours], text=True
        ).split()
        assert told[0] == "1.0"
        assert told[1] == told[2]


# -- What a language model wrote stands only if each of its sentences says what the selected ones say.
SAID = [
    "Backups of the shop's database are written each night by the backup job on db-1.",
    "They go to store-eu.",
    "Backups stay for 30 days.",
]
WHOLE = [Polished(SAID[0], (1,)), Polished(SAID[1], (2,)), Polished(SAID[2], (3,))]


def test_the_same_words_in_another_order_stand():
    joined = Polished("Backups go to store-eu and stay for 30 days.", (1, 2, 3))
    assert grounded(WHOLE, SAID) == "\n".join(SAID)
    assert grounded([WHOLE[0], joined], SAID) == f"{SAID[0]}\n{joined.text}"


@pytest.mark.parametrize(
    "written",
    [
        [], WHOLE[:2], [*WHOLE, WHOLE[0]],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days.", (4,))],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days.", ())],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 31 days.", (3,))],
        [WHOLE[0], WHOLE[1], Polished("Backups do not stay for 30 days.", (3,))],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days, encrypted.", (3,))],
        [WHOLE[0], Polished("They go to store-us.", (2,)), WHOLE[2]],
        [Polished("Backups of the shop's database are written each night.", (1,)), *WHOLE[1:]],
        [WHOLE[0], WHOLE[1], Polished("Backups.", (3,))], [WHOLE[0], WHOLE[1], Polished(".", (3,))],
    ],
)  # fmt: skip
def test_what_says_more_less_or_else_does_not(written):
    assert grounded(written, SAID) == ""
