"""Whatever is said in whatever order: strengths are from 0 to 1, causes come first, nothing is certain."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from example_memories import AT, memory
from recortex.domain.memory import Source, order
from recortex.domain.vocabulary import RelationStatus
from recortex.engines.graph.inference import CAUSES, infer

WORDS = [
    "use",
    "fix",
    "the",
    "`parse_rows`",
    "crash",
    "missing",
    "because",
    "`read_header`",
    "reverts",
    "totals.csv",
    "error",
    "now",
    "decided",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
SAID = st.lists(
    st.tuples(
        TEXTS,
        st.sampled_from(["incident", "decision", "semantic", "tribal"]),
        st.sampled_from(["user", "assistant"]),
        st.sampled_from(["", "person_corrected_ought"]),
        st.integers(0, 40),
        st.integers(0, 3),
        st.sampled_from(["one", "other"]),
    ),
    max_size=8,
)


def made(said):
    return [
        memory(
            number, text, kind, valid_from=AT + timedelta(days=days),
            source=Source(session=session, turn=turn, speaker=speaker, rule=rule),
        )
        for number, (text, kind, speaker, rule, turn, days, session) in enumerate(said)
    ]  # fmt: skip


@given(SAID, st.one_of(st.none(), st.floats(-1, 1)))
def test_strengths_are_valid_and_causes_come_first(said, cosine):
    memories = made(said)
    known = {one.id: (one.valid_from, one.source.turn) for one in memories}
    relations = infer(memories, lambda *_: cosine, AT)
    for one in relations:
        cause, effect = order(one)
        assert 0.0 <= one.strength <= 1.0
        assert known[cause] < known[effect]
        assert (one.status, one.inferred, bool(one.evidence)) == (RelationStatus.SUGGESTED, True, True)
    effects = [order(one)[1] for one in relations]
    assert all(effects.count(one) <= CAUSES for one in effects)
