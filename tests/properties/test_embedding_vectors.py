"""What holds of every vector, whoever made it and however it is kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recortex.embeddings.cache import CachedEmbedder
from recortex.embeddings.enrichment import enriched
from recortex.embeddings.hashed import HashedEmbedder
from recortex.embeddings.packing import pack, unpack

TEXTS = st.lists(st.text(max_size=60), max_size=8)
WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
ROWS = arrays(np.float32, (3, 16), elements=st.floats(-1, 1, width=32, allow_subnormal=False))


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
    assert np.array_equal(first, unpack(pack(HashedEmbedder().embed(texts)), 384))


@given(ROWS)
def test_packing_keeps_the_direction(rows):
    lengths = np.linalg.norm(rows, axis=1)
    kept = unpack(pack(rows), 16)
    cosines = (kept * rows).sum(axis=1)[lengths > 1e-3] / lengths[lengths > 1e-3]
    assert np.all(cosines > 0.9995)
    assert all(len(row) == 16 for row in pack(rows))


@given(ROWS)
def test_packing_what_was_packed_changes_nothing(rows):
    packed = pack(rows)
    assert pack(unpack(packed, 16)) == packed


@given(WORD, st.lists(WORD, max_size=4), st.lists(WORD, max_size=4), WORD, st.text(max_size=80))
def test_enrichment_starts_with_the_label_and_keeps_every_part(kind, files, patterns, project, text):
    result = enriched(text, kind=kind, importance="high", files=files, patterns=patterns, project=project)
    assert result.startswith(f"[{kind}|high] [project:{project}]")
    assert text.strip() in result
    assert ("Files: " + ", ".join(files) in result) or not files
    assert ("Patterns: " + ", ".join(patterns) in result) or not patterns
