"""Chunks hold every line, are never too long, and repeat the end of the one before, but above no heading."""

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from recortex.documents.making import cut, joined
from recortex.documents.reading import read, with_titles
from recortex.domain.search import LEAST_TOKENS, MOST_TOKENS, OVERLAP
from recortex.text.tokens import TokenCounter

count = TokenCounter().count
PIECES = (
    "word ",
    "Ein Satz. ",
    "文字がある。",
    "é",
    "\n",
    "\n\n",
    "\n\n\n\n\n\n\n\n",
    "# Top\n",
    "## Deeper ##\n",
    "Title\n=====\n",
    "----\n",
    "```py\n",
    "```\n",
    "- item\n",
    "| a | b |\n",
    "    code\n",
    "x" * 300,
    "lorem ipsum dolor sit amet " * 40,
)
documents = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
forms = st.sampled_from(["markdown", "text", "rst"])


def plain(text):
    return text


def unspaced(text):
    return "".join(text.split())


@given(text=documents, form=forms)
def test_no_chunk_is_too_long_and_none_is_empty(text, form):
    for one in cut(read(text.encode(), form, plain).blocks, count):
        assert one.tokens == count(one.text) <= MOST_TOKENS
        assert one.text.strip()
        assert 1 <= one.first <= one.last


@given(text=documents, form=forms)
@example(text="lorem ipsum dolor sit amet " * 240, form="markdown")
@example(text="lorem ipsum dolor sit amet " * 240 + "word ", form="markdown")
def test_together_they_say_all_that_the_document_says_in_its_order(text, form):
    blocks = read(text.encode(), form, plain).blocks
    whole = unspaced("".join(joined(block.lines) for block in blocks))
    # How far they may have come. Where a text repeats itself, a chunk fits at several places: the longest end
    # that it shares with the one before need not be what it repeats of it.
    reached = {0}
    for one in cut(blocks, count):
        text_ = unspaced(one.text)
        begins = [place for place in range(max(reached) + 1) if whole.startswith(text_, place)]
        reached = {
            place + len(text_)
            for place in begins
            if any(place <= end <= place + len(text_) for end in reached)
        }
        assert reached, one
    assert len(whole) in reached


@given(text=documents, form=forms)
def test_each_repeats_the_end_of_the_one_before_by_fifty_tokens_at_most(text, form):
    blocks = read(text.encode(), form, plain).blocks
    cuts, titles = cut(blocks, count), {block.lines[0].number for block in blocks if block.level}
    for before, one in itertools.pairwise(cuts):
        if one.first in titles or titles & set(range(before.last, one.first + 1)):
            continue  # a heading begins it: nothing above is repeated
        shared = next(
            (
                length
                for length in range(min(len(before.text), len(one.text)), 0, -1)
                if before.text.endswith(one.text[:length])
            ),
            0,
        )
        room = MOST_TOKENS - one.tokens
        assert shared or room < OVERLAP or len(before.text.split()[-1]) > OVERLAP


@given(text=documents, form=forms)
def test_a_small_chunk_has_no_neighbour_with_room_for_it(text, form):
    cuts = cut(read(text.encode(), form, plain).blocks, count)
    for place, one in enumerate(cuts):
        if one.tokens < LEAST_TOKENS and len(cuts) > 1:
            near = [cuts[at] for at in (place - 1, place + 1) if 0 <= at < len(cuts)]
            assert all(one.tokens + other.tokens > MOST_TOKENS - OVERLAP for other in near)


def test_headings_are_those_above():
    text = b"# A\n\nintro\n\n## B\n\nmore\n\n### C #\n\ndeep\n\n## D\n\nlast\n"
    found = {block.lines[0].text: under for under, block in with_titles(read(text, "markdown", plain).blocks)}
    assert found["intro"] == ("A",)
    assert found["deep"] == ("A", "B", "C")
    assert found["last"] == ("A", "D")


@given(text=documents, form=forms)
def test_a_chunk_stands_under_its_headings_and_repeats_nothing_from_above_them(text, form):
    blocks = read(text.encode(), form, plain).blocks
    under = {line.number: headings for headings, block in with_titles(blocks) for line in block.lines}
    titles = {block.lines[0].number for block in blocks if block.level}
    cuts = cut(blocks, count)
    for one in cuts:
        for number in range(one.first, one.last + 1):
            assert under.get(number, one.headings)[: len(one.headings)] == one.headings
    for before, one in itertools.pairwise(cuts):
        assert not titles & set(range(one.first + 1, before.last + 1))
