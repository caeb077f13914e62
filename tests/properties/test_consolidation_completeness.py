"""The join finds every pair that comparing each with each finds; merging keeps what either memory had."""

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generated import memories
from recortex.consolidation.duplicates import better_of, merge, similar_vectors
from recortex.domain.vocabulary import Trust
from recortex.engines.copies import overlapping
from recortex.engines.indexing import cosine
from recortex.engines.ingestion import normalise_again
from recortex.engines.similarity import contradiction, jaccard

WORDS = st.frozensets(st.sampled_from([f"word{number}" for number in range(14)]), max_size=9)


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), WORDS, max_size=14))
def test_no_pair_is_missed(texts):
    wanted = {(a, b) for a, b in combinations(sorted(texts), 2) if jaccard(texts[a], texts[b]) > 0.5}
    found = overlapping(texts)
    assert {(one.a, one.b) for one in found.pairs} == wanted
    assert len(found.pairs) == len(wanted)
    assert found.complete


@given(st.lists(st.lists(st.integers(-127, 127), min_size=4, max_size=4), max_size=12))
def test_no_near_vector_is_missed(rows):
    codes = {f"{place:02}": np.array(row, dtype=np.int8).tobytes() for place, row in enumerate(rows)}
    sure = {pair for pair in combinations(codes, 2) if cosine(codes[pair[0]], codes[pair[1]]) > 0.801}
    possible = {pair for pair in combinations(codes, 2) if cosine(codes[pair[0]], codes[pair[1]]) > 0.799}
    found = {(one.a, one.b) for one in similar_vectors(codes).pairs}
    assert sure <= found <= possible


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_text_never_contradicts_itself_and_order_makes_no_difference(a, b):
    assert contradiction(a, a) == ""
    assert bool(contradiction(a, b)) == bool(contradiction(b, a))


@given(memories(), memories(), st.booleans())
def test_a_merged_memory_keeps_what_either_had(a, b, person):
    a, b = (
        normalise_again(one, count=len).memory for one in (a, b)
    )  # as they were kept: no secret in a label
    better, other = better_of(a, replace(b, id="other", kind=a.kind, content=a.content))
    new = merge(better, other, id_="new", text="", person=person, now=a.recorded_at, count=len)
    assert new.confidence == 1.0
    assert new.priority == max(better.priority, other.priority)
    assert new.pinned == (better.pinned or other.pinned)
    assert set(new.tags) == {*better.tags, *other.tags}
    paths = {link.path for link in (*better.files, *other.files)}
    assert {link.path for link in new.files} == paths
    assert new.evidence == better.evidence + other.evidence
    assert new.trust is Trust.TRUSTED or not person
    assert new.valid_from <= min(better.valid_from, other.valid_from)
