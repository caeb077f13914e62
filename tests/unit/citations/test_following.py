"""Cited lines are found again in a file that changed, by their signature alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import MOST_CHANGED, FileLink
from recortex.engines.citations import MOST, Lines, judged, parsed, sign, signed

FILE = b"".join(b"def step_%d(value):\n    return value + %d\n\n" % (n, n) for n in range(40))
FIRST, LAST = 31, 36  # two functions, six lines of which two are blank


def cited(data=FILE, first=FIRST, last=LAST):
    hashed, signature = signed(Lines(data), first, last)
    return FileLink("a.py", first, last, hashed, "", signature)


def now(data, link=None, path=""):
    found = judged(link or cited(), Lines(data), path)
    return found and (found.state, found.first, found.last, found.what)


def edited(*changes):
    data = FILE
    for old, new in changes:
        assert old in data
        data = data.replace(old, new, 1)
    return data


def test_lines_that_stand_are_fresh_and_lines_that_stand_lower_have_moved():
    assert now(FILE) == ("fresh", FIRST, LAST, "")
    assert now(b"import os\n" * 7 + FILE) == ("moved", FIRST + 7, LAST + 6, "")


def test_what_differs_is_told_in_a_line():
    one = edited((b"value + 10\n", b"value - 10\n"))
    assert now(one) == ("changed", 31, 35, "1 of 4 lines differ")
    more = edited((b"    return value + 10\n", b"    value *= 2\n    return value + 10\n"))
    assert now(more) == ("changed", 31, 36, "1 line was added")
    single = cited(first=32, last=32)
    assert now(edited((b"value + 10\n", b"value + 99\n")), single) == (
        "changed", 32, 32, "the line differs",
    )  # fmt: skip


def test_lines_that_were_deleted_are_not_taken_for_others_like_them():
    lines = FILE.splitlines(keepends=True)
    assert now(b"".join(lines[:30] + lines[36:])) is None
    assert now(b"nothing\nlike\nit\n") is None
    assert now(b"") is None


def test_a_long_range_and_a_whole_file_are_told_by_a_sample():
    long = cited(first=1, last=120)
    assert len(parsed(long.signature).lines) == MOST
    data = b"# above\n" + FILE.replace(b"value +", b"other +")
    assert judged(long, Lines(data)).what.startswith("about ")
    whole = cited(first=None, last=None)
    assert judged(whole, Lines(FILE + b"# below\n")).what == "1 line was added"
    assert judged(whole, Lines(FILE + b"# below\n")).standing == MOST_CHANGED


def test_a_citation_of_an_older_version_has_no_signature_and_is_followed_by_its_hash():
    bare = FileLink("a.py", FIRST, LAST, cited().content_hash)
    assert now(b"import os\n" * 3 + FILE, bare) == ("moved", FIRST + 3, LAST + 3, "")
    changed = judged(bare, Lines(edited((b"value + 10\n", b"value - 10\n"))))
    assert (changed.state, changed.standing) == ("changed", 0.5)
    assert judged(FileLink("a.py"), Lines(FILE)).state == "none"


@pytest.mark.parametrize(
    "text", ["", "12", "x.AAAA", "2.", "2.!!!!", "0.AAAAAAAA", "99999999999999999999.AAAA", "2." + "A" * 999]
)
def test_what_is_no_signature_is_none(text):
    assert parsed(text) is None
    assert judged(FileLink("a.py", 1, 2, "f" * 64, "", text), Lines(FILE)).state == "changed"


files = st.lists(st.binary(max_size=12), max_size=60).map(b"\n".join)
ranges = st.tuples(st.integers(1, 70), st.integers(0, 40))


@given(files, ranges)
def test_a_signature_is_small_and_read_back(data, where):
    lines = Lines(data)
    text = sign(lines, where[0], where[0] + where[1])
    low, high = lines.within(where[0], where[0] + where[1])
    assert (parsed(text) is None) == (low == high)
    assert len(text) <= 110


@given(files, ranges, files)
def test_whatever_a_file_becomes_an_answer_lies_in_it(data, where, other):
    found = judged(cited(data, where[0], where[0] + where[1]), Lines(other))
    if found is not None and found.state in {"moved", "changed"} and found.link.signature:
        assert 1 <= found.first <= found.last <= len(Lines(other).raw)
        assert 0.0 <= found.standing <= 1.0
