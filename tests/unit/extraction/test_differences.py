"""How a corrected text differs from the original, and words typed in haste."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.corrections import difference, is_diff, of_diff
from recortex.engines.extraction.person_rules import spelled_out

lines = st.lists(st.sampled_from(["a = 1", "b = 2", "return a", "", "  # so", "run(a, b)"]), max_size=8)


@given(lines)
def test_a_text_does_not_differ_from_itself(text):
    assert difference("\n".join(text), "\n".join(text)).empty


@given(lines, lines)
def test_every_line_that_only_one_of_both_has_is_told(before, after):
    found = difference("\n".join(before), "\n".join(after))
    told = {*found.removals, *(one.before for one in found.modifications)}
    new = {*found.additions, *(one.after for one in found.modifications)}
    assert {one.strip() for one in set(before) - set(after) if one.strip()} <= {one.strip() for one in told}
    assert {one.strip() for one in set(after) - set(before) if one.strip()} <= {one.strip() for one in new}


@pytest.mark.parametrize(
    ("original", "corrected", "what"),
    [
        ("wait(5)", "wait(30)", "numbers"),
        ("if ready:", "if not ready:", "negated"),
        ("total = a+b", "total = a + b", "layout"),
        ("x = getUser(1)\ny = getUser(2)", "x = get_user(1)\ny = get_user(2)", "renamed"),
    ],
)
def test_what_a_change_means_is_told(original, corrected, what):
    assert getattr(difference(original, corrected), what)


def test_a_diff_is_recognised_with_its_files():
    diff = "--- a/src/mail.py\n+++ b/src/mail.py\n@@ -1 +1 @@\n-retry(1)\n+retry(3)\n"
    assert is_diff(diff)
    assert not is_diff("- one item\n- another item")
    found = of_diff(diff)
    assert (found.files, found.modifications[0].after) == (("src/mail.py",), "retry(3)")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("u didnt run it", "you didn't run it"),
        ("thats not how it works", "that's not how it works"),
        ("youre wrong coz its idle", "you're wrong because its idle"),
        ("the front and the want ad are distinct", "the front and the want ad are distinct"),
    ],
)
def test_words_typed_in_haste_are_written_out(typed, meant):
    assert spelled_out(typed) == meant
