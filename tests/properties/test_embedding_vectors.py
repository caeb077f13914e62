"""What holds of every vector, whoever made it and however it is kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generated import memories
from recortex.domain.kinds import KINDS
from recortex.embeddings.building import CachedEmbedder, HashedEmbedder
from recortex.engines.indexing import embedded_text

TEXTS = st.lists(st.text(max_size=60), max_size=8)
WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@given(TEXTS)
def test_hashed_vectors_have_unit_length_and_depend_on_their_text_alone(texts):
    vectors = HashedEmbedder().embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(HashedEmbedder().embed([text])[0], vector)


@given(TEXTS, st.integers(1, 4))
def test_a_cache_never_changes_an_answer(texts, size):
    cached = CachedEmbedder(HashedEmbedder(), size=size)
    first = cached.embed(texts)
    assert np.array_equal(first, cached.embed(texts))
    assert np.array_equal(first, HashedEmbedder().embed(texts))


@given(memories(), WORD)
def test_the_embedded_text_starts_with_the_label_and_holds_every_part(memory, project):
    text = embedded_text(memory, project)
    if not KINDS[memory.kind].embedded:
        assert text == ""
        return
    assert text.startswith(
        f"[{memory.kind}|{memory.importance}|{KINDS[memory.kind].category}] [project:{project}] "
    )
    assert memory.text in text
    assert all(link.path in text for link in memory.files)
