"""Parts of documents are ranked with the probability that they answer; pages of news stand after others."""

import pytest

from recortex.documents.retrieval import LEAST, WEAK, answering, rated
from recortex.domain.search import Facts
from recortex.engines.retrieval.scorer import Considered, Scored, Support
from recortex.engines.retrieval.weights import COMMON, PROSE, Compared, Spoken

SUPPORT = Support(coverage=0.5, unknown=0.0, unknown_names=0.0, likeness=0.6)


def part(key, keyword, semantic, vector=b"x"):
    facts = Facts(
        key=key,
        kind="core",
        session="",
        turn=None,
        speaker="",
        valid_from=0,
        recorded_at=0,
        last_accessed_at=None,
        confidence=1.0,
        priority=5,
        traits=0,
        access_count=0,
        vector=vector,
    )
    compared = Compared(keyword=keyword, semantic=semantic)
    return Scored(facts, 0.0, PROSE.bare, compared, Spoken(), COMMON, compared)


def chances(parts, query="where is the port set?", paths=None, support=SUPPORT):
    found = rated(query, Considered(parts, support), lambda keys: paths or dict.fromkeys(keys, "docs/a.md"))
    return {one.facts.key: chance for one, chance in found}


def test_what_stands_out_is_sure_and_what_does_not_is_weak():
    many = [part(key, 0.1, 0.3) for key in range(2, 12)]
    assert chances([part(1, 0.6, 0.6), *many])[1] > 0.8
    assert max(chances([part(1, 0.1, 0.3), *many]).values()) < WEAK


def test_what_no_document_mentions_lowers_the_chance():
    parts = [part(1, 0.4, 0.5), part(2, 0.1, 0.3)]
    strange = Support(coverage=0.5, unknown=0.8, unknown_names=1.0, likeness=0.6)
    assert chances(parts, support=strange)[1] < chances(parts)[1]


def test_a_page_of_news_stands_after_a_like_part_unless_news_are_asked_for():
    paths = {1: "CHANGELOG.md", 2: "docs/ports.md"}
    parts = [part(1, 0.31, 0.5), part(2, 0.3, 0.5)]
    assert list(chances(parts, paths=paths)) == [2, 1]
    assert list(chances(parts, "which version changed the port?", paths)) == [1, 2]


@pytest.mark.parametrize("support", [SUPPORT, Support(0.5, 0.0, 0.0), Support(None, 0.0, 0.0, 0.5)])
def test_chances_never_rise_and_what_is_unlikely_is_not_told(support):
    parts = [part(key, 0.9 / key, 0.6 / key) for key in range(1, 20)]
    found = rated("port", Considered(parts, support), lambda _keys: {})
    assert [chance for _, chance in found] == sorted((chance for _, chance in found), reverse=True)
    assert all(chance >= LEAST for _, chance in answering(found))


def test_a_part_that_waits_for_its_vector_is_not_put_last():
    waiting, far = part(1, 0.5, 0.0, vector=None), part(2, 0.5, 0.1)
    assert next(iter(chances([far, waiting]))) == 1
