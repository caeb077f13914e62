"""Which memories are thought to say the same, and what is said against it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recortex.app.diagnosis import due
from recortex.consolidation.duplicates import (
    better_of,
    comparable,
    similar_vectors,
)
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory, Source
from recortex.domain.vocabulary import Trust
from recortex.engines.copies import overlapping
from recortex.engines.similarity import contradiction
from recortex.text.words import bag_of_words

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def memory(id_, text, kind="insight", **more):
    kind = Kind(kind)
    fields = {"recorded_at": NOW, "updated_at": NOW, "valid_from": NOW} | more
    return Memory(id=id_, kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text), **fields)


A = memory("a", "Run the linter before each push to the shared branch")
B = memory("b", "Run the linter before each push to the main branch")
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
        memory(id_, "Deployed the shop", kind="episodic", source=source)
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
