"""Parts of documents are ranked with the probability that they answer; pages of news stand after others."""

from recortex.documents.retrieval import WEAK, rated
from recortex.domain.search import Facts
from recortex.engines.retrieval.scorer import Considered, Scored, Support
from recortex.engines.retrieval.weights import COMMON, PROSE, Compared, Spoken

SUPPORT = Support(coverage=0.5, unknown=0.0, unknown_names=0.0, likeness=0.6)


def part(key, keyword, semantic, vector=b"x"):
    facts = Facts(
        key=key, kind="core", session="", turn=None, speaker="", valid_from=0, recorded_at=0,
        last_accessed_at=None, confidence=1.0, priority=5, traits=0, access_count=0, vector=vector,
    )  # fmt: skip
    compared = Compared(keyword=keyword, semantic=semantic)
    return Scored(facts, 0.0, PROSE.bare, compared, Spoken(), COMMON, compared)


def chances(parts, query="where is the port set?", paths=None, support=SUPPORT):
    found = rated(query, Considered(parts, support), lambda keys: paths or dict.fromkeys(keys, "docs/a.md"))
    return {one.facts.key: chance for one, chance in found}


def test_what_stands_out_is_sure_and_what_does_not_is_weak():
    many = [part(key, 0.1, 0.3) for key in range(2, 12)]
    assert chances([part(1, 0.6, 0.6), *many])[1] > 0.8
    assert max(chances([part(1, 0.1, 0.3), *many]).values()) < WEAK
