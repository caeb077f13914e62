"""Cutting a document takes time in proportion to its length, whatever its lines are like."""

import random

import pytest

from recortex.documents.making import cut
from recortex.documents.reading import read
from recortex.domain.search import MOST_TOKENS
from recortex.text.tokens import TokenCounter

LENGTH = 120_000
TIMES = 5
"""How often a character's tokens are counted at most, on the average."""
count = TokenCounter().count


def _words(separator):
    draw = random.Random(5)  # noqa: S311  a draw for a test
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(1, 11))) for _ in range(2_000)]
    return separator.join(draw.choices(words, k=LENGTH // 7))


TEXTS = {
    "one line of words": _words(" "), "one line of sentences": _words(" ").replace(" ab", ". Ab"),
    "one line without a space": _words(""), "one sign again and again": "a" * LENGTH,
    "spaces": " " * LENGTH + "x", "tabs and words": _words("\t\t\t"),
    "Chinese": "".join(chr(0x4E00 + 7 * place % 20_000) for place in range(LENGTH // 3)),
    "marks": "# " + "*`<[" * (LENGTH // 4),
    "short, then long, then short": f"# Short\n\nfew words\n{_words(' ')}\nfew words\n\n## End\n",
    "a fence of blank lines": "```\n" + "\n" * LENGTH + "```\n",
    "words that grow": " ".join("x" * length for length in range(1, 480)),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=() if one == "one line of words" else pytest.mark.full) for one in TEXTS],
)
def test_a_text_is_counted_a_few_times_over_however_long_its_lines_are(name):
    counted = 0

    def counting(text):
        nonlocal counted
        counted += len(text)
        return count(text)

    cuts = cut(read(TEXTS[name].encode(), "markdown", lambda text: text).blocks, counting)
    assert counted <= TIMES * len(TEXTS[name])
    assert all(one.tokens == count(one.text) <= MOST_TOKENS for one in cuts)


@pytest.mark.parametrize("name", ["one line of words", "one line without a space", "Chinese"])
def test_the_parts_of_a_long_line_are_nearly_as_long_as_they_may_be(name):
    cuts = cut(read(TEXTS[name].encode(), "markdown", lambda text: text).blocks, count)
    assert sum(one.tokens for one in cuts) / len(cuts) > 0.8 * MOST_TOKENS


def test_many_small_headings_are_not_counted_again_for_each_that_joins_them():
    text = "# a\n" * (LENGTH // 4)
    counted = 0

    def counting(part):
        nonlocal counted
        counted += len(part)
        return count(part)

    cut(read(text.encode(), "markdown", lambda one: one).blocks, counting)
    assert counted <= 2 * TIMES * len(text)
