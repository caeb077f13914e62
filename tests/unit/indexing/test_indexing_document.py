from datetime import UTC, datetime

import numpy as np
import pytest

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory, Source
from recortex.engines.indexing import PrecedingTurn, Trait, compact, cosines, embedded_text, search_text

AT = datetime(2026, 5, 3, tzinfo=UTC)


def memory(text="We hash with getSaltedHash", kind="tribal", **more):
    kind = Kind(kind)
    return Memory(
        id="1", kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text),
        recorded_at=AT, updated_at=AT, valid_from=AT, **more,
    )  # fmt: skip


def test_terms_hold_parts_of_identifiers_paths_and_tags():
    terms = search_text(memory(files=(FileLink("src/auth/hash_pool.py"),), tags=("security",))).terms.split()
    assert {"salted", "hash", "pool", "auth", "security"} <= set(terms)


def test_a_turn_is_found_by_speaker_day_and_the_turn_before():
    turn = memory("Yes, every morning", "conversation", source=Source(session="s", turn=1, speaker="Ann"))
    written = search_text(turn, PrecedingTurn("Bob", "Do you run?"))
    assert written.terms.startswith("Ann 3 May 2026")
    assert written.context == "Bob: Do you run?"
    assert written.traits & Trait.DIALOGUE


def test_messages_to_an_assistant_have_no_context():
    turn = memory("Use tabs", "conversation", source=Source(session="s", turn=1, speaker="user"))
    assert search_text(turn, PrecedingTurn("assistant", "Which?")).context == ""


@pytest.mark.parametrize("kind", [kind for kind, content in KINDS.items() if content.embedded])
def test_what_is_embedded_begins_with_the_metadata(kind):
    assert embedded_text(memory(kind=kind)).startswith(f"[{kind}|normal|{KINDS[kind].category}] ")


def test_a_compact_vector_has_a_byte_a_dimension_and_nearly_the_same_cosine():
    one, two = np.random.default_rng(1).standard_normal((2, 384)).astype(np.float32)
    exact = float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))
    found = cosines(one, {1: compact(two), 2: two.astype("<f4").tobytes(), 3: b"torn"})
    assert len(compact(two)) == 384
    assert found[1] == pytest.approx(exact, abs=0.01)
    assert found[2] == pytest.approx(exact, abs=1e-5)
    assert 3 not in found


def test_a_zero_vector_is_like_nothing():
    assert cosines(np.ones(8, np.float32), {1: compact(np.zeros(8, np.float32))}) == {1: 0.0}
