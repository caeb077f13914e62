"""The copy of signs in memory finds what a scan would, whatever became of the vectors since."""

from random import Random

import pytest

from recortex.storage.records import search
from recortex.storage.records.search import SignsInMemory

MODEL, BYTES, FIRST = 1, 13, -(2**31)


def scanned(kept, signs, wanted):
    asked = int.from_bytes(signs, "little")
    differing = {key: (int.from_bytes(one, "little") ^ asked).bit_count() for key, one in kept.items()}
    return sorted(differing, key=lambda key: (differing[key], key))[:wanted]


@pytest.mark.parametrize("stretch", [search._STRETCH, 8])
def test_it_finds_what_a_scan_finds_while_vectors_come(monkeypatch, stretch):
    monkeypatch.setattr(search, "_STRETCH", stretch)
    random, kept, reads = Random(1), {}, []  # noqa: S311  seeded on purpose

    def read(_, newest):
        rows = sorted((key, one) for key, one in kept.items() if key >= newest)
        reads.append(len(rows))
        return rows

    signs = SignsInMemory(read, FIRST)
    assert signs.closest(MODEL, random.randbytes(BYTES), 5) == []
    for _ in range(30):
        for _ in range(random.randint(0, 9)):
            kept[max(kept, default=FIRST - 1) + 1] = random.randbytes(BYTES)
        for wanted in (1, 9, 10_000):
            asked = random.randbytes(BYTES)
            assert signs.closest(MODEL, asked, wanted) == scanned(kept, asked, wanted)
        some = dict(random.sample(sorted(kept.items()), len(kept) // 2))
        assert signs.closest(MODEL, asked, 9, among=[*some, -1]) == scanned(some, asked, 9)
    assert max(reads) < 12  # what came since, and the newest before


def test_a_newest_vector_that_is_gone_or_another_is_noticed():
    kept = {-9: b"\x01", -8: b"\x02", -7: b"\x04"}

    def read(_, newest):
        return sorted((key, one) for key, one in kept.items() if key >= newest)

    signs = SignsInMemory(read, FIRST)
    assert signs.closest(MODEL, b"\x04", 1) == [-7]
    kept[-7] = b"\xf0"
    assert signs.closest(MODEL, b"\x04", 3) == [-9, -8, -7]
    del kept[-7]
    assert signs.closest(MODEL, b"\xf0", 9) == [-9, -8]
    kept.clear()
    assert signs.closest(MODEL, b"\xf0", 9) == []
